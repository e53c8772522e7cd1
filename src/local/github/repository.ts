import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { askGit, type Env, git } from '../process.ts'
import { changedFiles, type DiffFile } from './diff.ts'
import { follow } from './patch.ts'
import type { PullState, State } from './state.ts'

/** What GitHub reads out of the git repositories themselves. */

export interface Diff {
  readonly baseSha: string
  readonly headSha: string
  readonly commits: number
  /** Oldest first. */
  readonly commitIds: readonly string[]
  readonly additions: number
  readonly deletions: number
  readonly files: readonly DiffFile[]
}

export interface Repositories {
  readonly env: Env
  /** `owner/name` of the repository itself. */
  readonly own: string
  /** Folder of a bare repository, there or not. */
  path(repository: string): string
  exists(repository: string): boolean
  /** Commit at the tip of a branch of `owner/name`; undefined when there is no such branch or repository. */
  tip(repository: string, branch: string): Promise<string | undefined>
  /** The commit a name stands for in a repository; undefined when there is none. */
  commit(repository: string, name: string): Promise<string | undefined>
  /** Commits that `head` has and `base` has not. */
  ahead(base: string, head: string): Promise<number>
  /** A pull request's commits and files as they are now, or as they were when it was closed. */
  diff(pull: PullState): Promise<Diff>
  /** The files between two commits of the repository, counted from where they parted. */
  between(base: string, head: string): Promise<readonly DiffFile[]>
  /** Notes where the heads of all open pull requests are, publishes them as `refs/pull/N/head` and moves the remarks on their diffs. */
  refresh(): Promise<void>
}

/** Path of a bare repository below the root. */
export const barePath = (root: string, repository: string): string => join(root, `${repository.toLowerCase()}.git`)

/** Answers questions about the bare repositories under a folder. */
export function openRepositories(root: string, env: Env, state: State): Repositories {
  const own = `${state.owner}/${state.repo}`
  const main = barePath(root, own)
  const known = new Map<string, Diff>()
  const ranges = new Map<string, readonly DiffFile[]>()

  const commit = async (repository: string, name: string): Promise<string | undefined> => {
    const path = barePath(root, repository)
    if (!existsSync(path)) return undefined
    return (await askGit(path, env, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]))?.trim()
  }
  const tip = (repository: string, branch: string) => commit(repository, `refs/heads/${branch}`)
  const between = async (base: string, head: string) => {
    const range = `${base}...${head}`
    const files = ranges.get(range) ?? (await changedFiles(main, env, range))
    ranges.set(range, files)
    return files
  }

  return {
    env,
    own,
    path: (repository) => barePath(root, repository),
    exists: (repository) => existsSync(barePath(root, repository)),
    tip,
    commit,
    ahead: async (base, head) => Number(await git(main, env, ['rev-list', '--count', `${base}..${head}`])),
    between,
    async diff(pull) {
      const baseSha = pull.closedBase ?? (await tip(own, pull.base)) ?? pull.headSha
      const headSha = pull.headSha
      const key = `${baseSha} ${headSha}`
      const cached = known.get(key)
      if (cached !== undefined) return cached
      const files = await between(baseSha, headSha)
      const total = (pick: (file: DiffFile) => number) => files.reduce((sum, file) => sum + pick(file), 0)
      const commitIds = (await git(main, env, ['rev-list', '--reverse', `${baseSha}..${headSha}`])).split('\n').filter((sha) => sha !== '')
      const made: Diff = {
        baseSha,
        headSha,
        commits: commitIds.length,
        commitIds,
        additions: total((file) => file.additions),
        deletions: total((file) => file.deletions),
        files,
      }
      known.set(key, made)
      return made
    },
    async refresh() {
      for (const { number, pull, closedAt } of state.threads.values()) {
        if (pull === undefined || closedAt !== null || pull.headRepository === null) continue
        const sha = await tip(pull.headRepository, pull.head)
        if (sha === undefined) continue
        const published = await commit(own, `refs/pull/${number}/head`)
        if (published !== sha) {
          await publish(main, env, barePath(root, pull.headRepository), { number, branch: pull.head, sha })
          const base = await tip(own, pull.base)
          if (base !== undefined) await publishMerge(main, env, number, base, sha)
        }
        const moved = pull.headSha !== sha
        pull.headSha = sha
        if (moved) await moveRemarks(main, env, pull)
      }
    },
  }
}

/** Fetches a head and sets `refs/pull/N/head`. */
async function publish(main: string, env: Env, source: string, head: { number: number; branch: string; sha: string }): Promise<void> {
  if (source !== main) await git(main, env, ['fetch', '--quiet', source, `refs/heads/${head.branch}`])
  await git(main, env, ['update-ref', `refs/pull/${head.number}/head`, head.sha])
}

/** Sets `refs/pull/N/merge`, which jobs of pull request events check out; takes it away when the two conflict. */
async function publishMerge(main: string, env: Env, number: number, base: string, head: string): Promise<void> {
  const tree = await mergedTree(main, env, base, head)
  const ref = `refs/pull/${number}/merge`
  if (tree === undefined) return void (await git(main, env, ['update-ref', '-d', ref]))
  const commit = await git(main, env, ['commit-tree', tree, '-p', base, '-p', head, '-m', `Merge ${head} into ${base}`])
  await git(main, env, ['update-ref', ref, commit.trim()])
}

/** Says of every remark where its line is in the new head, or that it is gone. Lines of the old side don't move with the head. */
async function moveRemarks(main: string, env: Env, pull: PullState): Promise<void> {
  for (const remark of pull.remarks) {
    if (remark.side === 'LEFT') continue
    const change = await askGit(main, env, ['diff', '-U0', '--no-color', remark.originalCommit, pull.headSha, '--', `:(literal)${remark.path}`])
    const line = change === undefined ? null : follow(change, remark.originalLine)
    const start = change === undefined || remark.originalStartLine === null ? null : follow(change, remark.originalStartLine)
    const kept = line !== null && (remark.originalStartLine === null || start !== null)
    remark.line = kept ? line : null
    remark.startLine = kept ? start : null
    remark.position = kept ? remark.originalPosition : null
  }
}

/** Merges two commits without a checkout; undefined when they conflict. Returns the tree. */
export async function mergedTree(path: string, env: Env, base: string, head: string): Promise<string | undefined> {
  return (await askGit(path, env, ['merge-tree', '--write-tree', base, head]))?.trim().split('\n')[0]
}
