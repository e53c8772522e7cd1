import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { accessSync, closeSync, constants, mkdirSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Failure, messageOf } from '../failure.ts'
import { limits } from '../limits.ts'
import { type Captured, capture } from './capture.ts'

/** A command that could not be started; one that ran and failed is a result. */
export class ShellError extends Failure {
  override readonly name = 'ShellError'
}

export interface ShellResult extends Captured {
  /** How the command came to its end. */
  readonly ended: 'exit' | 'timeout' | 'abort'
  /** Exit code, unless a signal ended the shell. */
  readonly code: number | undefined
  readonly signal: string | undefined
}

export interface Shell {
  /** The environment commands get; also what other programs of the tools are started with. */
  readonly env: Readonly<Record<string, string>>
  /**
   * Runs a command to the end of its shell, not of what it left in the background (C68). `timeout` in ms; `more` is laid over the environment.
   * Throws `ShellError` when it cannot start.
   */
  run(command: string, options: { cwd: string; timeout: number; signal: AbortSignal; more?: Readonly<Record<string, string>> }): Promise<ShellResult>
  /** Ends everything that commands of this run left behind. */
  close(): Promise<void>
}

/** Linux takes 128 KiB in one argument (C43); longer commands travel in a file. */
const maxArgument = 100_000
/** What a pipe can hold when the shell exits, with room to spare; a chatty child left behind must not keep us reading. */
const maxDrain = 256 * 1024
const pollEvery = 50

/** Runs commands with `bash` (or `sh`), each in a process group of its own, with the given environment and no standard input. `folder` holds outputs too large for memory. */
export function openShell(options: { env: Readonly<Record<string, string>>; folder: string }): Shell {
  const { env, folder } = options
  const program = bashIn(env.PATH ?? '') ?? 'sh'
  const groups = new Set<number>()
  const readers = new Set<Socket>()
  let closed = false

  return {
    env,
    async run(command, { cwd, timeout, signal, more = {} }) {
      if (closed) throw new ShellError('The shell is closed: the run is ending.', 'Run no more commands.')
      if (command.includes('\0')) throw new ShellError('The command holds a NUL character.', 'Write it again without one.')
      if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) throw new ShellError(`${cwd} is not a folder.`, 'Give `workdir` an existing folder.')
      mkdirSync(folder, { recursive: true })
      const id = randomUUID()
      const script = Buffer.byteLength(command) > maxArgument ? join(folder, `command_${id}.sh`) : undefined
      if (script) writeFileSync(script, command, { mode: 0o600 })
      const pipe = await openPipe(join(folder, `pipe_${id}`), env)
      const output = capture(join(folder, `shell_${id}.txt`))
      const reader = new Socket({ fd: pipe.read, readable: true, writable: false })
      reader.on('error', () => reader.destroy())
      reader.on('close', () => readers.delete(reader))
      reader.on('data', output.add)
      readers.add(reader)
      try {
        const child = start(program, script ? [script] : ['-c', command], { cwd, env: { ...env, ...more }, output: pipe.write })
        // Noted from the start: a run that is cut off must end this one too.
        if (child.pid !== undefined) groups.add(child.pid)
        const end = await endOf(child, timeout, signal)
        drain(reader, pipe.read, output.add)
        letItTalk(reader)
        return { ...end, ...output.finish() }
      } catch (error) {
        reader.destroy()
        throw error
      } finally {
        if (script) rmSync(script, { force: true })
        for (const group of groups) if (!isAlive(group)) groups.delete(group)
      }
    },
    async close() {
      closed = true
      await Promise.all([...groups].map((group) => endGroup(group)))
      for (const reader of readers) reader.destroy()
    },
  }
}

function bashIn(path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, 'bash'))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/**
 * A named pipe for both output streams. Node's own stdio pipes are sockets: commands cannot open `/dev/stderr` on those, and two of
 * them lose the order of what was printed.
 */
async function openPipe(path: string, env: Readonly<Record<string, string>>): Promise<{ read: number; write: number }> {
  try {
    await promisify(execFile)('mkfifo', ['-m', '600', path], { env })
    // The reader first and without blocking: the writer's open then finds it there.
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const write = openSync(path, constants.O_WRONLY)
    return { read, write }
  } catch (error) {
    throw new ShellError(
      `Cannot set up a pipe for the command's output: ${messageOf(error)}.`,
      'Commands need a Unix system with mkfifo and a writable temporary folder.',
      { cause: error },
    )
  } finally {
    rmSync(path, { force: true })
  }
}

function start(program: string, args: string[], { cwd, env, output }: { cwd: string; env: Readonly<Record<string, string>>; output: number }): ChildProcess {
  try {
    return spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', output, output] })
  } catch (error) {
    throw new ShellError(`Cannot start the shell: ${messageOf(error)}.`, 'Is bash or sh on the PATH?', { cause: error })
  } finally {
    // Ours would keep the pipe open for ever.
    closeSync(output)
  }
}

/** Waits for the shell; on timeout or abort also for its whole group (C70). */
async function endOf(child: ChildProcess, timeout: number, signal: AbortSignal): Promise<Pick<ShellResult, 'ended' | 'code' | 'signal'>> {
  let ended: ShellResult['ended'] = 'exit'
  let killing: Promise<void> | undefined
  const stop = (why: 'timeout' | 'abort') => {
    if (killing || child.pid === undefined) return
    ended = why
    killing = endGroup(child.pid)
  }
  const onAbort = () => stop('abort')
  const timer = setTimeout(() => stop('timeout'), timeout)
  signal.addEventListener('abort', onAbort)
  try {
    const end = new Promise<{ code: number | undefined; signal: string | undefined }>((resolve, reject) => {
      child.once('exit', (code, by) => resolve({ code: code ?? undefined, signal: by ?? undefined }))
      child.once('error', (error) => reject(new ShellError(`Cannot start the shell: ${messageOf(error)}.`, 'Is bash or sh on the PATH?', { cause: error })))
    })
    if (signal.aborted) onAbort()
    const result = await end
    await killing
    return { ended, ...result }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
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

/** Takes what the shell printed before it exited and no more: the pipe may stay open for ever (C68). */
function drain(reader: Socket, fd: number, add: (chunk: Buffer) => void): void {
  reader.removeAllListeners('data')
  reader.pause()
  for (let chunk: Buffer | null = reader.read(); chunk !== null; chunk = reader.read()) add(chunk)
  if (reader.destroyed || reader.readableEnded) return
  const buffer = Buffer.alloc(65_536)
  for (let total = 0; total < maxDrain; ) {
    const size = readNow(fd, buffer)
    if (size === 0) return
    add(Buffer.from(buffer.subarray(0, size)))
    total += size
  }
}

function readNow(fd: number, buffer: Buffer): number {
  try {
    return readSync(fd, buffer, 0, buffer.length, null)
  } catch {
    // EAGAIN: nothing there now.
    return 0
  }
}

/** A server left in the background may go on printing; with nobody reading it would die of a broken pipe. */
function letItTalk(reader: Socket): void {
  reader.on('data', () => undefined)
  reader.resume()
  reader.unref()
}
