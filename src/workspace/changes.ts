import { WorkspaceError } from './errors.ts'
import { readable } from './git.ts'
import { mergeFile } from './merge.ts'
import type { Head, Repository } from './repository.ts'
import { compare, type Difference, type Entry, isAbsent, isSubmodule, overlay, sameEntry, treeOf } from './tree.ts'
import type { Change, Changes, Start } from './types.ts'

/**
 * What the agent did since the start. The tree to commit grows from HEAD as it is now, which may be a commit the model made by itself (C98, C99),
 * and holds every tracked or untracked file as it is in the work tree, except: what was dirty before stays out (of a file that was dirty and was
 * edited further, only the edit is taken), and so do nested repositories (C102) and submodules the agent did not move (C101). Throws
 * `WorkspaceError` when git fails; a failure is never reported as "no changes".
 */
export async function changesSince(repository: Repository, start: Start): Promise<Changes> {
  const [{ tree: end, problems }, parent] = await Promise.all([repository.writeTree(), currentParent(repository, start)])
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
  const files = (await compare(repository, start.commit, tree)).map(toChange)
  return { files, parent: parent.commit, tree, none: files.length === 0 && parent.commit === start.commit, warnings }
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
async function currentParent(repository: Repository, start: Start): Promise<Head & { readonly warnings: readonly string[] }> {
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

function toChange({ path, from, to }: Difference): Change {
  return { path: readable(path), status: isAbsent(from) ? 'added' : isAbsent(to) ? 'deleted' : 'modified' }
}
