import type { Child, Done, Task } from './child.ts'
import { PluginError } from './errors.ts'
import type { Loaded } from './protocol.ts'

/** Times a child is started in one run at the most. */
const STARTS = 4

/** The one child of a run, started again when it ended and something is to be done. */
export interface Keeper {
  /** Starts the child if none runs. Throws `PluginError` when it cannot be had. */
  loaded(): Promise<Loaded>
  run(task: Task): Promise<Done>
  close(): Promise<void>
}

/** Keeps a child. What it held in memory is lost when it ends; `warn` says so to people. */
export function keep(start: () => Promise<Child>, warn: (text: string) => void): Keeper {
  let current: Promise<Child> | undefined
  let starts = 0
  let closing = false

  const begin = async (): Promise<Child> => {
    if (closing) throw new PluginError('The run is ending.', 'Call no more tools.')
    if (starts >= STARTS)
      throw new PluginError(`The process of the plugins and custom tools ended ${starts} times and is not started again.`, 'Go on without them.')
    starts++
    const child = await start()
    void child.ended.then((how) => {
      current = undefined
      if (!closing) warn(`The process of the plugins and custom tools ended (${how}). It is started again when it is needed; what plugins remembered is lost.`)
    })
    return child
  }
  const child = () => {
    current ??= begin().catch((error: unknown) => {
      current = undefined
      throw error
    })
    return current
  }
  return {
    loaded: async () => (await child()).loaded,
    run: async (task) => (await child()).run(task),
    async close() {
      closing = true
      // One that failed to start has been ended already.
      await current?.then((running) => running.close()).catch(() => undefined)
    },
  }
}
