import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WorkspaceError } from './errors.ts'
import { type GitOptions, lastWords } from './git.ts'
import type { Repository } from './repository.ts'
import type { Remote } from './types.ts'

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

/**
 * The commit a branch of the remote points to, fetched if it isn't here yet. A full history stays full; a shallow one stays as deep as it is (C104).
 * `head` is the commit that is checked out. Throws `WorkspaceError` when the branch is gone or the remote refuses.
 */
export async function fetchTip(repository: Repository, remote: Remote, branch: string, head: string | undefined): Promise<string> {
  const ref = `refs/heads/${branch}`
  if (!(await repository.shallow())) return fetch(repository, remote, ref, [])
  // A fetch with a depth always downloads; the common case is that the tip is checked out already.
  const listed = await repository.git(['ls-remote', '--exit-code', '--', remote.url, ref], { ...authorized(remote), accept: [0, 2, 128] })
  if (listed.code === 128) throw unreachable(remote, branch, listed.stderr)
  const line = listed.stdout
    .toString()
    .split('\n')
    .find((entry) => entry.endsWith(`\t${ref}`))
  if (line === undefined) throw gone(remote, branch)
  const tip = line.slice(0, line.indexOf('\t'))
  if (tip === head) return tip
  const depth = head === undefined ? '1' : (await repository.git(['rev-list', '--count', '--first-parent', head])).stdout.toString().trim()
  return fetch(repository, remote, ref, [`--depth=${depth}`])
}

async function fetch(repository: Repository, remote: Remote, ref: string, depth: readonly string[]): Promise<string> {
  const args = ['--no-tags', '--no-recurse-submodules', ...depth, '--', remote.url, ref]
  const { code, stderr } = await repository.fetch(args, { ...authorized(remote), accept: [0, 128] })
  const branch = ref.slice('refs/heads/'.length)
  if (code !== 0) throw stderr.includes("couldn't find remote ref") ? gone(remote, branch) : unreachable(remote, branch, stderr)
  const [tip = ''] = (await readFile(join(repository.directory, 'FETCH_HEAD'), 'utf8')).split('\t')
  return tip
}

function gone(remote: Remote, branch: string): WorkspaceError {
  return new WorkspaceError(
    `The branch ${branch} does not exist on ${remote.url}`,
    'It may have been deleted or renamed meanwhile. Restore it, or name another one (input base-branch).',
    'missing-branch',
  )
}

function unreachable(remote: Remote, branch: string, stderr: string): WorkspaceError {
  return new WorkspaceError(
    `The branch ${branch} could not be fetched from ${remote.url}: ${lastWords(stderr)}`,
    'Check that the token given as github-token may read the repository (permission "contents: read").',
  )
}
