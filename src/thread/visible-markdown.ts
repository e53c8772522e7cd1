import type { Image, Link, LinkReference, Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { invisibleReferences } from './visible-characters.ts'
import type { Edit } from './visible-edit.ts'
import { htmlEdits, pasted } from './visible-html.ts'
import { cellEdits, footnoteEdits } from './visible-tables.ts'

/** What the tree says about a node's place. */
interface Placed {
  readonly node: Nodes
  readonly from: number
  readonly to: number
  /** Quotes around it. */
  readonly quotes: number
  /** Stands on lines of its own rather than between words. */
  readonly isBlock: boolean
}

interface Links {
  /** Addresses of definitions, which are written out where they are used since the definitions themselves can't be seen. */
  readonly urls: ReadonlyMap<string, string>
  readonly used: ReadonlySet<string>
}

const blocks = new Set(['root', 'blockquote', 'list', 'listItem'])

const languageOnly = /^[\w+#.:-]{0,30}$/

/**
 * What readers of a page don't see of a Markdown text, as GitHub shows it. `parsed` is what may be given to the parser, with the same offsets as
 * `source`.
 */
export function markdownEdits(source: string, parsed: string): Edit[] {
  const nodes = [...placed(fromMarkdown(parsed))]
  const links = linksIn(nodes)
  const footnotes = new Set(nodes.flatMap((item) => footnotesIn(item, source)))
  const pieces = nodes.flatMap(({ node, from, to, isBlock }) => (node.type === 'html' ? [{ from, to, isBlock }] : []))
  const edits = nodes.flatMap((item): Edit[] => {
    const { node, from, to } = item
    if (node.type === 'paragraph') return [...cellEdits(source.slice(from, to), from), ...footnoteEdits(source, from, to, footnotes)]
    if (node.type === 'definition' && node.identifier.startsWith('^'))
      return footnotes.has(node.identifier.slice(1)) ? [] : [{ from, to, text: '', kind: 'unused footnote' }]
    return editsOf(item, source, links)
  })
  return [...edits, ...htmlEdits(unquoted(source, nodes), pieces)]
}

/** All nodes in the order of the text, parents first. */
function* placed(root: Root): Generator<Placed> {
  const stack: { node: Nodes; quotes: number; isBlock: boolean }[] = [{ node: root, quotes: 0, isBlock: true }]
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { node, quotes, isBlock } = top
    yield { node, quotes, isBlock, from: node.position?.start.offset ?? 0, to: node.position?.end.offset ?? 0 }
    if (!('children' in node)) continue
    const inner = { quotes: node.type === 'blockquote' ? quotes + 1 : quotes, isBlock: blocks.has(node.type) }
    for (const child of node.children.toReversed()) stack.push({ node: child, ...inner })
  }
}

/** Signs of quotes at the beginning of lines would end tags; blanks in their place keep every offset. */
function unquoted(source: string, nodes: readonly Placed[]): string {
  let text = ''
  let at = 0
  for (const { node, from, to, quotes } of nodes) {
    if (node.type !== 'html' || quotes === 0 || from < at) continue
    text += source.slice(at, from) + source.slice(from, to).replaceAll(/(?<=[\r\n])[ \t]*(?:>[ \t]?)+/g, (signs) => ' '.repeat(signs.length))
    at = to
  }
  return text + source.slice(at)
}

function linksIn(nodes: readonly Placed[]): Links {
  const urls = new Map<string, string>()
  const used = new Set<string>()
  for (const { node } of nodes) {
    if (node.type === 'definition' && !urls.has(node.identifier)) urls.set(node.identifier, node.url)
    if (node.type === 'linkReference' || node.type === 'imageReference') used.add(node.identifier)
  }
  return { urls, used }
}

/** Names of the footnotes that a piece of text refers to. */
function footnotesIn({ node, from, to }: Placed, source: string): string[] {
  if (node.type === 'linkReference') return node.identifier.startsWith('^') ? [node.identifier.slice(1)] : []
  if (node.type !== 'text') return []
  return [...source.slice(from, to).matchAll(/\[\^([^\]\s]+)\](:?)/g)].flatMap((match) => {
    const isLineStart = /(?:^|[\r\n])[ \t>*+\-\d.)]*$/.test(source.slice(Math.max(0, from + match.index - 100), from + match.index))
    return match[2] === ':' && isLineStart ? [] : [(match[1] ?? '').toLowerCase()]
  })
}

function editsOf({ node, from, to }: Placed, source: string, { urls, used }: Links): Edit[] {
  switch (node.type) {
    case 'text':
      return invisibleReferences(source.slice(from, to)).map((at) => ({ from: from + at.from, to: from + at.to, text: '', kind: 'invisible character' }))
    case 'image':
      if (!node.alt && !node.title) return []
      return [{ from, to, text: `![](${target(node)})`, kind: 'image description', isSame: !node.title && pasted.test(node.alt ?? '') }]
    case 'imageReference':
      return [{ from, to, text: `![](${target({ url: urls.get(node.identifier) ?? '' })})`, kind: 'image description', isSame: !node.alt }]
    case 'definition':
      return [{ from, to, text: '', kind: 'link definition', isSame: used.has(node.identifier) && !node.title }]
    case 'linkReference':
      if (node.identifier.startsWith('^')) return []
      return [{ from: endOfText(node, from), to, text: `](${target({ url: urls.get(node.identifier) ?? '' })})`, kind: 'link definition', isSame: true }]
    case 'link':
      if (isEmpty(node)) return [{ from, to, text: '', kind: 'link without text' }]
      return node.title ? [{ from: endOfText(node, from), to, text: `](${target(node)})`, kind: 'link title' }] : []
    case 'code':
      return fenceEdits(source.slice(from, to), from)
    default:
      return []
  }
}

const endOfText = (node: Link | LinkReference, from: number): number => node.children.at(-1)?.position?.end.offset ?? from + 1

/** An address as it stands in brackets. */
function target({ url }: Pick<Image, 'url'>): string {
  return /[\s()<>\\]/.test(url) ? `<${url.replaceAll(/[<>\r\n]/g, (sign) => encodeURIComponent(sign))}>` : url
}

function isEmpty(node: Link): boolean {
  const seen = (child: Nodes): boolean =>
    child.type === 'text' || child.type === 'inlineCode' ? child.value.trim() !== '' : 'children' in child ? child.children.some(seen) : child.type !== 'html'
  return !node.children.some(seen)
}

/** Of the words behind the marks that begin code, the first says the language; nobody sees the others. */
function fenceEdits(code: string, from: number): Edit[] {
  const match = /^(`{3,}|~{3,})([ \t]*)(\S*)([^\r\n]*)/.exec(code)
  if (!match) return []
  const [whole, marks = '', space = '', language = '', rest = ''] = match
  const isLanguage = languageOnly.test(language)
  if (isLanguage && rest.trim() === '') return []
  return [{ from: from + marks.length, to: from + whole.length, text: isLanguage ? space + language : '', kind: 'note on a code block' }]
}
