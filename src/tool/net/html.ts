import { ToolError } from '../errors.ts'
import { bounded } from './html-bounds.ts'

/** What no reader sees. */
const unseen = ['script', 'style', 'noscript', 'template', 'iframe', 'object', 'embed', 'canvas', 'svg', 'link', 'meta']

/** An element as turndown's DOM gives it. */
interface Element {
  readonly nodeName: string
  readonly children: ArrayLike<Element>
  getAttribute(name: string): string | null
}

/**
 * An HTML page as Markdown, with links made absolute, or as plain text. Scripts, styles, comments and hidden elements (C142) are left out, and so
 * are images that are part of the page itself. Throws `ToolError` for a page that cannot be converted.
 */
export async function fromHtml(html: string, format: 'markdown' | 'text', base: URL): Promise<string> {
  const { TurndownService } = await import('./turndown.ts')
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' })
  if (format === 'text') {
    service.escape = (text) => text
    service.addRule('plain', { filter: () => true, replacement: (content, node) => (isBlock(node) ? `\n\n${content}\n\n` : content) })
    service.addRule('pre', { filter: 'pre', replacement: (_content, node) => `\n\n${node.textContent ?? ''}\n\n` })
    service.addRule('line', { filter: ['br', 'hr'], replacement: () => '\n' })
    service.addRule('item', { filter: ['li', 'tr', 'dt', 'dd'], replacement: (content) => `${content.trim()}\n` })
    service.addRule('cell', { filter: ['td', 'th'], replacement: (content) => `${content.trim()} ` })
  } else {
    service.addRule('link', { filter: 'a', replacement: (content, node) => linked(content, absolute(node, 'href', base)) })
    service.addRule('image', { filter: 'img', replacement: (_content, node) => pictured(node, absolute(node, 'src', base)) })
    service.addRule('part', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content })
    service.addRule('row', { filter: 'tr', replacement: (content, node) => row(content, node) })
    service.addRule('cell', {
      filter: ['td', 'th'],
      replacement: (content) =>
        ` ${content
          .trim()
          .replaceAll(/\s*\n\s*/g, ' ')
          .replaceAll('|', '\\|')} |`,
    })
  }
  // Rules that are added last are asked first.
  service.addRule('unseen', { filter: isUnseen, replacement: () => '' })
  try {
    const page = bounded(html)
    const converted = service.turndown(page.html).trim()
    return page.cut ? `${converted}\n\n(The page is too large to convert; the rest is left out. The format html has all of it.)` : converted
  } catch (error) {
    throw new ToolError('The page could not be converted: its HTML is broken.', 'Ask for the format html.', { cause: error })
  }
}

function isUnseen(node: Element): boolean {
  const name = node.nodeName.toLowerCase()
  return unseen.includes(name) || node.getAttribute('hidden') !== null || /(display\s*:\s*none|visibility\s*:\s*hidden)/i.test(node.getAttribute('style') ?? '')
}

const inline = new Set(['A', 'ABBR', 'B', 'BDI', 'BDO', 'BUTTON', 'CITE', 'CODE', 'DEL', 'EM', 'I', 'IMG', 'INS', 'KBD', 'LABEL', 'MARK', 'Q', 'S', 'SAMP'])
const moreInline = new Set(['SMALL', 'SPAN', 'STRONG', 'SUB', 'SUP', 'TIME', 'U', 'VAR', 'WBR', 'FONT', 'TT', 'INPUT', 'SELECT', 'OPTION'])

function isBlock({ nodeName }: Element): boolean {
  return !inline.has(nodeName) && !moreInline.has(nodeName)
}

function absolute(node: Element, attribute: string, base: URL): URL | undefined {
  const text = node.getAttribute(attribute)
  const url = text !== null && URL.canParse(text, base.href) ? new URL(text, base) : undefined
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : undefined
}

function linked(content: string, url: URL | undefined): string {
  const text = content.trim()
  return text === '' || !url ? content : `[${text.replaceAll(/\s*\n\s*/g, ' ')}](${hrefOf(url)})`
}

function pictured(node: Element, url: URL | undefined): string {
  const text = (node.getAttribute('alt') ?? '').trim()
  return url ? `![${text}](${hrefOf(url)})` : text
}

/** Round brackets would end the address in Markdown. */
function hrefOf(url: URL): string {
  return url.href.replaceAll('(', '%28').replaceAll(')', '%29')
}

function row(content: string, node: Element): string {
  const cells = Array.from(node.children)
  const isHead = cells.length > 0 && cells.every(({ nodeName }) => nodeName === 'TH')
  return `\n|${content}${isHead ? `\n|${' --- |'.repeat(cells.length)}` : ''}`
}
