import { readFile, stat } from 'node:fs/promises'
import type { Repository } from './repository.ts'
import { treeOf } from './tree.ts'
import type { Changes, Start } from './types.ts'

/**
 * Commits `changes.tree` on `changes.parent` with the message as it is (NUL removed, C119); the result is the parent when it has that tree already.
 * Only objects are written: HEAD, index and work tree of the workspace stay where they are, so a failed push leaves nothing to undo.
 */
export async function commitChanges(repository: Repository, changes: Changes, message: string): Promise<string> {
  if ((await treeOf(repository, changes.parent)) === changes.tree) return changes.parent
  const { stdout } = await repository.git(['commit-tree', changes.tree, '-p', changes.parent], { input: `${message.replaceAll('\0', '').trimEnd()}\n` })
  return stdout.toString().trim()
}

/** Writes what differs between the start and `changes.tree` to `file`, binary files included; the text comes back when it has at most `limit` characters. */
export async function writePatch(
  { git }: Repository,
  start: Start,
  changes: Changes,
  file: string,
  limit: number,
): Promise<{ readonly text: string | undefined; readonly bytes: number }> {
  await git(['diff', '--binary', '--full-index', '--no-color', '--no-ext-diff', '--no-textconv', `--output=${file}`, start.commit, changes.tree, '--'])
  const bytes = (await stat(file)).size
  // A character takes at most four bytes; past that there is no need to look.
  const text = bytes <= limit * 4 ? await readFile(file, 'utf8') : undefined
  return { text: text !== undefined && text.length <= limit ? text : undefined, bytes }
}
