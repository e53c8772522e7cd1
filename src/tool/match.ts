import { distance } from 'fastest-levenshtein'
import { carryOver, squeezed } from './indentation.ts'
import type { Splice } from './splice.ts'

/** What an edit would replace. `how` is said to the model when it is not an exact match (C67). */
export interface Candidate extends Splice {
  /** First and last line of the place, from 1. */
  readonly lines: readonly [first: number, last: number]
}

export interface Found {
  readonly how: string | undefined
  readonly places: readonly Candidate[]
  /** Places were found, but it is not clear what the new text would look like there. */
  readonly unclear?: boolean
}

/** A text cut into lines, with the place where each starts. */
interface Page {
  readonly text: string
  readonly lines: readonly string[]
  readonly starts: readonly number[]
}

interface Matcher {
  readonly how: string
  /** Ranges of the page, each with the text that goes there, `undefined` when that cannot be told. */
  find(page: Page, old: string, next: string): readonly { start: number; end: number; text: string | undefined }[]
}

/** How alike the middle of a block found by its first and last line must be. */
const minSimilarity = 0.65
/** How far such a block may be from the length the model gave. */
const maxLengthDrift = 0.25

const matchers: readonly Matcher[] = [
  { how: 'indentation differs', find: (page, old, next) => blocks(page, old, next, (file, lines) => sameText(dedented(file), dedented(lines))) },
  {
    how: 'white space at line edges differs',
    find: (page, old, next) => blocks(page, old, next, (file, lines) => file.every((line, at) => line.trim() === lines[at]?.trim())),
  },
  {
    how: 'white space differs',
    find: (page, old, next) =>
      old.includes('\n') ? blocks(page, old, next, (file, lines) => sameText(file.map(squeezed), lines.map(squeezed))) : inLine(page, old, next),
  },
  {
    how: 'escaped characters were taken for what they stand for',
    find: (page, old, next) => (unescaped(old) === old ? [] : literal(page.text, unescaped(old), unescaped(next))),
  },
  {
    how: 'white space around the text differs',
    find: (page, old, next) => (old.trim() === old ? [] : literal(page.text, old.trim(), withoutEdges(old, next))),
  },
  { how: 'only its first and last line are the same, the lines between are alike', find: anchored },
]

/**
 * Finds the places an edit may mean, in texts with LF line ends: exact ones, else those of the first tolerant matcher that finds any.
 * More than one place is for the caller to refuse.
 */
export function findPlaces(text: string, old: string, next: string): Found {
  const exact = literal(text, old, next)
  const starts = startsOf(text)
  if (exact.length > 0) return { how: undefined, places: exact.map((each) => located(each, starts)) }
  if (old.trim() === '') return { how: undefined, places: [] }
  const page = { text, lines: text.split('\n'), starts }
  // A line end that both texts close with says nothing, but the file's last line may have none.
  const both = old.endsWith('\n') && next.endsWith('\n')
  const [from, to] = both ? [old.slice(0, -1), next.slice(0, -1)] : [old, next]
  for (const { how, find } of matchers) {
    const found = find(page, from, to)
    if (found.length === 0) continue
    return {
      how,
      places: found.map(({ start, end, text: fresh }) => located({ start, end, text: fresh ?? '' }, starts)),
      unclear: found.some((each) => each.text === undefined),
    }
  }
  return { how: undefined, places: [] }
}

/** Every place of `old`, overlapping ones too: those make it ambiguous as well. */
function literal(text: string, old: string, next: string): Splice[] {
  const found: Splice[] = []
  for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + 1)) found.push({ start: at, end: at + old.length, text: next })
  return found
}

function startsOf(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function located(splice: Splice, starts: readonly number[]): Candidate {
  const lineAt = (place: number) => {
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= place) low = middle + 1
      else high = middle
    }
    return low
  }
  return { ...splice, lines: [lineAt(splice.start), lineAt(Math.max(splice.start, splice.end - 1))] }
}

/** The lines of the model's text; one that ends in a line end takes the file's line end along. */
function asked(old: string): { lines: string[]; withEnd: boolean } {
  const lines = old.split('\n')
  const withEnd = lines.length > 1 && lines.at(-1) === ''
  return { lines: withEnd ? lines.slice(0, -1) : lines, withEnd }
}

function blocks(page: Page, old: string, next: string, same: (file: readonly string[], lines: readonly string[]) => boolean) {
  const { lines, withEnd } = asked(old)
  const found = []
  const first = lines[0] === undefined ? '' : squeezed(lines[0])
  for (let at = 0; at + lines.length <= page.lines.length; at += 1) {
    if (squeezed(page.lines[at] ?? '') !== first) continue
    const file = page.lines.slice(at, at + lines.length)
    if (same(file, lines)) found.push(block(page, at, file, lines, next, withEnd))
  }
  return found
}

function block(page: Page, at: number, file: readonly string[], old: readonly string[], next: string, withEnd: boolean) {
  const start = page.starts[at] ?? 0
  const end = Math.min(page.text.length, start + file.join('\n').length + (withEnd ? 1 : 0))
  return { start, end, text: next === '' ? '' : carryOver(file, old, next.split('\n'))?.join('\n') }
}

/** Part of one line whose words are parted by other white space. */
function inLine(page: Page, old: string, next: string): Splice[] {
  const words = old.trim().split(/\s+/)
  if (words.length < 2) return []
  const pattern = new RegExp(words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('[ \\t]+'), 'g')
  return [...page.text.matchAll(pattern)].map((match) => ({ start: match.index, end: match.index + match[0].length, text: withoutEdges(old, next) }))
}

function anchored(page: Page, old: string, next: string) {
  const { lines, withEnd } = asked(old)
  const first = lines[0]?.trim()
  const last = lines.at(-1)?.trim()
  if (lines.length < 3 || !first || !last) return []
  const drift = Math.floor(lines.length * maxLengthDrift)
  const found = []
  for (let at = 0; at < page.lines.length; at += 1) {
    if (page.lines[at]?.trim() !== first) continue
    for (let length = Math.max(3, lines.length - drift); length <= lines.length + drift; length += 1) {
      if (page.lines[at + length - 1]?.trim() !== last) continue
      const file = page.lines.slice(at, at + length)
      if (similarity(file.slice(1, -1), lines.slice(1, -1)) >= minSimilarity) found.push(block(page, at, file, lines, next, withEnd))
    }
  }
  return found
}

function similarity(file: readonly string[], old: readonly string[]): number {
  const [a, b] = [file.map(squeezed).join('\n'), old.map(squeezed).join('\n')]
  const longest = Math.max(a.length, b.length)
  return longest === 0 ? 1 : 1 - distance(a, b) / longest
}

function sameText(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at])
}

function dedented(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const least = Math.min(...indents)
  return lines.map((line) => (line.trim() === '' ? '' : line.slice(least)))
}

function unescaped(text: string): string {
  const meant: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', "'": "'", '"': '"', '`': '`', '\\': '\\', $: '$' }
  return text.replaceAll(/\\([ntr'"`\\$])/g, (whole, letter: string) => meant[letter] ?? whole)
}

/** The new text without the outer white space it shares with the old one. */
function withoutEdges(old: string, next: string): string {
  const lead = old.slice(0, old.length - old.trimStart().length)
  const trail = old.slice(old.trimEnd().length)
  const body = next.startsWith(lead) ? next.slice(lead.length) : next.trimStart()
  return body.endsWith(trail) ? body.slice(0, body.length - trail.length) : body.trimEnd()
}
