import { posix } from 'node:path'
import type { Tree, TreeFile } from '../workspace/types.ts'

export type { Tree } from '../workspace/types.ts'

/** Names of instruction files: the first that exists anywhere between the working directory and the root is the one that counts (DECISIONS 12). */
export const instructionNames = ['AGENTS.md', 'CLAUDE.md', 'CURSOR.md', 'COPILOT.md', '.cursorrules', 'CONTEXT.md', '.github/copilot-instructions.md'] as const

export const configNames = ['opencode.json', 'opencode.jsonc'] as const
export const configFolder = '.opencode'
/** Folders of other tools that hold skills. */
export const skillFolders = ['.claude', '.agents'] as const

/** The folders from the root of the tree (`''`) down to the working directory. */
export function foldersTo(directory: string): readonly string[] {
  const parts = directory.split('/').filter((part) => part !== '' && part !== '.')
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))]
}

/** What a relative path leads to from a folder of the tree; undefined when that is outside. Absolute paths, and those of a home, always are. */
export function below(folder: string, path: string): string | undefined {
  if (posix.isAbsolute(path) || path.startsWith('~') || path.includes('\\')) return undefined
  const joined = posix.join(folder, path).replace(/\/$/, '')
  if (joined === '..' || joined.startsWith('../')) return undefined
  return joined === '.' ? '' : joined
}

/** Whether a path is a folder itself or lies in it; `''` holds everything. */
export function isAt(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

/** The text of a file, without the mark that some editors put in front. */
export function textOf({ bytes }: TreeFile): string | undefined {
  return bytes?.toString('utf8').replace(/^\uFEFF/, '')
}

const names = [...configNames, configFolder, ...skillFolders, ...instructionNames]

/**
 * A tree with everything looked at and read beforehand that a run may be configured by: one listing and one batch of reads, whoever asks for it
 * afterwards. A repository that has nothing of it costs the listing alone.
 */
export async function lookAhead(tree: Tree, directory: string): Promise<Tree> {
  const looked = foldersTo(directory).flatMap((folder) => names.map((name) => posix.join(folder, name)))
  const listed = await tree.list(looked)
  const there = new Set(listed)
  const files = await tree.read(listed.filter(isRead))
  const isKnown = (path: string) => looked.some((folder) => isAt(path, folder))
  return {
    commit: tree.commit,
    async list(paths) {
      if (!paths?.every(isKnown)) return tree.list(paths)
      return listed.filter((path) => paths.some((folder) => isAt(path, folder)))
    },
    async read(paths) {
      const rest = paths.filter((path) => !files.has(path) && (there.has(path) || !isKnown(path)))
      const more = rest.length === 0 ? [] : await tree.read(rest)
      return new Map([...paths.flatMap((path) => entryOf(files, path)), ...more])
    },
  }
}

function entryOf(files: ReadonlyMap<string, TreeFile>, path: string): readonly (readonly [string, TreeFile])[] {
  const file = files.get(path)
  return file === undefined ? [] : [[path, file]]
}

/** What is sure to be needed; code and other files of these folders are read when somebody asks. */
function isRead(path: string): boolean {
  if (skillFolders.some((folder) => isAt(path, folder) || path.includes(`/${folder}/`))) return path.endsWith('/SKILL.md')
  return /(?:^|\/)(?:opencode\.jsonc?|\.cursorrules|[^/]+\.md)$/.test(path)
}
