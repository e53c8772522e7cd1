import { posix } from 'node:path'
import { configFolder, configNames, instructionNames, skillFolders } from './tree.ts'

/** Folders, by name or by path, in which anything tells agents, git, hooks or GitHub what to do, or is run by them. */
const folders: readonly string[] = [configFolder, ...skillFolders, '.github/workflows', '.github/actions', '.githooks', '.husky']

const files: readonly string[] = [
  ...configNames,
  ...instructionNames,
  '.gitattributes',
  '.gitmodules',
  '.lfsconfig',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  'lefthook.yaml',
]

/**
 * Whether a file of a repository steers those who work on it: configuration and instructions of agents in any folder, filters and submodules of git,
 * hooks, workflows. A pull request that changes one changes nothing about the run that reviews it (issue 6).
 */
export function isSteering(path: string): boolean {
  const within = `/${posix.normalize(path)}`.toLowerCase()
  return files.some((name) => within.endsWith(`/${name.toLowerCase()}`)) || folders.some((name) => within.includes(`/${name}/`))
}
