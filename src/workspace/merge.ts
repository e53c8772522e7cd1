import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from './repository.ts'
import { type Entry, isFile } from './tree.ts'

/**
 * The file that results from making to `ours` the edits that lead from `base` to `theirs`; undefined when they touch the same lines, or when one
 * side is binary, a link or missing.
 */
export async function mergeFile({ git, scratch }: Repository, base: Entry, ours: Entry, theirs: Entry): Promise<Entry | undefined> {
  if (![base, ours, theirs].every(isFile)) return undefined
  const files = await Promise.all(
    Object.entries({ ours, base, theirs }).map(async ([name, { id }]) => {
      const file = join(scratch, name)
      await writeFile(file, (await git(['cat-file', 'blob', id])).stdout)
      return file
    }),
  )
  const merged = await git(['merge-file', '--stdout', '--quiet', '--', ...files], { accept: [...Array(128).keys(), 255] })
  if (merged.code !== 0) return undefined
  const stored = await git(['hash-object', '-w', '--stdin'], { input: merged.stdout })
  return { mode: theirs.mode, id: stored.stdout.toString().trim() }
}
