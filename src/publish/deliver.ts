import { GitHubError } from '../github/errors.ts'
import type { GitHub, TreeEntry } from '../github/types.ts'
import { limits } from '../limits.ts'
import type { Delta, Expect, Target, Workspace } from '../workspace/types.ts'

/** Commits of ours that are only here yet: those that lead from `base`, which the remote has, to `commit`. */
export interface Piece {
  readonly base: string
  readonly commit: string
}

export type Delivered =
  /** The commit as the remote has it, which is another one when GitHub made it. */
  | { readonly kind: 'pushed'; readonly commit: string; readonly notes: readonly string[] }
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly reason: string }

/** Brings commits to a branch, once. A remote that says no is an answer. */
export type Delivery = (piece: Piece, target: Target, expect: Expect) => Promise<Delivered>

/** Pushes them as they are. */
export function byGit(workspace: Workspace): Delivery {
  return async ({ commit }, target, expect) => {
    const pushed = await workspace.push(commit, target, expect)
    return pushed.kind === 'pushed' ? { kind: 'pushed', commit, notes: [] } : pushed
  }
}

/**
 * Has GitHub make one commit of them by the Git data API, which it signs (C111, C121): file for file what git would push, with modes, links, deletions
 * and submodules. A fork is out of reach for that, so its commits are pushed.
 */
export function byApi(workspace: Workspace, github: GitHub, message: string): Delivery {
  const uploaded = new Map<string, Promise<string>>()
  const upload = (id: string) => {
    const started = uploaded.get(id)
    if (started) return started
    const upload = workspace.blob(id).then((content) => github.createBlob(content))
    uploaded.set(id, upload)
    // One that failed is tried again.
    upload.catch(() => uploaded.delete(id))
    return upload
  }
  return async (piece, target, expect) => {
    if (target.repository !== undefined) {
      const pushed = await byGit(workspace)(piece, target, expect)
      return pushed.kind === 'pushed' ? { ...pushed, notes: ['The commit is not signed: GitHub makes none in a fork.'] } : pushed
    }
    try {
      const { commit, notes } = await makeCommit(workspace, github, piece, message, upload)
      if (expect === 'absent') await github.createBranch(target.branch, commit)
      else await github.moveBranch(target.branch, commit)
      return { kind: 'pushed', commit, notes }
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error
      return /already exists|not a fast.?forward|reference does not exist/i.test(error.said) ? { kind: 'taken' } : { kind: 'refused', reason: error.message }
    }
  }
}

async function makeCommit(workspace: Workspace, github: GitHub, piece: Piece, message: string, upload: (id: string) => Promise<string>) {
  const delta = await workspace.delta(piece.base, piece.commit)
  const isUnnameable = ({ path }: Delta) => path.includes('\uFFFD')
  const sendable = delta.entries.filter((entry) => !isUnnameable(entry))
  const entries = await mapSome(sendable, limits.uploads, async ({ path, mode, id }): Promise<TreeEntry> => {
    // A submodule's commit lies in another repository; there is nothing to upload.
    return { path, mode, sha: id === null || mode === '160000' ? id : await upload(id) }
  })
  let { tree } = delta
  for (const step of steps(entries)) tree = await github.createTree(tree, step)
  const commit = await github.createCommit({ message: message.replaceAll('\0', '').trimEnd(), tree, parents: [piece.base] })
  return { commit, notes: delta.entries.filter(isUnnameable).map(({ path }) => `${path} was left out: its name is not UTF-8, which the API can't take.`) }
}

/** Entries of one request for a tree. */
const treeEntries = 1_000

/** Entries in requests that GitHub takes: not too many at once, and removals first where a file takes the place of a folder or a folder that of a file. */
function steps(entries: readonly TreeEntry[]): TreeEntry[][] {
  const removed = entries.filter(({ sha }) => sha === null)
  const made = entries.filter(({ sha }) => sha !== null)
  const within = (inner: TreeEntry, outer: TreeEntry) => inner.path.startsWith(`${outer.path}/`)
  const collide = removed.some((gone) => made.some((entry) => within(gone, entry) || within(entry, gone)))
  const groups = collide ? [removed, made] : [entries]
  return groups.flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / treeEntries) }, (_, at) => group.slice(at * treeEntries, (at + 1) * treeEntries)),
  )
}

/** Works on all of a list, a few at a time; the results are in order. The first failure is thrown. */
async function mapSome<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  return results
}
