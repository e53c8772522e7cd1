import type { PullFacts } from '../github/types.ts'
import { limits } from '../limits.ts'
import { cut } from '../text.ts'
import { quoted } from '../thread/context.ts'
import { type DiffLine, type Hunk, hunksOf, type PatchedFile, type Range, spanOf } from '../tool/review-diff.ts'
import type { KnownFinding } from '../tool/review-finding.ts'
import type { ReviewScope } from './review-scope.ts'

export interface BriefInput {
  readonly pull: Pick<PullFacts, 'baseSha' | 'headSha'>
  readonly files: readonly PatchedFile[]
  readonly scope: ReviewScope
  /** What changed since the commit of the last review; undefined where that is not known. */
  readonly since: readonly PatchedFile[] | undefined
  /** Looks up a text of `prompts/`. */
  readonly texts: (name: string, values: Readonly<Record<string, string>>) => string
  /** Characters the text may have; at least 4,000. */
  readonly budget: number
}

export interface Brief {
  /** For the model. */
  readonly text: string
  /** Sentences for people about what was left out. */
  readonly notes: readonly string[]
}

/**
 * What a model needs for a review: the findings of earlier ones, and the diff with the numbers that its remarks name. After an earlier review only
 * the parts of the diff that changed since are shown. What is written by hand comes before what tools write; what has no room is named.
 */
export function reviewBrief({ pull, files, scope, since, texts, budget }: BriefInput): Brief {
  const news = since && newParts(files, since)
  const isUpdate = news?.some((hunks) => hunks.length > 0) ?? false
  const parts = isUpdate && news ? news : files.map(({ patch }) => hunksOf(patch))
  const values = { base: pull.baseSha.slice(0, 12), head: pull.headSha.slice(0, 12), last: (scope.last ?? '').slice(0, 12) }
  const findings = fitting(findingsOf(scope.known), budget / 4)
  const { lines, short } = diffOf(files, parts, budget - findings.join('\n').length - frame)
  const text = [
    texts(isUpdate ? 'github/review-again' : 'github/review', values),
    ...(findings.length > 0 ? ['<github_findings>', ...findings, '</github_findings>'] : []),
    '<github_diff>',
    ...lines,
    '</github_diff>',
  ].join('\n')
  const notes = short > 0 ? [`The diff is too long for the model: of ${short} of ${files.length} files it was shown a part or the name.`] : []
  return { text, notes }
}

/** Characters for what stands around diff and findings. */
const frame = 1_500

/** Of each file the hunks that something since the last review has touched. Both diffs end at the same commit, so their right sides count alike. */
function newParts(files: readonly PatchedFile[], since: readonly PatchedFile[]): readonly (readonly Hunk[])[] {
  const changed = new Map(since.map((file) => [file.path, hunksOf(file.patch).flatMap(changedIn)]))
  return files.map(({ path, patch }) =>
    hunksOf(patch).filter((hunk) => {
      const span = spanOf(hunk, 'RIGHT') ?? { side: 'RIGHT', start: firstRight(hunk), end: firstRight(hunk) }
      return changed.get(path)?.some(({ start, end }) => start <= span.end && end >= span.start) ?? false
    }),
  )
}

/** The right lines that a hunk changes; of a mere deletion those around it. */
function changedIn({ lines, header }: Hunk): readonly Range[] {
  let right = Number(/\+(\d+)/.exec(header)?.[1] ?? 1)
  return lines.flatMap(({ mark }): Range[] => {
    if (mark === ' ') right += 1
    if (mark === '-') return [{ side: 'RIGHT', start: right - 1, end: right }]
    if (mark === ' ') return []
    right += 1
    return [{ side: 'RIGHT', start: right - 1, end: right - 1 }]
  })
}

const firstRight = ({ header }: Hunk): number => Number(/\+(\d+)/.exec(header)?.[1] ?? 1)

/** Open ones first: they have to be looked at. */
function findingsOf(known: readonly KnownFinding[]): readonly string[] {
  const line = ({ mark, path, line: at }: KnownFinding): string => quoted(`${path}${at === null ? '' : `:${at}`} ${mark.title}`.replaceAll(/\s+/g, ' '))
  const open = known.filter(({ dismissed }) => !dismissed).map((each) => `${each.open ? `${each.open.id} ` : ''}open: ${line(each)}`)
  const dismissed = known.filter((each) => each.dismissed).map((each) => `dismissed: ${line(each)}`)
  return [...open, ...dismissed]
}

interface Shown {
  readonly lines: readonly string[]
  /** Files that were not shown in full, though there was something to show. */
  readonly short: number
}

function diffOf(files: readonly PatchedFile[], parts: readonly (readonly Hunk[])[], budget: number): Shown {
  const order = files.map((file, index) => ({ file, hunks: parts[index] ?? [] })).sort((a, b) => rankOf(a.file) - rankOf(b.file))
  const full = order.filter(({ hunks }) => hunks.length > 0)
  // No single file takes more than a third, so that others are seen as well.
  const forNames = budget / 10
  let room = budget - forNames
  const longest = room / Math.min(3, Math.max(1, full.length))
  const lines: string[] = []
  const named: string[] = []
  let short = 0
  for (const { file, hunks } of order) {
    if (hunks.length === 0) {
      named.push(`${titleOf(file)}: ${file.patch === undefined ? 'GitHub shows no lines of it' : 'seen at the last review'}`)
      continue
    }
    const shown = fileText(file, hunks, Math.min(room, longest))
    if (shown.missing > 0) short += 1
    if (shown.text === '') {
      named.push(`${titleOf(file)}: no room to show it`)
      continue
    }
    room -= shown.text.length + 1
    lines.push(shown.text)
  }
  return { lines: [...lines, ...fitting(named, room + forNames)], short }
}

/** The first lines of a list that fit, and how many do not. */
function fitting(lines: readonly string[], room: number): readonly string[] {
  let used = 20
  const over = lines.findIndex((line) => {
    used += line.length + 1
    return used > room
  })
  return over < 0 ? lines : [...lines.slice(0, over), `(${lines.length - over} more)`]
}

/** The hunks of a file as far as they fit, whole lines only; empty where not even a few do. */
function fileText(file: PatchedFile, hunks: readonly Hunk[], max: number): { readonly text: string; readonly missing: number } {
  const all = hunks.flatMap((hunk) => {
    const width = String(Math.max(...hunk.lines.flatMap(({ left = 0, right = 0 }) => [left, right]))).length
    return [quoted(cut(hunk.header, limits.lineChars)), ...hunk.lines.map((line) => lineText(line, width))]
  })
  const lines = [titleOf(file)]
  let used = titleOf(file).length + 50
  for (const line of all) {
    used += line.length + 1
    if (used > max) break
    lines.push(line)
  }
  const missing = all.length - lines.length + 1
  if (missing > 0 && lines.length < 5) return { text: '', missing }
  return { text: [...lines, ...(missing > 0 ? [`(${missing} more lines of this file not shown)`] : [])].join('\n'), missing }
}

function lineText({ mark, left, right, text }: DiffLine, width: number): string {
  const number = (value: number | undefined): string => String(value ?? '').padStart(width)
  return `${number(left)} ${number(right)} ${mark}${quoted(cut(text, limits.lineChars))}`.trimEnd()
}

function titleOf({ path, previousPath, status }: PatchedFile): string {
  return quoted(`## ${path} (${status}${previousPath === undefined ? '' : ` from ${previousPath}`})`.replaceAll(/\s+/g, ' '))
}

const made =
  /(?:^|\/)(?:dist|vendor|node_modules|third_party|__snapshots__|generated)\/|(?:[.-]lock(?:\.json|\.yaml|b)?|package-lock\.json|npm-shrinkwrap\.json|go\.sum|\.lockfile|\.min\.\w+|\.map|\.snap|\.pb\.go|_pb2\.py|\.g\.dart|\.generated\.\w+|\.svg)$/i

/** What people write first, then what is only gone, then what tools write. */
function rankOf({ path, status }: PatchedFile): number {
  return made.test(path) ? 2 : status === 'removed' ? 1 : 0
}
