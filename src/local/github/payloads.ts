import { LocalError } from '../errors.ts'
import type { EmulatedGitHub } from './github.ts'
import { account, findComment, threadOf } from './state.ts'

/** Webhook payloads, made from the state as it is now. */

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
    sender: show.user(sender ?? found.comment.author ?? 'ghost'),
  }
}

/** `issues` with action `opened`. */
export function issuesPayload(github: EmulatedGitHub, number: number): object {
  const { state, show } = github.context()
  const thread = threadOf(state, number)
  return { action: 'opened', issue: show.issue(thread), repository: show.repository(), sender: show.user(thread.author ?? 'ghost') }
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
