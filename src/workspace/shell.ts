import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { accessSync, closeSync, constants, mkdirSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { messageOf } from '../failure.ts'
import { type Captured, capture } from './capture.ts'
import { directLauncher, type Launcher, type Running } from './launch.ts'
import { trustedPath } from './programs.ts'
import { ShellError } from './shell-error.ts'

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

interface ShellOptions {
  readonly env: Readonly<Record<string, string>>
  /** Holds outputs too large for memory. */
  readonly folder: string
  /** What starts the commands; children of this process by default. */
  readonly launcher?: Launcher
}

/** Runs commands with `bash` (or `sh`), each in a process group of its own, with the given environment and no standard input. */
export function openShell({ env, folder, launcher = directLauncher() }: ShellOptions): Shell {
  const program = bashIn(env.PATH ?? '') ?? 'sh'
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
        const args = script ? [script] : ['-c', command]
        const running = await launcher.start({ program, args, cwd, env: { ...env, ...more }, output: { path: pipe.path, fd: pipe.write } })
        const end = await endOf(running, timeout, signal)
        drain(reader, pipe.read, output.add)
        letItTalk(reader)
        return { ...end, ...output.finish() }
      } catch (error) {
        reader.destroy()
        throw error
      } finally {
        closeSync(pipe.write)
        rmSync(pipe.path, { force: true })
        if (script) rmSync(script, { force: true })
      }
    },
    async close() {
      closed = true
      await launcher.close()
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
async function openPipe(path: string, env: Readonly<Record<string, string>>): Promise<{ path: string; read: number; write: number }> {
  try {
    await promisify(execFile)('mkfifo', ['-m', '600', path], { env: { ...env, PATH: trustedPath(env) } })
    // The reader first and without blocking: the writer's open then finds it there.
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const write = openSync(path, constants.O_WRONLY)
    return { path, read, write }
  } catch (error) {
    rmSync(path, { force: true })
    throw new ShellError(
      `Cannot set up a pipe for the command's output: ${messageOf(error)}.`,
      'Commands need a Unix system with mkfifo and a writable temporary folder.',
      { cause: error },
    )
  }
}

/** Waits for the shell; on timeout or abort also for its whole group (C70). */
async function endOf(running: Running, timeout: number, signal: AbortSignal): Promise<Pick<ShellResult, 'ended' | 'code' | 'signal'>> {
  let ended: ShellResult['ended'] = 'exit'
  let stopping: Promise<void> | undefined
  const stop = (why: 'timeout' | 'abort') => {
    if (stopping) return
    ended = why
    stopping = running.stop()
  }
  const onAbort = () => stop('abort')
  const timer = setTimeout(() => stop('timeout'), timeout)
  signal.addEventListener('abort', onAbort)
  try {
    if (signal.aborted) onAbort()
    const result = await running.ended
    await stopping
    return { ended, ...result }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
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
