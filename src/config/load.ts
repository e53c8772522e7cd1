import type { Tree } from '../workspace/types.ts'
import { builtinCommands } from './commands.ts'
import { jobSources } from './job.ts'
import { layoutOf } from './layout.ts'
import type { Config } from './types.ts'
import { type Environment, isOn } from './variables.ts'

export interface LoadOptions {
  /** The trusted commit, best looked ahead (`lookAhead`). */
  readonly tree: Tree
  /** The working directory, relative to the root of the tree; `''` is the root. */
  readonly directory: string
  /** The environment of the job. */
  readonly env: Environment
  /** The input `config`. */
  readonly inline?: string | undefined
  /** Looks up a text of `prompts/`. */
  readonly texts: (name: string) => string
}

/**
 * Everything that configures a run, in the order of OpenCode (the engine's description 4.1): the repository's files as they are in the trusted
 * commit, then `OPENCODE_CONFIG_CONTENT`, the input `config` and `OPENCODE_PERMISSION`. Parsers are loaded only where there is something to
 * parse. Throws `ConfigError` for anything that does not fit, naming file, line and column.
 */
export async function loadConfig(options: LoadOptions): Promise<Config> {
  const { tree, directory, env, inline, texts } = options
  const layout = await layoutOf(tree, directory, env)
  const job = jobSources(env, inline, directory)
  const isBare = job.length === 0 && layout.layers.length === 0 && layout.skills.length === 0
  if (!isBare || switches.some((name) => isOn(env, name))) {
    const { readConfig } = await import('./read.ts')
    return readConfig(options, layout, job)
  }
  return {
    preferences: {},
    agents: {},
    jobAgents: {},
    commands: builtinCommands(texts),
    skills: [],
    providers: {},
    mcp: {},
    permission: {},
    limits: {},
    plugins: [],
    sources: [],
    secrets: [],
    notes: layout.notes,
  }
}

/** Variables that are a configuration by themselves. */
const switches = ['OPENCODE_DISABLE_AUTOCOMPACT', 'OPENCODE_DISABLE_PRUNE'] as const

/**
 * Checks what the job itself gives, before anything is read or written: a mistake in the workflow is found at once. Files that it refers to are
 * looked up later. Throws `ConfigError`.
 */
export async function checkJobConfig(env: Environment, inline: string | undefined): Promise<void> {
  const job = jobSources(env, inline, '')
  if (job.length === 0) return
  const [{ parseConfig }, { ConfigForm }] = await Promise.all([import('./parse.ts'), import('./schema.ts')])
  for (const source of job) parseConfig(source, ConfigForm, env, new Map())
}
