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

const pulled = (base: Json, pull: Json): Json => {
  const under = Object_.parse(base.pull_request)
  const head = laid(under.head, { ref: 'feature/x', sha: 'a'.repeat(40), ...Object_.optional().parse(pull.head) })
  return { ...under, number: 12, user: user('bob'), ...pull, head }
}

/** A new remark of alice's on the diff of a pull request of bob's. */
export function reviewComment(comment: Json, options: { pull?: Json; action?: string } = {}): Json {
  const base = newest('pull_request_review_comment', 'created')
  const author = comment.user === undefined ? user('alice') : comment.user
  return {
    ...base,
    action: options.action ?? 'created',
    pull_request: pulled(base, options.pull ?? {}),
    comment: laid(base.comment, { id: 99, ...comment, user: author }),
    sender: author,
  }
}

/** A review of alice's. */
export function review(review: Json, options: { pull?: Json; action?: 'submitted' | 'edited' | 'dismissed' } = {}): Json {
  const base = newest('pull_request_review', 'submitted')
  const author = review.user === undefined ? user('alice') : review.user
  return {
    ...base,
    action: options.action ?? 'submitted',
    pull_request: pulled(base, options.pull ?? {}),
    review: laid(base.review, { id: 77, ...review, user: author }),
    sender: author,
  }
}

/** Something that happened to a pull request of bob's. */
export function pullRequest(action: 'opened' | 'labeled' | 'closed', pull: Json, sender: Json = user('bob')): Json {
  const base = newest('pull_request', action)
  return { ...base, pull_request: pulled(base, pull), sender }
}

/** A push of bob's to his pull request: no example of GitHub's is one. */
export function pushToPull(pull: Json = {}, sender: Json = user('bob')): Json {
  return { ...pullRequest('opened', pull, sender), action: 'synchronize', before: 'b'.repeat(40), after: 'a'.repeat(40) }
}

export function workflowDispatch(): Json {
  return newest('workflow_dispatch')
}

export function repositoryDispatch(type: string, payload: Json): Json {
  return { ...newest('repository_dispatch', 'on-demand-test'), action: type, client_payload: payload }
}

/** A finished run of the workflow "test" on a branch of the repository, whose pull requests are given by number and repositories. */
export function workflowRun(run: Json, pulls: readonly { number: number; head?: number; base?: number }[] = []): Json {
  const base = newest('workflow_run', 'completed')
  const home = z.object({ id: z.number() }).parse(base.repository).id
  const repo = (id = home): Json => ({ id, url: `https://api.github.com/repositories/${id}`, name: 'octo-repo' })
  const pull_requests = pulls.map((pull) => ({
    url: `https://api.github.com/repos/octo-org/octo-repo/pulls/${pull.number}`,
    id: 1000 + pull.number,
    number: pull.number,
    head: { ref: 'feature/x', sha: 'a'.repeat(40), repo: repo(pull.head) },
    base: { ref: 'main', sha: 'b'.repeat(40), repo: repo(pull.base) },
  }))
  const who = { actor: user('alice'), triggering_actor: user('alice') }
  return { ...base, workflow_run: laid(base.workflow_run, { conclusion: 'failure', head_branch: 'feature/x', ...who, pull_requests, ...run }) }
}
