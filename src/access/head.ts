import type { Trigger } from '../event/trigger.ts'
import { mayWrite, type PermissionAnswer } from './decide.ts'

/** A push to the head's branch, as GitHub's list of activity tells it. */
export interface Push {
  readonly actor: string
  readonly at: string
  readonly before: string
  readonly after: string
}

export interface PushFacts {
  /** Who asks. They have passed the gate. */
  readonly requester: string
  /** When it was asked, as GitHub says it; left out where nobody wrote a request. */
  readonly at?: string | undefined
  /** The head that the event itself told. */
  readonly seen?: string | undefined
  /** The head now. */
  readonly current: string
  /** Whether the head lies in another repository, where people push who may not write to this one. */
  readonly isFork: boolean
  /** `owner/name` of the head; null when the fork is gone (C91). */
  readonly headRepository: string | null
  /** The newest pushes to the head's branch, newest first; undefined when the token may not know. */
  readonly pushes?: readonly Push[] | undefined
}

export interface HeadFacts extends PushFacts {
  /** What GitHub says about those whom `pushersToAsk` names; who is missing may not write. */
  readonly permissions: ReadonlyMap<string, PermissionAnswer>
  /** Commits that this requester reviewed, or that an earlier run worked on or pushed, newest first. */
  readonly vouched: readonly string[]
}

/** Which commit may be checked out to be worked on; the sentences are for people. */
export type Binding =
  | { readonly kind: 'take'; readonly sha: string }
  | { readonly kind: 'pin'; readonly sha: string; readonly notice: string }
  | { readonly kind: 'refuse'; readonly reason: string }

/**
 * Binds a run to the commit that its request was about (C141): what a stranger pushed after it is not run.
 *
 * - In this repository only people with write access push, so the head of a branch of its own may always be taken.
 * - The head of a fork may be taken when only the requester and people with write access pushed since the request, else the commit before the first
 *   push of anybody else is used. Since when: from the commit the event told, or from the time of the request.
 * - Where the pushes are not known for sure, a commit's own date is no help, for its author may write anything there. Good enough are the commit
 *   the event told, one that the requester reviewed or an earlier run worked on, or a fork that belongs to the requester; else the run is refused.
 */
export function bindHead(facts: HeadFacts): Binding {
  const { current, seen, vouched } = facts
  if (!facts.isFork || seen === current || vouched.includes(current)) return { kind: 'take', sha: current }
  const later = pushesSince(facts)
  const stranger = later?.findLast(({ actor }) => !isTrusted(actor, facts))
  if (!stranger && (later || ownsFork(facts))) return { kind: 'take', sha: current }
  const why = stranger
    ? `${stranger.actor}, who has no write access to this repository, pushed to the pull request after the request`
    : facts.headRepository === null
      ? 'the fork was deleted, and with it the record of who has pushed since the request'
      : 'GitHub does not tell who has pushed to the fork since the request'
  // Before the push that made the branch there is nothing.
  const safe = stranger && isCommit(stranger.before) ? stranger.before : (seen ?? vouched[0])
  if (safe === current) return { kind: 'take', sha: current }
  if (safe !== undefined)
    return {
      kind: 'pin',
      sha: safe,
      notice: `The work is based on ${short(safe)}, not on the newest commit ${short(current)}: ${why}. Ask again to include it.`,
    }
  return {
    kind: 'refuse',
    reason: `The newest commit ${short(current)} of this fork may not be the one that the request was about: ${why}. Look at the commit and review it (Files changed, Review changes), then ask again in a comment: a review names its commit.`,
  }
}

/**
 * The head that an event tells of: for a review the commit the reviewer looked at, even where something was pushed while it was being written;
 * undefined for a comment, which tells of none.
 */
export function headSeen(trigger: Trigger): string | undefined {
  if (trigger.event === 'pull_request_review') return trigger.review.commit ?? trigger.head.sha
  if (trigger.event === 'workflow_run') return trigger.run.sha
  return 'head' in trigger ? trigger.head.sha : undefined
}

/** The logins whose permission `bindHead` has to know; none for most runs. */
export function pushersToAsk(facts: PushFacts): readonly string[] {
  if (!facts.isFork || facts.seen === facts.current) return []
  const others = (pushesSince(facts) ?? []).map(({ actor }) => actor).filter((actor) => !same(actor, facts.requester))
  return [...new Set(others)]
}

/** The pushes since the request, newest first; undefined unless they lead without a gap from what was there then to the head now. */
function pushesSince({ pushes, seen, at, current }: PushFacts): readonly Push[] | undefined {
  if (!pushes || pushes[0]?.after !== current) return undefined
  // The last thing that surely came before the request; what was pushed in the very second of it came after.
  const asked = Date.parse(at ?? '')
  const before = seen === undefined ? pushes.findLastIndex((push) => !(Date.parse(push.at) < asked)) + 1 : pushes.findIndex((push) => push.after === seen)
  if (before < 0 || before === pushes.length) return undefined
  const chain = pushes.slice(0, before + 1)
  return chain.every((push, index) => index === 0 || push.after === chain[index - 1]?.before) ? chain.slice(0, -1) : undefined
}

function isTrusted(login: string, { requester, permissions }: HeadFacts): boolean {
  return same(login, requester) || mayWrite(permissions.get(login))
}

function ownsFork({ headRepository, requester, at }: HeadFacts): boolean {
  return at !== undefined && headRepository !== null && same(headRepository.split('/')[0] ?? '', requester)
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function isCommit(sha: string): boolean {
  return /[1-9a-f]/.test(sha)
}

function short(sha: string): string {
  return sha.slice(0, 7)
}
