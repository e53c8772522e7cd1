import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach } from 'vitest'

const closing: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Has something done after the test, the last that was asked for first. */
export function afterwards(close: () => Promise<void> | void): void {
  closing.push(close)
}

/** A temporary folder, by its real path, that is removed after the test. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'opencode-test-')))
  afterwards(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A signal that never fires. */
export const never = new AbortController().signal

/** Returns once a process is gone, or only a dead body that nobody collected. */
export async function gone(pid: number): Promise<void> {
  while (isRunning(pid)) await delay(10)
}

/** Whether a process is there and can still do something. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // One that ended but was not collected by its parent still counts for kill.
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
