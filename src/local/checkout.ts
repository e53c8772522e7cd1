import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { EmulatedGitHub } from './github/github.ts'
import { type Env, git } from './process.ts'

/** Clones as actions/checkout makes them, and commits as somebody else does. */

export interface CheckoutOptions {
  /** Branch, commit, or a full name such as `refs/pull/7/merge`; the default branch unless told otherwise. */
  readonly ref?: string
  /** Commits of history, 1 as in actions/checkout; `full` for all of it. */
  readonly depth?: number | 'full'
  /** Folder of the workspace, for a second runner beside the first. */
  readonly at?: string
  /** Leaves the token in the clone's configuration, as actions/checkout does by default. */
  readonly persistCredentials?: boolean
}

/** Content by path; a null removes the file. */
export type Files = Readonly<Record<string, string | Buffer | null>>

/** Makes a repository of files and pushes it as the remote's first commit. */
export async function plant(clone: string, github: EmulatedGitHub, env: Env, files: Files): Promise<void> {
  await mkdir(clone, { recursive: true })
  await git(clone, env, ['init', '--quiet', `--initial-branch=${github.state.defaultBranch}`])
  await commitFiles(clone, env, files, 'Start')
  await git(clone, env, ['push', '--quiet', github.bare, 'HEAD'])
}

export async function commitFiles(clone: string, env: Env, files: Files, message: string): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(clone, name)
    if (content === null) await rm(path)
    else {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
  }
  await git(clone, env, ['add', '--all'])
  await git(clone, env, ['commit', '--quiet', '--message', message])
}

/** The same steps as actions/checkout: init, fetch one ref by an extra header, check the branch out. */
export async function cloneInto(path: string, github: EmulatedGitHub, env: Env, options: Required<Omit<CheckoutOptions, 'at'>>): Promise<void> {
  const { state, url } = github
  const key = `http.${url}/.extraheader`
  const header = `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${state.token}`).toString('base64')}`
  const { ref, depth } = options
  const remote = ref.replace(/^refs\//, 'refs/remotes/')
  const isCommit = /^[0-9a-f]{40}$/.test(ref)
  const isFull = ref.startsWith('refs/')
  await git(path, env, ['init', '--quiet', `--initial-branch=${state.defaultBranch}`])
  await git(path, env, ['remote', 'add', 'origin', `${url}/${state.owner}/${state.repo}`])
  await git(path, env, ['config', '--local', 'gc.auto', '0'])
  await git(path, env, ['config', '--local', key, header])
  const one = isCommit ? ref : isFull ? `+${ref}:${remote}` : `+refs/heads/${ref}:refs/remotes/origin/${ref}`
  const spec = depth === 'full' ? ['+refs/heads/*:refs/remotes/origin/*', ...(isFull ? [one] : [])] : [one]
  await git(path, env, ['fetch', '--quiet', '--no-tags', ...(depth === 'full' ? [] : [`--depth=${depth}`]), 'origin', ...spec])
  const detached = isCommit || isFull
  await git(
    path,
    env,
    detached ? ['checkout', '--quiet', '--detach', isCommit ? ref : remote] : ['checkout', '--quiet', '-B', ref, `refs/remotes/origin/${ref}`],
  )
  if (!options.persistCredentials) await git(path, env, ['config', '--local', '--unset-all', key])
}
