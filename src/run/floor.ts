import { randomUUID } from 'node:crypto'
import type { WatchedComment } from '../github/types.ts'
import { type Desk, openDesk, type Place, silentDesk } from '../publish/desk.ts'
import { workingBody } from '../report/reply.ts'
import { systemClock } from '../session/record.ts'
import { type Claim, claimBlock, type PostedClaim } from '../thread/claim.ts'
import { newClaim } from './checkpoint.ts'
import { takeLead } from './handover.ts'
import type { Request, World } from './job.ts'
import { keyOf } from './queue.ts'
import type { Scene } from './scene.ts'

/** A run that does the work on its thread. */
export interface Floor {
  readonly kind: 'lead'
  readonly desk: Desk
  /** What it says of itself in its comment; absent where it has none. */
  readonly claim: Claim | undefined
  /** The thread as it was seen then. */
  readonly comments: readonly WatchedComment[]
  /** Comments of runs that died. */
  readonly dead: readonly PostedClaim[]
}

/** How a run that does not lead goes on. */
export type NoFloor =
  /** Another run answers the request. */
  | { readonly kind: 'taken'; readonly run: string }
  /** The thread has changed meanwhile: look at it afresh. */
  | { readonly kind: 'again' }
  | { readonly kind: 'stopped' }

/**
 * Sits down in the thread and finds out whether another run is at work there already: then waits for it. Without a comment (`progress: none`, a locked
 * conversation, `mode: staged`) nobody can be seen, and every run leads. `named`: requests it is known to answer beside its own. Throws `GitHubError`.
 */
export async function takeFloor(request: Request, scene: Scene, place: Place | undefined, named: readonly string[]): Promise<Floor | NoFloor> {
  const { github, settings, runner, world, trigger } = request
  const { discussion, watch, viewer, key } = scene
  if (!place || !discussion || !watch || settings.mode === 'staged') return alone(silentDesk, [])
  const claim = { ...newClaim(runner, keyOf(trigger, runner.runId)), id: randomUUID(), ...(named.length > 0 ? { taken: [...named] } : {}) }
  rememberPlace(world, place, claim)
  const desk = await openDesk(github, place, settings.progress === 'none' ? undefined : `${workingBody(runner.runUrl)}\n\n${claimBlock(claim)}`)
  rememberDesk(world, desk)
  if (!desk.comment) return alone(desk, (await watch.look()) ?? [])
  const own = { ...claim, comment: desk.comment.id }
  const lead = await takeLead({
    watch,
    viewer: viewer.login,
    runState: (run) => github.runState(run),
    clock: systemClock,
    signal: world.signal,
    own,
    discussion,
    key,
    leave: () => desk.vacate(),
  })
  if (lead.kind !== 'lead') return lead
  if (!lead.isStale) return { kind: 'lead', desk, claim, comments: lead.comments, dead: lead.dead }
  await desk.vacate()
  return { kind: 'again' }
}

const alone = (desk: Desk, comments: readonly WatchedComment[]): Floor => ({ kind: 'lead', desk, claim: undefined, comments, dead: [] })

/** So that the clean-up step can take back the reaction and mend the comment when this process is killed, be it before it knows that they arrived. */
function rememberPlace({ remember }: World, place: Place, claim: Claim): void {
  remember('number', String(place.number))
  remember('request', JSON.stringify(place.request))
  remember('claim', claim.id)
  // Of an earlier turn of this run.
  for (const name of ['comment', 'reaction', 'branch'] as const) remember(name, '')
}

function rememberDesk({ remember }: World, { comment, reaction }: Desk): void {
  remember('comment', comment ? String(comment.id) : '')
  remember('reaction', reaction === undefined ? '' : String(reaction))
}
