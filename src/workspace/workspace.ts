import { realpath } from 'node:fs/promises'
import { changesSince, squashChanges } from './changes.ts'
import { commitChanges, deltaBetween, writePatch } from './commit.ts'
import { copyCommit } from './copy.ts'
import { applyPatch, editsReader } from './edits.ts'
import { WorkspaceError } from './errors.ts'
import { createGit } from './git.ts'
import { validBranch } from './names.ts'
import { dropBranch, pushCommit } from './push.ts'
import { recentFiles } from './recent.ts'
import { basicAuth, fetchTip } from './remote.ts'
import { replay, revert } from './replay.ts'
import { openRepository, type Repository, scratchFolder } from './repository.ts'
import { start } from './start.ts'
import { trustedTree } from './trusted.ts'
import type { Identity, Remote, Source, Target, Workspace } from './types.ts'

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
  const edits = editsReader(repository)
  // Our own index and the list of what was fetched serve one at a time.
  const inTurn = turns()
  return {
    root,
    start: (source, { at } = {}) => inTurn(() => start(repository, remote, checkedSource(source), at)),
    changes: (from, isSecret) => inTurn(() => changesSince(repository, from, isSecret)),
    squash: (from, changes, unwanted = () => false) => inTurn(() => squashChanges(repository, from, changes, unwanted)),
    commit: (changes, message) => commitChanges(repository, changes, message),
    push: (commit, target, expect) => pushCommit(repository, remote, commit, checkedTarget(target), expect),
    drop: (commit, branch) => dropBranch(repository, remote, commit, checked(branch)),
    replay: (step, onto) => inTurn(() => replay(repository, remote, step, checkedTarget(onto))),
    revert: (steps, on, message) => inTurn(() => revert(repository, remote, steps, checkedTarget(on), message)),
    delta: (from, to) => deltaBetween(repository, from, to),
    copy: (commit, folder) => copyCommit(repository, commit, folder),
    blob: async (id) => (await repository.git(['cat-file', 'blob', id])).stdout,
    patch: (from, changes, file, limit) => writePatch(repository, from.commit, changes.tree, file, limit),
    edits: (from, limit) => inTurn(() => edits(from, limit)),
    apply: (stored) => inTurn(() => applyPatch(repository, remote, stored)),
    tree: async (branch, tip) => trustedTree(repository, tip ?? (await inTurn(() => tipOf(repository, remote, checked(branch))))),
    recentFiles: (count) => recentFiles(repository, count),
  }
}

/** Runs one piece of work after the other, in the order they come. */
function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work, work)
    last = result
    return result
  }
}

async function tipOf(repository: Repository, remote: Remote, branch: string): Promise<string> {
  return fetchTip(repository, remote, branch, (await repository.head())?.commit)
}

function checkedSource(source: Source): Source {
  return typeof source === 'string' ? checked(source) : source
}

function checkedTarget(target: Target): Target {
  checked(target.branch)
  if (target.repository === undefined || /^[\w.-]+\/[\w.-]+$/.test(target.repository)) return target
  throw new WorkspaceError(`${JSON.stringify(target.repository)} is not a name GitHub allows for a repository`, 'Please open an issue of opencode-action.')
}

function checked(branch: string): string {
  if (validBranch(branch)) return branch
  throw new WorkspaceError(`${JSON.stringify(branch)} is not a name git allows for a branch`, 'Check the inputs base-branch and branch-prefix.')
}
