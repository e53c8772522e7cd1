import type { Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'

export interface Visible {
  readonly text: string
  /** Something a reader of the page can't see was left out. */
  readonly hidden: boolean
}

/** Control, format and filler characters that take no place on the page; an emoji's joiner is none of them. */
const invisible =
  /(?![\t\n\r]|\u200D\p{Extended_Pictographic})(?:[\p{Cc}\p{Cf}\u115F\u1160\u3164\uFFA0]|\u034F|[\u17B4\u17B5]|[\u180B-\u180F]|[\u{E0100}-\u{E01EF}])/gu
const comment = /<!--[\s\S]*?(?:-->|$)/g
const unseenAttribute = /\s(?:alt|title|aria-[\w-]+|data-[\w-]+|placeholder)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * Markdown as people see it on the page: without HTML comments, descriptions of images, titles of links, unused definitions and
 * invisible characters, which could speak to a model behind the readers' backs (C142). Code stays as it is, apart from the last.
 */
export function visible(markdown: string): Visible {
  const plain = markdown.replaceAll(invisible, '')
  const hidden = plain.length < markdown.length
  // Parsing takes longer than everything else here, and most comments have nothing to look for.
  if (!/<[!a-z]|!\[|\]:|\]\(/i.test(plain)) return { text: plain, hidden }
  const tree = fromMarkdown(plain)
  const edits = [...editsOf(tree, plain, addresses(tree))]
  let text = ''
  let at = 0
  for (const edit of edits.sort((a, b) => a.from - b.from)) {
    text += plain.slice(at, edit.from) + edit.text
    at = edit.to
  }
  return { text: text + plain.slice(at), hidden: hidden || edits.length > 0 }
}

function* editsOf(node: Nodes, source: string, urls: ReadonlyMap<string, string>): Generator<Edit> {
  const from = node.position?.start.offset ?? 0
  const to = node.position?.end.offset ?? 0
  switch (node.type) {
    case 'html': {
      const text = source.slice(from, to).replaceAll(comment, '').replaceAll(unseenAttribute, '')
      if (text.length < to - from) yield { from, to, text }
      break
    }
    case 'image':
      if (node.alt || node.title) yield { from, to, text: `![](${node.url})` }
      break
    case 'imageReference':
      yield { from, to, text: `![](${urls.get(node.identifier) ?? ''})` }
      break
    case 'definition':
      yield { from, to, text: '' }
      break
    case 'linkReference':
      yield { from: endOfText(node.children, from + 1), to, text: `](${urls.get(node.identifier) ?? ''})` }
      break
    case 'link':
      if (node.title) yield { from: endOfText(node.children, from + 1), to, text: `](${node.url})` }
      break
  }
  if ('children' in node) for (const child of node.children) yield* editsOf(child, source, urls)
}

const endOfText = (children: readonly Nodes[], empty: number): number => children.at(-1)?.position?.end.offset ?? empty

/** Addresses of definitions, which are written out where they are used since the definitions themselves can't be seen. */
function addresses(node: Nodes | Root, found = new Map<string, string>()): ReadonlyMap<string, string> {
  if (node.type === 'definition' && !found.has(node.identifier)) found.set(node.identifier, node.url)
  if ('children' in node) for (const child of node.children) addresses(child, found)
  return found
}
