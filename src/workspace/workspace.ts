import { realpath } from 'node:fs/promises'
import { changesSince } from './changes.ts'
import { commitChanges, writePatch } from './commit.ts'
import { WorkspaceError } from './errors.ts'
import { createGit } from './git.ts'
import { validBranch } from './names.ts'
import { pushCommit } from './push.ts'
import { recentFiles } from './recent.ts'
import { basicAuth, fetchTip } from './remote.ts'
import { openRepository, scratchFolder } from './repository.ts'
import { start } from './start.ts'
import { trustedTree } from './trusted.ts'
import type { Identity, Remote, Workspace } from './types.ts'

/**
 * Opens the checkout whose top level is `root`. `temp` is a folder outside it that lives as long as the job; `env` is the environment of the process,
 * of which git gets a few variables. Must be called before the agent runs: the content filters configured now are the ones that are used to the end.
 * Throws `WorkspaceError` when there is no repository or no git.
 */
export async function openWorkspace(options: {
  readonly root: string
  readonly remote: Remote
  readonly identity: () => Identity
  readonly temp: string
  readonly env: Readonly<Record<string, string | undefined>>
}): Promise<Workspace> {
  const { remote, identity, env } = options
  const [root, scratch] = await Promise.all([realpath(options.root), scratchFolder(options.temp)])
  const secrets = [remote.token, basicAuth(remote.token)]
  const repository = await openRepository(createGit({ cwd: root, home: scratch, env, identity, secrets }), root, scratch)
  return {
    root,
    start: (branch) => start(repository, remote, checked(branch)),
    changes: (from) => changesSince(repository, from),
    commit: (changes, message) => commitChanges(repository, changes, message),
    push: (commit, branch, expect) => pushCommit(repository, remote, commit, checked(branch), expect),
    patch: (from, changes, file, limit) => writePatch(repository, from, changes, file, limit),
    tree: async (branch, tip) => trustedTree(repository, tip ?? (await fetchTip(repository, remote, checked(branch), (await repository.head())?.commit))),
    recentFiles: (count) => recentFiles(repository, count),
  }
}

function checked(branch: string): string {
  if (validBranch(branch)) return branch
  throw new WorkspaceError(`${JSON.stringify(branch)} is not a name git allows for a branch`, 'Check the inputs base-branch and branch-prefix.')
}
