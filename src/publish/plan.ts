import type { Discussion, PullRequest } from '../github/types.ts'
import type { Session } from '../session/message.ts'
import type { Destination } from './changes.ts'

/** Where a run starts and where its work will go, before anything is fetched. */
export interface Plan {
  /** Branches to start from, in order of preference: the session's own may be gone by now. */
  readonly from: readonly string[]
  /** The branch that pull requests are opened against. */
  readonly base: string
  /** The pull request that is asked about, when its head is to be changed. */
  readonly open?: PullRequest
}

/**
 * An open pull request is changed on its own head (C09); an issue goes on with the branch its session has; everything else, a closed or merged
 * pull request too (C108), starts at the base and gets a new branch.
 */
export function planWork(base: string, discussion: Discussion | undefined, session: Session | undefined): Plan {
  const pull = discussion?.pull
  if (discussion && pull && discussion.state === 'OPEN')
    return { from: [pull.headRef], base: pull.baseRef, open: { number: discussion.number, url: discussion.url } }
  const own = session?.branch
  return { from: own === undefined || own === base ? [base] : [own, base], base }
}

/** Where the work of a run goes that started at `branch`. */
export function destinationOf(plan: Plan, branch: string, name: Extract<Destination, { kind: 'new' }>['name']): Destination {
  return plan.open || branch !== plan.base ? { kind: 'existing', branch } : { kind: 'new', name }
}
