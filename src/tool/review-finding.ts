import { createHash } from 'node:crypto'
import type { Place, Range } from './review-diff.ts'

/** What a review says: findings, and how one is known again. Pure; `publish/` reads it too. */

export const severities = ['high', 'medium', 'low'] as const

/** By which a finding is known again at the next review, wherever its lines have moved to. */
export interface Mark {
  /** Digest of the file's name and of what the lines and their neighbours say. */
  readonly at: string
  readonly title: string
}

/** Something the model found, checked against the diff. */
export interface Finding {
  /** By which the model takes it back, from 1. */
  readonly number: number
  readonly path: string
  /** The lines the model meant. */
  readonly wanted: Range
  /** Where it will stand; it goes into the review's text where there is no such place. */
  readonly place: Place | undefined
  readonly title: string
  readonly body: string
  readonly severity: (typeof severities)[number]
  /** What should stand there in place of exactly these lines. */
  readonly suggestion: string | undefined
  readonly mark: Mark
}

/** A finding of an earlier review. */
export interface KnownFinding {
  readonly mark: Mark
  readonly path: string
  readonly line: number | null
  /** A person closed or hid it: it is not said again. */
  readonly dismissed: boolean
  /** The thread it stands in, where it has one and is open. */
  readonly open?: OpenFinding
}

export interface OpenFinding {
  /** By which the model says that it is dealt with. */
  readonly id: string
  readonly thread: string
  /** The remark that opened the thread. */
  readonly remark: number
  readonly body: string
}

/** What the model wants posted as one review. */
export interface ReviewIntent {
  /** The commit that was reviewed. */
  readonly head: string
  readonly findings: readonly Finding[]
  /** Findings of earlier reviews that are dealt with. */
  readonly fixed: readonly KnownFinding[]
  readonly known: readonly KnownFinding[]
}

/** The mark of a finding about lines which, with their neighbours, say this. */
export function markOf(path: string, lines: readonly string[], title: string): Mark {
  return { at: digest([path, ...lines.map(squeezed)]), title }
}

/** The mark of a finding outside the diff: nothing is known of its lines, so only the very same words on the same line count as the same. */
export function markOutside(path: string, { side, start, end }: Range, title: string): Mark {
  return { at: digest([path, side, String(start), String(end), [...wordsOf(title)].join(' ')]), title }
}

/**
 * Whether two findings say the same: at the same lines, and with this share of all their words in common. Two thirds for those of different
 * reviews, since a model hardly says a thing twice in the same words; a finding said twice is less of a loss than one that is not said.
 */
export function isSame(a: Mark, b: Mark, share = 2 / 3): boolean {
  if (a.at !== b.at) return false
  const [one, two] = [wordsOf(a.title), wordsOf(b.title)]
  const both = [...one].filter((word) => two.has(word)).length
  return both >= share * (one.size + two.size - both)
}

function digest(values: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 16)
}

const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

function wordsOf(title: string): Set<string> {
  return new Set(title.toLowerCase().match(/[\p{L}\p{N}]+/gu))
}
