import { createHash } from 'node:crypto'
import type { Check, LinkedIssue, PullFacts } from '../../github/types.ts'
import { counted } from '../../text.ts'
import { attributes, oneLine, quoted } from './quote.ts'
import type { Section } from './sections.ts'
import type { Piece, Teller } from './teller.ts'

const failures = new Set(['FAILURE', 'ERROR', 'TIMED_OUT', 'STARTUP_FAILURE', 'ACTION_REQUIRED', 'CANCELLED'])
/** Characters of what a failed check says about itself. */
const summaryChars = 600

const isFailure = ({ conclusion }: Check): boolean => failures.has(conclusion)

/** The results of the head's checks: what failed, with what it says; of the others how many there are. */
export function checksSection({ checks }: PullFacts, teller: Teller): Section {
  const failed = checks.filter(isFailure)
  const counts = new Map<string, number>()
  for (const { conclusion } of checks.filter((check) => !isFailure(check))) counts.set(conclusion, (counts.get(conclusion) ?? 0) + 1)
  const others = [...counts].map(([conclusion, n]) => `${n.toLocaleString('en')} ${conclusion.toLowerCase().replaceAll('_', ' ')}`)
  return {
    tag: 'github_checks',
    what: 'failed check',
    weight: 1,
    size: failed.length,
    pieces: failed.map((check) => checkPiece(check, teller)),
    lead: others.length > 0 ? [`(${counted(checks.length - failed.length, 'other check')}: ${others.join(', ')})`] : [],
  }
}

function checkPiece({ name, conclusion, url, summary }: Check, teller: Teller): Piece {
  const { text, removed } = teller.show(summary, summaryChars)
  const head = `<github_check${attributes({ name, conclusion: conclusion.toLowerCase(), url: url ?? undefined })}>`
  return { text: text === '' ? `${head}</github_check>` : `${head}\n${text}\n</github_check>`, told: [], removed: [removed] }
}

/** By what checks are known to be others than before: those that failed; counts of the others change all the time. */
export function checksDigest({ checks }: PullFacts): string | undefined {
  const failed = checks.filter(isFailure).map(({ name, conclusion, summary }) => [name, conclusion, summary])
  return failed.length === 0 ? undefined : createHash('sha256').update(JSON.stringify(failed.sort())).digest('hex').slice(0, 16)
}

/** The issues that the pull request says it closes. */
export function linkedSection(closes: readonly LinkedIssue[], teller: Teller, longest: number): Section {
  const pieces = closes.map((issue): Piece => {
    const text = teller.show(issue.body, longest)
    const title = teller.show(issue.title, 300)
    const head = attributes({ number: issue.number, ...teller.author(issue.author), state: issue.state.toLowerCase(), title: oneLine(title.plain) })
    const lines = [`<github_linked_issue${quoted(head)}>`, ...(text.text === '' ? [] : [text.text]), '</github_linked_issue>']
    return { text: lines.join('\n'), told: [], removed: [title.removed, text.removed] }
  })
  return { tag: 'github_linked_issues', what: 'linked issue', weight: 2, size: closes.length, pieces }
}
