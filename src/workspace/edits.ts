import { randomUUID } from 'node:crypto'
import { realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { changesIn, type Snapshot, snapshot, toChange } from './changes.ts'
import { writePatch } from './commit.ts'
import { createGit } from './git.ts'
import { mergeTrees } from './merge.ts'
import { bring } from './remote.ts'
import { openRepository, type Repository, scratchFolder } from './repository.ts'
import { compare, treeOf } from './tree.ts'
import type { Applied, Edits, Remote, Start } from './types.ts'

/** Reads the edits since a start again and again; while no file changes, that costs a look at them and nothing more. */
export function editsReader(repository: Repository): (start: Start, limit: number) => Promise<Edits | undefined> {
  let last: { readonly key: string; readonly edits: Edits | undefined } | undefined
  return async (start, limit) => {
    const now = await snapshot(repository, start)
    const key = [start.commit, start.tree, now.parent.commit, now.end, limit].join(' ')
    if (last?.key !== key) last = { key, edits: await editsOf(repository, start, now, limit) }
    return last.edits
  }
}

async function editsOf(repository: Repository, start: Start, now: Snapshot, limit: number): Promise<Edits | undefined> {
  const { tree, files } = await changesIn(repository, start, now)
  if (files.length === 0) return undefined
  const file = join(repository.scratch, `${randomUUID()}.patch`)
  const { text, bytes } = await writePatch(repository, start.commit, tree, file, limit)
  await rm(file)
  return { commit: start.commit, files, patch: text, bytes }
}

/** What the clean-up step is told of a run that was killed: all of it fits into strings. */
export interface Wreck {
  /** Top level of the checkout. */
  readonly root: string
  readonly start: Start
  /** A folder outside the checkout that lives as long as the job. */
  readonly temp: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The edits that a killed run has left in the work tree, for the step after it: nothing is fetched, and since the agent may have written into `.git`,
 * no program that is configured there is run, content filters included. Undefined when nothing was changed. Throws `WorkspaceError`.
 */
export async function salvage({ root, start, temp, env }: Wreck, limit: number): Promise<Edits | undefined> {
  const [top, scratch] = await Promise.all([realpath(root), scratchFolder(temp)])
  const identity = { name: 'opencode-action', email: 'opencode-action@localhost' }
  const runner = createGit({ cwd: top, home: scratch, env, identity: () => identity, secrets: [] })
  return editsReader(await openRepository(runner, top, scratch, { filters: false }))(start, limit)
}

/**
 * Puts a stored patch back into the work tree. Where the work starts from another commit than the patch was made for, both are merged; files that don't
 * fit are named and left as they are. Throws `WorkspaceError` when git fails.
 */
export async function applyPatch(repository: Repository, remote: Remote, stored: { readonly commit: string; readonly patch: string }): Promise<Applied> {
  const all = await filesIn(repository, stored.patch)
  const wanted = await patched(repository, remote, stored)
  if (wanted === undefined) return { files: [], failed: all }
  const { tree: before } = await repository.writeTree()
  const { tree, conflicts } = await mergeTrees(repository, wanted.base, before, wanted.tree)
  // Again, for the index has served for the merge: it must say what is in the work tree, so that git changes only what differs.
  await repository.writeTree()
  const { code } = await repository.git(['read-tree', '-m', '-u', before, tree], { accept: [0, 128] })
  if (code !== 0) return { files: [], failed: all }
  return { files: (await compare(repository, before, tree)).map(toChange), failed: conflicts }
}

/** The tree that the patch makes of the commit it is for; undefined when that commit is gone or the patch damaged. */
async function patched(repository: Repository, remote: Remote, { commit, patch }: { readonly commit: string; readonly patch: string }) {
  try {
    await bring(repository, remote, commit)
  } catch {
    // The history was rewritten: without its commit a patch can't be merged.
    return undefined
  }
  const environment = { GIT_INDEX_FILE: join(repository.scratch, `${randomUUID()}.index`) }
  const base = await treeOf(repository, commit)
  try {
    await repository.git(['read-tree', base], { environment })
    const { code } = await repository.git(['apply', '--cached', '--whitespace=nowarn', '-'], { environment, input: patch, accept: [0, 1, 128] })
    if (code !== 0) return undefined
    return { base, tree: (await repository.git(['write-tree'], { environment })).stdout.toString().trim() }
  } finally {
    await rm(environment.GIT_INDEX_FILE, { force: true })
  }
}

/** Names of the files that a patch changes; empty when it can't be read. */
async function filesIn({ git }: Repository, patch: string): Promise<string[]> {
  const { code, stdout } = await git(['apply', '--numstat', '-z', '-'], { input: patch, accept: [0, 1, 128] })
  if (code !== 0) return []
  return stdout
    .toString()
    .split('\0')
    .flatMap((record) => record.split('\t').slice(2))
    .filter(Boolean)
}
