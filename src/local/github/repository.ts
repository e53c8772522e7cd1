import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { askGit, type Env, git } from '../process.ts'
import type { PullState, State } from './state.ts'

/** What GitHub reads out of the git repositories themselves. */

export interface Diff {
  readonly baseSha: string
  readonly headSha: string
  readonly commits: number
  readonly additions: number
  readonly deletions: number
  readonly files: readonly DiffFile[]
}

export interface DiffFile {
  readonly path: string
  readonly additions: number
  readonly deletions: number
  readonly change: 'ADDED' | 'CHANGED' | 'COPIED' | 'DELETED' | 'MODIFIED' | 'RENAMED'
}

export interface Repositories {
  /** Commit at the tip of a branch of `owner/name`; undefined when there is no such branch or repository. */
  tip(repository: string, branch: string): Promise<string | undefined>
  /** Commits that `head` has and `base` has not. */
  ahead(base: string, head: string): Promise<number>
  /** A pull request's commits and files as they are now. */
  diff(pull: PullState): Promise<Diff>
  /** Notes where the heads of all pull requests are and publishes them as `refs/pull/N/head`, fetching from forks. */
  refresh(): Promise<void>
}

const changes = { A: 'ADDED', C: 'COPIED', D: 'DELETED', M: 'MODIFIED', R: 'RENAMED', T: 'CHANGED' } as const
const changeOf = (letter: string): DiffFile['change'] => {
  for (const [key, name] of Object.entries(changes)) if (key === letter) return name
  return 'CHANGED'
}

/** Path of a bare repository below the root. */
export const barePath = (root: string, repository: string): string => join(root, `${repository.toLowerCase()}.git`)

/** Answers questions about the bare repositories under a folder. */
export function openRepositories(root: string, env: Env, state: State): Repositories {
  const own = `${state.owner}/${state.repo}`
  const main = barePath(root, own)
  const known = new Map<string, Diff>()

  const tip = async (repository: string, branch: string): Promise<string | undefined> => {
    const path = barePath(root, repository)
    if (!existsSync(path)) return undefined
    return (await askGit(path, env, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`]))?.trim()
  }
  const count = async (range: string) => Number(await git(main, env, ['rev-list', '--count', range]))

  return {
    tip,
    ahead: (base, head) => count(`${base}..${head}`),
    async diff(pull) {
      const baseSha = (await tip(own, pull.base)) ?? pull.headSha
      const headSha = pull.headSha
      const key = `${baseSha} ${headSha}`
      const cached = known.get(key)
      if (cached !== undefined) return cached
      const files = await changedFiles(main, env, baseSha, headSha)
      const total = (pick: (file: DiffFile) => number) => files.reduce((sum, file) => sum + pick(file), 0)
      const made: Diff = {
        baseSha,
        headSha,
        commits: await count(`${baseSha}..${headSha}`),
        additions: total((file) => file.additions),
        deletions: total((file) => file.deletions),
        files,
      }
      known.set(key, made)
      return made
    },
    async refresh() {
      for (const { number, pull } of state.threads.values()) {
        if (pull === undefined || pull.merged || pull.headRepository === null) continue
        const sha = await tip(pull.headRepository, pull.head)
        if (sha === undefined) continue
        if (pull.headRepository.toLowerCase() !== own.toLowerCase())
          await git(main, env, ['fetch', '--quiet', barePath(root, pull.headRepository), `refs/heads/${pull.head}`])
        await git(main, env, ['update-ref', `refs/pull/${number}/head`, sha])
        pull.headSha = sha
      }
    },
  }
}

async function changedFiles(path: string, env: Env, base: string, head: string): Promise<DiffFile[]> {
  const range = ['--no-renames', '-z', `${base}...${head}`]
  const states = (await git(path, env, ['diff', '--name-status', ...range])).split('\0')
  const letters = new Map<string, string>()
  for (let index = 0; index + 1 < states.length; index += 2) letters.set(states[index + 1] ?? '', states[index] ?? '')
  const rows = (await git(path, env, ['diff', '--numstat', ...range])).split('\0').filter((row) => row !== '')
  return rows.map((row) => {
    const [added = '', deleted = '', ...name] = row.split('\t')
    const file = name.join('\t')
    // Binary files count as no lines, written "-".
    return { path: file, additions: Number(added) || 0, deletions: Number(deleted) || 0, change: changeOf(letters.get(file) ?? '') }
  })
}
