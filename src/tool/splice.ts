import { lineEnd, withLineEnd } from './text.ts'

/** A replacement in a text with LF line ends. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Makes replacements that were found in the LF form of a text in the text itself: what is inserted gets the line end most lines have,
 * and every byte outside the part that really differs stays, stray line ends included (C65, C67). Splices must be in order and apart.
 */
export function splice(raw: string, splices: readonly Splice[]): string {
  const plain = withLineEnd(raw, '\n')
  const end = lineEnd(raw) ?? '\n'
  const origin = originOf(raw)
  let result = ''
  let done = 0
  for (const part of splices.map((each) => narrowed(plain, each))) {
    result += raw.slice(done, origin(part.start)) + withLineEnd(part.text, end)
    done = origin(part.end)
  }
  return result + raw.slice(done)
}

/** Maps a place in the LF form to the text itself. A line end's place is that of its CR. */
function originOf(raw: string): (place: number) => number {
  const crlf: number[] = []
  for (let at = raw.indexOf('\r\n'); at !== -1; at = raw.indexOf('\r\n', at + 2)) crlf.push(at - crlf.length)
  return (place) => {
    let low = 0
    let high = crlf.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((crlf[middle] ?? place) < place) low = middle + 1
      else high = middle
    }
    return place + low
  }
}

/** The same replacement without what its old and new text have in common at both ends. */
function narrowed(plain: string, { start, end, text }: Splice): Splice {
  let first = 0
  while (start + first < end && first < text.length && plain[start + first] === text[first]) first += 1
  let last = 0
  while (end - last > start + first && last < text.length - first && plain[end - last - 1] === text[text.length - last - 1]) last += 1
  return { start: start + first, end: end - last, text: text.slice(first, text.length - last) }
}
