import { posix } from 'node:path'
import type { Tree } from '../workspace/types.ts'
import { below, configFolder, configNames, foldersTo, isAt, skillFolders } from './tree.ts'
import { type Environment, isOn } from './variables.ts'

/** A file of the repository that configures something. `folder` is what its relative paths start from. */
export type Layer =
  | { readonly kind: 'config'; readonly path: string; readonly folder: string }
  | { readonly kind: 'agent' | 'mode' | 'command'; readonly path: string; readonly name: string }

/** A skill's SKILL.md and the other files in its folder. */
export interface SkillPath {
  readonly path: string
  readonly files: readonly string[]
}

/** Which files of the tree make up the configuration. */
export interface Layout {
  /** In the order they are laid over each other. */
  readonly layers: readonly Layer[]
  /** Of two skills with one name the later counts. */
  readonly skills: readonly SkillPath[]
  readonly notes: readonly string[]
}

/**
 * Finds the files in the order of OpenCode (the engine's description 4.1): configurations from the root down to the working directory, then
 * the `.opencode` folders from there up to the root, the outermost last. `OPENCODE_CONFIG` and `OPENCODE_CONFIG_DIR` may name a file and a folder
 * of the repository; what lies outside it is not of the trusted commit and is not read.
 */
export async function layoutOf(tree: Tree, directory: string, env: Environment): Promise<Layout> {
  const enabled = !isOn(env, 'OPENCODE_DISABLE_PROJECT_CONFIG')
  const down = enabled ? foldersTo(directory) : []
  const up = [...down].reverse()
  const notes: string[] = []
  const named = (variable: string): string[] => {
    const path = env[variable]?.trim()
    if (!path) return []
    const inside = below('', posix.isAbsolute(path) && env.GITHUB_WORKSPACE ? posix.relative(env.GITHUB_WORKSPACE, path) : path)
    if (inside !== undefined && inside !== '') return [inside]
    notes.push(`${variable} is ${path}, which is not in the repository: only files of the trusted commit are read. Use the input config instead.`)
    return []
  }
  const file = named('OPENCODE_CONFIG')
  const folder = named('OPENCODE_CONFIG_DIR')

  const listed = await tree.list([
    ...file,
    ...folder,
    ...down.flatMap((path) => [...configNames, configFolder, ...skillFolders].map((name) => posix.join(path, name))),
  ])
  const there = new Set(listed)
  for (const path of file) if (!there.has(path)) notes.push(`OPENCODE_CONFIG names ${path}, which is not in the trusted commit.`)
  const configs = (path: string): Layer[] =>
    configNames.map((name) => posix.join(path, name)).flatMap((name): Layer[] => (there.has(name) ? [{ kind: 'config', path: name, folder: path }] : []))
  const folders = [...up.map((path) => posix.join(path, configFolder)), ...folder]
  const layers = folders.flatMap((path): Layer[] => [
    ...configs(path),
    ...listed.flatMap((entry): Layer[] =>
      markdownKinds.flatMap(([kind, pattern]): Layer[] => nameIn(entry, path, pattern).map((name) => ({ kind, path: entry, name }))),
    ),
  ])
  return {
    layers: [
      ...file.filter((path) => there.has(path)).map((path): Layer => ({ kind: 'config', path, folder: posix.join(path, '..').replace(/^\.$/, '') })),
      ...down.flatMap(configs),
      ...layers,
    ],
    skills: skillsIn(listed, [...foreignSkillFolders(down, env), ...folders.flatMap((path) => ['skill', 'skills'].map((name) => posix.join(path, name)))]),
    notes,
  }
}

const markdownKinds = [
  ['command', /^commands?\/(.+)\.md$/],
  ['agent', /^agents?\/(.+)\.md$/],
  ['mode', /^modes?\/([^/]+)\.md$/],
] as const

/** What a pattern calls a file below a folder: none or one name. */
function nameIn(path: string, folder: string, pattern: RegExp): string[] {
  if (!isAt(path, folder)) return []
  const match = pattern.exec(path.slice(folder.length + 1))
  return match ? [match[1] ?? ''] : []
}

/** The skills below some folders, folder by folder. */
export function skillsIn(listed: readonly string[], folders: readonly string[]): SkillPath[] {
  return folders.flatMap((folder) =>
    listed.flatMap((path): SkillPath[] => {
      if (!isAt(path, folder) || posix.basename(path) !== 'SKILL.md') return []
      return [{ path, files: listed.filter((other) => other !== path && isAt(other, posix.dirname(path))) }]
    }),
  )
}

/** Folders of skills that were written for other tools, those nearest the working directory last. */
function foreignSkillFolders(down: readonly string[], env: Environment): string[] {
  if (isOn(env, 'OPENCODE_DISABLE_EXTERNAL_SKILLS')) return []
  const noClaude = isOn(env, 'OPENCODE_DISABLE_CLAUDE_CODE') || isOn(env, 'OPENCODE_DISABLE_CLAUDE_CODE_SKILLS')
  return down.flatMap((path) => skillFolders.filter((name) => !(noClaude && name === '.claude')).map((name) => posix.join(path, name, 'skills')))
}
