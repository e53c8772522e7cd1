/** The lines of a pull request's diff, as GitHub's patches tell them, and which of them a remark can stand at. Pure; `publish/` reads it too. */

/** The version before the change, or the one after it. */
export type Side = 'LEFT' | 'RIGHT'

/** A file of the diff; `patch` is missing for binary and very large files. */
export interface PatchedFile {
  readonly path: string
  readonly previousPath: string | undefined
  readonly status: string
  readonly patch: string | undefined
}

export interface DiffLine {
  readonly mark: ' ' | '+' | '-'
  /** Its number before the change; an added line has none. */
  readonly left: number | undefined
  /** Its number after the change; a deleted line has none. */
  readonly right: number | undefined
  readonly text: string
}

export interface Hunk {
  readonly header: string
  readonly lines: readonly DiffLine[]
}

/** Lines of one version of a file, both ends included. */
export interface Range {
  readonly side: Side
  readonly start: number
  readonly end: number
}

/** Where a remark will stand. */
export interface Place extends Range {
  /** It stands at the very lines it was meant for. */
  readonly exact: boolean
}

/** Lines a remark may be moved to reach the diff; further away it would stand beside something else. */
const reach = 10

const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

/** The hunks of a patch. What belongs to none (headers of files, the note on a missing line end) is left out. */
export function hunksOf(patch: string | undefined): readonly Hunk[] {
  const hunks: { header: string; lines: DiffLine[] }[] = []
  let left = 0
  let right = 0
  let old = 0
  let fresh = 0
  for (const raw of (patch ?? '').split('\n')) {
    const start = old <= 0 && fresh <= 0 ? head.exec(raw) : undefined
    if (start) {
      left = Number(start[1])
      right = Number(start[3])
      old = Number(start[2] ?? 1)
      fresh = Number(start[4] ?? 1)
      hunks.push({ header: raw, lines: [] })
      continue
    }
    const lines = hunks.at(-1)?.lines
    if (!lines || raw.startsWith('\\') || (old <= 0 && fresh <= 0)) continue
    const text = raw.slice(1)
    if (raw.startsWith('+')) lines.push({ mark: '+', left: undefined, right: right++, text })
    else if (raw.startsWith('-')) lines.push({ mark: '-', left: left++, right: undefined, text })
    else lines.push({ mark: ' ', left: left++, right: right++, text })
    if (!raw.startsWith('+')) old -= 1
    if (!raw.startsWith('-')) fresh -= 1
  }
  return hunks
}

/** The number of a line on a side. */
function numberOf(line: DiffLine, side: Side): number | undefined {
  return side === 'LEFT' ? line.left : line.right
}

/**
 * The lines of a side that a hunk shows, which are those that can carry a remark: added and kept ones on the right, deleted and kept ones on
 * the left. They follow each other without a gap. Undefined where it shows none.
 */
export function spanOf(hunk: Hunk, side: Side): Range | undefined {
  const numbers = hunk.lines.flatMap((line) => numberOf(line, side) ?? [])
  const [start] = numbers
  const end = numbers.at(-1)
  return start === undefined || end === undefined ? undefined : { side, start, end }
}

/**
 * Where a remark on these lines can stand (C138): the part of them that one hunk shows, the one that shows most of them; otherwise the nearest
 * line of the diff within ten lines. Undefined where there is none. GitHub wants all lines of a remark in one hunk.
 */
export function placeIn(hunks: readonly Hunk[], wanted: Range): Place | undefined {
  const { side } = wanted
  const spans = hunks.flatMap((hunk) => spanOf(hunk, side) ?? [])
  const parts = spans.map((span) => ({ side, start: Math.max(span.start, wanted.start), end: Math.min(span.end, wanted.end) }))
  const [best] = parts.filter(({ start, end }) => start <= end).sort((a, b) => b.end - b.start - (a.end - a.start))
  if (best) return { ...best, exact: best.start === wanted.start && best.end === wanted.end }
  const edges = spans.map((span) =>
    span.start > wanted.end ? { at: span.start, away: span.start - wanted.end } : { at: span.end, away: wanted.start - span.end },
  )
  const [nearest] = edges.filter(({ away }) => away <= reach).sort((a, b) => a.away - b.away)
  return nearest && { side, start: nearest.at, end: nearest.at, exact: false }
}

/** The text of the lines of a range, and of `around` more on each side, as far as the diff shows them. */
export function textOf(hunks: readonly Hunk[], { side, start, end }: Range, around = 0): readonly string[] {
  return hunks.flatMap(({ lines }) =>
    lines.flatMap((line) => {
      const number = numberOf(line, side)
      return number !== undefined && number >= start - around && number <= end + around ? [line.text] : []
    }),
  )
}

/**
 * The file of a diff that a path means: by its name, by its name before it was renamed, or, since a model may count from another folder, by
 * the only one that ends like it.
 */
export function fileAt(files: readonly PatchedFile[], path: string): PatchedFile | undefined {
  const plain = path.replace(/^(?:\.\/)+/, '')
  const named = files.find((file) => file.path === plain) ?? files.find((file) => file.previousPath === plain)
  if (named) return named
  const ending = files.filter((file) => file.path.endsWith(`/${plain}`))
  return ending.length === 1 ? ending[0] : undefined
}
