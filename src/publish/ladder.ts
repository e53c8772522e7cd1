import { setTimeout as sleep } from 'node:timers/promises'
import { adviceOf } from '../failure.ts'
import { limits } from '../limits.ts'
import { WorkspaceError } from '../workspace/errors.ts'
import { branchName, withSuffix } from '../workspace/names.ts'
import { pauses } from '../workspace/reach.ts'
import type { Changes, Start, Target, Workspace } from '../workspace/types.ts'
import type { Delivery, Piece } from './deliver.ts'
import { PublishError } from './errors.ts'
import type { BranchWords, Destination } from './plan.ts'
import { hintFor, isWorkflow, type RefusalKind, refusalKind } from './refusal.ts'

/** What the ladder stands on. */
export interface Ground {
  readonly workspace: Workspace
  readonly deliver: Delivery
  readonly start: Start
  readonly changes: Changes
  readonly message: string
  /** What a new branch is named after. */
  readonly name: BranchWords
  /** Why nothing is to be pushed to the branch any more: its pull request was closed while the agent was working (C108). */
  readonly ended?: string | undefined
  /** No push is begun after it fires. */
  readonly signal: AbortSignal
  /** Hears of every push before it begins. */
  announce?(branch: string): void
  /** Length of a second of waiting, in ms; the tests shorten it. */
  readonly second?: number | undefined
}

/** Why work is not where it was meant to be. */
export interface Why {
  /** What happened, in a sentence of ours (Markdown). */
  readonly reason: string
  /** The remote's own words, as they came. */
  readonly said?: string | undefined
  /** What a person can do. */
  readonly hint: string
}

/** Work that is on the remote. */
export interface Arrived {
  readonly target: Target
  /** The tip of the branch before and after. */
  readonly from: string
  readonly commit: string
  readonly changes: Changes
  readonly notes: readonly string[]
}

/** How far up the ladder the work got. */
export type Rung =
  /** On its branch, `replayed` when others had pushed there meanwhile. */
  | (Arrived & { readonly kind: 'branch'; readonly replayed: boolean; readonly why?: Why })
  /** On a branch of its own beside the one it was meant for, which is `gone` (or done with) or did not take it. */
  | (Arrived & { readonly kind: 'aside'; readonly gone: boolean; readonly why: Why })
  | { readonly kind: 'none'; readonly why: Why }

type Failed = Omit<Why, 'hint'> & { readonly kind: RefusalKind | 'moved' | 'gone' }
type Attempt = { readonly arrived: Arrived; readonly replayed: boolean } | { readonly failed: Failed }

/**
 * Brings the work to its branch, or as near as the remote lets it: a branch that moved gets our commits anew, workflow files that may not be pushed stay
 * behind, a branch that does not take the work gets one beside it. Every step is tried a bounded number of times. Throws `PublishError` when stopped.
 */
export async function climb(ground: Ground, destination: Exclude<Destination, { kind: 'nowhere' }>): Promise<Rung> {
  const whole = { changes: ground.changes, piece: await pieceOf(ground, ground.changes) }
  const first: Attempt = ground.ended === undefined ? await attempt(ground, destination, whole) : { failed: { kind: 'gone', reason: ground.ended } }
  if ('arrived' in first) return { kind: 'branch', ...first.arrived, replayed: first.replayed }
  const suspected = suspicionOf(ground, destination, first.failed)
  const lighter = await lighterWork(ground, suspected)
  const second = lighter && (await attempt(ground, destination, lighter))
  if (second && 'arrived' in second) {
    const why = suspected.kind === 'workflow' ? { why: whyOf(suspected, destination) } : {}
    return { kind: 'branch', ...second.arrived, replayed: second.replayed, ...why }
  }
  return beside(ground, destination, lighter ?? whole, second?.failed ?? first.failed)
}

interface Load {
  readonly changes: Changes
  readonly piece: Piece
}

async function pieceOf({ workspace, start, message }: Ground, changes: Changes): Promise<Piece> {
  return { base: start.commit, commit: await workspace.commit(changes, message) }
}

/** The API does not say that it is for the workflow files among them that it refuses some work; what happens without these tells. */
function suspicionOf({ changes }: Ground, destination: Destination, failed: Failed): Failed {
  const isFork = destination.kind === 'existing' && destination.target.repository !== undefined
  return failed.kind === 'forbidden' && !isFork && changes.files.some(({ path }) => isWorkflow(path)) ? { ...failed, kind: 'workflow' } : failed
}

/** The work without what was refused in it (C110, C112); undefined when nothing would be left, or when something else was wrong. */
async function lighterWork(ground: Ground, { kind }: Failed): Promise<Load | undefined> {
  // A large file that the model added and removed again is still in its commits.
  const wrong = kind === 'workflow' || (kind === 'large' && ground.changes.parent !== ground.start.commit)
  if (!wrong) return undefined
  const changes = await ground.workspace.squash(ground.start, ground.changes, kind === 'workflow' ? isWorkflow : undefined)
  return changes.none ? undefined : { changes, piece: await pieceOf(ground, changes) }
}

/** A new branch beside the one that did not take the work, where that may help. */
async function beside(ground: Ground, destination: Destination, { changes, piece }: Load, failed: Failed): Promise<Rung> {
  const why = whyOf(failed, destination)
  // A fork's commits do not belong on a branch of this repository, where workflows would run them with its secrets.
  const helps =
    destination.kind === 'existing' && destination.target.repository === undefined && !['forbidden', 'unavailable', 'workflow', 'large'].includes(failed.kind)
  if (!helps) return { kind: 'none', why }
  const gone = failed.kind === 'gone'
  const onBase = gone ? await replayed(ground, piece, { branch: destination.base }) : undefined
  const made = await onNewBranch(ground, { changes, piece: onBase && 'piece' in onBase ? onBase.piece : piece })
  if ('arrived' in made) return { kind: 'aside', ...made.arrived, gone, why }
  const both = [failed, made.failed]
  const said = both.flatMap((each) => each.said ?? []).join('\n')
  return { kind: 'none', why: { reason: both.map(({ reason }) => reason).join(' '), ...(said ? { said } : {}), hint: whyOf(made.failed, destination).hint } }
}

function attempt(ground: Ground, destination: Exclude<Destination, { kind: 'nowhere' }>, load: Load): Promise<Attempt> {
  return destination.kind === 'existing' ? onBranch(ground, destination.target, load) : onNewBranch(ground, load)
}

/** Pushes to a branch that is there; when others pushed meanwhile, makes our commits anew on their tip and tries again (C107). */
async function onBranch(ground: Ground, target: Target, { changes, piece }: Load): Promise<Attempt> {
  let current = piece
  const arrived = (commit: string, notes: readonly string[]): Attempt => {
    const anew = current.commit !== piece.commit
    return { arrived: { target, from: anew ? current.base : piece.base, commit, changes, notes }, replayed: anew }
  }
  for (let times = 0; times <= limits.replays; times++) {
    const answer = await deliver(ground, current, target, { tip: current.base })
    if (answer.kind === 'pushed') return arrived(answer.commit, answer.notes)
    if (answer.kind === 'refused') return { failed: refused(target, answer.reason) }
    const again = await replayed(ground, piece, target)
    if ('failed' in again) return again
    current = again.piece
    // Others have done the same, or the model has pushed it already.
    if (current.base === current.commit) return arrived(current.commit, [])
  }
  return { failed: { kind: 'moved', reason: `Others kept pushing to \`${target.branch}\` while the commits were made anew on their work.` } }
}

async function replayed({ workspace }: Ground, piece: Piece, onto: Target): Promise<{ readonly piece: Piece } | { readonly failed: Failed }> {
  try {
    const made = await workspace.replay(piece, onto)
    if (made.kind === 'replayed') return { piece: { base: made.tip, commit: made.commit } }
    if (made.kind === 'gone')
      return { failed: { kind: 'gone', reason: `The branch \`${onto.branch}\` was deleted while the agent was working, and was not brought back.` } }
    const files = made.files.map((file) => `\`${file}\``).join(', ')
    return { failed: { kind: 'moved', reason: `\`${onto.branch}\` got other commits while the agent was working, and they change the same lines: ${files}.` } }
  } catch (error) {
    if (error instanceof WorkspaceError) return { failed: { kind: 'unavailable', reason: adviceOf(error) } }
    throw error
  }
}

/** Pushes to a branch that is made for it. Another run may have taken the name a moment ago (C109): the remote decides, and the next name is tried. */
async function onNewBranch(ground: Ground, { changes, piece }: Load): Promise<Attempt> {
  const name = branchName(ground.name)
  for (let times = 1; times <= 20; times++) {
    const target = { branch: times === 1 ? name : withSuffix(name, times) }
    const answer = await deliver(ground, piece, target, 'absent')
    if (answer.kind === 'pushed') return { arrived: { target, from: piece.base, commit: answer.commit, changes, notes: answer.notes }, replayed: false }
    if (answer.kind === 'refused') return { failed: refused(target, answer.reason) }
    // A run that died before it could say so may have made it: then nothing of the work is missing there.
    const there = await replayed(ground, piece, target)
    if ('piece' in there && there.piece.commit === there.piece.base) {
      return { arrived: { target, from: there.piece.base, commit: there.piece.commit, changes, notes: [] }, replayed: false }
    }
  }
  return { failed: { kind: 'other', reason: `Twenty branches named like \`${name}\` exist already.` } }
}

/** Delivers once, and again after a pause where the remote was not to be reached. */
async function deliver(ground: Ground, ...delivery: Parameters<Delivery>): ReturnType<Delivery> {
  const { signal, second = 1_000 } = ground
  for (let times = 0; ; times++) {
    if (signal.aborted) throw new PublishError('The run was stopped before its work was pushed.', 'Ask again to have it done.')
    ground.announce?.(delivery[1].branch)
    const answer = await ground.deliver(...delivery)
    const pause = pauses[times]
    if (answer.kind !== 'refused' || refusalKind(answer.reason) !== 'unavailable' || pause === undefined) return answer
    // A stop ends the pause; the next round says so.
    await sleep(pause * second, undefined, { signal }).catch(() => undefined)
  }
}

function refused({ branch, repository }: Target, said: string): Failed {
  const where = repository === undefined ? `\`${branch}\`` : `\`${branch}\` of the fork \`${repository}\``
  const kind = refusalKind(said)
  return { kind, reason: kind === 'unavailable' ? `The push to ${where} did not get through.` : `The push to ${where} was refused.`, said }
}

function whyOf({ kind, ...words }: Failed, destination: Destination): Why {
  if (kind === 'moved') return { ...words, hint: 'Comment again to have the change made on top of the new commits.' }
  if (kind === 'gone') return { ...words, hint: '' }
  const isFork = destination.kind === 'existing' && destination.target.repository !== undefined
  if (kind === 'forbidden' && isFork)
    return {
      ...words,
      hint: 'The author can apply the patch, or a token that may push to the fork can be passed as `github-token`: that of the workflow can not.',
    }
  return { ...words, hint: hintFor(kind) }
}

/** The same in one line, for logs and summaries. */
export function sentenceOf({ reason, said, hint }: Why): string {
  return [reason, said?.split('\n').join('; '), hint].filter(Boolean).join(' ')
}
