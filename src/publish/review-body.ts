import type { LineRemark } from '../github/types.ts'
import { fenced, size } from '../report/markdown.ts'
import type { Place, Range } from '../tool/review-diff.ts'
import { type Finding, severities } from '../tool/review-finding.ts'
import { findingMark } from './review-marks.ts'

/** Makes a model's words fit to be posted: no secrets, nobody called, no session data, no open fences. */
export type Safe = (text: string) => string

/** A finding that stands at its lines. */
export type Placed = Finding & { readonly place: Place }

/** Whether a finding has a place in the diff. */
export function isPlaced(finding: Finding): finding is Placed {
  return finding.place !== undefined
}

/** A finding as GitHub takes it, at its lines. Ranges of one line have no start: GitHub refuses one that is not above the line. */
export function remarkOf(finding: Placed, safe: Safe): LineRemark {
  const { path, place } = finding
  const { side, start, end } = place
  const about = place.exact ? [] : [`*About ${linesOf(finding.wanted)}, which the diff does not show ${start === end ? 'there' : 'in full'}.*`]
  const body = [wordsOf(finding, safe), ...about, ...suggestionOf(finding, safe, place), markOf(finding, safe)].join('\n\n')
  return { path, body, line: end, side, ...(start < end ? { startLine: start, startSide: side } : {}) }
}

/** Findings as a text with headings that name file and line, most important first. Those past `budget` (characters and bytes) come back as `over`. */
export function listOf(findings: readonly Finding[], safe: Safe, budget: number): { readonly text: string; readonly over: readonly Finding[] } {
  const sections: string[] = []
  const over: Finding[] = []
  let used = 0
  for (const finding of byWeight(findings)) {
    const section = sectionOf(finding, safe)
    used += size(section) + 2
    if (over.length > 0 || used > budget) over.push(finding)
    else sections.push(section)
  }
  return { text: sections.join('\n\n'), over }
}

function sectionOf(finding: Finding, safe: Safe): string {
  const { path, wanted } = finding
  const where = `\`${safe(path).replaceAll(/[`\n]/g, "'")}\`, ${linesOf(wanted)}${wanted.side === 'LEFT' ? ' before the change' : ''}`
  return [`#### ${where}`, wordsOf(finding, safe), ...suggestionOf(finding, safe), markOf(finding, safe)].join('\n\n')
}

function wordsOf({ title, body, severity }: Finding, safe: Safe): string {
  return safe([`**${oneLine(title)}** (${severity})`, body.trim().replaceAll(offer, '$1')].filter((text) => text !== '').join('\n\n'))
}

/** The start of a block that GitHub offers to take over: in the words of a finding nobody knows which lines it would replace. */
const offer = /^([ \t>]*(?:`{3,}|~{3,})) *suggestion\b.*$/gm

/** One that can be taken over by a click only where it replaces exactly what the model saw, and where nothing had to be taken out of it. */
function suggestionOf({ suggestion }: Finding, safe: Safe, place?: Place): readonly string[] {
  if (suggestion === undefined) return []
  if (place?.exact && place.side === 'RIGHT') {
    const block = suggestion === '' ? '```suggestion\n```' : fenced('suggestion', suggestion)
    if (safe(block) === block) return [block]
  }
  return suggestion === '' ? ['Suggestion: delete it.'] : [safe(`Suggestion:\n\n${fenced('', suggestion)}`)]
}

function markOf({ mark, path, wanted }: Finding, safe: Safe): string {
  return findingMark({ at: mark.at, title: safe(oneLine(mark.title)), path: safe(path), line: wanted.end })
}

const linesOf = ({ start, end }: Range): string => (start === end ? `line ${start}` : `lines ${start}-${end}`)
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
const byWeight = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
