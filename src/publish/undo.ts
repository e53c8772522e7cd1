import { limits } from '../limits.ts'
import type { Reverted, Step, Target, Workspace } from '../workspace/types.ts'
import type { Delivery } from './deliver.ts'
import { PublishError } from './errors.ts'
import type { Why } from './ladder.ts'
import { hintFor, refusalKind } from './refusal.ts'

/** A push of an earlier turn. */
export interface Landed extends Step {
  readonly target: Target
}

/** What became of one branch. */
export type Undone = { readonly target: Target } & (
  | { readonly kind: 'undone'; readonly commit: string; readonly from: string }
  /** Later edits stand on these files; nothing was pushed, to no branch. */
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  /** The branch was deleted. */
  | { readonly kind: 'gone' }
  /** The branch holds none of it any more. */
  | { readonly kind: 'nothing' }
  /** Nothing was pushed, because another branch of the turn was in conflict. */
  | { readonly kind: 'held' }
  | { readonly kind: 'refused'; readonly why: Why }
)

interface Undo {
  readonly workspace: Workspace
  readonly deliver: Delivery
  readonly landings: readonly Landed[]
  readonly message: string
  /** No push is begun after it fires. */
  readonly signal: AbortSignal
}

/**
 * Takes back what a turn has pushed: one commit on the tip of each branch, and nothing at all where later edits are in the way. Throws `PublishError`
 * when stopped, `WorkspaceError` when a branch can't be read.
 */
export async function undoLandings({ workspace, deliver, landings, message, signal }: Undo): Promise<readonly Undone[]> {
  const branches = new Map<string, Landed[]>()
  for (const landed of landings) {
    const name = `${landed.target.repository ?? ''}:${landed.target.branch}`
    branches.set(name, [...(branches.get(name) ?? []), landed])
  }
  const made: { readonly target: Target; readonly steps: readonly Step[]; readonly reverted: Reverted }[] = []
  for (const steps of branches.values()) {
    const [first] = steps
    if (first) made.push({ target: first.target, steps, reverted: await workspace.revert(steps, first.target, message) })
  }
  const blocked = made.some(({ reverted }) => reverted.kind === 'conflict')
  const undone: Undone[] = []
  for (const { target, steps, reverted } of made) {
    if (blocked && reverted.kind === 'replayed') undone.push({ target, kind: 'held' })
    else undone.push(await push({ workspace, deliver, message, signal }, target, steps, reverted))
  }
  return undone
}

/** Pushes what takes a branch back; when others pushed meanwhile, makes it anew on their tip. */
async function push({ workspace, deliver, message, signal }: Omit<Undo, 'landings'>, target: Target, steps: readonly Step[], first: Reverted): Promise<Undone> {
  let reverted = first
  for (let times = 0; times <= limits.replays; times++) {
    if (reverted.kind !== 'replayed') return { target, ...reverted }
    if (signal.aborted) throw new PublishError('The run was stopped before anything was taken back.', 'Ask again to have it done.')
    const { tip, commit } = reverted
    const answer = await deliver({ base: tip, commit }, target, { tip })
    if (answer.kind === 'pushed') return { target, kind: 'undone', commit: answer.commit, from: tip }
    if (answer.kind === 'refused')
      return {
        target,
        kind: 'refused',
        why: { reason: `The push to \`${target.branch}\` was refused.`, said: answer.reason, hint: hintFor(refusalKind(answer.reason)) },
      }
    reverted = await workspace.revert(steps, target, message)
  }
  return { target, kind: 'refused', why: { reason: `Others kept pushing to \`${target.branch}\`.`, hint: 'Ask again when they are done.' } }
}
