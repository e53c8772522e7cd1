import { Failure } from '../failure.ts'
import { limits } from '../limits.ts'
import type { McpRoom } from '../mcp/room.ts'
import type { PluginRoom } from '../plugin/room.ts'
import { offeredSkills } from '../prompt/skills.ts'
import type { Commands } from '../session/command.ts'
import { type Image, imageLimits, withoutScaling } from '../session/images.ts'
import { scaleImage } from '../session/scale-image.ts'
import { authorize, disabled } from '../tool/permission.ts'
import { builtinTools } from '../tool/registry.ts'
import type { Todos } from '../tool/todo.ts'
import type { Tool } from '../tool/tool.ts'
import { type Limits, standard } from '../tool/truncate.ts'
import type { Files } from '../workspace/files.ts'
import type { Shell } from '../workspace/shell.ts'
import type { World } from './job.ts'
import type { Knowledge } from './knowledge.ts'
import { type StoreOf, withFittingImages, within, withNearby, withoutSecrets } from './wrappers.ts'

/** What tools and commands reach into. */
export interface Reach {
  readonly files: Files
  readonly shell: Shell
  readonly mcp: McpRoom
  readonly plugins: PluginRoom
  /** Those that work on GitHub. */
  readonly hub: readonly Tool[]
}

export interface Toolbox {
  readonly tools: readonly Tool[]
  /** Runs the shell inserts of a command's template. They come from the repository, so the job's own limits hold for them as well. */
  readonly insert: Commands['shell']
}

/**
 * Every tool of the run, within the job's limits and without secrets. A custom tool takes the place of a built-in one of its name; one of an MCP
 * server that has a name of ours does not.
 */
export function toolboxOf(world: World, knowledge: Knowledge, reach: Reach, storeOf: StoreOf): Toolbox {
  const { config, gate, instructions, isDenied, outputs } = knowledge
  const { files, shell, mcp, plugins, hub } = reach
  const { EXA_API_KEY: exaKey, PARALLEL_API_KEY: parallelKey } = world.env
  for (const key of [exaKey, parallelKey]) if (key) world.redactor.add(key)
  const builtin = builtinTools({
    files,
    shell,
    texts: world.texts,
    todos: todosOf(storeOf),
    save: outputs,
    bounds: boundsOf(config),
    assets: world.assets,
    skills: offeredSkills(config.skills, isDenied),
    search: { ...(exaKey ? { exaKey } : {}), ...(parallelKey ? { parallelKey } : {}) },
  })
  const custom = new Set(plugins.tools.map(({ id }) => id))
  const own = [...[...builtin, ...hub].filter(({ id }) => !custom.has(id)), ...plugins.tools]
  const taken = new Set(own.map(({ id }) => id))
  const all = [...own, ...mcp.tools.filter(({ id }) => !taken.has(id))]
  const hidden = disabled(
    all.map(({ id }) => id),
    gate,
  )
  const tools = all
    .filter(({ id }) => !hidden.has(id))
    .map((tool) => withNearby(tool, instructions, storeOf))
    .map((tool) => withFittingImages(tool, scalerOf(config)))
    .map(within(gate))
    .map((tool) => withoutSecrets(tool, world.redactor))
  const bash = hidden.has('bash') ? undefined : builtin.find(({ id }) => id === 'bash')
  return { tools, insert: insertWith(bash, world, knowledge, reach) }
}

function insertWith(bash: Tool | undefined, { redactor }: World, { gate }: Knowledge, { shell, files }: Reach): Commands['shell'] {
  return async (command, signal) => {
    if (!bash) throw new Failure('This run may not use bash.', 'Allow it in the configuration that the job gives.')
    await authorize(bash, { command }, gate)
    const { head, tail, whole } = await shell.run(command, { cwd: files.directory, timeout: limits.shellTimeout, signal })
    return redactor.redact(whole ? head : `${head}\n…\n${tail}`)
  }
}

/** Each session, the children's too, has a list of its own. */
function todosOf(storeOf: StoreOf): Todos {
  return {
    get: (sessionID) => storeOf(sessionID).session.todos,
    set: (todos, sessionID) => storeOf(sessionID).update({ todos }),
  }
}

/** What of a tool's output reaches the model (`tool_output` of the configuration). */
export function boundsOf({ preferences }: Knowledge['config']): Limits {
  return { lines: preferences.tool_output?.max_lines ?? standard.lines, bytes: preferences.tool_output?.max_bytes ?? standard.bytes }
}

/** Makes images fit what the configuration allows (`attachment.image`), else the usual limits. */
export function scalerOf({ preferences }: Knowledge['config']): (image: Image) => Promise<Image | undefined> {
  const { auto_resize: resize = true, max_width: width, max_height: height, max_base64_bytes: base64 } = preferences.attachment?.image ?? {}
  const max = { side: Math.min(width ?? imageLimits.side, height ?? imageLimits.side), base64: base64 ?? imageLimits.base64 }
  return (image) => (resize ? scaleImage : withoutScaling)(image, max)
}
