import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connect } from '../../src/github/client.ts'
import type { GitHub } from '../../src/github/types.ts'
import type { World } from '../../src/local/world.ts'
import { textsOf } from '../../src/prompt/texts.ts'
import { publishIntents } from '../../src/publish/intents.ts'
import { openReview } from '../../src/publish/review-desk.ts'
import { openWorld } from '../support/world.ts'
import { desk, issue } from '../tool/review-kit.ts'

/** The whole of a review against the emulated GitHub: what is found, posted, read again and resolved. */

const texts = textsOf(fileURLToPath(new URL('../../prompts', import.meta.url)))
const source = (change: (line: string, number: number) => string[] = (line) => [line]) =>
  Array.from({ length: 60 }, (_, index) => change(`line ${index + 1}`, index + 1))
    .flat()
    .map((line) => `${line}\n`)
    .join('')

let world: World
let github: GitHub
let number: number
beforeEach(async () => {
  world = await openWorld({ seed: { files: { 'src/a.ts': source() } } })
  await world.push('work', { 'src/a.ts': source((line, at) => (at === 10 ? ['const a = b()', 'a.c()'] : at === 50 ? ['const d = e'] : [line])) }, 'main')
  number = (await world.github.openPull({ title: 'Change', author: 'alice', head: 'work' })).number
  const { state, apiUrl, graphqlUrl } = world.github
  github = connect({ token: state.token, apiUrl, graphqlUrl, owner: state.owner, repo: state.repo })
})
afterEach(() => world.close())

/** A run that reviews: what the model is told, and what its calls lead to. */
async function review(...calls: unknown[]) {
  const discussion = await github.discussion(number)
  const review = openReview(github, discussion)
  const { text } = (await review?.brief({ texts, budget: 20_000 })) ?? { text: '' }
  const { call, intents } = desk({ review, triage: { ...issue, number } })
  for (const input of calls) await call('review', input)
  return { text, published: await publishIntents(github, number, intents(), (words) => words) }
}

const finding = { path: 'src/a.ts', severity: 'high', body: 'It throws then.' }

test('C138: a review with findings everywhere is taken at once, and the next one knows of it', async () => {
  const first = await review({
    findings: [
      { ...finding, line: 10, title: 'b may be undefined', suggestion: 'const a = b?.()' },
      { ...finding, line: 11, start_line: 10, title: 'No test' },
      { ...finding, line: 10, side: 'LEFT', title: 'This was needed' },
      { ...finding, line: 30, title: 'Far away from the diff' },
      { ...finding, path: 'other.ts', line: 1, title: 'Not in the diff' },
    ],
  })
  expect(first.published.notes).toEqual([])
  expect(first.text).toContain('+const a = b()')
  const posted = await github.discussion(number)
  expect(posted.pull?.reviews).toHaveLength(1)
  expect(posted.pull?.reviews[0]).toMatchObject({ state: 'COMMENTED', body: expect.stringContaining('5 remarks on') })
  expect(posted.pull?.threads.map(({ line, startLine, side }) => [line, startLine, side])).toEqual([
    [10, null, 'RIGHT'],
    [11, 10, 'RIGHT'],
    [10, null, 'LEFT'],
  ])

  // Lines move, one finding is dealt with, one is not; the model says the old ones again in other words.
  await world.push('work', {
    'src/a.ts': source((line, at) => (at === 2 ? ['new', line] : at === 10 ? ['const a = b()', 'a.c()'] : at === 50 ? ['const d = f'] : [line])),
  })
  const second = await review(
    {
      findings: [
        { ...finding, line: 11, title: 'b() may be undefined' },
        { ...finding, line: 51, title: 'f is unknown' },
      ],
    },
    { fixed: ['F2'] },
  )
  expect(second.text).toContain('You have reviewed this pull request before')
  expect(second.text).toContain('F1 open: src/a.ts:11 b may be undefined')
  expect(second.text).toContain('+const d = f')
  expect(second.text).not.toContain('+const a = b()')
  expect(second.published.notes).toEqual([])
  expect(second.published.done).toEqual([expect.stringContaining('with 1 remark.'), 'Resolved 1 thread of earlier remarks.'])
  const after = await github.discussion(number)
  expect(after.pull?.threads.map(({ resolved }) => resolved)).toEqual([false, true, false, false])
  expect(after.pull?.reviews.at(-1)?.body).toMatch(/^1 remark on .*1 earlier remark is dealt with\./)
})

test('a commit that GitHub does not know any more loses no finding', async () => {
  const review = openReview(github, await github.discussion(number))
  const { call, intents } = desk({ review: review && { ...review, head: 'f'.repeat(40) }, triage: { ...issue, number } })
  await call('review', { findings: [{ ...finding, line: 10, title: 'b may be undefined' }] })
  const { findings, notes } = await publishIntents(github, number, intents(), (words) => words)
  const bodies = (await github.discussion(number)).pull?.reviews.map(({ body }) => body) ?? []
  expect([...bodies, findings].join('\n')).toContain('b may be undefined')
  expect(notes).toHaveLength(1)
})
