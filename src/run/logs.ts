import type { FailedJob } from '../github/types.ts'
import type { Texts } from '../prompt/texts.ts'
import { clean, excerpt } from '../text.ts'
import { attributes, quoted } from '../thread/context/quote.ts'
import { shares } from '../thread/context/shares.ts'
import { withoutInvisible } from '../thread/visible-characters.ts'

/** The run that failed, as the event tells it. */
interface FailedRun {
  readonly name: string
  readonly url: string
  readonly branch: string | null
  readonly sha: string
}

export interface Logs {
  /** For the model. */
  readonly text: string
  /** Sentences for people about what was left out. */
  readonly notes: readonly string[]
}

/** Jobs whose logs are shown; a matrix can have hundreds that fail alike. */
const mostJobs = 10
const lineChars = 500
/** Lines of a log before its first error that are shown with it. */
const before = 8

/** Where logs say that something went wrong, in the words of compilers, test runners and shells. */
const trouble =
  /^##\[error\]|\berror(?:\[\w+\])?:|\b(?:Type|Reference|Syntax|Assertion|Range)?Error\b[:( ]|\bFAIL(?:ED|URE)?\b|\bfatal:|\bpanic(?:ked)?\b|\bException\b|Traceback \(|^\s*(?:✗|✕|×|not ok)\s|command not found|No such file or directory|npm ERR!/
const noTrouble = /\b(?:0|no) (?:errors?|fail(?:ed|ures?))\b/i
/** What every failed step ends with: it says nothing about why. */
const lastWords = /^##\[error\](?:Process completed with exit code|The process .* failed with exit code|The operation was canceled)/

/**
 * What the model is told of a failed workflow run: each failed job with the steps that failed and the part of its log around the first error and at the
 * end, as quoted data. `budget` is in characters and is divided fairly among the jobs. Depends on nothing but its arguments.
 */
export function logsOf(run: FailedRun, jobs: readonly FailedJob[], texts: Texts, budget: number): Logs {
  const shown = jobs.slice(0, mostJobs)
  const logs = shown.map(({ log }) => linesOf(log))
  const given = shares(
    budget - 500 - shown.length * 400,
    logs.map((lines) => ({ size: sizeOf(lines), weight: 1 })),
  )
  const blocks = shown.map((job, index) => jobBlock(job, logs[index] ?? [], given[index] ?? 0))
  const more = jobs.length - shown.length
  const head = attributes({ name: excerpt(run.name, 200), url: run.url, branch: run.branch ?? undefined, commit: run.sha })
  const lines = [
    texts('github/failed-run'),
    `<github_failed_run${head}>`,
    ...(jobs.length === 0 ? ['(no failed job is listed)'] : blocks.map(({ text }) => text)),
    ...(more > 0 ? [`(${more} more failed jobs left out)`] : []),
    '</github_failed_run>',
  ]
  const notes = [...blocks.flatMap(({ note }) => note ?? []), ...(more > 0 ? [`Of ${jobs.length} failed jobs the model was shown the first ${mostJobs}.`] : [])]
  return { text: lines.join('\n'), notes }
}

function jobBlock({ name, url, steps, log }: FailedJob, lines: readonly string[], room: number): { text: string; note?: string } {
  const head = attributes({ name: excerpt(name, 200), failed_steps: steps.length > 0 ? excerpt(steps.join(', '), 300) : undefined, url })
  const part = quoted(around(lines, room).join('\n'))
  if (log.trim() === '')
    return { text: `<github_failed_job${head}>\n(its log can't be had)\n</github_failed_job>`, note: `The log of the job ${name} could not be read.` }
  return { text: `<github_failed_job${head}>\n${part}\n</github_failed_job>` }
}

const timestamp = /^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?/

/** A log as it is read: without times, colours and unseen characters; groups folded to their titles; nothing in it is a command to the runner. */
function linesOf(log: string): string[] {
  const lines: string[] = []
  let group: { title: string; lines: number } | undefined
  const close = () => {
    if (group && group.lines > 0) lines.push(`${group.title} (${group.lines} lines)`)
    else if (group) lines.push(group.title)
    group = undefined
  }
  for (const raw of log.split(/\r\n|\r|\n/)) {
    const line = withoutInvisible(clean(raw.replace(timestamp, ''))).text.trimEnd()
    const title = /^(?:##\[group\]|::group::)(.*)$/.exec(line)
    if (title) {
      close()
      group = { title: title[1] ?? '', lines: 0 }
    } else if (/^(?:##\[endgroup\]|::endgroup::)/.test(line)) close()
    else if (group && !isTrouble(line)) group.lines += 1
    else if (line !== '' || lines.at(-1) !== '') lines.push(excerpt(line, lineChars))
  }
  close()
  if (lines.at(-1) === '') lines.pop()
  return lines
}

const isTrouble = (line: string): boolean => trouble.test(line) && !noTrouble.test(line)

/** `::error file=a.ts::text` and `##[error]text` would be obeyed by a runner in whose log they are repeated. */
function harmless(line: string): string {
  const command = /^\s*::\s*([\w-]+)([^:]*)::(.*)$/.exec(line)
  const said = command ? `${command[1]}${command[2]}: ${command[3]}` : line.replace(/^\s*##\[([\w-]+)\]/, '$1: ')
  return said.replace(/^\s*(?:::|##\[)[\s:#[]*/, '')
}

const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0)

/** The lines around the first error and the last ones, in the order of the log, with a word about each gap. */
function around(lines: readonly string[], room: number): string[] {
  const chosen = new Set<number>()
  let used = 0
  const take = (index: number, limit: number): boolean => {
    if (chosen.has(index)) return true
    const size = (lines[index]?.length ?? 0) + 1
    if (used + size > limit) return false
    used += size
    chosen.add(index)
    return true
  }
  const isReason = (line: string) => isTrouble(line) && !lastWords.test(line)
  const found = lines.findIndex(isReason)
  const first = found < 0 ? lines.length : found
  for (let index = first; index < lines.length && take(index, room * 0.5); ) index += 1
  for (let index = first - 1; index >= Math.max(0, first - before) && take(index, room * 0.6); ) index -= 1
  for (let index = lines.length - 1; index >= 0 && take(index, room); ) index -= 1

  const shown: string[] = []
  let last = -1
  for (const index of [...chosen].sort((a, b) => a - b)) {
    if (index > last + 1) shown.push(`(${index - last - 1} lines left out)`)
    shown.push(harmless(lines[index] ?? ''))
    last = index
  }
  if (last < lines.length - 1) shown.push(`(${lines.length - 1 - last} lines left out)`)
  return shown
}
