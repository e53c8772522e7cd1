import { WorkspaceError } from './errors.ts'
import { readable } from './git.ts'
import { mergeFile } from './merge.ts'
import type { Head, Repository } from './repository.ts'
import { hasTelltaleHistory, type IsSecret } from './secrets.ts'
import { compare, type Difference, type Entry, isAbsent, isSubmodule, overlay, sameEntry, treeOf } from './tree.ts'
import type { Change, Changes, Start } from './types.ts'
import { unfitFiles } from './unfit.ts'

/**
 * What the agent did since the start. The tree to commit grows from HEAD as it is now, which may be a commit the model made by itself (C98, C99),
 * and holds every tracked or untracked file as it is in the work tree, except: what was dirty before stays out (of a file that was dirty and was
 * edited further, only the edit is taken), and so do nested repositories (C102), submodules the agent did not move (C101) and files that GitHub does
 * not take (C112) or that hold a secret that was not there before (C140). Throws `WorkspaceError` when git fails; a failure is never reported as "no changes".
 */
export async function changesSince(repository: Repository, start: Start, isSecret?: IsSecret): Promise<Changes> {
  return changesIn(repository, start, await snapshot(repository, start), isSecret)
}

/** The workspace as it is now: the tree of all its files, and the commit to grow from. */
export interface Snapshot {
  readonly end: string
  readonly problems: readonly string[]
  readonly parent: Head & { readonly warnings: readonly string[] }
}

/** Takes a snapshot; two that are the same hold the same changes. */
export async function snapshot(repository: Repository, start: Start): Promise<Snapshot> {
  const [{ tree, problems }, parent] = await Promise.all([repository.writeTree(), currentParent(repository, start)])
  return { end: tree, problems, parent }
}

/** What a snapshot holds of the agent's doing; see `changesSince`. */
export async function changesIn(repository: Repository, start: Start, { end, problems, parent }: Snapshot, isSecret?: IsSecret): Promise<Changes> {
  const [dirt, differing] = await Promise.all([compare(repository, start.commit, start.tree), compare(repository, parent.commit, end)])
  const dirty = new Map(dirt.map((difference) => [difference.path, difference]))

  const warnings = [...parent.warnings, ...problems.map((problem) => `git could not read everything in the workspace: ${problem}`)]
  const taken: { path: string; entry: Entry }[] = []
  for (const difference of differing) {
    const { entry, warning } = await agentsPart(repository, difference, dirty.get(difference.path))
    if (entry !== undefined) taken.push({ path: difference.path, entry })
    if (warning !== undefined) warnings.push(warning)
  }

  const everything = taken.length === differing.length && taken.every(({ entry }, index) => entry === differing[index]?.to)
  const tree = everything ? end : await overlay(repository, parent.tree, taken)
  const made = everything && parent.commit === start.commit ? differing : await compare(repository, start.commit, tree)
  const unfit = await unfitFiles(repository, made, isSecret)
  const isTelltale = isSecret !== undefined && parent.commit !== start.commit && (await hasTelltaleHistory(repository, start.commit, parent.commit, isSecret))
  const all = toChanges(start, parent.commit, tree, made, [...warnings, ...unfit.warnings])
  // The model may have committed them, so they must not be in the history either.
  return unfit.paths.size > 0 || isTelltale ? pick(repository, start, made, all, (path) => !unfit.paths.has(path)) : all
}

/** The same changes as one step from the start, without the paths that are unwanted. */
export async function squashChanges(repository: Repository, start: Start, changes: Changes, unwanted: (path: string) => boolean): Promise<Changes> {
  return pick(repository, start, await compare(repository, start.commit, changes.tree), changes, (path) => !unwanted(readable(path)))
}

async function pick(
  repository: Repository,
  start: Start,
  made: readonly Difference[],
  { warnings }: Changes,
  wanted: (path: string) => boolean,
): Promise<Changes> {
  const rest = made.filter(({ path }) => wanted(path))
  const entries = rest.map(({ path, to }) => ({ path, entry: to }))
  const tree = await overlay(repository, await treeOf(repository, start.commit), entries)
  return toChanges(start, start.commit, tree, rest, warnings)
}

function toChanges(start: Start, parent: string, tree: string, made: readonly Difference[], warnings: readonly string[]): Changes {
  return { files: made.map(toChange), parent, tree, none: made.length === 0 && parent === start.commit, warnings }
}

/** What of one difference between the parent and the work tree is the agent's doing; `before` is what made the path dirty at the start. */
async function agentsPart(
  repository: Repository,
  { path, from, to }: Difference,
  before: Difference | undefined,
): Promise<{ readonly entry?: Entry; readonly warning?: string }> {
  if (before !== undefined && sameEntry(before.to, to)) return {}
  if (isSubmodule(to) && !isSubmodule(from)) {
    return { warning: `${readable(path)} is a git repository of its own and was left out: commit its files without its .git folder to include it.` }
  }
  if (before === undefined || isAbsent(to) || !sameEntry(before.from, from)) return { entry: to }
  const merged = await mergeFile(repository, before.to, from, to)
  if (merged !== undefined) return { entry: merged }
  return { entry: to, warning: `${readable(path)} had been changed before the run started; those changes could not be separated and are included.` }
}

/** HEAD, when it grew from the start; otherwise the start itself, so that the result still fits the branch it is for. */
async function currentParent(repository: Repository, start: Start): Promise<Snapshot['parent']> {
  const head = await repository.head()
  if (head === undefined) {
    throw new WorkspaceError('HEAD of the workspace points to nothing any more', 'The edits are still in the workspace; run again from a fresh checkout.')
  }
  if (head.commit === start.commit) return { ...head, warnings: [] }
  const grew = await repository.git(['merge-base', '--is-ancestor', start.commit, head.commit], { accept: [0, 1] })
  if (grew.code === 0) return { ...head, warnings: [] }
  const warning = `The workspace was left at ${head.commit.slice(0, 7)}, which does not contain the commit it started from: everything that differs from the start is included.`
  return { commit: start.commit, tree: await treeOf(repository, start.commit), warnings: [warning] }
}

/** A difference as people read it. */
export function toChange({ path, from, to }: Difference): Change {
  return { path: readable(path), status: isAbsent(from) ? 'added' : isAbsent(to) ? 'deleted' : 'modified' }
}
