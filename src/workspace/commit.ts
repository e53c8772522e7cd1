import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readable } from './git.ts'
import type { Repository } from './repository.ts'
import { compare, isAbsent, treeOf } from './tree.ts'
import type { Changes, Delta } from './types.ts'

/**
 * Commits `changes.tree` on `changes.parent`; the result is the parent when it has that tree already.
 * Only objects are written: HEAD, index and work tree of the workspace stay where they are, so a failed push leaves nothing to undo.
 */
export async function commitChanges(repository: Repository, changes: Changes, message: string): Promise<string> {
  if ((await treeOf(repository, changes.parent)) === changes.tree) return changes.parent
  return commitTree(repository, changes.tree, changes.parent, message)
}

/** Writes a commit with the message as it is (NUL removed, C119), by us or by whom `environment` says. */
export async function commitTree(
  { git }: Repository,
  tree: string,
  parent: string,
  message: string,
  environment: Record<string, string> = {},
): Promise<string> {
  const { stdout } = await git(['commit-tree', tree, '-p', parent], { input: `${message.replaceAll('\0', '').trimEnd()}\n`, environment })
  return stdout.toString().trim()
}

/** Writes what differs between two trees to `file`, binary files included; the text comes back when it has at most `limit` characters. */
export async function writePatch(
  repository: Repository,
  from: string,
  to: string,
  file: string,
  limit: number,
): Promise<{ readonly text: string | undefined; readonly bytes: number }> {
  await diff(repository, from, to, file)
  const bytes = (await stat(file)).size
  // A character takes at most four bytes; past that there is no need to look.
  if (bytes > limit * 4) return { text: undefined, bytes }
  const content = await readFile(file)
  const text = isUtf8(content) ? content.toString() : await plainPatch(repository, from, to)
  return { text: text.length <= limit ? text : undefined, bytes }
}

/** Files in other encodings would not survive as text: with all content in base 85 they do. */
async function plainPatch(repository: Repository, from: string, to: string): Promise<string> {
  const attributes = join(repository.scratch, `${randomUUID()}.attributes`)
  await writeFile(attributes, '* -diff\n')
  try {
    return await diffText(repository, from, to, attributes)
  } finally {
    await rm(attributes)
  }
}

const form = ['diff', '--binary', '--full-index', '--no-renames', '--no-color', '--no-ext-diff', '--no-textconv']

async function diff({ git }: Repository, from: string, to: string, file: string): Promise<void> {
  await git([...form, `--output=${file}`, from, to, '--'])
}

async function diffText({ git }: Repository, from: string, to: string, attributes: string): Promise<string> {
  const config = [
    ['core.attributesFile', attributes],
    ['core.quotePath', 'true'],
  ] as const
  return (await git([...form, from, to, '--'], { config })).stdout.toString()
}

/** What differs between two commits, and the tree of the first. A path that is no UTF-8 is given with replacement characters. */
export async function deltaBetween(repository: Repository, from: string, to: string): Promise<{ readonly tree: string; readonly entries: Delta[] }> {
  const [tree, differences] = await Promise.all([treeOf(repository, from), compare(repository, from, to)])
  const entries = differences.map(({ path, from: old, to: now }) => {
    const gone = isAbsent(now)
    return { path: readable(path), mode: modeOf(gone ? old.mode : now.mode), id: gone ? null : now.id }
  })
  return { tree, entries }
}

/** The modes that GitHub takes; older ones that git still reads, such as 100664, are ordinary files. */
function modeOf(mode: string): Delta['mode'] {
  return mode === '100755' || mode === '120000' || mode === '160000' ? mode : '100644'
}
