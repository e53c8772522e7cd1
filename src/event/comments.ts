import { issueCommentPayload, parsePayload, type Remark, reviewCommentPayload, reviewPayload } from './payload.ts'
import { headOf, nothing, type ReadingSettings, repositoryOf, silence, subjectOf } from './reading.ts'
import { isOwn, requestIn } from './request.ts'
import type { Reading, Spot, Verb } from './trigger.ts'
import { defaultRequests } from './verb.ts'

/** The events in which a person says something: each acts when it is new and calls us, and its author is the one who asks. */

export function readIssueComment(payload: unknown, settings: ReadingSettings): Reading {
  const read = parsePayload('issue_comment', issueCommentPayload, payload)
  const isPull = read.issue.pull_request !== undefined && read.issue.pull_request !== null
  const { action, comment } = read
  const verb = heard({ what: 'comment', action, acts: 'created', body: comment.body, bare: isPull ? 'pull' : 'issue' }, settings)
  if (typeof verb === 'string') return nothing(verb)
  return {
    kind: 'trigger',
    trigger: {
      event: 'issue_comment',
      repository: repositoryOf(read, settings),
      actor: comment.user,
      verb,
      subject: subjectOf(read.issue, isPull),
      comment: { id: comment.id, url: comment.html_url, body: comment.body, createdAt: comment.created_at },
    },
  }
}

export function readReviewComment(payload: unknown, settings: ReadingSettings): Reading {
  const read = parsePayload('pull_request_review_comment', reviewCommentPayload, payload)
  const { action, comment } = read
  const verb = heard({ what: 'comment', action, acts: 'created', body: comment.body, bare: 'remark' }, settings)
  if (typeof verb === 'string') return nothing(verb)
  return {
    kind: 'trigger',
    trigger: {
      event: 'pull_request_review_comment',
      repository: repositoryOf(read, settings),
      actor: comment.user,
      verb,
      subject: subjectOf(read.pull_request, true),
      comment: { id: comment.id, url: comment.html_url, body: comment.body, createdAt: comment.created_at },
      spot: spotOf(comment),
      head: headOf(read.pull_request),
    },
  }
}

/** What a review says about lines comes as remarks, in events of their own: only its own text counts here (C08, C14). */
export function readReview(payload: unknown, settings: ReadingSettings): Reading {
  const read = parsePayload('pull_request_review', reviewPayload, payload)
  const { action, review } = read
  const verb = heard({ what: 'review', action, acts: 'submitted', body: review.body, bare: 'review' }, settings)
  if (typeof verb === 'string') return nothing(verb)
  return {
    kind: 'trigger',
    trigger: {
      event: 'pull_request_review',
      repository: repositoryOf(read, settings),
      actor: review.user,
      verb,
      subject: subjectOf(read.pull_request, true),
      review: {
        id: review.id,
        url: review.html_url,
        body: review.body,
        createdAt: review.submitted_at,
        state: review.state.toLowerCase(),
        ...(review.commit_id !== '' && { commit: review.commit_id }),
      },
      head: headOf(read.pull_request),
    },
  }
}

interface Said {
  readonly what: 'comment' | 'review'
  readonly action: string
  /** The action that makes it a new request. */
  readonly acts: string
  readonly body: string
  readonly bare: keyof typeof defaultRequests
}

/** The request, or the sentence that says why there is none. */
function heard({ what, action, acts, body, bare }: Said, settings: ReadingSettings): Verb | string {
  // Edits and deletions arrive too when the workflow names no types: they are never a new request (C07).
  if (action !== acts) return `The ${what} was ${action}, and only new ${what}s are acted on.`
  if (isOwn(body)) return `The ${what} is one of our own replies.`
  return requestIn(body, settings.triggers, { prompt: settings.prompt, bare: defaultRequests[bare] }) ?? `${silence(`The ${what}`, settings)}.`
}

/** A remark on a whole file has no lines, whatever numbers come with it, and one on an outdated line only its old one (C12). */
function spotOf(comment: Remark): Spot {
  const onFile = comment.subject_type === 'file'
  return {
    path: comment.path,
    line: onFile ? null : comment.line,
    startLine: onFile ? null : comment.start_line,
    originalLine: onFile ? null : comment.original_line,
    side: comment.side,
    hunk: onFile ? '' : comment.diff_hunk,
    commit: comment.original_commit_id ?? comment.commit_id,
    thread: comment.in_reply_to_id ?? comment.id,
  }
}
