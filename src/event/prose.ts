import type { Nodes, Parents } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { parseable } from '../parseable.ts'

/** A stretch of a text that its writer says in his own name, as offsets into the source. */
export interface Stretch {
  readonly start: number
  readonly end: number
  /** The same edges, moved out over the emphasis marks that touch them: `**word**` has nothing before and after it. */
  readonly from: number
  readonly to: number
  /** The outermost emphasis that holds this stretch and nothing else. */
  readonly whole: { readonly start: number; readonly end: number }
}

interface Step {
  readonly node: Nodes
  readonly from: number
  readonly to: number
  readonly whole: { readonly start: number; readonly end: number }
  /** Inside something that is quoted or named rather than said. */
  readonly quoted: boolean
  /** Where a table begins in the paragraph around. */
  readonly limit: number
}

const speaking = new Set(['root', 'paragraph', 'heading', 'list', 'listItem', 'emphasis', 'strong'])

/**
 * Where a Markdown text speaks for itself, in order. Left out are code (spans, fences, indented), block quotes, tables, links with their text,
 * images, definitions, raw HTML, HTML comments, and what stands between HTML tags that quote, also across blank lines (C03).
 * What lies behind more nesting than people write says nothing. Never throws; `markdown` must not begin with a byte order mark, which would shift every offset.
 */
export function prose(markdown: string): readonly Stretch[] {
  const { text } = parseable(markdown)
  const found: Stretch[] = []
  const hidden = new HiddenByHtml()
  const whole = { start: 0, end: markdown.length }
  const steps: Step[] = [{ node: fromMarkdown(text), from: 0, to: markdown.length, whole, quoted: false, limit: markdown.length }]
  for (let step = steps.pop(); step; step = steps.pop()) {
    const { node } = step
    const { start, end } = span(node)
    if (node.type === 'html') hidden.read(markdown.slice(start, end))
    if (node.type === 'text' && !step.quoted && !hidden.now && start < step.limit)
      found.push({ start, end: Math.min(end, step.limit), from: step.from, to: Math.min(step.to, step.limit), whole: step.whole })
    if ('children' in node) steps.push(...childrenOf(node, step, markdown).reverse())
  }
  return found
}

function childrenOf(node: Parents, step: Step, markdown: string): Step[] {
  const emphasis = node.type === 'emphasis' || node.type === 'strong'
  const { start, end } = span(node)
  const limit = node.type === 'paragraph' ? start + tableIn(markdown.slice(start, end)) : step.limit
  const last = node.children.length - 1
  return node.children.map((child, index) => {
    const own = span(child)
    return {
      node: child,
      from: emphasis && index === 0 ? step.from : own.start,
      to: emphasis && index === last ? step.to : own.end,
      whole: emphasis && last === 0 ? step.whole : own,
      quoted: step.quoted || !speaking.has(node.type),
      limit,
    }
  })
}

function span(node: Nodes): { readonly start: number; readonly end: number } {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 }
}

/** Where GitHub sees a table begin in a paragraph: at the line above the row of dashes. The parser knows CommonMark, which has no tables. */
function tableIn(paragraph: string): number {
  const lines = paragraph.split('\n')
  const dashes = lines.findIndex((line, index) => index > 0 && /^[\s|:-]+$/.test(line) && line.includes('|') && line.includes('-'))
  if (dashes < 0) return paragraph.length
  return lines.slice(0, dashes - 1).reduce((sum, line) => sum + line.length + 1, 0)
}

/** Follows what raw HTML opens and closes: a comment, or an element that quotes or shows code, goes on across Markdown's blocks. */
class HiddenByHtml {
  #comment = false
  #depth = 0

  get now(): boolean {
    return this.#comment || this.#depth > 0
  }

  read(html: string): void {
    for (const [mark, slash] of html.matchAll(/<!---?>|<!--|--!?>|<(\/?)(?:code|pre|samp|kbd|tt|blockquote)\b/gi)) {
      if (mark.endsWith('-->') || mark === '--!>') this.#comment = false
      else if (mark === '<!--') this.#comment = true
      else if (!this.#comment) this.#depth = Math.max(0, this.#depth + (slash ? -1 : 1))
    }
  }
}
