import { readIssueComment, readReview, readReviewComment } from './comments.ts'
import { EventError } from './errors.ts'
import { readIssues, readPullRequest } from './openings.ts'
import type { Reader, ReadingSettings } from './reading.ts'
import type { Reading } from './trigger.ts'
import { readDispatch, readRepositoryDispatch, readSchedule, readWorkflowRun } from './unattended.ts'

const readers = new Map<string, Reader>([
  ['issue_comment', readIssueComment],
  ['pull_request_review_comment', readReviewComment],
  ['pull_request_review', readReview],
  ['issues', readIssues],
  ['pull_request', readPullRequest('pull_request')],
  ['pull_request_target', readPullRequest('pull_request_target')],
  ['schedule', readSchedule],
  ['workflow_dispatch', readDispatch],
  ['repository_dispatch', readRepositoryDispatch],
  ['workflow_run', readWorkflowRun],
])

/**
 * Throws `EventError` for an event nobody can act on, naming it and the events that work (C13).
 * Asked before the payload's file is opened, so that a wrong event is not reported as a wrong file.
 */
export function checkEvent(name: string): void {
  readerOf(name)
}

/**
 * Turns a webhook into what it asks for, or into the reason why there is nothing to do. Pure.
 * With the input `prompt`, an event without a comment does what the input says; a comment still needs a trigger word, and the input is
 * put in front of what the person wrote. `author_association` is never looked at: it says nothing about rights. Throws `EventError` when the
 * event is not supported (C13), lacks the prompt it needs (C10), or its payload is malformed.
 */
export function readEvent(name: string, payload: unknown, settings: ReadingSettings): Reading {
  return readerOf(name)(payload, settings)
}

function readerOf(name: string): Reader {
  const reader = readers.get(name)
  if (reader) return reader
  const working = [...readers.keys()].join(', ')
  throw new EventError(`The event "${name}" is not supported.`, `Use one of these under \`on:\` in the workflow: ${working}.`)
}
