import { bindHead, headSeen, pushersToAsk } from '../access/head.ts'
import { askingOf, numberOf } from '../event/asking.ts'
import type { Trigger } from '../event/trigger.ts'
import type { Discussion, Permission, ReactionTarget, Viewer, Watch } from '../github/types.ts'
import type { Place } from '../publish/desk.ts'
import { ownPull, type Plan, planWork } from '../publish/plan.ts'
import { openReview, type ReviewDesk } from '../publish/review-desk.ts'
import type { Session, WithParts } from '../session/message.ts'
import { systemClock } from '../session/record.ts'
import { type SessionKey, sessionKey, type Turn } from '../thread/codec.ts'
import { type LoadedThread, loadThread } from '../thread/load.ts'
import { type Before, beforeOf } from './account.ts'
import { resumedMessages } from './checkpoint.ts'
import type { Request } from './job.ts'

/** What GitHub tells of the place a run works in. */
export interface Scene {
  readonly viewer: Viewer
  readonly defaultBranch: string
  /** The issue or pull request that the run speaks to; a schedule may have none. */
  readonly discussion: Discussion | undefined
  /** Sees what is new in it. */
  readonly watch: Watch | undefined
  readonly thread: LoadedThread
  readonly key: SessionKey | undefined
  readonly past: Past
  readonly review: ReviewDesk | undefined
}

/** The session that a run goes on with. */
export interface Past {
  /** Absent where one begins. */
  readonly session: Session | undefined
  readonly messages: readonly WithParts[]
  /** As finished turns left it: what is new in a run is told by it. */
  readonly before: Before
  /** The number of the turn that the run will save. */
  readonly seq: number
  /** The edits of a run that died before it could publish them, or that could not push them. */
  readonly work: Turn['work']
}

/** Asks GitHub, with one request in most runs, and rebuilds the session. Throws `GitHubError`. */
export async function readScene(request: Request): Promise<Scene> {
  const { github, settings, trigger } = request
  const number = numberOf(trigger, settings)
  // The watch comes first, so that nothing slips between; what a target is, an issue or a pull request, is known only when it was read.
  const early = number !== undefined && 'subject' in trigger ? github.watch(number, trigger.subject.isPull) : undefined
  const discussion = number === undefined ? undefined : await github.discussion(number)
  const watch = early ?? (discussion && github.watch(discussion.number, discussion.pull !== undefined))
  const { viewer, defaultBranch } = discussion ?? (await github.repository())
  const key = settings.sessionKey ? sessionKey(settings.sessionKey) : undefined
  const remarks = discussion?.pull?.threads.flatMap(({ comments }) => comments)
  const thread = loadThread(discussion?.comments ?? [], { viewer: viewer.login, mode: settings.session, key, remarks })
  const review = discussion && openReview(github, discussion)
  return { viewer, defaultBranch, discussion, watch, thread, key, past: pastOf(thread), review }
}

function pastOf(thread: LoadedThread): Past {
  const { session, messages, checkpoint, seq, work } = thread
  const before = beforeOf(messages, session)
  if (!checkpoint) return { session, messages, before, seq: seq + 1, work }
  return { session: checkpoint.session, messages: resumedMessages(checkpoint, systemClock), before, seq: checkpoint.seq, work: checkpoint.turn.work }
}

/** Where a run sits in its thread; undefined without one. */
export function placeOf({ trigger, settings }: Pick<Request, 'trigger' | 'settings'>): Place | undefined {
  const number = numberOf(trigger, settings)
  return number === undefined ? undefined : { number, request: reactionTarget(trigger, number) }
}

function reactionTarget(trigger: Trigger, number: number): ReactionTarget {
  if (trigger.event === 'issue_comment') return { comment: trigger.comment.id }
  if (trigger.event === 'pull_request_review_comment') return { reviewComment: trigger.comment.id }
  return { issue: number }
}

/** A plan, bound to what may be run. */
export interface BoundPlan extends Plan {
  /** The commit to start from in place of the tip. */
  readonly at?: string
  /** The work tree is the base's: of the pull request there is nothing to see in it. */
  readonly unseen?: boolean
  /** Sentences for people and the model. */
  readonly notices: readonly string[]
}

/** Decides where the work starts and where it goes. Throws `GitHubError`. */
export async function planFor(request: Request, scene: Scene): Promise<BoundPlan> {
  const { github, settings, trigger } = request
  const { discussion, past, defaultBranch } = scene
  const tested = trigger.event === 'workflow_run' && trigger.pull === undefined ? trigger.run.branch : null
  const base = settings.baseBranch ?? tested ?? defaultBranch
  const plan = planWork(base, discussion, past.session, await ownPull(github, discussion, past.session))
  if (!plan.open || !discussion?.pull) return { ...plan, notices: [] }
  if (trigger.event === 'pull_request_target') {
    return atBase(plan, 'The head of the pull request was not checked out: runs of `pull_request_target` never do that, since they hold secrets.')
  }
  if (!discussion.pull.isFork) return { ...plan, notices: [] }
  const binding = bindHead(await headFacts(request, scene, discussion.pull))
  if (binding.kind === 'refuse') return atBase(plan, `The head of the pull request was not checked out. ${binding.reason}`)
  if (binding.kind === 'pin') return { ...plan, at: binding.sha, notices: [binding.notice] }
  // Also where it is the tip: by the time it is fetched there may be another.
  return { ...plan, at: binding.sha, notices: [] }
}

/** The pull request can be talked about, and nothing of it is run. */
function atBase({ base, open }: Plan, notice: string): BoundPlan {
  const nowhere = `Nothing was pushed: the work is based on \`${base}\`, not on the pull request.`
  return { from: [base], base, head: { nowhere }, ...(open ? { open } : {}), unseen: true, notices: [notice] }
}

async function headFacts({ github, trigger }: Request, { past }: Scene, pull: NonNullable<Discussion['pull']>) {
  const reviewed = pull.reviews.filter(({ author }) => author.login === trigger.actor.login).flatMap(({ commit }) => (commit === null ? [] : [commit]))
  const facts = {
    requester: trigger.actor.login,
    at: askingOf(trigger)?.at,
    seen: headSeen(trigger),
    current: pull.headSha,
    isFork: pull.isFork,
    headRepository: pull.headRepository,
    pushes: pull.headRepository === null ? undefined : await github.pushes(pull.headRepository, pull.headRef),
  }
  const asked = pushersToAsk(facts).map(async (login): Promise<[string, Permission]> => [login, await permissionOf(github, login)])
  return { ...facts, permissions: new Map(await Promise.all(asked)), vouched: [...(past.session?.head ? [past.session.head] : []), ...reviewed.reverse()] }
}

/** No answer about somebody is no word for them. */
async function permissionOf(github: Request['github'], login: string): Promise<Permission> {
  return github.permission(login).catch(() => ({ kind: 'unknown', reason: `GitHub did not say what ${login} may do` }))
}
