import type { Viewer } from '../github/types.ts'
import { neverPushing } from '../publish/staged-walls.ts'
import { WorkspaceError } from '../workspace/errors.ts'
import { noreply } from '../workspace/names.ts'
import { nameOf } from '../workspace/remote.ts'
import type { Source, Start, Workspace } from '../workspace/types.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { addressOf, type Request } from './job.ts'
import type { BoundPlan } from './scene.ts'

export interface Checkout {
  readonly workspace: Workspace
  /** What of the plan the work starts from. */
  readonly branch: Source
  readonly start: Start
}

/** What can be done about the checkout while GitHub is still telling of the thread. */
export interface Ahead {
  readonly workspace: Promise<Workspace>
  /** The branch where a session begins, as far as the event tells, already on its way into the work tree. */
  readonly guess: { readonly branch: string; readonly start: Promise<Start> } | undefined
  /** Only a start that nothing came after still says what is in the work tree. */
  isFresh: boolean
  /** Says whose commits they will be. */
  signAs(viewer: Viewer): void
  /** Resolves when git has come to rest: the end of the process must not cut it off in the middle of a checkout. */
  settled(): Promise<void>
}

/** Opens the repository, and starts at the base where the event is not about a pull request: most runs begin there. */
export function openAhead({ runner, settings, world, trigger }: Request): Ahead {
  let signer: Viewer = { login: 'opencode-action', id: undefined }
  const opened = openWorkspace({
    root: runner.workspace,
    remote: { url: `${addressOf(runner)}.git`, token: settings.githubToken },
    identity: () => noreply(signer, runner.serverUrl),
    temp: runner.temp,
    env: world.env,
  })
  const workspace = settings.mode === 'staged' ? opened.then(neverPushing) : opened
  const isPull = 'subject' in trigger && trigger.subject.isPull
  const branch = isPull ? undefined : (settings.baseBranch ?? trigger.repository.defaultBranch)
  const guess = branch === undefined ? undefined : { branch, start: workspace.then((ready) => ready.start(branch)) }
  const rest = (guess?.start ?? workspace).then(
    () => undefined,
    () => undefined,
  )
  return {
    workspace,
    guess,
    isFresh: true,
    signAs(viewer) {
      signer = viewer
    },
    settled: () => rest,
  }
}

/** Puts the commit of the plan into the work tree: the first of its branches that the remote still has. Throws `WorkspaceError`. */
export async function openCheckout({ world }: Request, ahead: Ahead, viewer: Viewer, plan: BoundPlan): Promise<Checkout> {
  ahead.signAs(viewer)
  const workspace = await ahead.workspace
  await ahead.settled()
  const { guess, isFresh } = ahead
  ahead.isFresh = false
  for (const [index, branch] of plan.from.entries()) {
    try {
      const isGuessed = isFresh && index === 0 && guess?.branch === branch && plan.at === undefined
      const start = isGuessed ? await guess.start : await workspace.start(branch, plan.at === undefined ? {} : { at: plan.at })
      world.remember('root', workspace.root)
      world.remember('start', JSON.stringify(start))
      return { workspace, branch, start }
    } catch (error) {
      const isLast = index === plan.from.length - 1
      if (isLast || !(error instanceof WorkspaceError && error.kind === 'missing-branch')) throw error
      world.log.info(`${nameOf(branch)} is gone from the remote; starting at ${plan.base}.`)
    }
  }
  throw new Error('a plan names at least one branch')
}
