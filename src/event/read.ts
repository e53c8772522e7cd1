import { EventError } from './errors.ts'
import { findMention } from './mention.ts'
import { type Common, dispatchPayload, type Issue, issueCommentPayload, issuesPayload, parsePayload, schedulePayload } from './payload.ts'
import type { Reading, Repository, Subject, Verb } from './trigger.ts'
import { defaultRequests, readVerb } from './verb.ts'

/** The settings an event is read with, and the repository of the run: payloads of schedules may name none. */
export interface ReadingSettings {
  readonly triggers: readonly string[]
  readonly prompt?: string
  readonly repository: { readonly owner: string; readonly name: string }
}

type Reader = (payload: unknown, settings: ReadingSettings) => Reading

/** What every reply of ours begins its hidden part with, whoever the token makes us (DESIGN, "The hidden comment thread"). */
const ownMarker = '<!-- opencode:session'

const readers = new Map<string, Reader>([
  ['issue_comment', readIssueComment],
  ['issues', readIssues],
  ['schedule', readSchedule],
  ['workflow_dispatch', readDispatch],
])

const later = ['pull_request_review_comment', 'pull_request_review', 'pull_request', 'pull_request_target', 'repository_dispatch', 'workflow_run']

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
 * put in front of what the person wrote. Throws `EventError` when the event is not supported (C13), lacks the prompt it needs (C10), or its
 * payload is malformed.
 */
export function readEvent(name: string, payload: unknown, settings: ReadingSettings): Reading {
  return readerOf(name)(payload, settings)
}

function readerOf(name: string): Reader {
  const reader = readers.get(name)
  if (reader) return reader
  const working = [...readers.keys()].join(', ')
  throw later.includes(name)
    ? new EventError(`The event "${name}" is not available yet.`, `Use one of these under \`on:\` in the workflow: ${working}.`)
    : new EventError(`The event "${name}" is not supported.`, `Use one of these under \`on:\` in the workflow: ${working}.`)
}

function readIssueComment(payload: unknown, settings: ReadingSettings): Reading {
  const read = parsePayload('issue_comment', issueCommentPayload, payload)
  // Edits and deletions arrive too when the workflow names no types: they are never a new request (C07).
  if (read.action !== 'created') return nothing(`The comment was ${read.action}, and only new comments are acted on.`)
  if (read.comment.body.includes(ownMarker)) return nothing('The comment is one of our own replies.')
  const mention = findMention(read.comment.body, settings.triggers)
  if (!mention) return nothing(`The comment does not call ${settings.triggers.join(' or ')} outside of code, quotes and links.`)
  const subject = subjectOf(read.issue)
  return {
    kind: 'trigger',
    trigger: {
      event: 'issue_comment',
      repository: repositoryOf(read, settings),
      actor: read.comment.user,
      verb: withPrompt(readVerb(mention), subject, settings),
      subject,
      comment: { id: read.comment.id, url: read.comment.html_url, body: read.comment.body, createdAt: read.comment.created_at },
    },
  }
}

function readIssues(payload: unknown, settings: ReadingSettings): Reading {
  const read = parsePayload('issues', issuesPayload, payload)
  if (read.action === 'deleted' || read.action === 'transferred') return nothing(`The issue was ${read.action}: nobody could read an answer.`)
  const subject = subjectOf(read.issue)
  const called = read.action === 'opened' ? (findMention(subject.title, settings.triggers) ?? findMention(subject.body, settings.triggers)) : undefined
  // A transferred issue is opened anew by whoever moved it: its text must not borrow that person's rights.
  const mention = subject.author === read.sender.login ? called : undefined
  const verb = mention ? withPrompt(readVerb(mention), subject, settings) : settings.prompt && ({ type: 'prompt', text: settings.prompt } as const)
  if (!verb) {
    if (called) return nothing(`The issue was opened by ${read.sender.login}, but the request in it was written by ${subject.author}.`)
    const calls = `does not call ${settings.triggers.join(' or ')} outside of code, quotes and links`
    return nothing(`${read.action === 'opened' ? `The new issue ${calls}` : `The issue was ${read.action}`}, and the input prompt is empty.`)
  }
  return { kind: 'trigger', trigger: { event: 'issues', action: read.action, repository: repositoryOf(read, settings), actor: read.sender, verb, subject } }
}

function readSchedule(payload: unknown, settings: ReadingSettings): Reading {
  const read = parsePayload('schedule', schedulePayload, payload)
  const verb = promptOf('schedule', settings)
  return { kind: 'trigger', trigger: { event: 'schedule', cron: read.schedule, repository: repositoryOf(read, settings), actor: read.sender, verb } }
}

function readDispatch(payload: unknown, settings: ReadingSettings): Reading {
  const read = parsePayload('workflow_dispatch', dispatchPayload, payload)
  const verb = promptOf('workflow_dispatch', settings)
  return { kind: 'trigger', trigger: { event: 'workflow_dispatch', repository: repositoryOf(read, settings), actor: read.sender, verb } }
}

/** An event in which nobody says anything needs to be told what to do (C10). */
function promptOf(event: string, settings: ReadingSettings): Verb {
  if (settings.prompt) return { type: 'prompt', text: settings.prompt }
  throw new EventError(`The event "${event}" carries no request, and the input prompt is empty.`, 'Set the input `prompt` to what should be done.')
}

function withPrompt(verb: Verb, subject: Subject, settings: ReadingSettings): Verb {
  if (verb.type !== 'prompt') return verb
  const parts = [settings.prompt, verb.text].filter((part) => part)
  return { type: 'prompt', text: parts.join('\n\n') || (subject.isPull ? defaultRequests.pull : defaultRequests.issue) }
}

function subjectOf(issue: Issue): Subject {
  return {
    number: issue.number,
    // GitHub sends comments on pull requests as comments on issues; only this field tells them apart (C09).
    isPull: issue.pull_request !== undefined && issue.pull_request !== null,
    title: issue.title,
    body: issue.body,
    author: issue.user.login,
    locked: issue.locked ?? false,
    state: issue.state,
  }
}

function repositoryOf(payload: Common, settings: ReadingSettings): Repository {
  const { repository } = payload
  if (!repository) return settings.repository
  return {
    owner: repository.owner.login,
    name: repository.name,
    ...(repository.default_branch !== undefined && { defaultBranch: repository.default_branch }),
    ...(repository.private !== undefined && { private: repository.private }),
  }
}

function nothing(reason: string): Reading {
  return { kind: 'nothing', reason }
}
