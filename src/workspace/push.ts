import { messageOf } from '../failure.ts'
import { lastWords } from './git.ts'
import { authorized } from './remote.ts'
import type { Repository } from './repository.ts'
import type { Pushed, Remote } from './types.ts'

/**
 * Pushes one commit to one branch, by address, without hooks, never by force, once. With `absent` the remote creates the branch or refuses, also when
 * somebody else creates it at the same moment (C109). A remote that says no, for whatever reason, is an answer in its own words (C110, C111).
 */
export async function pushCommit(repository: Repository, remote: Remote, commit: string, branch: string, expect: 'absent' | 'fast-forward'): Promise<Pushed> {
  const ref = `refs/heads/${branch}`
  const lease = expect === 'absent' ? [`--force-with-lease=${ref}:`] : []
  const args = ['push', '--porcelain', '--no-progress', '--no-verify', '--no-follow-tags', '--no-recurse-submodules', ...lease]
  try {
    const options = { ...authorized(remote), accept: [0, 1, 128] }
    const { code, stdout, stderr } = await repository.git([...args, '--', remote.url, `${commit}:${ref}`], options)
    if (code === 0) return { kind: 'pushed' }
    return answer(stdout.toString(), stderr)
  } catch (error) {
    return { kind: 'refused', reason: messageOf(error) }
  }
}

/** Reads the line `!\t<from>:<to>\t[rejected] (reason)` of `--porcelain` and what the remote said beside it. */
function answer(stdout: string, stderr: string): Pushed {
  const [, , summary = ''] = (stdout.split('\n').find((line) => line.startsWith('!\t')) ?? '').split('\t')
  const words = remoteWords(stderr)
  if (summary.startsWith('[rejected]') || /reference already exists|is at [0-9a-f]+ but expected/.test(`${summary}\n${words}`)) return { kind: 'taken' }
  const fatal = stderr.split('\n').find((line) => line.startsWith('fatal: '))
  const verdict = /^\[remote rejected\] \((.*)\)$/.exec(summary)?.[1] ?? (summary || fatal)
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
