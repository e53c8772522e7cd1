import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { demoFiles } from '../src/local/demo-repository.ts'
import { demoScript, firstComment, secondComment } from '../src/local/demo-script.ts'
import { issueCommentPayload } from '../src/local/github/payloads.ts'
import { visible } from '../src/local/print.ts'
import { createWorld, runAction } from '../src/local/world.ts'

/** Draws `docs/thread.svg`: the thread of the demo as the built action leaves it on the emulated GitHub. `node scripts/thread-picture.ts` */
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const width = 760
const left = 64
const lineHeight = 20
const charsPerLine = 92

interface Post {
  readonly author: string
  readonly what: string
  readonly body: string
}

async function playThread(): Promise<readonly Post[]> {
  const world = await createWorld({
    env: process.env,
    bundle: file('../dist/index.js'),
    seed: { files: demoFiles },
    owner: 'octo',
    repo: 'day-by-day',
    users: { alice: 'write' },
    script: demoScript,
  })
  try {
    const body = '`parseDate("2024-03-01")` gives 1 April. `node --test` shows two failures.'
    const issue = world.github.openIssue({ title: 'Dates come out a month late', body, author: 'alice' })
    for (const text of [firstComment, secondComment]) {
      await world.checkout()
      const { id } = world.github.comment(issue.number, 'alice', text)
      const inputs = { model: 'scripted/demo', 'base-url': world.model?.baseUrl ?? '' }
      const { code, stdout } = await runAction(world, { event: 'issue_comment', payload: issueCommentPayload(world.github, id), inputs })
      if (code !== 0) throw new Error(stdout)
    }
    const comments = world.github.thread(issue.number).comments.map((comment) => ({ author: comment.author ?? 'ghost', what: 'commented', body: comment.body }))
    return [{ author: 'alice', what: `opened this issue: ${issue.title}`, body }, ...comments]
  } finally {
    await world.close()
  }
}

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Words of a comment as lines; links keep their text, small print its words. */
function linesOf(body: string): { text: string; small: boolean }[] {
  return visible(body)
    .text.split('\n')
    .flatMap((paragraph) => {
      const small = paragraph.startsWith('<sub>')
      const plain = paragraph.replaceAll(/<\/?sub>/g, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      const lines = [plain.replaceAll('&#47;', '/')]
      for (let last = lines.at(-1) ?? ''; last.length > charsPerLine; last = lines.at(-1) ?? '') {
        const cut = last.lastIndexOf(' ', charsPerLine)
        lines.splice(-1, 1, last.slice(0, cut), last.slice(cut + 1))
      }
      return lines.map((text) => ({ text, small }))
    })
}

/** Text with `code` set in another font. */
function styled(text: string): string {
  return text
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? `<tspan class="code">${xml(piece)}</tspan>` : xml(piece)))
    .join('')
}

function draw(post: Post, top: number): { svg: string; height: number } {
  const lines = linesOf(post.body)
  const height = 40 + 16 + lines.length * lineHeight + 8
  const bot = post.author.endsWith('[bot]')
  const text = lines.map(({ text, small }, index) => {
    const y = top + 40 + 24 + index * lineHeight
    return `<text x="${left + 16}" y="${y}" class="${small ? 'small' : 'body'}">${styled(text)}</text>`
  })
  const svg = [
    `<circle cx="36" cy="${top + 20}" r="18" class="${bot ? 'bot' : 'person'}"/>`,
    `<text x="36" y="${top + 26}" class="initial">${bot ? '&gt;_' : xml(post.author.charAt(0).toUpperCase())}</text>`,
    `<rect x="${left}" y="${top}" width="${width - left - 16}" height="${height}" rx="6" class="box"/>`,
    `<path d="M${left} ${top + 40}V${top + 6}a6 6 0 0 1 6-6H${width - 22}a6 6 0 0 1 6 6V${top + 40}z" class="head"/>`,
    `<text x="${left + 16}" y="${top + 25}" class="body"><tspan class="name">${xml(post.author)}</tspan> ${xml(post.what)}</text>`,
    ...text,
  ].join('\n')
  return { svg, height }
}

const parts: string[] = []
let top = 16
for (const post of await playThread()) {
  const { svg, height } = draw(post, top)
  parts.push(svg)
  top += height + 16
}
const style = `
.body{font:14px -apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1f2328}
.small{font:12px -apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#59636e}
.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:85%;fill:#0a3069}
.name{font-weight:600}.initial{font:600 15px sans-serif;fill:#fff;text-anchor:middle}
.person{fill:#8250df}.bot{fill:#1a7f37}.box{fill:#fff;stroke:#d1d9e0}.head{fill:#f6f8fa;stroke:#d1d9e0}
@media (prefers-color-scheme:dark){.body{fill:#f0f6fc}.small{fill:#9198a1}.code{fill:#a5d6ff}.box{fill:#0d1117;stroke:#3d444d}.head{fill:#151b23;stroke:#3d444d}}`
writeFileSync(
  file('../docs/thread.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${top}" viewBox="0 0 ${width} ${top}" role="img" aria-label="A thread in which alice asks twice and the bot answers twice">\n<style>${style}</style>\n${parts.join('\n')}\n</svg>\n`,
)
