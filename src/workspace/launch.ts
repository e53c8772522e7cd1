import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../failure.ts'
import { limits } from '../limits.ts'
import { ShellError } from './shell-error.ts'

/** What is to be started. */
export interface Order {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** The named pipe both output streams go to, and our own end of it to write to, which stays ours. */
  readonly output: { readonly path: string; readonly fd: number }
}

/** A command under way. */
export interface Running {
  /** Its shell's end, not that of what it left in the background. Throws `ShellError` when it could not start. */
  readonly ended: Promise<{ readonly code: number | undefined; readonly signal: string | undefined }>
  /** TERM to all it started, KILL after the grace time. */
  stop(): Promise<void>
}

/** Starts commands, each in a process group of its own, and ends what they leave behind. */
export interface Launcher {
  /** Throws `ShellError` when it can't start. */
  start(order: Order): Promise<Running>
  close(): Promise<void>
}

const pollEvery = 50

/** Starts commands as children of this process. */
export function directLauncher(): Launcher {
  const groups = new Set<number>()
  return {
    async start({ program, args, cwd, env, output }) {
      const child = start(program, args, cwd, env, output.fd)
      const { pid } = child
      // Noted from the start: a run that is cut off must end this one too.
      if (pid !== undefined) groups.add(pid)
      const ended = new Promise<{ code: number | undefined; signal: string | undefined }>((resolve, reject) => {
        child.once('exit', (code, by) => {
          for (const group of groups) if (!isAlive(group)) groups.delete(group)
          resolve({ code: code ?? undefined, signal: by ?? undefined })
        })
        child.once('error', (error) => reject(cannotStart(error)))
      })
      return { ended, stop: async () => (pid === undefined ? undefined : endGroup(pid)) }
    },
    async close() {
      await Promise.all([...groups].map((group) => endGroup(group)))
    },
  }
}

function start(program: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>>, output: number): ChildProcess {
  try {
    return spawn(program, [...args], { cwd, env, detached: true, stdio: ['ignore', output, output] })
  } catch (error) {
    throw cannotStart(error)
  }
}

function cannotStart(error: unknown): ShellError {
  return new ShellError(`Cannot start the shell: ${messageOf(error)}.`, 'Is bash or sh on the PATH?', { cause: error })
}

/** TERM to a process group, KILL after the grace time in ms (C70). */
export async function endGroup(pid: number, grace: number = limits.shellKillAfter): Promise<void> {
  send(pid, 'SIGTERM')
  for (let waited = 0; waited < grace; waited += pollEvery) {
    await delay(pollEvery)
    if (!isAlive(pid)) return
  }
  send(pid, 'SIGKILL')
}

function send(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal)
  } catch {
    // Gone already, or owned by somebody else: there is nothing more we could do.
  }
}

function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
