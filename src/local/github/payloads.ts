import { LocalError } from '../errors.ts'
import type { EmulatedGitHub } from './github.ts'
import { remarkOf, reviewOf, targetOf } from './hand/threads.ts'
import { remarkJson, reviewJson } from './show-review.ts'
import { runJson, workflowJson } from './show-run.ts'
import { account, findComment, threadOf } from './state.ts'

/** Webhook payloads of the ten events, made from the state as it is now. */

const nobody = 'ghost'

/** `issue_comment` for a comment that is there; on a pull request as on an issue. `sender` is who did it: the author unless told otherwise. */
export function issueCommentPayload(github: EmulatedGitHub, id: number, action: 'created' | 'edited' | 'deleted' = 'created', sender?: string): object {
  const { state, show } = github.context()
  const found = findComment(state, id)
  if (found === undefined) throw new LocalError(`There is no comment ${id}.`, 'Post it first.')
  return {
    action,
    ...(action === 'edited' ? { changes: { body: { from: found.comment.body } } } : {}),
    issue: show.issue(found.thread),
    comment: show.comment(found.thread, found.comment),
    repository: show.repository(),
    sender: show.user(sender ?? found.comment.author ?? nobody),
  }
}

/** `issues`, by its author unless told otherwise. */
export function issuesPayload(github: EmulatedGitHub, number: number, action: 'opened' | 'reopened' = 'opened', sender?: string): object {
  const { state, show } = github.context()
  const thread = threadOf(state, number)
  return { action, issue: show.issue(thread), repository: show.repository(), sender: show.user(sender ?? thread.author ?? nobody) }
}

/** `issues` with action `labeled` or `assigned`, for what is on the issue already. */
export function issueMarkPayload(github: EmulatedGitHub, number: number, mark: { label: string } | { assignee: string }, sender: string): object {
  const { state, show } = github.context()
  const action = 'label' in mark ? { action: 'labeled', label: show.label(mark.label) } : { action: 'assigned', assignee: show.user(mark.assignee) }
  return { ...action, issue: show.issue(threadOf(state, number)), repository: show.repository(), sender: show.user(sender) }
}

/** `pull_request` and `pull_request_target`. For `synchronize`, `before` is the head that was there. */
export async function pullRequestPayload(
  github: EmulatedGitHub,
  number: number,
  action: 'opened' | 'reopened' | 'synchronize' | 'ready_for_review' | 'closed' = 'opened',
  { sender, before }: { sender?: string; before?: string } = {},
): Promise<object> {
  const { repositories, show } = github.context()
  await repositories.refresh()
  const { thread, pull } = targetOf(github.context(), number)
  return {
    action,
    number,
    ...(action === 'synchronize' ? { before: before ?? '0'.repeat(40), after: pull.headSha } : {}),
    pull_request: show.pull(thread, await repositories.diff(pull)),
    repository: show.repository(),
    sender: show.user(sender ?? thread.author ?? nobody),
  }
}

/** What the two review events carry of the pull request. */
async function pullPart(github: EmulatedGitHub, number: number) {
  const { repositories, show } = github.context()
  await repositories.refresh()
  const { thread, pull } = targetOf(github.context(), number)
  return show.pullSimple(thread, await repositories.diff(pull))
}

/** `pull_request_review_comment` for a remark that is there. */
export async function reviewCommentPayload(
  github: EmulatedGitHub,
  id: number,
  action: 'created' | 'edited' | 'deleted' = 'created',
  sender?: string,
): Promise<object> {
  const context = github.context()
  const found = remarkOf(context, id)
  const pull = await pullPart(github, found.thread.number)
  return {
    action,
    ...(action === 'edited' ? { changes: { body: { from: found.comment.body } } } : {}),
    comment: remarkJson(context, found),
    pull_request: pull,
    repository: context.show.repository(),
    sender: context.show.user(sender ?? found.comment.author ?? nobody),
  }
}

/** `pull_request_review` for a review that is there. Webhooks write its state small, and null for no body. */
export async function reviewPayload(github: EmulatedGitHub, id: number, action: 'submitted' | 'edited' = 'submitted', sender?: string): Promise<object> {
  const context = github.context()
  const { thread, review } = reviewOf(context, id)
  return {
    action,
    ...(action === 'edited' ? { changes: { body: { from: review.body } } } : {}),
    review: { ...reviewJson(context, thread, review), state: review.state.toLowerCase(), body: review.body === '' ? null : review.body },
    pull_request: await pullPart(github, thread.number),
    repository: context.show.repository(),
    sender: context.show.user(sender ?? review.author ?? nobody),
  }
}

/** What a scheduled run finds at `GITHUB_EVENT_PATH`: the cron line, and nobody who asked. GitHub publishes no schema for it. */
export function schedulePayload(github: EmulatedGitHub, schedule: string): object {
  return { schedule, repository: github.context().show.repository(), workflow: '.github/workflows/opencode.yml' }
}

/** `workflow_dispatch` by `sender` on a branch, with the inputs of the workflow. */
export function dispatchPayload(github: EmulatedGitHub, sender: string, inputs: Readonly<Record<string, string>> = {}, branch?: string): object {
  const { state, show } = github.context()
  account(state, sender)
  return {
    inputs,
    ref: `refs/heads/${branch ?? state.defaultBranch}`,
    workflow: '.github/workflows/opencode.yml',
    repository: show.repository(),
    sender: show.user(sender),
  }
}

/** `repository_dispatch` of some type by `sender`. */
export function repositoryDispatchPayload(github: EmulatedGitHub, sender: string, type: string, payload: Readonly<Record<string, unknown>> = {}): object {
  const { state, show } = github.context()
  account(state, sender)
  return {
    action: type,
    branch: state.defaultBranch,
    client_payload: payload,
    repository: show.repository(),
    sender: show.user(sender),
    installation: { id: 1, node_id: 'MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9uMQ==' },
  }
}

/** `workflow_run` for a run that was set with `github.run`. Throws `LocalError` for another. */
export function workflowRunPayload(
  github: EmulatedGitHub,
  id: number,
  action: 'completed' | 'requested' | 'in_progress' = 'completed',
  sender?: string,
): object {
  const context = github.context()
  const run = context.state.runs.get(id)
  if (run === undefined) throw new LocalError(`There is no run ${id}.`, 'Set it with `run` first.')
  return {
    action,
    workflow_run: runJson(context, run),
    workflow: workflowJson(context, run),
    repository: context.show.repository(),
    sender: context.show.user(sender ?? run.actor),
  }
}
