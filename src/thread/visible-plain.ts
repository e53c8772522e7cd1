import { invisibleReferences } from './visible-characters.ts'
import type { Edit } from './visible-edit.ts'
import { htmlEdits } from './visible-html.ts'

interface Stretch {
  readonly from: number
  readonly to: number
}

/**
 * The same for a text that the parser must not be given: whatever looks like something hidden counts as such, also where a parser would see code or
 * plain words, other than in fences that are sure to be some. Takes time in proportion to the length.
 */
export function plainEdits(source: string, code: readonly Stretch[]): Edit[] {
  const pieces = between(source.length, code)
  return [
    ...pieces.flatMap(({ from, to }) => [...invisible(source.slice(from, to), from), ...definitions(source.slice(from, to), from)]),
    ...pieces.flatMap(({ from, to }) => [...links(source.slice(from, to), from)]),
    ...htmlEdits(
      source,
      // One tag each, so that a sign for "less" hides nothing.
      pieces.flatMap(({ from, to }) => tags(source.slice(from, to), from)),
    ),
  ]
}

function between(length: number, code: readonly Stretch[]): Stretch[] {
  const pieces: Stretch[] = []
  let at = 0
  for (const { from, to } of code) {
    if (from > at) pieces.push({ from: at, to: from })
    at = to
  }
  return [...pieces, { from: at, to: length }]
}

function invisible(text: string, base: number): Edit[] {
  return invisibleReferences(text).map(({ from, to }) => ({ from: base + from, to: base + to, text: '', kind: 'invisible character' }))
}

/** Up to the next blank line: a title may follow on further lines. */
function definitions(text: string, base: number): Edit[] {
  return [...text.matchAll(/^[ \t>*+\-\d.)]*\[[^\]\n]*\]:[^\n]*(?:\n[^\n]*\S[^\n]*)*/gm)].map((match) => ({
    from: base + match.index,
    to: base + match.index + match[0].length,
    text: '',
    kind: 'link definition',
  }))
}

/** Descriptions of images, and what stands in brackets behind the text of a link. */
function links(text: string, base: number): Edit[] {
  const descriptions = [...text.matchAll(/!\[(?!\])[^\]]*(?:\]|$)/g)].map((match): Edit => {
    return { from: base + match.index, to: base + match.index + match[0].length, text: '![]', kind: 'image description' }
  })
  const targets = [...text.matchAll(/\]\((?!\))[^)]*(?:\)|$)/g)].map((match): Edit => {
    return { from: base + match.index + 1, to: base + match.index + match[0].length, text: '()', kind: 'link title' }
  })
  return [...descriptions, ...targets]
}

function tags(text: string, base: number) {
  return [...text.matchAll(/<!--[\s\S]*?(?:--!?>|$)|<[!?/a-z][^<>]{0,2000}>/gi)].map((match) => {
    return { from: base + match.index, to: base + match.index + match[0].length, isBlock: false }
  })
}
