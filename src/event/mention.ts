import { prose, type Stretch } from './prose.ts'

/** A text called us: what stands before the trigger word and what after it, byte for byte, both without the word and its punctuation. */
export interface Mention {
  readonly before: string
  readonly after: string
}

/** Where a trigger word stands in a text. */
interface Place {
  readonly start: number
  readonly end: number
  readonly stretch: Stretch
}

/** Each closes what stands at the same place above. */
const openers = '([{"\'“‘«'
const closers = ')]}"\'”’»'
/** Scripts without spaces: a token may touch these directly. */
const wideOpeners = '（［｛「『【《、，。：；！？'
const wideClosers = '）］｝」』】》、，。：；！？'

/**
 * Finds the first trigger word that a text says in its own name (see `prose.ts`): as a token of its own (C01, C02), next to punctuation (C05), in any
 * letter case (C06). Before it stands the start, white space, or opening punctuation after one of these; after it the end, white space, or closing
 * punctuation before one of these, so that `/oc.md`, `/oc/path`, `/oc-x` and addresses don't count. Where two words fit, the longer one wins.
 * One line that is all there is counts however far it is indented (C02); elsewhere, indentation makes code (C03).
 * A link's text names the word and doesn't say it. A backslash (`\/oc`) keeps the word from counting.
 */
export function findMention(body: string, triggers: readonly string[]): Mention | undefined {
  const text = spoken(body)
  const place = placesIn(text, triggers).at(0)
  return place && cut(text, place)
}

/** The text whose offsets `placesIn` speaks of: without a byte order mark, and without indentation when it is one line. */
export function spoken(body: string): string {
  const bare = body.trim()
  return bare.includes('\n') ? body.replace(/^\ufeff/, '') : bare
}

/** Every place where a trigger word counts, in order; of two at the same place the longer one comes first. `text` must come from `spoken`. */
export function placesIn(text: string, triggers: readonly string[]): readonly Place[] {
  const words = triggers.map((trigger) => new RegExp(trigger.replaceAll(/[\^$.*+?()[\]{}|/\\]/g, '\\$&'), 'giu'))
  // Most texts don't hold the word at all: spare them the parser.
  if (!words.some((word) => text.search(word) >= 0)) return []
  return prose(text)
    .flatMap((stretch) => words.flatMap((word) => freeIn(text, stretch, word)))
    .sort((a, b) => a.start - b.start || b.end - a.end)
}

function freeIn(text: string, stretch: Stretch, word: RegExp): readonly Place[] {
  const places = [...text.slice(stretch.start, stretch.end).matchAll(word)].map((match) => {
    const start = stretch.start + match.index
    return { start, end: start + match[0].length, stretch }
  })
  return places.filter(
    ({ start, end }) => isFreeBefore(text, start === stretch.start ? stretch.from : start) && isFreeAfter(text, end === stretch.end ? stretch.to : end),
  )
}

function isFreeBefore(text: string, offset: number): boolean {
  let at = offset
  while (at > 0 && openers.includes(text.charAt(at - 1))) at -= 1
  return at === 0 || /\s/.test(text.charAt(at - 1)) || wideOpeners.includes(text.charAt(at - 1))
}

function isFreeAfter(text: string, offset: number): boolean {
  let at = offset
  while (at < text.length && `${closers}.,;:!?…`.includes(text.charAt(at))) at += 1
  return at === text.length || /\s/.test(text.charAt(at)) || wideClosers.includes(text.charAt(at))
}

/** Takes the word out, with what belongs to it alone: emphasis and quotes around it, punctuation behind it. */
function cut(text: string, { start: from, end: to, stretch }: Place): Mention {
  let { start, end } = from === stretch.start && to === stretch.end ? stretch.whole : { start: from, end: to }
  for (let pair = openers.indexOf(text.charAt(start - 1)); start > 0 && pair >= 0 && text.charAt(end) === closers[pair]; ) {
    start -= 1
    end += 1
    pair = openers.indexOf(text.charAt(start - 1))
  }
  return { before: text.slice(0, start), after: text.slice(end).replace(/^[.,;:!?…，。：；！？、]+/, '') }
}
