import { spawn } from 'node:child_process'
import { devNull } from 'node:os'
import { LocalError } from './errors.ts'

export type Env = Readonly<Record<string, string | undefined>>

export interface Finished {
  /** Exit status; null when a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  readonly cwd: string
  readonly env: Env
  /** On abort the process gets SIGINT, SIGTERM after 7.5 s, and SIGKILL 2.5 s later, as the runner does when a job is cancelled. */
  readonly signal?: AbortSignal
  /** Hears every chunk of standard output and standard error as it comes. */
  readonly onOutput?: (text: string) => void
  /** What the program reads on standard input; nothing unless told otherwise. */
  readonly input?: Buffer | string
  /** Is handed the way to signal the program, once it runs. The promise resolves when it has ended. */
  readonly onStart?: (signal: (name: NodeJS.Signals) => Promise<void>) => void
}

/** Runs a program to its end. Never blocks the event loop: a server in this process may have to answer it meanwhile. Throws `LocalError` when it can't be started. */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: options.cwd, env: { ...options.env }, stdio: 'pipe' })
    // A program that ends before it has read everything is no fault of ours.
    child.stdin.on('error', () => {})
    child.stdin.end(options.input)
    const out: Buffer[] = []
    const err: Buffer[] = []
    const timers: NodeJS.Timeout[] = []
    const cancel = () => {
      child.kill('SIGINT')
      timers.push(
        setTimeout(() => child.kill('SIGTERM'), 7_500),
        setTimeout(() => child.kill('SIGKILL'), 10_000),
      )
    }
    const settle = () => {
      for (const timer of timers) clearTimeout(timer)
      options.signal?.removeEventListener('abort', cancel)
    }
    options.signal?.addEventListener('abort', cancel, { once: true })
    if (options.signal?.aborted === true) cancel()

    const ended = new Promise<void>((done) => child.once('exit', () => done()))
    options.onStart?.((name) => {
      child.kill(name)
      return ended
    })
    // What it started may hold its output open for ever; the runner does not wait for that either.
    child.once('exit', (_, signal) => {
      if (signal !== 'SIGKILL') return
      child.stdout.destroy()
      child.stderr.destroy()
    })

    const hear = (into: Buffer[]) => (chunk: Buffer) => {
      into.push(chunk)
      options.onOutput?.(chunk.toString('utf8'))
    }
    child.stdout.on('data', hear(out))
    child.stderr.on('data', hear(err))
    child.on('error', (error) => {
      settle()
      reject(new LocalError(`${command} could not be started: ${error.message}.`, `Check that ${command} is installed and on the path.`, { cause: error }))
    })
    child.on('close', (code) => {
      settle()
      resolve({ code, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') })
    })
  })
}

/** An environment in which git reads nobody's settings, asks nothing and commits under a fixed name. */
export function gitEnv(env: Env): Record<string, string> {
  return {
    PATH: env.PATH ?? '',
    ...(env.SystemRoot === undefined ? {} : { SystemRoot: env.SystemRoot }),
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_AUTHOR_NAME: 'Alice',
    GIT_AUTHOR_EMAIL: 'alice@example.com',
    GIT_COMMITTER_NAME: 'Alice',
    GIT_COMMITTER_EMAIL: 'alice@example.com',
  }
}

/** Runs git and returns what it printed. Throws `LocalError` with git's own words when it fails. */
export const git = (cwd: string, env: Env, args: readonly string[]): Promise<string> => gitWith(cwd, env, args)

/** Runs git with something to read and further variables; returns what it printed. Throws `LocalError` as `git` does. */
export async function gitWith(
  cwd: string,
  env: Env,
  args: readonly string[],
  { input, extra }: { input?: Buffer | string; extra?: Env } = {},
): Promise<string> {
  const done = await run('git', args, { cwd, env: { ...gitEnv(env), ...extra }, ...(input === undefined ? {} : { input }) })
  if (done.code === 0) return done.stdout
  throw new LocalError(`git ${args[0]} failed: ${done.stderr.trim() || `exit status ${done.code}`}`, 'Look at what git said.')
}

/** Like `git`, for questions whose answer may be no: undefined when git fails. */
export async function askGit(cwd: string, env: Env, args: readonly string[]): Promise<string | undefined> {
  const done = await run('git', args, { cwd, env: gitEnv(env) })
  return done.code === 0 ? done.stdout : undefined
}
