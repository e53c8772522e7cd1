import { excerpt } from '../../text.ts'
import { withoutInvisible } from '../visible-characters.ts'
import { attributes, quoted } from './quote.ts'

/** Where on the diff something was said. */
export interface Place {
  readonly path: string
  /** In the newest version of the file; null when the line is gone, or when the remark is about the whole file. */
  readonly line: number | null
  readonly startLine: number | null
  /** Where it stood when it was written, if that is known. */
  readonly originalLine?: number | null
  readonly side: 'LEFT' | 'RIGHT'
  /** Empty for a remark on the whole file. */
  readonly hunk: string
  readonly commit?: string
}

/** Lines of a hunk that are shown, its last ones, and characters of one line. */
const mostLines = 20
const mostColumns = 300

/** The place as attributes of a tag: a line that is gone is told by its old number, and never as `null` (C12). */
export function placeAttributes(place: Place): string {
  const { path, line, startLine, side, commit } = place
  const old = line === null ? (place.originalLine ?? lastLine(place)) : null
  const lines = startLine !== null && line !== null && startLine !== line ? `${startLine}-${line}` : (line ?? undefined)
  return attributes({
    path,
    line: lines,
    side: line === null && old === null ? undefined : side === 'LEFT' ? 'before the change' : 'after the change',
    outdated: old === null ? undefined : 'true',
    original_line: old ?? undefined,
    commit,
  })
}

/** The end of the piece of the diff that a remark stands under (C29), in at most `room` characters; nothing for a remark on the whole file. */
export function hunkLines(hunk: string, room: number): string[] {
  const [header = '', ...lines] = withoutInvisible(hunk).text.trimEnd().split('\n')
  if (header === '') return []
  const shown: string[] = []
  let used = 0
  for (const line of lines.slice(-mostLines).toReversed()) {
    used += Math.min(line.length, mostColumns) + 2
    if (used > room) break
    shown.unshift(excerpt(line, mostColumns))
  }
  const gap = lines.length > shown.length ? [`(${lines.length - shown.length} earlier lines of this hunk left out)`] : []
  return ['<github_hunk>', quoted([excerpt(header, mostColumns), ...gap, ...shown].join('\n')), '</github_hunk>']
}

/** The number of the line a hunk ends at, which is the one the remark is about; null where it can't be told. */
function lastLine({ hunk, side }: Place): number | null {
  const [header = '', ...lines] = hunk.trimEnd().split('\n')
  const starts = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(header)
  if (!starts) return null
  const other = side === 'LEFT' ? '+' : '-'
  const passed = lines.filter((line) => !line.startsWith(other) && !line.startsWith('\\')).length
  return passed === 0 ? null : Number(side === 'LEFT' ? starts[1] : starts[2]) + passed - 1
}
