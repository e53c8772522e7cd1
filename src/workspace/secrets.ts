import { readable } from './git.ts'
import type { Repository } from './repository.ts'
import { type Difference, isAbsent, isSubmodule } from './tree.ts'

/** Whether a text holds a secret of this run. */
export type IsSecret = (text: string) => boolean

/** Files that would publish a secret: paths as git stores them, and sentences for people. */
interface Telltale {
  readonly paths: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Finds changed files that hold a secret which they did not hold before, in their content or in their name: whatever a command copies is seen by
 * nobody before it is pushed (C140). A secret that was published already may stay.
 */
export async function telltaleFiles(repository: Repository, differences: readonly Difference[], isSecret: IsSecret): Promise<Telltale> {
  const made = differences.filter(({ to }) => !isAbsent(to) && !isSubmodule(to))
  const contents = await blobs(
    repository,
    made.map(({ to }) => to.id),
  )
  const suspect = made.filter(({ path }, index) => isSecret(readable(path)) || isSecret(contents[index] ?? ''))
  if (suspect.length === 0) return { paths: [], warnings: [] }
  const before = await blobs(
    repository,
    suspect.map(({ from, to }) => (isAbsent(from) ? to.id : from.id)),
  )
  const found = suspect.filter(({ path, from }, index) => isAbsent(from) || isSecret(readable(path)) || !isSecret(before[index] ?? ''))
  return {
    paths: found.map(({ path }) => path),
    warnings: found.map(({ path }) => `${isSecret(readable(path)) ? 'A file' : readable(path)} was left out: it holds a secret of this run.`),
  }
}

/** Whether the commits that lead from one to another would publish a secret, in what they change or in what they say. */
export async function hasTelltaleHistory({ git }: Repository, from: string, to: string, isSecret: IsSecret): Promise<boolean> {
  const form = ['--format=%an%n%ae%n%cn%n%ce%n%B', '--patch', '-m', '--text', '--no-renames', '--no-color', '--no-ext-diff', '--no-textconv']
  const { stdout } = await git(['log', ...form, `${from}..${to}`, '--'])
  // Without the marks before the lines, which would come between the pieces of a secret.
  return isSecret(stdout.toString().replaceAll(/^[ +-]/gm, ''))
}

/** The contents of blobs, by one command. */
async function blobs({ git }: Repository, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { stdout } = await git(['cat-file', '--batch'], { input: ids.map((id) => `${id}\n`).join('') })
  const contents: string[] = []
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf('\n', at)
    const size = Number(stdout.subarray(at, end).toString().split(' ')[2])
    contents.push(stdout.subarray(end + 1, end + 1 + size).toString())
    at = end + 1 + size + 1
  }
  return contents
}
