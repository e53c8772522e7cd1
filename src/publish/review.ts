import { adviceOf } from '../failure.ts'
import { GitHubError } from '../github/errors.ts'
import type { GitHub, PostedComment } from '../github/types.ts'
import { limits } from '../limits.ts'
import { counted } from '../text.ts'
import { stripHidden } from '../thread/hidden.ts'
import { type Finding, isSame, type KnownFinding, type ReviewIntent } from '../tool/review-finding.ts'
import { isPlaced, listOf, type Placed, remarkOf, type Safe } from './review-body.ts'
import { markedFixed, reviewMark } from './review-marks.ts'

export interface PostedReview {
  /** Undefined when GitHub took no review. */
  readonly posted: PostedComment | undefined
  /** Sentences about what was done. */
  readonly done: readonly string[]
  /** Sentences about what could not be. */
  readonly notes: readonly string[]
  /** Markdown of the findings that no review holds; for the reply. Empty where all are posted. */
  readonly rest: string
}

/** Characters of a review's text that its first line and its mark may take. */
const frame = 1_000

/**
 * Posts what the model found as one review with event COMMENT: findings with a place as remarks at their lines, the others in its text. What an
 * earlier review said is left out. Should GitHub refuse the lines all the same (C138), the review is sent once more with everything in its text;
 * should it refuse that too, the findings come back for the reply. Then the threads of earlier findings that are dealt with are resolved.
 * Never throws a `GitHubError`: no finding is lost.
 */
export async function publishReview(github: GitHub, pull: number, intent: ReviewIntent, safe: Safe): Promise<PostedReview> {
  const findings = intent.findings.filter(({ mark }) => !intent.known.some((known) => isSame(known.mark, mark)))
  const sent = await send(github, pull, intent, findings, safe)
  const resolved = await resolve(github, intent)
  const dealt = resolved.count > 0 ? [`Resolved ${counted(resolved.count, 'thread')} of earlier remarks.`] : []
  return { ...sent, done: [...sent.done, ...dealt], notes: [...sent.notes, ...resolved.notes] }
}

async function send(github: GitHub, pull: number, intent: ReviewIntent, findings: readonly Finding[], safe: Safe): Promise<PostedReview> {
  const placed = findings.filter(isPlaced)
  const first = draftOf(intent, placed, findings, safe)
  try {
    return await post(github, pull, first)
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    if (error.status !== 422 || placed.length === 0) return unposted(findings, safe, [adviceOf(error)])
    const why = `GitHub did not take the remarks at their lines, so they stand in the review's text. It said: ${error.said}`
    try {
      const second = await post(github, pull, draftOf(intent, [], findings, safe))
      return { ...second, notes: [...second.notes, why] }
    } catch (again) {
      if (!(again instanceof GitHubError)) throw again
      return unposted(findings, safe, [adviceOf(again)])
    }
  }
}

interface Draft {
  readonly input: Parameters<GitHub['createReview']>[1]
  readonly said: string
  readonly over: string
}

function draftOf({ head, fixed }: ReviewIntent, placed: readonly Placed[], findings: readonly Finding[], safe: Safe): Draft {
  const others = findings.filter((finding) => !placed.some(({ number }) => number === finding.number))
  const { text, over } = listOf(others, safe, limits.commentChars - frame)
  const dealt = fixed.length > 0 ? ` ${counted(fixed.length, 'earlier remark')} ${fixed.length === 1 ? 'is' : 'are'} dealt with.` : ''
  const opening = `${findings.length === 0 ? 'No new remarks' : counted(findings.length, 'remark')} on ${head.slice(0, 7)}.${dealt}`
  const body = [opening, ...(text === '' ? [] : [text]), reviewMark(head)].join('\n\n')
  const remarks = placed.map((finding) => remarkOf(finding, safe))
  const rest = over.length === 0 ? '' : restOf(over, safe)
  return { input: { commit: head, body, remarks }, said: findings.length === 0 ? 'no new remarks' : counted(findings.length, 'remark'), over: rest }
}

async function post(github: GitHub, pull: number, { input, said, over }: Draft): Promise<PostedReview> {
  const posted = await github.createReview(pull, input)
  return { posted, done: [`Posted [a review](${posted.url}) with ${said}.`], notes: [], rest: over }
}

function unposted(findings: readonly Finding[], safe: Safe, notes: readonly string[]): PostedReview {
  return { posted: undefined, done: [], notes: notes.map((note) => `The review could not be posted. ${note}`), rest: restOf(findings, safe) }
}

/** For the reply, where no mark is looked for. */
function restOf(findings: readonly Finding[], safe: Safe): string {
  return stripHidden(listOf(findings, safe, Number.POSITIVE_INFINITY).text)
}

/** The mark of what is dealt with is renewed as well, so that a finding that comes back is no dismissed one. */
async function resolve(github: GitHub, { head, fixed }: ReviewIntent): Promise<{ readonly count: number; readonly notes: readonly string[] }> {
  const notes: string[] = []
  let count = 0
  for (const { open, path, line } of fixed) {
    if (!open) continue
    try {
      await github.resolveThread(open.thread)
      count += 1
      await github.updateRemark(open.remark, markedFixed(open.body, head))
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error
      notes.push(`The remark at ${placeOf(path, line)} is dealt with, but its thread could not be resolved or marked. ${adviceOf(error)}`)
    }
  }
  return { count, notes }
}

const placeOf = (path: KnownFinding['path'], line: KnownFinding['line']): string => `\`${path}${line === null ? '' : `:${line}`}\``
