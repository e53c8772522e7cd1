import type { Comment, Discussion, Watch, WatchedComment } from '../github/types.ts'
import { limits } from '../limits.ts'
import type { Clock } from '../session/record.ts'
import { liveClaims, type PostedClaim, postedClaims, readClaim, requestsOf } from '../thread/claim.ts'
import { readBlock, type SessionKey } from '../thread/codec.ts'
import { carriesSession, sessionData } from '../thread/hidden.ts'
import { loadThread } from '../thread/load.ts'

/** What it takes to see other runs at work on a thread. */
export interface Watching {
  readonly watch: Watch
  /** Login of the account that all runs act as. */
  readonly viewer: string
  readonly runState: (run: string) => Promise<'live' | 'ended' | 'unknown'>
  /** `now` must never go back: by it the silence of another run is measured. */
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Time between two looks, in ms. */
  readonly every?: number
}

export interface Candidacy extends Watching {
  /** This run's claim, in the working comment it has just posted. */
  readonly own: PostedClaim
  /** The thread as it was read before that. */
  readonly discussion: Discussion
  readonly key?: SessionKey | undefined
  /** Takes the working comment and the reaction away, for another run leads. */
  leave(): Promise<void>
}

/** How it stands after a run has put up its claim. */
export type Lead =
  | {
      /** This run does the work. */
      readonly kind: 'lead'
      /** The thread as it was seen then; the next look tells only what changed since. */
      readonly comments: readonly WatchedComment[]
      /** Another run saved something between the two looks: the thread has to be read afresh, and the request may be answered in it. */
      readonly isStale: boolean
      /** Claims of runs that died: their comments go on saying that they are at work, until somebody clears them away. */
      readonly dead: readonly PostedClaim[]
    }
  /** Another run has answered this one's request, or will: this one ends as handed over. */
  | { readonly kind: 'taken'; readonly run: string }
  /** The other run died, or ended without it: start over, with the thread read afresh. */
  | { readonly kind: 'again' }
  /** The run's signal fired. */
  | { readonly kind: 'stopped' }

/**
 * Decides which run works on the thread. The older claim leads, by the number of its comment; whoever finds one leaves and waits until that run
 * has taken its request, or is gone. Asked right after the claim was posted, with a fresh watch. Throws `GitHubError` when the thread can't be
 * read even once.
 */
export async function takeLead(candidacy: Candidacy): Promise<Lead> {
  const { own, signal } = candidacy
  const standing = openStanding(candidacy)
  const { leader, comments } = await standing.find((claim) => claim.comment < own.comment)
  if (!leader) return { kind: 'lead', comments, isStale: isStale(candidacy, comments), dead: olderClaims(candidacy, comments) }
  await candidacy.leave()
  if (signal.aborted) return { kind: 'stopped' }
  const fate = await standing.follow(leader, comments, (seen) => fateOf(own.request, leader, seen, candidacy))
  if (fate === 'stopped') return { kind: 'stopped' }
  return fate === 'taken' ? { kind: 'taken', run: leader.run } : { kind: 'again' }
}

/**
 * Of the claims of dead runs, those whose comments still say that they are at work, in the thread as it was seen last: a run that was only silent may have
 * come back and answered in its comment. Once this run's turn is saved nothing in them is needed any more.
 */
export function leftBehind(dead: readonly PostedClaim[], seen: readonly WatchedComment[]): readonly PostedClaim[] {
  // A watch shows only what was edited lately; what it does not show is as it was.
  return dead.filter((claim) => commentOf(claim, seen) === undefined || isWorking(claim, seen) !== undefined)
}

/** What a `cancel` came to. */
export type Cancellation =
  | { readonly kind: 'nothing' }
  /** The run is over: it says itself, in its comment, how it ended. */
  | { readonly kind: 'ended'; readonly run: string }
  /** The run gave no sign of life any more. */
  | { readonly kind: 'died'; readonly run: string }
  | { readonly kind: 'stopped' }

/** Waits until the run that is at work on the thread has heard a `cancel` and ended. It needs no claim: it works on nothing. Throws `GitHubError` as `takeLead` does. */
export async function awaitCancelled(watching: Watching): Promise<Cancellation> {
  const standing = openStanding(watching)
  const { leader, comments } = await standing.find(() => true)
  if (!leader) return { kind: 'nothing' }
  const fate = await standing.follow(leader, comments, (seen) => (isWorking(leader, seen) ? undefined : 'ended'))
  return fate === 'stopped' ? { kind: 'stopped' } : { kind: fate, run: leader.run }
}

/** What became of a request that waits for a leader; undefined as long as it has to go on waiting. */
function fateOf(request: string, leader: PostedClaim, seen: readonly WatchedComment[], { viewer, key }: Candidacy): 'taken' | 'left' | undefined {
  const claim = isWorking(leader, seen)
  if (claim) return requestsOf(claim).includes(request) ? 'taken' : undefined
  return answeredIn(seen, viewer, key).has(request) ? 'taken' : 'left'
}

/** The claim in the leader's comment, as long as it says that the run is at work. */
function isWorking(leader: PostedClaim, seen: readonly WatchedComment[]) {
  const claim = readClaim(commentOf(leader, seen)?.body ?? '')
  return claim && !claim.ended ? claim : undefined
}

function answeredIn(seen: readonly WatchedComment[], viewer: string, key: SessionKey | undefined): ReadonlySet<string> {
  const as = (kind: WatchedComment['kind']) =>
    seen.filter((comment) => comment.kind === kind).map((comment): Comment => ({ ...comment, lastEditedAt: null, minimized: false }))
  return loadThread(as('comment'), { viewer, key, mode: 'new', remarks: as('review-comment') }).answered
}

const commentOf = ({ comment }: PostedClaim, seen: readonly WatchedComment[]) => seen.find(({ kind, id }) => kind === 'comment' && id === comment)

/** Whether any comment of ours carries other session data than when the thread was read. */
function isStale({ discussion, viewer }: Candidacy, seen: readonly WatchedComment[]): boolean {
  const remarks = discussion.pull?.threads.flatMap(({ comments }) => comments) ?? []
  const known = new Map([
    ...discussion.comments.map((comment) => [`comment ${comment.id}`, comment] as const),
    ...remarks.map((remark) => [`review-comment ${remark.id}`, remark] as const),
  ])
  const ours = seen.filter(({ author, body }) => author.login.toLowerCase() === viewer.toLowerCase() && carriesSession(body))
  return ours.some(({ kind, id, body }) => sessionData(body) !== sessionData(known.get(`${kind} ${id}`)?.body ?? ''))
}

/** The number of the newest finished turn of a session in a thread; 0 when there is none. Another run that took this one for dead may have saved one. */
export function newestSeq(
  seen: readonly WatchedComment[],
  { viewer, session, key }: { readonly viewer: string; readonly session: string; readonly key?: SessionKey | undefined },
): number {
  const seqs = seen.map(({ kind, id, author, body }) => {
    const block = author.login.toLowerCase() === viewer.toLowerCase() ? readBlock(body, key) : undefined
    if (block?.kind !== 'slice') return 0
    const { comment, row = 'comment', session: of, kind: what, seq } = block.header
    return comment === id && row === kind && of === session && what === undefined ? seq : 0
  })
  return Math.max(0, ...seqs)
}

type PostedText = Pick<Comment, 'id' | 'author' | 'body'>

/** The comments of the conversation by their ids, as they were seen last: a watch shows only what was edited lately. */
export function newestOf(read: readonly PostedText[], seen: readonly WatchedComment[]): ReadonlyMap<number, PostedText> {
  return new Map<number, PostedText>([...read, ...seen.filter(({ kind }) => kind === 'comment')].map((comment) => [comment.id, comment] as const))
}

/** Also of runs that died so long ago that the watch does not show their comments. */
function olderClaims({ discussion, viewer, own }: Candidacy, seen: readonly WatchedComment[]): PostedClaim[] {
  return postedClaims([...newestOf(discussion.comments, seen).values()], viewer).filter(({ comment, ended }) => comment < own.comment && !ended)
}

/** Tells living runs from dead ones, by what is seen of them and what GitHub says. */
function openStanding({ watch, viewer, runState, clock, signal, every = limits.watchEvery }: Watching) {
  const ended = new Set<string>()
  /** Asked only where it matters, since it is a request. */
  const hasEnded = async (run: string) => {
    const state = await runState(run).catch(() => 'unknown' as const)
    if (state === 'ended') ended.add(run)
    return state === 'ended'
  }
  return {
    /** The run that leads, of those whose claims count, and the thread in which no other does. */
    async find(counts: (claim: PostedClaim) => boolean): Promise<{ readonly leader: PostedClaim | undefined; readonly comments: readonly WatchedComment[] }> {
      let comments = (await watch.look()) ?? []
      for (;;) {
        // The newest edit is the best there is of GitHub's clock; the runner's may be wrong by minutes.
        const now = Math.max(...comments.map(({ updatedAt }) => Date.parse(updatedAt)))
        const leader = liveClaims(comments, { viewer, now, ended }).find(counts)
        if (!leader || !(await hasEnded(leader.run))) return { leader, comments }
        // It may have saved its answer between the look and its end.
        comments = (await watch.look()) ?? comments
      }
    },

    /** Looks again and again until `judge` comes to a result, the run behind a claim is dead, or the signal fires. */
    async follow<T extends string>(
      leader: PostedClaim,
      first: readonly WatchedComment[],
      judge: (seen: readonly WatchedComment[]) => T | undefined,
    ): Promise<T | 'died' | 'stopped'> {
      const lifeOf = (seen: readonly WatchedComment[]) => commentOf(leader, seen)?.updatedAt
      let seen = first
      let alive = clock.now()
      let asked = alive
      for (;;) {
        const result = judge(seen)
        if (result !== undefined) return result
        await clock.sleep(every, signal)
        if (signal.aborted) return 'stopped'
        // A look that fails is no news; if that goes on for long, so does the silence.
        const news = await watch.look().catch(() => undefined)
        if (news && lifeOf(news) !== lifeOf(seen)) alive = clock.now()
        seen = news ?? seen
        if (clock.now() - alive > limits.claimSilence) return judge(seen) ?? 'died'
        if (clock.now() - asked < limits.runStateEvery) continue
        asked = clock.now()
        if (await hasEnded(leader.run)) return judge(seen) ?? 'died'
      }
    },
  }
}
