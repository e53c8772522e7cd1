import { WorkspaceError } from './errors.ts'
import { lastWords, readable, records } from './git.ts'
import { fetchTip, isPartOf, nameOf } from './remote.ts'
import type { Repository } from './repository.ts'
import { compare } from './tree.ts'
import type { Remote, Source, Start } from './types.ts'

/**
 * Puts the tip of a source into the work tree, or the commit `at` that is part of it, and notes the state, dirt included. When HEAD is there already
 * nothing is touched; otherwise HEAD becomes that commit, detached. Throws `WorkspaceError` when the branch is gone, `at` is not part of it, or local
 * edits are in the way; then nothing was changed.
 */
export async function start(repository: Repository, remote: Remote, source: Source, at?: string): Promise<Start> {
  const head = await repository.head()
  if (head !== undefined) await repository.standOn(head.commit)
  const [wanted, clean] = await Promise.all([find(repository, remote, source, head?.commit, at), isClean(repository)])
  if (head?.commit === wanted) return { commit: wanted, tree: clean ? head.tree : (await repository.writeTree()).tree }
  await checkOut(repository, wanted, source)
  const moved = await repository.head()
  if (moved?.commit !== wanted) throw new WorkspaceError(`${nameOf(source)} was checked out, but HEAD is not at ${wanted}`, 'Check the repository out again.')
  await repository.standOn(wanted)
  // Only now: a submodule that stayed where it was counts as moved from here on (C101).
  return { commit: wanted, tree: (await isClean(repository)) ? moved.tree : (await repository.writeTree()).tree }
}

async function find(repository: Repository, remote: Remote, source: Source, head: string | undefined, at: string | undefined): Promise<string> {
  const tip = await fetchTip(repository, remote, source, head)
  if (at === undefined || at === tip) return tip
  if (!(await isPartOf(repository, remote, source, at, tip)))
    throw new WorkspaceError(
      `${nameOf(source)} does not contain the commit ${at.slice(0, 7)} any more`,
      'Its history was rewritten after the request. Ask again to have the work done on what is there now.',
      'rewritten',
    )
  return at
}

async function isClean({ git, ownIndex }: Repository): Promise<boolean> {
  // The branch header is always printed: simple-git waits longer for a command that prints nothing.
  const args = ['status', '--porcelain=v2', '-z', '--branch', '--no-renames', '--untracked-files=normal', '--ignore-submodules=dirty']
  const { stdout } = await git(args, { environment: ownIndex })
  return records(stdout).every((record) => record.startsWith('# '))
}

async function checkOut(repository: Repository, commit: string, source: Source): Promise<void> {
  const { git, ownGit, ownIndex } = repository
  const attempt = () => git(['checkout', '--detach', '--no-recurse-submodules', commit, '--'], { environment: ownIndex, accept: [0, 1, 128] })
  let { code, stderr } = await attempt()
  // What an earlier turn of this run has pushed is in the work tree already, and in the way of nothing but git.
  if (code !== 0 && (await takeAsDone(repository, commit, inTheWay(stderr)))) ({ code, stderr } = await attempt())
  if (code !== 0) {
    const files = inTheWay(stderr)
    throw files.length > 0
      ? new WorkspaceError(
          `${nameOf(source)} could not be checked out: these files in the workspace would be overwritten: ${files.join(', ')}`,
          'Have the steps before this action leave the checkout clean, or ignore the files they write (.gitignore).',
          'local-edits',
        )
      : new WorkspaceError(`${nameOf(source)} could not be checked out: ${lastWords(stderr)}`, 'Check the repository out again.')
  }
  await ownGit(['update-ref', '--no-deref', 'HEAD', commit])
}

function inTheWay(stderr: string): string[] {
  return stderr.split('\n').flatMap((line) => (line.startsWith('\t') ? [line.trim()] : []))
}

/** Tells git's index of files that are in the work tree as the commit has them; false, and nothing is changed, when any of them is different. */
async function takeAsDone(repository: Repository, commit: string, files: readonly string[]): Promise<boolean> {
  if (files.length === 0) return false
  const { tree } = await repository.writeTree()
  const different = new Set((await compare(repository, commit, tree)).map(({ path }) => readable(path)))
  if (files.some((file) => different.has(file) || file.startsWith('"'))) return false
  const { code } = await repository.git(['add', '--force', '--', ...files], { environment: repository.ownIndex, accept: [0, 1, 128] })
  return code === 0
}
