import { join } from 'node:path'
import type { SessionEvent } from '../session/ports.ts'
import type { Launcher } from '../workspace/launch.ts'
import { trustedPath } from '../workspace/programs.ts'
import { openSandbox, type Sandbox } from '../workspace/sandbox.ts'
import { wallsFor } from '../workspace/walls.ts'
import type { Checkout } from './checkout.ts'
import type { Request } from './job.ts'

/** Where the commands of a run are started, which is made ready while the model thinks. */
export interface Cage {
  readonly launcher: Launcher
  /** Makes it ready at the first sign of the model. */
  hear(event: SessionEvent): void
  /** What kept commands apart from this process, for people. */
  level(): Promise<string>
}

/** Prepares the sandbox of a run. With `sandbox: require` it is made ready at once, and `SandboxError` thrown where the machine does not permit it. */
export async function openCage({ world, settings, runner }: Request, { workspace }: Checkout, outputs: string): Promise<Cage> {
  let sandbox: Promise<Sandbox> | undefined
  const open = () => {
    sandbox ??= openSandbox({
      mode: settings.sandbox,
      walls: wallsFor({ env: world.env, root: workspace.root, temp: runner.temp, outputs, assets: world.assets, node: process.execPath }),
      folder: join(outputs, '.sandbox'),
      path: trustedPath(world.env),
      person: process.getuid && process.getgid ? { uid: process.getuid(), gid: process.getgid() } : undefined,
    })
    // Whoever waits for it hears of a failure.
    sandbox.catch(() => undefined)
    return sandbox
  }
  if (settings.sandbox === 'require') await open()
  return {
    launcher: {
      start: async (order) => (await open()).launcher.start(order),
      close: async () => (await sandbox)?.launcher.close(),
    },
    hear: ({ type }) => {
      if (type === 'part') open()
    },
    level: async () => (await sandbox)?.level ?? 'no command was run',
  }
}
