/** Lines of a diff as GitHub counts them: which of them a remark may stand on, and where a remark stands after further commits. */

interface PatchLine {
  /** Which hunk of the file it is in, from 0. */
  readonly hunk: number
  /** Lines below the file's first hunk header, GitHub's old way to name a line. */
  readonly position: number
  /** Line numbers before and after; null where the line is not there. */
  readonly left: number | null
  readonly right: number | null
}

/** A line of the diff with the piece of diff that GitHub shows above a remark on it. */
export interface PatchPlace {
  readonly position: number
  readonly hunk: string
}

/** Why a remark can't stand where it should, in GitHub's words. */
export type Misplaced =
  | 'Line could not be resolved'
  | 'Start line could not be resolved'
  | 'Start line must precede the end line.'
  | 'Start line must be part of the same hunk as the line.'

export type Side = 'LEFT' | 'RIGHT'

const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

function parse(patch: string): { rows: readonly string[]; lines: readonly PatchLine[] } {
  const rows = patch.split('\n')
  const lines: PatchLine[] = []
  let [hunk, left, right] = [-1, 0, 0]
  rows.forEach((row, index) => {
    const [, before, after] = header.exec(row) ?? []
    if (before !== undefined) {
      hunk += 1
      left = Number(before)
      right = Number(after)
      return
    }
    const sign = row[0]
    if (sign !== ' ' && sign !== '+' && sign !== '-') return
    lines.push({ hunk, position: index, left: sign === '+' ? null : left, right: sign === '-' ? null : right })
    if (sign !== '+') left += 1
    if (sign !== '-') right += 1
  })
  return { rows, lines }
}

/** Finds the place of a line (or the last of several) in a file's patch, by the rules of GitHub's review endpoint (C138). */
export function place(patch: string, spot: { line: number; side: Side; startLine?: number | undefined; startSide?: Side | undefined }): PatchPlace | Misplaced {
  const { rows, lines } = parse(patch)
  const at = (line: number, side: Side) => lines.find((item) => (side === 'LEFT' ? item.left : item.right) === line)
  const end = at(spot.line, spot.side)
  if (end === undefined) return 'Line could not be resolved'
  if (spot.startLine !== undefined) {
    const start = at(spot.startLine, spot.startSide ?? spot.side)
    if (start === undefined) return 'Start line could not be resolved'
    if (start.position >= end.position) return 'Start line must precede the end line.'
    if (start.hunk !== end.hunk) return 'Start line must be part of the same hunk as the line.'
  }
  const top = rows.findLastIndex((row, index) => index <= end.position && header.test(row))
  return { position: end.position, hunk: rows.slice(top, end.position + 1).join('\n') }
}

/** The new number of a line after a diff of its file without context lines (`git diff -U0`); null when the line was changed. */
export function follow(diff: string, line: number): number | null {
  let shift = 0
  for (const row of diff.split('\n')) {
    const [, start = '', before = '1', , after = '1'] = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(row) ?? []
    if (start === '') continue
    const first = Number(start)
    const count = Number(before)
    // Lines were only added: below the line that is named.
    if (count === 0 ? line <= first : line < first) break
    if (count > 0 && line < first + count) return null
    shift += Number(after) - count
  }
  return line + shift
}
