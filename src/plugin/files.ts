import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { configFolder, foldersTo } from '../config/tree.ts'
import type { Plugin } from '../config/types.ts'
import type { Tree } from '../workspace/types.ts'

/** A module by its path in the tree. */
export interface ModulePath {
  readonly path: string
  readonly options?: Readonly<Record<string, unknown>>
}

/** The modules of a tree, and the files they may need. */
export interface Found {
  readonly tools: readonly ModulePath[]
  readonly plugins: readonly ModulePath[]
  readonly files: readonly string[]
  /** What is configured but cannot be had, for people. */
  readonly notes: readonly string[]
}

/**
 * Looks for custom tools and plugins: `{tool,tools}` and `{plugin,plugins}` in the `.opencode` folders from the working directory up, the nearest
 * first, and what the configuration names. Packages are never installed here.
 */
export async function findModules(tree: Tree, directory: string, configured: readonly Plugin[]): Promise<Found> {
  const folders = foldersTo(directory)
    .map((folder) => posix.join(folder, configFolder))
    .reverse()
  const listed = (await tree.list(folders)).filter(isUsable)
  const inFolders = (...names: string[]): ModulePath[] =>
    folders.flatMap((folder) =>
      names.flatMap((name) => listed.filter((path) => dirname(path) === posix.join(folder, name) && isModule(path)).map((path) => ({ path }))),
    )

  const notes: string[] = []
  const named: ModulePath[] = []
  const beside: string[] = []
  for (const entry of configured) {
    const [spec, options] = typeof entry === 'string' ? [entry] : entry
    const path = posix.normalize(spec.replace(/^file:\/\//, ''))
    const folder = dirname(path)
    const files = isPath(spec) ? await tree.list([folder === '.' ? path : folder]) : []
    if (files.includes(path)) {
      named.push({ path, ...(options ? { options } : {}) })
      beside.push(...files.filter(isUsable))
    } else notes.push(isPath(spec) ? `The plugin ${spec} is not in the trusted commit, so it is left out.` : notInstalled(spec))
  }

  const tools = inFolders('tool', 'tools')
  const plugins = [...named, ...inFolders('plugin', 'plugins')]
  const needed = tools.length + plugins.length > 0 ? [...new Set([...listed, ...beside])] : []
  return { tools, plugins, files: needed, notes }
}

/** Writes files of a tree below a folder, at their own paths. */
export async function writeFiles(tree: Tree, files: readonly string[], root: string): Promise<void> {
  for (const [path, { bytes }] of await tree.read(files)) {
    if (!bytes) continue
    await mkdir(join(root, dirname(path)), { recursive: true })
    await writeFile(join(root, path), bytes, { mode: 0o600 })
  }
}

const isPath = (spec: string): boolean => /^(\.{1,2}\/|file:)/.test(spec)

const isModule = (path: string): boolean => /\.[jt]s$/.test(path) && !path.endsWith('.d.ts')

/** Not what is there by mistake, nor a name that would lead out of the folder it is written to. */
const isUsable = (path: string): boolean => !path.split('/').some((name) => name === 'node_modules' || name === '..')

function notInstalled(name: string): string {
  return `The plugin package ${name} is left out: opencode-action installs nothing while it runs. Put the plugin's code into ${configFolder}/plugin/ to use it.`
}
