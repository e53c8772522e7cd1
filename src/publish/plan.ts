import { GitHubError } from '../github/errors.ts'
import type { Discussion, GitHub, PullRequest } from '../github/types.ts'
import type { Session } from '../session/message.ts'
import type { branchName } from '../workspace/names.ts'
import type { Source, Target } from '../workspace/types.ts'

/** Where a run starts and where its work will go, before anything is fetched. */
export interface Plan {
  /** What to start from, in order of preference: a branch may be gone by now. */
  readonly from: readonly Source[]
  /** The branch whose configuration is trusted, and that pull requests are opened against unless the work starts at another one. */
  readonly base: string
  /** The pull request that is asked about, when its head is to be changed. */
  readonly open?: PullRequest
  /** Where the commits for it go; a sentence for people says why there is no such place. */
  readonly head?: Target | { readonly nowhere: string }
  /** The branch of the session's earlier turns, when it goes on. */
  readonly own?: string
}

/** What became of the pull request that the session opened. */
export interface OwnPull {
  readonly state: 'OPEN' | 'CLOSED' | 'MERGED'
  readonly headRef: string
}

/** Where the work of a run goes. */
export type Destination =
  /** A branch that is there already. */
  | { readonly kind: 'existing'; readonly target: Target; readonly base: string }
  /** A new branch, with a pull request against `base`. */
  | { readonly kind: 'new'; readonly base: string }
  | { readonly kind: 'nowhere'; readonly why: string; readonly base: string }

/** What a new branch is named after. */
export type BranchWords = Parameters<typeof branchName>[0]

/**
 * Asks what became of the session's own pull request. Only one that is not in the conversation itself needs a question, so that a first request costs
 * nothing. A token that may not know counts as no answer: the branch goes on, as it does without a pull request.
 */
export async function ownPull(
  github: Pick<GitHub, 'pullState'>,
  discussion: Discussion | undefined,
  session: Session | undefined,
): Promise<OwnPull | undefined> {
  if (session?.pull === undefined || session.pull === discussion?.number) return undefined
  return stateOf(github, session.pull)
}

/** Asks, before anything is pushed, whether the pull request was closed or merged while the agent was working; the sentence that says so (C108). */
export async function endedMeanwhile(github: Pick<GitHub, 'pullState'>, open: PullRequest | undefined): Promise<string | undefined> {
  const now = open && (await stateOf(github, open.number))
  if (!open || !now || now.state === 'OPEN') return undefined
  return `Pull request #${open.number} was ${now.state === 'MERGED' ? 'merged' : 'closed'} while the agent was working.`
}

async function stateOf(github: Pick<GitHub, 'pullState'>, pull: number): Promise<OwnPull | undefined> {
  try {
    return await github.pullState(pull)
  } catch (error) {
    if (error instanceof GitHubError && (error.kind === 'missing' || error.kind === 'forbidden')) return undefined
    throw error
  }
}

/**
 * An open pull request is changed on its own head (C09), that of a fork from its public ref (C90, C92). An issue goes on with the branch its session
 * has, unless the pull request of that branch was closed or merged meanwhile, squashed too. Everything else starts at the base and gets a new branch;
 * for a closed or merged pull request that is the branch it was meant for (C108). `base` is the input base-branch or the default branch.
 */
export function planWork(base: string, discussion: Discussion | undefined, session: Session | undefined, own?: OwnPull): Plan {
  const pull = discussion?.pull
  if (discussion && pull && discussion.state === 'OPEN') {
    const open = { number: discussion.number, url: discussion.url }
    if (!pull.isFork) return { from: [pull.headRef], base: pull.baseRef, open, head: { branch: pull.headRef } }
    return { from: [{ pull: discussion.number }], base: pull.baseRef, open, head: headOf(pull) }
  }
  const start = pull && pull.baseRef !== base ? [pull.baseRef, base] : [base]
  const branch = ownBranch(discussion, session, own)
  return branch === undefined || start.includes(branch) ? { from: start, base } : { from: [branch, ...start], base, own: branch }
}

/** Where the work of a run goes that started at `source`. */
export function destinationOf(plan: Plan, source: Source): Destination {
  const { base } = plan
  if (plan.head) return 'nowhere' in plan.head ? { kind: 'nowhere', why: plan.head.nowhere, base } : { kind: 'existing', target: plan.head, base }
  if (plan.own !== undefined && source === plan.own) return { kind: 'existing', target: { branch: plan.own }, base }
  return { kind: 'new', base: typeof source === 'string' ? source : base }
}

/** The branch of a fork, when its author lets maintainers push there. */
function headOf({ headRepository, headRef, maintainerCanModify }: NonNullable<Discussion['pull']>): NonNullable<Plan['head']> {
  if (headRepository === null) return { nowhere: 'The fork that this pull request came from was deleted, so there is nowhere to push to.' }
  if (!maintainerCanModify)
    return { nowhere: `The author of this pull request does not allow edits by maintainers, so nothing can be pushed to \`${headRepository}\`.` }
  return { repository: headRepository, branch: headRef }
}

function ownBranch(discussion: Discussion | undefined, session: Session | undefined, own: OwnPull | undefined): string | undefined {
  // The pull request that is asked about is not open any more, so neither is the work on its branch.
  if (session?.pull !== undefined && session.pull === discussion?.number) return undefined
  if (own === undefined) return session?.branch
  return own.state === 'OPEN' ? own.headRef : undefined
}
