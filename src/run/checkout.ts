import type { Viewer } from '../github/types.ts'
import type { Plan } from '../publish/plan.ts'
import { WorkspaceError } from '../workspace/errors.ts'
import { noreply } from '../workspace/names.ts'
import type { Start, Workspace } from '../workspace/types.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import type { Request } from './job.ts'

export interface Checkout {
  readonly workspace: Workspace
  /** The branch of the plan that the work starts from. */
  readonly branch: string
  readonly start: Start
}

/** Puts the commit of the plan into the work tree: the first of its branches that the remote still has. Throws `WorkspaceError`. */
export async function openCheckout({ runner, settings, world }: Request, viewer: Viewer, plan: Plan): Promise<Checkout> {
  const workspace = await openWorkspace({
    root: runner.workspace,
    remote: { url: `${runner.serverUrl}/${runner.owner}/${runner.repo}.git`, token: settings.githubToken },
    identity: noreply(viewer, runner.serverUrl),
    temp: runner.temp,
    env: world.env,
  })
  for (const branch of plan.from) {
    try {
      return { workspace, branch, start: await workspace.start(branch) }
    } catch (error) {
      const isLast = branch === plan.from.at(-1)
      if (isLast || !(error instanceof WorkspaceError && error.kind === 'missing-branch')) throw error
      world.log.info(`The branch ${branch} is gone from the remote; starting at ${plan.base}.`)
    }
  }
  throw new Error('a plan names at least one branch')
}
