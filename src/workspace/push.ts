import { messageOf } from '../failure.ts'
import { lastWords } from './git.ts'
import { mayBeMisread } from './reach.ts'
import { authorized, deepen, isAncestor, remoteOf, remoteTip } from './remote.ts'
import type { Repository } from './repository.ts'
import type { Expect, Pushed, Remote, Target } from './types.ts'

/**
 * Pushes one commit to one branch, by address, without hooks, never by force, once. With `absent` the remote creates the branch or refuses, also when
 * somebody else creates it at the same moment (C109); with a tip it moves a branch that is there and nowhere else, and never brings back one that was
 * deleted (C108). A remote that says no, for whatever reason, is an answer in its own words (C110, C111).
 */
export async function pushCommit(repository: Repository, remote: Remote, commit: string, target: Target, expect: Expect): Promise<Pushed> {
  // A lease lets git skip its own check for this.
  if (expect !== 'absent' && !(await isAncestor(repository, expect.tip, commit))) return { kind: 'taken' }
  const there = remoteOf(remote, target)
  const attempt = () => push(repository, there, `${commit}:refs/heads/${target.branch}`, target.branch, expect === 'absent' ? '' : expect.tip)
  const pushed = await attempt()
  if (!isCutOff(pushed)) return pushed
  return withHistory(repository, remote, commit, attempt, async () => expect !== 'absent' && (await remoteTip(repository, there, target.branch)) !== expect.tip)
}

/** The remote has not the history that is missing here: what the commit stands on was rewritten meanwhile. */
const isCutOff = (pushed: Pushed) => pushed.kind === 'refused' && /shallow update not allowed/.test(pushed.reason)

/** Pushes again with more of the history (C105), unless the branch is not what was expected after all. */
async function withHistory(
  repository: Repository,
  remote: Remote,
  commit: string,
  attempt: () => Promise<Pushed>,
  isTaken: () => Promise<boolean>,
): Promise<Pushed> {
  try {
    if (await isTaken()) return { kind: 'taken' }
    let pushed: Pushed = { kind: 'refused', reason: 'shallow update not allowed' }
    await deepen(repository, remote, commit, async () => {
      pushed = await attempt()
      return !isCutOff(pushed)
    })
    return pushed
  } catch (error) {
    return { kind: 'refused', reason: messageOf(error) }
  }
}

/** Deletes a branch of the remote, unless somebody has pushed to it since it was at `commit`. */
export async function dropBranch(repository: Repository, remote: Remote, commit: string, branch: string): Promise<Pushed> {
  return push(repository, remote, `:refs/heads/${branch}`, branch, commit)
}

async function push(repository: Repository, remote: Remote, refspec: string, branch: string, lease: string): Promise<Pushed> {
  const args = ['push', '--porcelain', '--no-progress', '--no-verify', '--no-follow-tags', '--no-recurse-submodules']
  try {
    const options = { ...authorized(remote), accept: [0, 1, 128] }
    const { code, stdout, stderr } = await repository.git([...args, `--force-with-lease=refs/heads/${branch}:${lease}`, '--', remote.url, refspec], options)
    if (code === 0) return { kind: 'pushed' }
    if (mayBeMisread(stderr) && (await knowsUs(repository, remote, branch)))
      return { kind: 'refused', reason: 'The remote end hung up in the middle of its answer.' }
    return answer(stdout.toString(), stderr)
  } catch (error) {
    return { kind: 'refused', reason: messageOf(error) }
  }
}

/** Whether the token is good for reading: then a push that seems to want another one was misread by git. */
async function knowsUs(repository: Repository, remote: Remote, branch: string): Promise<boolean> {
  return remoteTip(repository, remote, branch).then(
    () => true,
    () => false,
  )
}

/** What a remote says of a branch that changed between its telling of it and the push. */
const raced = /reference already exists|is at [0-9a-f]+ but expected|reference is missing but expected|unable to resolve reference/

/** Reads the line `!\t<from>:<to>\t[rejected] (reason)` of `--porcelain` and what the remote said beside it. */
function answer(stdout: string, stderr: string): Pushed {
  const [, , summary = ''] = (stdout.split('\n').find((line) => line.startsWith('!\t')) ?? '').split('\t')
  const words = remoteWords(stderr)
  if (summary.startsWith('[rejected]') || raced.test(`${summary}\n${words}`)) return { kind: 'taken' }
  const faults = stderr.split('\n').filter((line) => /^(?:fatal: |error: RPC failed)/.test(line))
  const verdict = /^\[remote rejected\] \((.*)\)$/.exec(summary)?.[1] ?? (summary || faults.join('\n'))
  return { kind: 'refused', reason: [words, verdict].filter(Boolean).join('\n') || lastWords(stderr) }
}

/** The lines the remote sent for people, without git's padding. */
function remoteWords(stderr: string): string {
  const lines = stderr.split('\n').flatMap((line) => /^remote: ?(.*)$/.exec(line)?.[1] ?? [])
  return lines
    .map((line) => line.trimEnd())
    .filter(Boolean)
    .join('\n')
}
