import { records } from './git.ts'
import type { Repository } from './repository.ts'

/** A file, link or submodule in a tree. Mode and id are zeros where there is none. */
export interface Entry {
  readonly mode: string
  readonly id: string
}

/** A path that differs between two trees; the path is as git stores it (see `records`). */
export interface Difference {
  readonly path: string
  readonly from: Entry
  readonly to: Entry
}

/** The tree of a commit. */
export async function treeOf({ git }: Repository, commit: string): Promise<string> {
  return (await git(['rev-parse', '--verify', `${commit}^{tree}`])).stdout.toString().trim()
}

/** What differs between two trees, file by file, without guessing renames. */
export async function compare({ git }: Repository, from: string, to: string): Promise<Difference[]> {
  if (from === to) return []
  const fields = records((await git(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index', from, to, '--'])).stdout)
  const differences: Difference[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = (fields[at] ?? '').slice(1).split(' ')
    differences.push({ path: fields[at + 1] ?? '', from: { mode: oldMode, id: oldId }, to: { mode: newMode, id: newId } })
  }
  return differences
}

/** The tree that results from putting entries onto another tree. */
export async function overlay({ git }: Repository, tree: string, entries: readonly { readonly path: string; readonly entry: Entry }[]): Promise<string> {
  if (entries.length === 0) return tree
  await git(['read-tree', tree])
  // Removals first: a file may take the place of a folder.
  const ordered = [...entries].sort((a, b) => Number(!isAbsent(a.entry)) - Number(!isAbsent(b.entry)))
  const input = Buffer.from(ordered.map(({ path, entry }) => `${entry.mode} ${entry.id}\t${path}\0`).join(''), 'latin1')
  await git(['update-index', '-z', '--index-info'], { input })
  return (await git(['write-tree'])).stdout.toString().trim()
}

export function sameEntry(a: Entry, b: Entry): boolean {
  return a.mode === b.mode && a.id === b.id
}

export function isAbsent(entry: Entry): boolean {
  return /^0+$/.test(entry.mode)
}

export function isSubmodule(entry: Entry): boolean {
  return entry.mode === '160000'
}

export function isFile(entry: Entry): boolean {
  return entry.mode.startsWith('100')
}
