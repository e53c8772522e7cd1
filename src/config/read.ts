import { isRecord, type JsonObject } from '../json.ts'
import type { TreeFile } from '../workspace/types.ts'
import { commandsOf } from './commands.ts'
import { ConfigError } from './errors.ts'
import { type Layout, type SkillPath, skillsIn } from './layout.ts'
import type { LoadOptions } from './load.ts'
import { readLayer } from './markdown-layers.ts'
import { completed, mergeConfig, restrictionsOf } from './merge.ts'
import { faultsOf, parseConfig, placeIn, references, type Source } from './parse.ts'
import { own, plainOf, without } from './plain.ts'
import { AgentEntry, ConfigForm, type McpServer } from './schema.ts'
import { readSkills } from './skills.ts'
import { below, textOf } from './tree.ts'
import type { Config } from './types.ts'
import { type Environment, isOn } from './variables.ts'

/** Reads, merges and checks the files of a layout and what the job says. Throws `ConfigError`. */
export async function readConfig(options: LoadOptions, layout: Layout, job: readonly Source[]): Promise<Config> {
  const { tree, env, texts } = options
  const notes: string[] = [...layout.notes]
  const secrets: string[] = []
  const files = await tree.read([...layout.layers.map(({ path }) => path), ...layout.skills.map(({ path }) => path)])
  const sourceOf = (path: string, folder: string): Source => ({ name: path, text: textIn(files, path), folder })
  const written = layout.layers.flatMap((layer) => (layer.kind === 'config' ? [sourceOf(layer.path, layer.folder)] : []))
  const included = await includedBy([...written, ...job], options)

  const parse = (source: Source): JsonObject => {
    const parsed = parseConfig(source, ConfigForm, env, included.get(source.name) ?? new Map())
    notes.push(...parsed.notes)
    secrets.push(...parsed.secrets)
    return withPluginsAt(parsed.value, source.folder)
  }
  let merged: JsonObject = {}
  for (const layer of layout.layers) {
    const config = layer.kind === 'config' ? parse(sourceOf(layer.path, layer.folder)) : await readLayer(layer, textIn(files, layer.path), notes)
    merged = mergeConfig(merged, config)
  }
  const jobConfig = job.map(parse).reduce(mergeConfig, {})
  const form = checked(completed(mergeConfig(merged, jobConfig), switchesOf(env)))
  const jobForm = checked(completed(jobConfig, { autoCompaction: true, prune: true }))

  const { agent = {}, command = {}, provider = {}, mcp = {}, permission = {}, plugin = [], skills: more, ...preferences } = form
  const named = await namedSkills(more?.paths ?? [], options, notes)
  if (more?.urls?.length) notes.push('Skills at addresses (skills.urls) are not fetched: put them into the repository.')
  const skills = await readSkills([...layout.skills, ...named.skills], new Map([...files, ...named.files]), options.directory, notes)
  return {
    preferences,
    agents: agentsIn(agent),
    jobAgents: agentsIn(jobForm.agent ?? {}),
    commands: commandsOf(command, skills, texts),
    skills,
    providers: provider,
    mcp: serversOf(mcp, notes),
    permission: typeof permission === 'string' ? { '*': permission } : permission,
    limits: limitsOf(jobForm),
    plugins: plugin,
    sources: [...layout.layers.map(({ path }) => path), ...job.map(({ name }) => name)],
    secrets,
    notes: [...new Set(notes)],
  }
}

function textIn(files: ReadonlyMap<string, TreeFile>, path: string): string {
  const file = files.get(path)
  const text = file && textOf(file)
  if (text !== undefined) return text
  throw new ConfigError(`${path} is too large to be a configuration (${file?.size ?? 0} bytes)`, 'Move what is large into files of its own.')
}

/** The text of the files that each source refers to, by the path as it is written. */
async function includedBy(sources: readonly Source[], { tree }: LoadOptions): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const wanted = sources.flatMap((source) =>
    references(source)
      .filter(({ kind }) => kind === 'file')
      .map(({ name, start }) => ({ source, name, start, path: below(source.folder, name) })),
  )
  const found = wanted.length === 0 ? new Map<string, TreeFile>() : await tree.read(wanted.flatMap(({ path }) => path ?? []))
  const included = new Map<string, Map<string, string>>()
  for (const { source, name, start, path } of wanted) {
    const file = path === undefined ? undefined : found.get(path)
    const text = file && textOf(file)
    if (text === undefined) {
      const why = path === undefined ? 'leads out of the repository' : file ? 'is too large' : 'is not in the trusted commit'
      throw new ConfigError(`${placeIn(source, start)}: the file of {file:${name}} ${why}`, `Paths are relative to the folder of ${source.name}.`)
    }
    included.set(source.name, (included.get(source.name) ?? new Map<string, string>()).set(name, text))
  }
  return included
}

/** Paths of plugins start at the file that names them; from here on they start at the root, after `./`. */
function withPluginsAt(config: JsonObject, folder: string): JsonObject {
  const plugins = own(config, 'plugin')
  if (!Array.isArray(plugins)) return config
  const at = (spec: unknown): unknown => {
    if (typeof spec !== 'string' || !/^\.{1,2}\//.test(spec)) return spec
    const path = below(folder, spec)
    if (path !== undefined) return `./${path}`
    throw new ConfigError(`The plugin ${spec} leads out of the repository`, 'Name a file of the repository, or a package.')
  }
  const placed = plugins.map((plugin: unknown) => (Array.isArray(plugin) ? [at(plugin[0]), ...plugin.slice(1)] : at(plugin)))
  return { ...config, plugin: placed }
}

function switchesOf(env: Environment) {
  return { autoCompaction: !isOn(env, 'OPENCODE_DISABLE_AUTOCOMPACT'), prune: !isOn(env, 'OPENCODE_DISABLE_PRUNE') }
}

/** Files that fit the schema one by one may still not fit together. */
function checked(config: JsonObject): ConfigForm {
  const result = ConfigForm.safeParse(config)
  if (result.success) return result.data
  const faults = faultsOf(result.error.issues, () => 'all configuration files together')
  throw new ConfigError(faults.join('; '), 'Two files describe the same thing in ways that do not fit: look for it in both.')
}

function serversOf(servers: NonNullable<ConfigForm['mcp']>, notes: string[]): Record<string, McpServer> {
  return Object.fromEntries(
    Object.entries(servers).flatMap(([name, server]): [string, McpServer][] => {
      if ('type' in server) return [[name, server]]
      if (server.enabled) notes.push(`The MCP server ${name} is switched on, but nothing describes it.`)
      return []
    }),
  )
}

function agentsIn(agents: NonNullable<ConfigForm['agent']>): Record<string, AgentEntry> {
  return Object.fromEntries(Object.entries(agents).map(([name, entry]) => [name, AgentEntry.parse(without(entry, 'name'))]))
}

function limitsOf({ permission }: ConfigForm): Config['limits'] {
  const limits = ConfigForm.shape.permission.parse(restrictionsOf(plainOf(permission)))
  return isRecord(limits) ? limits : {}
}

/** Skills in the folders that the configuration names, from the working directory on. */
async function namedSkills(
  paths: readonly string[],
  { tree, directory }: LoadOptions,
  notes: string[],
): Promise<{ readonly skills: readonly SkillPath[]; readonly files: ReadonlyMap<string, TreeFile> }> {
  const folders = paths.flatMap((path) => {
    const folder = below(directory, path)
    if (folder === undefined) notes.push(`The skill folder ${path} is not in the repository and was left out.`)
    return folder ?? []
  })
  if (folders.length === 0) return { skills: [], files: new Map() }
  const skills = skillsIn(await tree.list(folders.includes('') ? undefined : folders), folders)
  return { skills, files: await tree.read(skills.map(({ path }) => path)) }
}
