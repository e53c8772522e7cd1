import { type Common, issuesPayload, parsePayload, pullRequestPayload } from './payload.ts'
import { headOf, nothing, type ReadingSettings, repositoryOf, silence, subjectOf } from './reading.ts'
import { requestIn } from './request.ts'
import type { Reading, Subject, Verb } from './trigger.ts'
import { defaultRequests } from './verb.ts'

/** The events of an issue or pull request itself: a new one may ask in its own text, and with the input `prompt` every action does what that says. */

export function readIssues(payload: unknown, settings: ReadingSettings): Reading {
  const read = parsePayload('issues', issuesPayload, payload)
  if (read.action === 'deleted' || read.action === 'transferred') return nothing(`The issue was ${read.action}: nobody could read an answer.`)
  const subject = subjectOf(read.issue, false)
  const asked = request(read, subject, settings)
  if (typeof asked === 'string') return nothing(asked)
  return { kind: 'trigger', trigger: { event: 'issues', action: read.action, repository: repositoryOf(read, settings), actor: read.sender, ...asked, subject } }
}

/** `pull_request_target` is read as `pull_request` is: what it may do with the head is decided by who trusts the head, not by the event's name. */
export function readPullRequest(event: 'pull_request' | 'pull_request_target') {
  return (payload: unknown, settings: ReadingSettings): Reading => {
    const read = parsePayload(event, pullRequestPayload, payload)
    const subject = subjectOf(read.pull_request, true)
    const asked = request(read, subject, settings)
    if (typeof asked === 'string') return nothing(asked)
    const { action, sender: actor } = read
    const head = headOf(read.pull_request)
    return { kind: 'trigger', trigger: { event, action, repository: repositoryOf(read, settings), actor, ...asked, subject, head } }
  }
}

/** What is asked for and whether the text itself asks, or the sentence that says why there is nothing to do. */
function request(
  { action, sender }: Common & { readonly action: string },
  subject: Subject,
  settings: ReadingSettings,
): { readonly verb: Verb; readonly asks?: true } | string {
  const what = subject.isPull ? 'pull request' : 'issue'
  const { prompt, triggers } = settings
  const told = { prompt, bare: subject.isPull ? defaultRequests.pull : defaultRequests.issue }
  const called = action === 'opened' ? (requestIn(subject.title, triggers, told) ?? requestIn(subject.body, triggers, told)) : undefined
  // A transferred issue is opened anew by whoever moved it: its text must not borrow that person's rights.
  if (called && subject.author === sender.login) return { verb: called, asks: true }
  if (prompt) return { verb: { type: 'prompt', text: prompt } }
  if (called) return `The ${what} was opened by ${sender.login}, but the request in it was written by ${subject.author}.`
  return `${action === 'opened' ? silence(`The new ${what}`, settings) : `The ${what} was ${action}`}, and the input prompt is empty.`
}
