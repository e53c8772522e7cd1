import { parseable } from '../parseable.ts'
import { placesIn, spoken } from './mention.ts'

/**
 * Writes a text so that it calls nobody: it reads the same, but no trigger word in it counts. Our own replies go through this, for what is
 * posted with some tokens starts workflows again (C15, C136). The first letter becomes a character reference, so that a plain search in a
 * workflow's `if:` does not find the word either. Where the text is too much for the parser, every word counts.
 */
export function defuse(body: string, triggers: readonly string[]): string {
  const text = spoken(body)
  const starts = new Set([...placesIn(text, triggers).map((place) => place.start), ...unread(text, triggers)])
  if (starts.size === 0) return body
  return [...starts]
    .sort((a, b) => b - a)
    .reduce((done, start) => {
      const first = String.fromCodePoint(done.codePointAt(start) ?? 0)
      return `${done.slice(0, start)}&#${first.codePointAt(0)};${done.slice(start + first.length)}`
    }, text)
}

/** Trigger words behind the end of what was parsed. */
function unread(text: string, triggers: readonly string[]): number[] {
  const { length } = parseable(text).text
  if (length >= text.length) return []
  const rest = text.slice(length).toLowerCase()
  return triggers.flatMap((trigger) => {
    const word = trigger.toLowerCase()
    const found: number[] = []
    for (let at = rest.indexOf(word); at >= 0; at = rest.indexOf(word, at + 1)) found.push(length + at)
    return found
  })
}
