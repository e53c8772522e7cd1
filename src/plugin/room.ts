import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from '../config/types.ts'
import { adviceOf } from '../failure.ts'
import { limits } from '../limits.ts'
import { type Hooks, noHooks } from '../session/hooks.ts'
import type { Sink } from '../session/ports.ts'
import type { Tool } from '../tool/tool.ts'
import type { Truncate } from '../tool/truncate.ts'
import { shellEnvironment } from '../workspace/shell-env.ts'
import type { Tree } from '../workspace/types.ts'
import { startChild } from './child.ts'
import { type Found, findModules, writeFiles } from './files.ts'
import { eventListener, pluginHooks, unknownHooks } from './hooks.ts'
import { keep } from './keep.ts'
import { customTools } from './tools.ts'

export interface PluginOptions {
  /** The trusted commit. */
  readonly tree: Tree
  /** The key `plugin` of the configuration. */
  readonly configured: readonly Plugin[]
  /** Top level of the checkout. */
  readonly worktree: string
  /** The working directory, relative to the checkout; empty means the checkout itself. */
  readonly directory: string
  /** A folder outside the checkout, for the modules. */
  readonly temp: string
  /** Gives the script that the child runs: `host/main.ts`, or what the build makes of it. Asked when the child is needed first. */
  readonly host: () => string
  /** The process's environment, of which the child gets what commands get (`shellEnvironment`). */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly truncate: Truncate
  readonly log: { info(text: string): void; warning(text: string): void }
  readonly times?: Partial<Times>
}

/** In ms. */
interface Times {
  readonly load: number
  readonly hook: number
  readonly call: number
  /** Between asking the child to end and ending it. */
  readonly grace: number
}

const defaults: Times = { load: limits.pluginTimeout, hook: limits.pluginTimeout, call: limits.foreignCallTimeout, grace: limits.shellKillAfter }

/** The plugins and custom tools of a run. */
export interface PluginRoom {
  /** A tool with the name of one of the engine's takes its place. */
  readonly tools: readonly Tool[]
  readonly hooks: Hooks
  /** Tells plugins of a session's events. */
  listen(sessionID: string): Sink
  /** Waits for plugins that are busy with an event, then ends the child and everything it started. Never throws. */
  close(): Promise<void>
}

const empty: PluginRoom = { tools: [], hooks: noHooks, listen: () => () => undefined, close: () => Promise.resolve() }

/**
 * Loads the plugins and custom tools of the trusted commit in a process of their own, which gets no keys. Without any nothing is started. What cannot
 * be loaded costs a warning, never the run.
 */
export async function openPlugins(options: PluginOptions): Promise<PluginRoom> {
  const found = await findModules(options.tree, options.directory, options.configured)
  const warn = once(options.log.warning)
  found.notes.forEach(warn)
  if (found.tools.length + found.plugins.length === 0) return empty
  const folder = await privateFolder(options.temp)
  try {
    return await start(options, found, folder, warn)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    warn(`The repository's plugins and custom tools are not available in this run. ${adviceOf(error)}`)
    return empty
  }
}

async function start(options: PluginOptions, found: Found, folder: string, warn: (text: string) => void): Promise<PluginRoom> {
  const { tree, worktree, directory, host, env, signal, truncate, log } = options
  const times = { ...defaults, ...options.times }
  await writeFiles(tree, found.files, folder)
  const moduleOf = ({ path, options }: Found['plugins'][number]) => ({ file: join(folder, path), shown: path, ...(options ? { options: { ...options } } : {}) })
  const load = {
    type: 'load' as const,
    root: folder,
    worktree,
    directory: join(worktree, directory),
    tools: found.tools.map(moduleOf),
    plugins: found.plugins.map(moduleOf),
  }
  const child = { host: host(), env: shellEnvironment(env), load, patience: times.load, grace: times.grace, signal, log: log.info }
  const keeper = keep(() => startChild(child), warn)
  const { tools, hooks, problems } = await keeper.loaded()
  problems.forEach(warn)
  for (const name of unknownHooks(hooks)) warn(`A plugin has the hook ${name}, which does not exist in opencode-action.`)

  const hooking = { keeper, names: new Set(hooks), timeout: times.hook, warn }
  const listeners: ReturnType<typeof eventListener>[] = []
  return {
    tools: customTools(tools, { keeper, truncate, timeout: times.call }),
    hooks: pluginHooks(hooking),
    listen(sessionID) {
      const listener = eventListener(hooking, sessionID)
      listeners.push(listener)
      return listener.sink
    },
    async close() {
      await Promise.all(listeners.map((listener) => listener.settled()))
      await keeper.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A folder that nobody else can look into, by its real path: modules know themselves by that. */
async function privateFolder(temp: string): Promise<string> {
  await mkdir(temp, { recursive: true })
  const folder = await realpath(await mkdtemp(join(temp, 'plugins-')))
  await chmod(folder, 0o700)
  return folder
}

/** Says every text once. */
function once(say: (text: string) => void): (text: string) => void {
  const said = new Set<string>()
  return (text) => {
    if (said.has(text)) return
    said.add(text)
    say(text)
  }
}
