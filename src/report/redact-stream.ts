import type { Redactor } from './redact.ts'

/** Text without secrets that comes and goes in pieces. */
export interface RedactStream {
  /** Takes a piece and returns what can be told of the text so far. */
  push(piece: string): string
  /** The rest. */
  end(): string
}

/** Characters that count, kept back at the least: enough to recognise what follows as a token of a known format. */
const least = 512
/** More than a broken-off `%5c` or escape has. */
const slack = 8
/** Characters of an unbroken word that are kept together, so that a long token is seen whole. */
const word = 16_384
/** Pieces are looked at together until there are so many characters. */
const batch = 1_024

/**
 * The redactor for output that arrives in pieces, where a secret may be cut anywhere: as much is kept back as the longest form of a secret
 * of this run may have, however stretched by line breaks, blanks or backslashes. Memory is bounded by that and by runs of these alone.
 */
export function redactStream(redactor: Pick<Redactor, 'redact' | 'find' | 'reach'>): RedactStream {
  let pending = ''
  let due = batch
  return {
    push(piece) {
      pending += piece
      if (pending.length < due) return ''
      const cut = safeCut(pending, redactor)
      const told = redactor.redact(pending.slice(0, cut))
      pending = pending.slice(cut)
      // Looked at again when it has doubled, so that many small pieces do not cost a look each.
      due = pending.length + Math.max(batch, pending.length)
      return told
    },
    end() {
      const told = redactor.redact(pending)
      pending = ''
      due = batch
      return told
    },
  }
}

/** Where a text can be cut so that no secret, finished or begun, lies on both sides. */
function safeCut(text: string, redactor: Pick<Redactor, 'find' | 'reach'>): number {
  let cut = wordStart(text, keptBack(text, Math.max(least, redactor.reach) + slack))
  const spans = redactor.find(text)
  for (let moved = true; moved; ) {
    const across = spans.filter(({ start, end }) => start < cut && cut < end)
    moved = across.length > 0
    cut = Math.min(cut, ...across.map(({ start }) => start))
  }
  return cut
}

/** The place after which so many characters stand that count: all but blanks and backslashes, which may stand between those of a secret in any number. */
function keptBack(text: string, count: number): number {
  let left = count
  for (let at = text.length - 1; at >= 0; at--) {
    if (/[\s\\]/.test(text.charAt(at))) continue
    if (at >= 2 && /^%5c$/i.test(text.slice(at - 2, at + 1))) at -= 2
    else if (--left === 0) return at
  }
  return 0
}

function wordStart(text: string, cut: number): number {
  let at = cut
  while (at > 0 && cut - at < word && /[\w.+/=~:-]/.test(text.charAt(at - 1))) at--
  return at
}
