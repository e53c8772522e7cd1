import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../limits.ts'
import { readable, records } from './git.ts'
import type { Repository } from './repository.ts'
import { type IsSecret, telltaleFiles } from './secrets.ts'
import { type Difference, isFile } from './tree.ts'

/** What a remote would not take, or would take to nobody's use. */
export interface Unfit {
  /** Paths as git stores them; they stay out of the commit. */
  readonly paths: ReadonlySet<string>
  /** Sentences for people. */
  readonly warnings: readonly string[]
}

/** Bytes of the largest file that Git LFS uses as a pointer, and how it begins. */
const pointerBytes = 1_024
const pointerStart = 'version https://git-lfs.github.com/spec/'

/**
 * Finds changed files that must not be committed: those above what GitHub takes (C112), and those whose content Git LFS would have to upload, which
 * needs credentials no program of the checkout may see; and those in which a secret would be published. Costs nothing but a look at each file where neither is to be feared.
 */
export async function unfitFiles(repository: Repository, differences: readonly Difference[], isSecret?: IsSecret): Promise<Unfit> {
  const files = differences.filter(({ to }) => isFile(to))
  const [large, stored] = await Promise.all([largeFiles(repository, files), largeStorage(repository, files)])
  const fitting = differences.filter(({ path }) => !large.paths.has(path))
  const told = isSecret ? await telltaleFiles(repository, fitting, isSecret) : { paths: [], warnings: [] }
  return { paths: new Set([...large.paths, ...stored.paths, ...told.paths]), warnings: [...large.warnings, ...stored.warnings, ...told.warnings] }
}

async function largeFiles(repository: Repository, files: readonly Difference[]): Promise<Unfit> {
  const sizes = await Promise.all(files.map(({ path }) => sizeInTree(repository, path)))
  const paths = new Set<string>()
  const warnings: string[] = []
  for (const [index, { path, to }] of files.entries()) {
    if ((sizes[index] ?? 0) <= limits.blobBytes) continue
    // A content filter may have made it small.
    const bytes = await blobSize(repository, to.id)
    if (bytes <= limits.blobBytes) continue
    paths.add(path)
    warnings.push(`${readable(path)} has ${megabytes(bytes)} and was left out: GitHub takes files of at most ${megabytes(limits.blobBytes)}.`)
  }
  return { paths, warnings }
}

async function largeStorage(repository: Repository, files: readonly Difference[]): Promise<Unfit> {
  const paths = new Set<string>()
  const warnings: string[] = []
  const tracked = files.length > 0 && (await usesLargeStorage(repository)) ? await filteredByLfs(repository, files) : []
  for (const { path, to } of tracked) {
    const isPointer = await beginsAsPointer(repository, to.id)
    if (!isPointer) {
      warnings.push(`${readable(path)} belongs into Git LFS by .gitattributes, but was committed as an ordinary file: this action uploads nothing to LFS.`)
    } else if ((await sizeInTree(repository, path)) > pointerBytes) {
      paths.add(path)
      warnings.push(`${readable(path)} belongs into Git LFS and was left out: this action uploads nothing to LFS, so its pointer would lead nowhere.`)
    }
  }
  return { paths, warnings }
}

/** Whether the repository has any use for LFS, as it says where everybody says it. */
async function usesLargeStorage({ root }: Repository): Promise<boolean> {
  const text = await readFile(join(root, '.gitattributes'), 'utf8').catch(() => '')
  return text.includes('filter=lfs')
}

async function filteredByLfs({ git }: Repository, files: readonly Difference[]): Promise<Difference[]> {
  const input = Buffer.from(files.map(({ path }) => `${path}\0`).join(''), 'latin1')
  const fields = records((await git(['check-attr', '--stdin', '-z', 'filter'], { input })).stdout)
  // Triples of path, attribute and value, in the order asked.
  return files.filter((_, index) => fields[index * 3 + 2] === 'lfs')
}

async function beginsAsPointer(repository: Repository, id: string): Promise<boolean> {
  if ((await blobSize(repository, id)) > pointerBytes) return false
  return (await repository.git(['cat-file', 'blob', id])).stdout.toString().startsWith(pointerStart)
}

async function blobSize({ git }: Repository, id: string): Promise<number> {
  return Number((await git(['cat-file', '-s', id])).stdout.toString())
}

/** Bytes of a file in the work tree; 0 when it is not there. */
async function sizeInTree({ root }: Repository, path: string): Promise<number> {
  const name = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
  return lstat(name).then(
    ({ size }) => size,
    () => 0,
  )
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MB`
}
