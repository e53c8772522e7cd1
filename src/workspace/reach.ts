import { setTimeout as sleep } from 'node:timers/promises'
import type { GitResult } from './git.ts'

/** Pauses before a server that was not reached is asked again, in seconds. */
export const pauses = [1, 3]

const notReached = [
  /(?:error: |HTTP |\()5\d\d\b/i,
  /could not resolve host|failed to connect|couldn't connect|connection (?:was )?(?:reset|refused|timed out)|operation timed out|did not end within/i,
  /empty reply from server|the remote end hung up|unexpected disconnect|early eof|transfer closed|SSL_ERROR_SYSCALL/i,
]

/** Whether git, curl or GitHub say that the server could not be reached, failed, or broke off: nothing that was asked is at fault. */
export function wasNotReached(words: string): boolean {
  return notReached.some((wording) => wording.test(words))
}

/**
 * Whether git may have misread an answer of which only the beginning arrived: it takes the server for a plain one then, asks it for files by other names,
 * and is told that it needs a login, or finds nothing. A token that was refused leads to the same words.
 */
export function mayBeMisread(words: string): boolean {
  return /could not read Username|git-http-push failed/.test(words)
}

/** Asks a remote for something, and again after a pause where it was not reached. For reading alone: a push may have arrived (C125). */
export async function patiently(ask: () => Promise<GitResult>): Promise<GitResult> {
  for (const pause of pauses) {
    const result = await ask()
    if (result.code === 0 || !(wasNotReached(result.stderr) || mayBeMisread(result.stderr))) return result
    await sleep(pause * 1_000)
  }
  return ask()
}
