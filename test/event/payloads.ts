import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { z } from 'zod'

/** Payloads made from GitHub's own examples. The oldest example of an event fails its own schema, so the newest one is taken. */

const Object_ = z.record(z.string(), z.unknown())
type Json = z.infer<typeof Object_>
const Examples = z.array(z.object({ name: z.string(), examples: z.array(Object_) }))
const file = createRequire(import.meta.url).resolve('@octokit/webhooks-examples')
const examples = Examples.parse(JSON.parse(readFileSync(file, 'utf8')))

function newest(event: string, action?: string): Json {
  const found = examples.find((entry) => entry.name === event)?.examples.findLast((example) => example.action === action)
  if (!found) throw new Error(`there is no example of ${event} ${action ?? ''}`)
  return found
}

const laid = (under: unknown, over: Json): Json => ({ ...Object_.parse(under), ...over })

/** A person or bot as GitHub describes them in payloads. */
export function user(login: string, type: 'User' | 'Bot' = 'User'): Json {
  return laid(newest('issues', 'opened').sender, { login, type, id: 7 })
}

/** A new comment of alice's, or of whoever `comment.user` says, on an issue or a pull request. */
export function issueComment(comment: Json, options: { issue?: Json; pull?: boolean; action?: string } = {}): Json {
  const base = newest('issue_comment', 'created')
  const author = comment.user === undefined ? user('alice') : comment.user
  const pull_request = {
    url: 'https://api.github.com/repos/octo/demo/pulls/12',
    html_url: 'https://github.com/octo/demo/pull/12',
    diff_url: 'https://github.com/octo/demo/pull/12.diff',
    patch_url: 'https://github.com/octo/demo/pull/12.patch',
    merged_at: null,
  }
  return {
    ...base,
    action: options.action ?? 'created',
    issue: laid(base.issue, { number: 12, ...(options.pull && { pull_request }), ...options.issue }),
    comment: laid(base.comment, { id: 99, ...comment, user: author }),
    sender: author,
  }
}

/** Something that happened to an issue that alice wrote. */
export function issues(action: 'opened' | 'edited' | 'labeled' | 'deleted' | 'transferred', issue: Json, sender: Json = user('alice')): Json {
  const base = newest('issues', action)
  return { ...base, issue: laid(base.issue, { number: 12, user: user('alice'), ...issue }), sender }
}

export function workflowDispatch(): Json {
  return newest('workflow_dispatch')
}
