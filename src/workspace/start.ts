import { WorkspaceError } from './errors.ts'
import { lastWords, records } from './git.ts'
import { fetchTip } from './remote.ts'
import type { Repository } from './repository.ts'
import type { Remote, Start } from './types.ts'

/**
 * Puts the tip of a branch into the work tree and notes the state, dirt included. When HEAD is there already nothing is touched; otherwise HEAD
 * becomes that commit, detached. Throws `WorkspaceError` when the branch is gone or local edits are in the way; then nothing was changed.
 */
export async function start(repository: Repository, remote: Remote, branch: string): Promise<Start> {
  const head = await repository.head()
  if (head !== undefined) await repository.standOn(head.commit)
  const [tip, clean] = await Promise.all([fetchTip(repository, remote, branch, head?.commit), isClean(repository)])
  if (head?.commit === tip) return { commit: tip, tree: clean ? head.tree : (await repository.writeTree()).tree }
  await checkOut(repository, tip, branch)
  const moved = await repository.head()
  if (moved?.commit !== tip) throw new WorkspaceError(`${branch} was checked out, but HEAD is not at its tip ${tip}`, 'Check the repository out again.')
  await repository.standOn(tip)
  // Only now: a submodule that stayed where it was counts as moved from here on (C101).
  return { commit: tip, tree: (await isClean(repository)) ? moved.tree : (await repository.writeTree()).tree }
}

async function isClean({ git, ownIndex }: Repository): Promise<boolean> {
  // The branch header is always printed: simple-git waits longer for a command that prints nothing.
  const args = ['status', '--porcelain=v2', '-z', '--branch', '--no-renames', '--untracked-files=normal', '--ignore-submodules=dirty']
  const { stdout } = await git(args, { environment: ownIndex })
  return records(stdout).every((record) => record.startsWith('# '))
}

async function checkOut({ git, ownGit, ownIndex }: Repository, tip: string, branch: string): Promise<void> {
  const { code, stderr } = await git(['checkout', '--detach', '--no-recurse-submodules', tip, '--'], { environment: ownIndex, accept: [0, 1, 128] })
  if (code !== 0) {
    const inTheWay = stderr.split('\n').flatMap((line) => (line.startsWith('\t') ? [line.trim()] : []))
    throw inTheWay.length > 0
      ? new WorkspaceError(
          `${branch} could not be checked out: these files in the workspace would be overwritten: ${inTheWay.join(', ')}`,
          'Have the steps before this action leave the checkout clean, or ignore the files they write (.gitignore).',
          'local-edits',
        )
      : new WorkspaceError(`${branch} could not be checked out: ${lastWords(stderr)}`, 'Check the repository out again.')
  }
  await ownGit(['update-ref', '--no-deref', 'HEAD', tip])
}
