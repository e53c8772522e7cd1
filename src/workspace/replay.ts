import { commitTree } from './commit.ts'
import { WorkspaceError } from './errors.ts'
import { mergeTrees } from './merge.ts'
import { bring, fetchTip, remoteOf, remoteTip } from './remote.ts'
import type { Repository } from './repository.ts'
import { treeOf } from './tree.ts'
import type { Remote, Replayed, Reverted, Step, Target } from './types.ts'

/** One of our own commits, to be made anew. */
interface Own {
  readonly commit: string
  readonly parent: string
}

/**
 * Makes the commits from `base` to `commit` anew on the tip of a branch as it is now: only our own, so that commits the author dropped do not come
 * back (C107). A history of ours that holds merges becomes one commit. The first file that does not fit ends it. Throws `WorkspaceError` when the
 * remote does not answer.
 */
export async function replay(repository: Repository, remote: Remote, { base, commit }: { base: string; commit: string }, onto: Target): Promise<Replayed> {
  // Before the fetch, which may cut off the history of commits that the model pushed by itself.
  const { own, all } = await ownCommits(repository, base, commit)
  const there = remoteOf(remote, onto)
  const seen = await remoteTip(repository, there, onto.branch)
  if (seen === undefined) return { kind: 'gone' }
  // What was pushed meanwhile is a part of it: the model did it (C98).
  if (seen === base || all.has(seen)) return { kind: 'replayed', commit, tip: seen }
  const tip = await arrived(repository, there, onto)
  if (tip === undefined) return { kind: 'gone' }
  let made = { commit: tip, tree: await treeOf(repository, tip) }
  for (const { commit: mine, parent } of own) {
    const [from, to] = await Promise.all([treeOf(repository, parent), treeOf(repository, mine)])
    const { tree, conflicts } = await mergeTrees(repository, from, made.tree, to)
    if (conflicts.length > 0) return { kind: 'conflict', files: conflicts }
    if (tree !== made.tree) made = { commit: await commitLike(repository, mine, tree, made.commit), tree }
  }
  return { kind: 'replayed', commit: made.commit, tip }
}

/** A commit on the tip of a branch that takes back what each step changed, the newest first. Throws `WorkspaceError` when the remote does not answer. */
export async function revert(repository: Repository, remote: Remote, steps: readonly Step[], on: Target, message: string): Promise<Reverted> {
  const there = remoteOf(remote, on)
  const tip = await arrived(repository, there, on)
  if (tip === undefined) return { kind: 'gone' }
  for (const { from, to } of steps) for (const commit of [from, to]) await bring(repository, there, commit)
  const before = await treeOf(repository, tip)
  let after = before
  for (const { from, to } of steps.toReversed()) {
    const [wanted, made] = await Promise.all([treeOf(repository, from), treeOf(repository, to)])
    const { tree, conflicts } = await mergeTrees(repository, made, after, wanted)
    if (conflicts.length > 0) return { kind: 'conflict', files: conflicts }
    after = tree
  }
  if (after === before) return { kind: 'nothing' }
  return { kind: 'replayed', commit: await commitTree(repository, after, tip, message), tip }
}

/** The tip of a branch, fetched; undefined when the branch is gone. */
async function arrived(repository: Repository, remote: Remote, { branch }: Target): Promise<string | undefined> {
  try {
    return await fetchTip(repository, remote, branch, (await repository.head())?.commit)
  } catch (error) {
    if (error instanceof WorkspaceError && error.kind === 'missing-branch') return undefined
    throw error
  }
}

/** The commits from `base` to `commit`, and how to make them anew: one by one, or as a single one where there are merges among them. */
async function ownCommits({ git }: Repository, base: string, commit: string): Promise<{ readonly own: readonly Own[]; readonly all: ReadonlySet<string> }> {
  if (base === commit) return { own: [], all: new Set() }
  const { stdout } = await git(['rev-list', '--reverse', '--topo-order', '--parents', `${base}..${commit}`, '--'])
  const lines = stdout
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '))
  const isLine = lines.every(([, parent, second], index) => second === undefined && parent === (index === 0 ? base : lines[index - 1]?.[0]))
  const own = isLine ? lines.map(([mine = '', parent = '']) => ({ commit: mine, parent })) : [{ commit, parent: base }]
  return { own, all: new Set(lines.map(([mine = '']) => mine)) }
}

/** The same commit on another parent: its author and its words stay. */
async function commitLike(repository: Repository, original: string, tree: string, parent: string): Promise<string> {
  const { stdout } = await repository.git(['log', '-1', '--no-show-signature', '--format=%an%x00%ae%x00%ad%x00%B', '--date=raw', original, '--'])
  const [name = '', email = '', date = '', message = ''] = stdout.toString().split('\0')
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date }
  // Git refuses to sign with an empty name; then it is ours.
  return commitTree(repository, tree, parent, message, name && email ? author : {})
}
