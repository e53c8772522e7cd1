import { GitHubError } from '../github/errors.ts'
import type { GitHub, PullRequest } from '../github/types.ts'
import { branchName, withSuffix } from '../workspace/names.ts'
import type { Change, Changes, Workspace } from '../workspace/types.ts'
import { PublishError } from './errors.ts'

/** Where the work of a run goes. */
export type Destination =
  /** A branch that is there already: a pull request's head, or the branch the session made earlier. */
  { readonly kind: 'existing'; readonly branch: string } | { readonly kind: 'new'; readonly name: Parameters<typeof branchName>[0] }

export interface Landing {
  readonly branch: string
  readonly commit: string
  readonly files: readonly Change[]
  readonly pull?: PullRequest & { readonly operation: 'created' | 'updated' }
  /** Why no pull request shows the branch; the work is on the remote all the same (C137). */
  readonly problem?: GitHubError
}

interface Work {
  readonly workspace: Workspace
  readonly github: GitHub
  readonly changes: Changes
  readonly destination: Destination
  readonly message: string
  /** The pull request to open when the branch has none yet; absent when the branch is the head of the PR that was asked about. */
  readonly pull: NewPull | { readonly open: PullRequest }
}

interface NewPull {
  readonly title: string
  readonly body: string
  readonly base: string
}

/**
 * Commits what the agent changed, pushes it, and sees to it that a pull request shows it.
 * Throws `PublishError` with the remote's own words when the push is refused; a pull request that can't
 * be opened afterwards is a `problem` of the landing.
 */
export async function publishChanges(work: Work): Promise<Landing> {
  const commit = await work.workspace.commit(work.changes, work.message)
  const branch = await push(work, commit)
  const landing = { branch, commit, files: work.changes.files }
  if ('open' in work.pull) return { ...landing, pull: { ...work.pull.open, operation: 'updated' } }
  try {
    return { ...landing, pull: await showPull(work.github, work.pull, branch, work.destination.kind) }
  } catch (error) {
    if (error instanceof GitHubError) return { ...landing, problem: error }
    throw error
  }
}

async function showPull(github: GitHub, { title, body, base }: NewPull, branch: string, kind: Destination['kind']): Promise<NonNullable<Landing['pull']>> {
  const open = kind === 'existing' ? await github.findPull(branch, base) : undefined
  if (open) return { ...open, operation: 'updated' }
  return { ...(await github.createPull({ title, body, head: branch, base, draft: false })), operation: 'created' }
}

async function push({ workspace, destination }: Work, commit: string): Promise<string> {
  if (destination.kind === 'existing') {
    const pushed = await workspace.push(commit, destination.branch, 'fast-forward')
    if (pushed.kind === 'pushed') return destination.branch
    throw new PublishError(
      pushed.kind === 'taken'
        ? `The branch \`${destination.branch}\` got other commits while the agent was working, so its own commit was not pushed.`
        : `The push to \`${destination.branch}\` was refused: ${pushed.reason}`,
      pushed.kind === 'taken' ? 'Comment again to have the change made on top of the new commits, or apply the patch.' : refusalHint,
    )
  }
  // Another run may have taken the name a moment ago (C109): the remote decides, and the next name is tried.
  for (let attempt = 1; attempt <= 20; attempt++) {
    const branch = attempt === 1 ? branchName(destination.name) : withSuffix(branchName(destination.name), attempt)
    const pushed = await workspace.push(commit, branch, 'absent')
    if (pushed.kind === 'pushed') return branch
    if (pushed.kind === 'refused') throw new PublishError(`The push to \`${branch}\` was refused: ${pushed.reason}`, refusalHint)
  }
  throw new PublishError(
    `Twenty branches named like \`${branchName(destination.name)}\` exist already.`,
    'Delete the old ones, or set the input `branch-prefix`.',
  )
}

const refusalHint =
  'Give the job `permissions: contents: write` (and a token with the `workflow` scope if workflow files were changed), or let the branch rules admit the bot. The patch holds the work.'
