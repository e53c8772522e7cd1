import type { Edit } from './visible-edit.ts'

/** A stretch of raw HTML in a text, as offsets. */
export interface HtmlPiece {
  readonly from: number
  readonly to: number
  /** A block of its own rather than a tag between words: what is not closed in it can hide no more than the rest of it. */
  readonly isBlock: boolean
}

interface Tag {
  readonly from: number
  readonly to: number
  readonly name: string
  readonly closes: boolean
  readonly attributes: readonly { readonly from: number; readonly to: number; readonly name: string; readonly value: string }[]
  readonly piece: HtmlPiece
}

/** Elements whose content is no text of the page. */
const never = new Set('script style template svg noscript iframe object noembed noframes datalist dialog audio video canvas'.split(' '))
const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
/** Elements of HTML; others show nothing of themselves, though people mean something by `Vec<u8>`. */
const known = new Set(
  `a abbr address area article aside b bdi bdo big blockquote body br button caption center cite code col colgroup dd del details dfn div dl dt em
  embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i img input ins kbd label legend li link main map mark menu
  meta meter nav ol optgroup option output p param picture pre progress q rp rt ruby s samp section select small source span strike strong sub
  summary sup table tbody td textarea tfoot th thead time title tr track tt u ul var wbr`.split(/\s+/),
)
/** Unknown elements that a text may name. More of them could spell out a sentence. */
const mostUnknown = 8

const size = /^\d{0,5}(?:\.\d{1,3})?(?:px|em|%)?$/
const side = /^(?:left|right|center|middle|top|bottom|justify|baseline)$/i
/** What attributes say that may stay: nothing that could be read as words. */
const harmless: Readonly<Record<string, RegExp>> = {
  href: /^/,
  src: /^/,
  width: size,
  height: size,
  border: size,
  colspan: size,
  rowspan: size,
  start: size,
  align: side,
  valign: side,
  dir: /^(?:ltr|rtl|auto)$/i,
  type: /^(?:checkbox|[1aAiI])$/,
  open: /^(?:open|true)?$/i,
  checked: /^(?:checked|true)?$/i,
  disabled: /^(?:disabled|true)?$/i,
}
/** Names for machines: they go without a word to people. */
const technical = new Set('id class name rel target lang loading srcset media decoding'.split(' '))
/** What GitHub and systems name a pasted picture by themselves: nobody hid it. */
export const pasted = /^(?:image|(?:screenshot|bildschirmfoto)[\d\s.:_-]*(?:(?:at|from|um) [\d\s.:_-]*)?)$/i
const plain = /^[\w.%#: -]{0,40}$/
const hidingStyle =
  /display:none|visibility:(?:hidden|collapse)|font-size:(?:0|1px|\.\d)|opacity:0|color:(?:transparent|white|#fff|rgba\([^)]*,0?(?:\.0+)?\))|(?:left|top|text-indent):-\d{3}|(?:max-)?(?:height|width):0/

/** As browsers read it, who take nearly everything for a name. */
const attribute = /[\s/]*([^\s/>=]+)(?![^\s/>=])(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*))|(?!\s*=\s*["']))/y
/** An attribute whose quotes don't close. */
const openQuote = /[\s/]*[^\s/>=]+\s*=\s*["']/y
const tagName = /<(\/?)([a-z][^\s/>]*)/iy

/**
 * What readers of a page don't see of the raw HTML in it: comments in all forms that browsers take for such, elements that are not shown with their
 * content, attributes that speak. A comment or hidden element goes on behind its piece until it ends, as it does on the page. `source` must be as
 * long as the text the pieces are of.
 */
export function htmlEdits(source: string, pieces: readonly HtmlPiece[]): Edit[] {
  const edits: Edit[] = []
  const tags: Tag[] = []
  /** Where a comment or an unfinished tag began that takes in everything up to its end. */
  let comment: number | undefined
  for (const piece of pieces) {
    let at = piece.from
    while (at < piece.to) {
      if (comment !== undefined) {
        const end = commentEnd(source, at, piece.to)
        if (end === undefined) break
        edits.push({ from: comment, to: end, text: '', kind: 'HTML comment' })
        comment = undefined
        at = end
      }
      const next = find(source, '<', at, piece.to)
      if (next < 0) break
      if (source.startsWith('<!--', next)) {
        comment = next
        // Browsers take `<!-->` and `<!--->` for whole comments.
        at = /^-?>/.test(source.slice(next + 4, next + 6)) ? next + 2 : next + 4
      } else if (/^<(?:[!?]|\/[^a-z])/i.test(source.slice(next, next + 3))) {
        const end = find(source, '>', next, piece.to)
        at = end < 0 ? piece.to : end + 1
        edits.push({ from: next, to: at, text: '', kind: 'HTML comment' })
      } else {
        const tag = tagAt(source, next, piece)
        if (tag === 'none') at = next + 1
        else if (tag === 'unfinished' || tag === 'open') {
          // In a block, quotes that don't close take in all that follows.
          at = piece.to
          edits.push({ from: next, to: tag === 'open' && piece.isBlock ? source.length : piece.to, text: '', kind: 'hidden element' })
        } else {
          tags.push(tag)
          at = tag.to
        }
      }
    }
  }
  if (comment !== undefined) edits.push({ from: comment, to: source.length, text: '', kind: 'HTML comment' })
  return [...edits, ...elementEdits(source.length, tags), ...unknownEdits(tags), ...tags.flatMap(attributeEdits)]
}

/** Where a text stands before `limit`; -1 when it does not. Never looks further, for there may be thousands of pieces. */
function find(source: string, text: string, from: number, limit: number): number {
  const at = source.slice(from, limit).indexOf(text)
  return at < 0 ? -1 : from + at
}

function commentEnd(source: string, from: number, limit: number): number | undefined {
  const found = /--!?>/.exec(source.slice(from, limit))
  return found ? from + found.index + found[0].length : undefined
}

function tagAt(source: string, from: number, piece: HtmlPiece): Tag | 'none' | 'unfinished' | 'open' {
  tagName.lastIndex = from
  const head = tagName.exec(source)
  if (!head) return 'none'
  const attributes: { from: number; to: number; name: string; value: string }[] = []
  let at = tagName.lastIndex
  for (attribute.lastIndex = at; at < piece.to; attribute.lastIndex = at) {
    const match = attribute.exec(source)
    if (!match || attribute.lastIndex > piece.to) break
    const [, name = '', ...values] = match
    attributes.push({ from: at, to: attribute.lastIndex, name: name.toLowerCase(), value: values.find((value) => value !== undefined) ?? '' })
    at = attribute.lastIndex
  }
  openQuote.lastIndex = at
  if (openQuote.test(source) && openQuote.lastIndex <= piece.to) return 'open'
  const end = find(source, '>', at, piece.to)
  if (end < 0) return 'unfinished'
  // Browsers make something of everything, and show none of it.
  if (/[^\s/]/.test(source.slice(at, end))) attributes.push({ from: at, to: end, name: 'title', value: '' })
  return { from, to: end + 1, name: (head[2] ?? '').toLowerCase(), closes: head[1] === '/', attributes, piece }
}

/** Elements that are not shown, with what is in them. */
function elementEdits(length: number, tags: readonly Tag[]): Edit[] {
  const ends = endsOf(tags)
  const edits: Edit[] = []
  let shownFrom = 0
  for (const tag of tags) {
    if (tag.closes || tag.from < shownFrom) continue
    const isHidden = tag.attributes.some(({ name, value }) => name === 'hidden' || (name === 'style' && hidingStyle.test(styleOf(value))))
    if (!isHidden && !never.has(tag.name)) continue
    const to = endOf(tag, ends.get(tag), isHidden, length)
    if (to === undefined) continue
    edits.push({ from: tag.from, to, text: '', kind: 'hidden element' })
    shownFrom = to
  }
  return edits
}

function endOf(tag: Tag, closing: Tag | undefined, isHidden: boolean, length: number): number | undefined {
  if (empty.has(tag.name)) return tag.to
  if (closing) return closing.to
  // Somebody who names such an element in a sentence hides nothing.
  if (!isHidden) return tag.piece.isBlock ? tag.piece.to : undefined
  return length
}

/** Which tag ends the element that another one begins. */
function endsOf(tags: readonly Tag[]): ReadonlyMap<Tag, Tag> {
  const open = new Map<string, Tag[]>()
  const ends = new Map<Tag, Tag>()
  for (const tag of tags) {
    const same = open.get(tag.name) ?? []
    open.set(tag.name, same)
    if (!tag.closes) same.push(tag)
    else {
      const begin = same.pop()
      if (begin) ends.set(begin, tag)
    }
  }
  return ends
}

/** A style as it is understood: without comments, spaces and escapes. */
function styleOf(value: string): string {
  return value
    .replaceAll(/\/\*[\s\S]*?(?:\*\/|$)/g, '')
    .replaceAll(/&#x([\da-f]{1,6});?/gi, (_, hex: string) => characterOf(Number.parseInt(hex, 16)))
    .replaceAll(/&#(\d{1,7});?/g, (_, decimal: string) => characterOf(Number(decimal)))
    .replaceAll(/\\([\da-f]{1,6})\s?/gi, (_, hex: string) => characterOf(Number.parseInt(hex, 16)))
    .replaceAll(/[\s\\]/g, '')
    .toLowerCase()
}

const characterOf = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '')

function attributeEdits(tag: Tag): Edit[] {
  return tag.attributes
    .filter(({ name, value }) => !harmless[name]?.test(value))
    .map(({ from, to, name, value }) => ({ from, to, text: '', kind: 'HTML attribute', isSame: isUsual(name, value) }))
}

const isUsual = (name: string, value: string): boolean => (name === 'alt' ? pasted.test(value) : technical.has(name) && plain.test(value))

function unknownEdits(tags: readonly Tag[]): Edit[] {
  const strange = tags.filter(({ name }) => !known.has(name) && !never.has(name))
  const isMuch = new Set(strange.map(({ name }) => name)).size > mostUnknown
  return strange.filter(({ name }) => isMuch || name.length > 40).map(({ from, to }) => ({ from, to, text: '', kind: 'unknown HTML tag' }))
}
