import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WorkspaceError } from './errors.ts'
import { type GitOptions, type GitResult, lastWords } from './git.ts'
import { patiently } from './reach.ts'
import type { Repository } from './repository.ts'
import type { Remote, Source, Target } from './types.ts'

/** Commits a cut-off history is deepened by, step by step, to find one that must be part of it (C105). */
const deepening = [50, 200, 1_000]

/** The form in which the token travels; a secret as much as the token itself. */
export function basicAuth(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64')
}

/**
 * Settings for a command that talks to the remote. The private git directory holds no other header, so exactly one arrives, whatever the
 * checkout step persisted (C88).
 */
export function authorized(remote: Remote): GitOptions {
  return remote.token === '' ? {} : { config: [[`http.${remote.url}.extraHeader`, `Authorization: Basic ${basicAuth(remote.token)}`]] }
}

/** Where a target's repository is: the remote itself, or a fork on the same host. */
export function remoteOf(remote: Remote, { repository }: Target): Remote {
  return repository === undefined ? remote : { ...remote, url: new URL(`../${repository}.git`, remote.url).href }
}

/**
 * The commit a branch or a pull request's head points to, fetched if it isn't here yet. A full history stays full; a shallow one stays as deep as it
 * is (C104). `head` is the commit that is checked out. Throws `WorkspaceError` when the branch is gone or the remote refuses.
 */
export async function fetchTip(repository: Repository, remote: Remote, source: Source, head: string | undefined): Promise<string> {
  const shallow = await repository.shallow()
  if (!shallow) return fetch(repository, remote, source, [])
  // A fetch with a depth always downloads; the common case is that the tip is checked out already.
  const tip = await remoteTip(repository, remote, source)
  if (tip === undefined) throw gone(remote, source)
  if (tip === head) return tip
  const depth = head === undefined ? '1' : (await repository.git(['rev-list', '--count', '--first-parent', head])).stdout.toString().trim()
  return fetch(repository, remote, source, [`--depth=${depth}`])
}

/** The commit a branch or a pull request's head points to, without fetching it; undefined when it is gone. Throws `WorkspaceError` when the remote refuses. */
export async function remoteTip(repository: Repository, remote: Remote, source: Source): Promise<string | undefined> {
  const ref = refOf(source)
  const options = { ...authorized(remote), accept: [0, 2, 128] }
  const listed = await patiently(() => repository.git(['ls-remote', '--exit-code', '--', remote.url, 'HEAD', ref], options))
  if (listed.code === 128) throw unreachable(remote, source, listed.stderr)
  // An answer that was cut off after its beginning looks to git like that of a repository that has nothing.
  if (listed.code === 2) throw unreachable(remote, source, 'it told of no branch at all')
  const line = listed.stdout
    .toString()
    .split('\n')
    .find((entry) => entry.endsWith(`\t${ref}`))
  return line?.slice(0, line.indexOf('\t'))
}

/** Sees to it that a commit is here. Throws `WorkspaceError` when the remote does not have it any more. */
export async function bring(repository: Repository, remote: Remote, commit: string): Promise<void> {
  if (await isHere(repository, commit)) return
  const depth = (await repository.shallow()) ? ['--depth=1'] : []
  const { code, stderr } = await download(repository, remote, depth, commit)
  if (code !== 0)
    throw new WorkspaceError(
      `The commit ${commit.slice(0, 7)} could not be fetched from ${remote.url}: ${lastWords(stderr)}`,
      'It may have been dropped by a rewritten history.',
    )
}

/** Whether `commit` is `tip` or one of its ancestors; a history that is cut off before is deepened, up to a limit (C105). Throws `WorkspaceError` when the remote refuses. */
export async function isPartOf(repository: Repository, remote: Remote, source: Source, commit: string, tip: string): Promise<boolean> {
  if (await isAncestor(repository, commit, tip)) return true
  for (const commits of deepening) {
    if (!(await repository.shallow())) return false
    await fetch(repository, remote, source, [`--deepen=${commits}`])
    if (await isAncestor(repository, commit, tip)) return true
  }
  return false
}

/**
 * Fetches more of the history below a commit that is cut off, step by step up to a limit, for as long as `isEnough` says no to it (C105). Throws
 * `WorkspaceError` when the remote does not know the commit any more.
 */
export async function deepen(repository: Repository, remote: Remote, commit: string, isEnough: () => Promise<boolean>): Promise<void> {
  for (const commits of deepening) {
    if (!(await repository.shallow())) return
    const roots = (await repository.git(['rev-list', '--max-parents=0', commit, '--'])).stdout.toString().trim().split('\n')
    // From there and not from the tips of the remote, of which it may not be a part any more.
    const { code, stderr } = await download(repository, remote, [`--depth=${commits}`], ...roots)
    if (code !== 0)
      throw new WorkspaceError(`The history of ${commit.slice(0, 7)} could not be fetched: ${lastWords(stderr)}`, 'Check the repository out again.')
    if (await isEnough()) return
  }
}

/** Whether `commit` is `tip` or an ancestor of it, as far as history is here. */
export async function isAncestor(repository: Repository, commit: string, tip: string): Promise<boolean> {
  // 128: one of them is not here at all.
  const { code } = await repository.git(['merge-base', '--is-ancestor', commit, tip], { accept: [0, 1, 128] })
  return code === 0
}

async function isHere({ git }: Repository, commit: string): Promise<boolean> {
  return (await git(['cat-file', '-e', `${commit}^{commit}`], { accept: [0, 1, 128] })).code === 0
}

async function fetch(repository: Repository, remote: Remote, source: Source, depth: readonly string[]): Promise<string> {
  const { code, stderr } = await download(repository, remote, depth, refOf(source))
  if (code !== 0) {
    const isGone = stderr.includes("couldn't find remote ref") && (await remoteTip(repository, remote, source)) === undefined
    throw isGone ? gone(remote, source) : unreachable(remote, source, stderr)
  }
  const [tip = ''] = (await readFile(join(repository.directory, 'FETCH_HEAD'), 'utf8')).split('\t')
  return tip
}

/** Fetches without tags and submodules; a refusal is an answer. */
function download(repository: Repository, remote: Remote, depth: readonly string[], ...wanted: readonly string[]): Promise<GitResult> {
  const args = ['--no-tags', '--no-recurse-submodules', ...depth, '--', remote.url, ...wanted]
  return patiently(() => repository.fetch(args, { ...authorized(remote), accept: [0, 128] }))
}

function refOf(source: Source): string {
  return typeof source === 'string' ? `refs/heads/${source}` : `refs/pull/${source.pull}/head`
}

/** A source as people call it. */
export function nameOf(source: Source): string {
  return typeof source === 'string' ? `The branch ${source}` : `The head of pull request #${source.pull}`
}

function gone(remote: Remote, source: Source): WorkspaceError {
  return new WorkspaceError(
    `${nameOf(source)} does not exist on ${remote.url}`,
    'It may have been deleted or renamed meanwhile. Restore it, or name another one (input base-branch).',
    'missing-branch',
  )
}

function unreachable(remote: Remote, source: Source, stderr: string): WorkspaceError {
  return new WorkspaceError(
    `${nameOf(source)} could not be fetched from ${remote.url}: ${lastWords(stderr)}`,
    'Check that the token given as github-token may read the repository (permission "contents: read").',
  )
}
