import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readable } from './git.ts'
import type { Repository } from './repository.ts'
import { compare, type Entry, isAbsent, isFile, overlay, sameEntry } from './tree.ts'

/** Two sets of edits in one tree. Files whose edits don't fit together stay as they are in `ours` and are named, as people write them. */
export interface MergedTree {
  readonly tree: string
  readonly conflicts: readonly string[]
}

/**
 * The tree that results from making to `ours` the edits that lead from `base` to `theirs`. Done file by file over trees alone, so that it works in a
 * history that is cut off, and with every git.
 */
export async function mergeTrees(repository: Repository, base: string, ours: string, theirs: string): Promise<MergedTree> {
  if (base === ours) return { tree: theirs, conflicts: [] }
  const [wanted, there] = await Promise.all([compare(repository, base, theirs), compare(repository, base, ours)])
  const moved = new Map(there.map((difference) => [difference.path, difference.to]))
  const names = new Set(there.flatMap(({ path, to }) => (isAbsent(to) ? [] : [path])))
  const folders = new Set([...names].flatMap(foldersOf))
  const taken: { path: string; entry: Entry }[] = []
  const conflicts: string[] = []
  for (const { path, from, to } of wanted) {
    const here = moved.get(path)
    if (here !== undefined && sameEntry(here, to)) continue
    const inTheWay = !isAbsent(to) && (folders.has(path) || foldersOf(path).some((folder) => names.has(folder)))
    const entry = inTheWay ? undefined : here === undefined ? to : await mergeFile(repository, from, here, to)
    if (entry === undefined) conflicts.push(readable(path))
    else taken.push({ path, entry })
  }
  return { tree: await overlay(repository, ours, taken), conflicts }
}

/**
 * The file that results from making to `ours` the edits that lead from `base` to `theirs`; undefined when they touch the same lines, or when one
 * side is binary, a link or missing.
 */
export async function mergeFile({ git, scratch }: Repository, base: Entry, ours: Entry, theirs: Entry): Promise<Entry | undefined> {
  if (![base, ours, theirs].every(isFile)) return undefined
  const mode = theirs.mode === base.mode ? ours.mode : theirs.mode
  if (theirs.id === base.id) return { mode, id: ours.id }
  if (ours.id === base.id || ours.id === theirs.id) return { mode, id: theirs.id }
  const name = join(scratch, randomUUID())
  const files = await Promise.all(
    Object.entries({ ours, base, theirs }).map(async ([side, { id }]) => {
      const file = `${name}-${side}`
      await writeFile(file, (await git(['cat-file', 'blob', id])).stdout)
      return file
    }),
  )
  try {
    const merged = await git(['merge-file', '--stdout', '--quiet', '--', ...files], { accept: [...Array(128).keys(), 255] })
    if (merged.code !== 0) return undefined
    const stored = await git(['hash-object', '-w', '--stdin'], { input: merged.stdout })
    return { mode, id: stored.stdout.toString().trim() }
  } finally {
    await Promise.all(files.map((file) => rm(file)))
  }
}

function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
