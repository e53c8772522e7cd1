import { z } from 'zod'
import { messageOf } from '../failure.ts'
import { type Draft, draft } from './draft.ts'
import { ToolError } from './errors.ts'
import { need } from './needs.ts'
import { integer, optional } from './parameters.ts'
import { fileAt, type Hunk, hunksOf, type PatchedFile, type Place, placeIn, type Range, textOf } from './review-diff.ts'
import { type Finding, isSame, type KnownFinding, markOf, markOutside, type ReviewIntent, severities } from './review-finding.ts'

/** Findings of one run at the most; more than that nobody reads. */
const most = 50
const titleChars = 200
const bodyChars = 4_000

/** The pull request that is reviewed. */
export interface ReviewSetting {
  readonly head: string
  /** The files of its diff. What it throws ends the call. */
  files(): Promise<readonly PatchedFile[]>
  /** What earlier reviews said. */
  readonly known: readonly KnownFinding[]
}

const line = z.preprocess((value) => (typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value), z.int().min(1))
const entry = z.object({
  path: z.string().min(1).describe('File, from the repository root'),
  line: line.describe('Line, the last of several'),
  start_line: integer(1, 'First line of several'),
  side: optional(z.enum(['RIGHT', 'LEFT']).describe('RIGHT (default): after the change; LEFT: a deleted line')),
  severity: z.enum(severities).describe('How much it matters'),
  title: z.string().trim().min(1).max(titleChars).describe('What is wrong, in a line'),
  body: z.string().max(bodyChars).describe('When it goes wrong, and what to do'),
  suggestion: optional(z.string().max(bodyChars).describe('New text in place of exactly these lines')),
})
type Entry = z.output<typeof entry>

const parameters = z.object({
  findings: optional(z.array(entry).max(most).describe('Findings to add')),
  remove: optional(z.array(line).describe('Numbers of findings to take back')),
  fixed: optional(z.array(z.string()).describe('Ids of earlier findings that are dealt with')),
})

/**
 * Collects what the model finds in a pull request. Nothing is posted before the run is done; each finding is held against the diff at once, so
 * that the model hears where it will stand and GitHub never refuses it (C138). `intent` is undefined as long as the tool was not called.
 */
export function reviewTool(setting: ReviewSetting): { readonly tool: Draft; intent(): ReviewIntent | undefined } {
  const { head, known } = setting
  const findings = new Map<number, Finding>()
  const fixed = new Set<KnownFinding>()
  let called = false
  let last = 0

  const add = (given: Entry, files: readonly PatchedFile[]): string => {
    if (findings.size >= most) return `Not taken: a review holds ${most} findings, and they are there. Take less important ones back first.`
    const { finding, remark } = check(given, files, last + 1)
    if (!finding) return `Not taken: ${remark}`
    const same = [...findings.values()].find((other) => isSame(other.mark, finding.mark, 1))
    if (same) return `Not taken: it says what finding ${same.number} says.`
    const before = known.find(({ mark }) => isSame(mark, finding.mark))
    if (before) return `Not taken: an earlier review said this${before.dismissed ? ', and it was dismissed' : before.open ? ` (${before.open.id})` : ''}.`
    last = finding.number
    findings.set(finding.number, finding)
    return `${finding.number}. ${remark}`
  }

  const tool = draft(
    'review',
    parameters,
    () => need('review'),
    async (input) => {
      const { findings: given = [] } = input
      // Where GitHub does not show the diff, findings stand in the review's text: none is lost.
      let trouble: string | undefined
      const unseen = (error: unknown) => {
        trouble = messageOf(error)
        return []
      }
      const files = given.length > 0 ? await setting.files().catch(unseen) : []
      const done = input.fixed?.map((id) => openOf(known, id)) ?? []
      const gone = input.remove?.filter((number) => !findings.has(number)) ?? []
      if (gone.length > 0) throw new ToolError(`There is no finding ${gone.join(', ')}.`, numbersOf(findings))
      called = true
      for (const each of done) fixed.add(each)
      for (const number of input.remove ?? []) findings.delete(number)
      const lines = given.map((each) => add(each, files))
      const count = `${findings.size} ${findings.size === 1 ? 'finding' : 'findings'}`
      const dealt = fixed.size > 0 ? `, ${fixed.size} earlier dealt with` : ''
      if (trouble !== undefined) lines.push(`GitHub did not show the diff (${trouble}), so these stand in the review's text.`)
      const output = [...lines, `The review holds ${count}${dealt}. It is posted once you are done; your last message need not repeat them.`]
      return { title: count, output: output.join('\n'), metadata: { findings: findings.size } }
    },
  )
  return { tool, intent: () => (called ? { head, known, findings: [...findings.values()], fixed: [...fixed] } : undefined) }
}

/** Holds a finding against the diff. The remark says where it will stand, or why it can't be taken. */
function check(given: Entry, files: readonly PatchedFile[], number: number): { readonly finding?: Finding; readonly remark: string } {
  const { title, body, severity, start_line: first = given.line, side = 'RIGHT' } = given
  const wanted: Range = { side, start: Math.min(first, given.line), end: Math.max(first, given.line) }
  const file = fileAt(files, given.path)
  const path = file?.path ?? given.path
  const hunks = hunksOf(file?.patch)
  const place = placeIn(hunks, wanted)
  const suggestion = given.suggestion?.replace(/\r?\n$/, '')
  if (suggestion !== undefined && place?.exact && suggestion === textOf(hunks, place).join('\n'))
    return { remark: `the suggestion for ${path}:${given.line} is what stands there already.` }
  const mark = place ? markOf(path, [...textOf(hunks, place, 1), ...distanceOf(wanted, place)], title) : markOutside(path, wanted, title)
  return {
    finding: { number, path, wanted, place, title, body, severity, suggestion, mark },
    remark: whereabouts(path, wanted, place, file, hunks, suggestion),
  }
}

function whereabouts(
  path: string,
  wanted: Range,
  place: Place | undefined,
  file: PatchedFile | undefined,
  hunks: readonly Hunk[],
  suggestion: string | undefined,
): string {
  const plain = suggestion !== undefined && !(place?.exact && place.side === 'RIGHT') ? ' Its suggestion is shown as code only.' : ''
  if (place?.exact) return `${path}:${linesOf(place)}.${plain}`
  if (place)
    return `${path}: ${linesOf(wanted)} ${wanted.start === wanted.end ? 'is not' : 'are not all'} in the diff, so it will stand at ${linesOf(place)}.${plain}`
  const why = !file ? 'is not in the diff' : hunks.length === 0 ? 'has no lines in the diff' : `has no line near ${linesOf(wanted)} in the diff`
  return `${path} ${why}, so it will stand in the review's text.${plain}`
}

/** Tells findings apart that were moved to the same line. */
function distanceOf(wanted: Range, place: Place): readonly string[] {
  return place.exact ? [] : [`${wanted.start - place.start} ${wanted.end - place.end}`]
}

const linesOf = ({ start, end }: Range): string => (start === end ? `${start}` : `${start}-${end}`)

function openOf(known: readonly KnownFinding[], id: string): KnownFinding {
  const open = known.filter((each) => each.open !== undefined)
  const found = open.find((each) => each.open?.id.toLowerCase() === id.trim().toLowerCase())
  if (found) return found
  const ids = open.map((each) => each.open?.id).join(', ')
  throw new ToolError(`There is no open finding ${id}.`, ids === '' ? 'Earlier reviews left none open.' : `Open are: ${ids}.`)
}

function numbersOf(findings: ReadonlyMap<number, Finding>): string {
  return findings.size === 0 ? 'The review is empty so far.' : `It holds: ${[...findings.keys()].join(', ')}.`
}
