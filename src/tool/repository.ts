import { spawn } from 'node:child_process'
import { basename, dirname } from 'node:path'
import { messageOf } from '../failure.ts'
import { limits } from '../limits.ts'
import type { Files } from '../workspace/files.ts'
import { ToolError } from './errors.ts'

/** A file or folder to search, as git is asked about it. */
export interface Place {
  readonly real: string
  readonly isFile: boolean
  /** Where git runs, and the path from there. */
  readonly cwd: string
  readonly path: string
  /** Ignored by git but named outright, so its ignored files count (C76). */
  readonly ignored: boolean
  /** Outside the workspace: a folder of saved outputs, no repository. */
  readonly extra: boolean
}

export interface GitAnswer {
  readonly code: number
  readonly errors: string
}

/** Searches the workspace through git: nothing to install, and what is ignored is known. */
export interface Repository {
  place(path: string, signal: AbortSignal): Promise<Place>
  /** Files of a place that git tracks or does not ignore, as paths from the workspace root, sorted. Some may be deleted on disk. */
  list(place: Place, signal: AbortSignal): Promise<readonly string[]>
  /** Runs git in a place and hands its output over piece by piece until `take` says no. */
  run(args: readonly string[], cwd: string, signal: AbortSignal, take: (chunk: Buffer) => boolean): Promise<GitAnswer>
}

/** Longest argument handed to git (Linux takes 128 KiB in one, C43). */
const maxArgument = 100_000

/** Settings that keep the user's and the repository's own configuration from running programs or changing output. */
const settings = [
  'core.fsmonitor=false',
  'core.quotePath=false',
  'core.excludesFile=',
  'safe.directory=*',
  'submodule.recurse=false',
  'grep.fallbackToNoIndex=false',
]

/** `env` is what tools may know of the environment; the user's git configuration is left out of it. */
export function repositoryOf(files: Files, env: Readonly<Record<string, string>>): Repository {
  const environment = {
    ...env,
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
  }

  const run: Repository['run'] = async (args, cwd, signal, take) => {
    if (args.some((arg) => arg.includes('\0') || Buffer.byteLength(arg) > maxArgument)) {
      throw new ToolError('A pattern or path is too long or holds a NUL character.', 'Use a shorter one.')
    }
    const all = ['--no-pager', ...settings.flatMap((setting) => ['-c', setting]), ...args]
    const stop = AbortSignal.any([signal, AbortSignal.timeout(limits.gitTimeout)])
    return await new Promise<GitAnswer>((resolve, reject) => {
      const child = spawn('git', all, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'], signal: stop })
      let errors = ''
      let enough = false
      child.stdout.on('data', (chunk: Buffer) => {
        if (enough || take(chunk)) return
        enough = true
        child.kill()
      })
      child.stderr.on('data', (chunk: Buffer) => {
        if (errors.length < limits.lineChars) errors += chunk.toString('utf8')
      })
      child.once('error', (error) => reject(new ToolError(`The search could not be done: ${messageOf(error)}.`, 'Search with bash instead.', { cause: error })))
      child.once('close', (code) => resolve({ code: enough ? 0 : (code ?? 128), errors: errors.trim() }))
    })
  }

  const ask = async (args: readonly string[], signal: AbortSignal): Promise<GitAnswer & { output: Buffer }> => {
    const chunks: Buffer[] = []
    const answer = await run(args, files.root, signal, (chunk) => chunks.push(chunk) > 0)
    if (answer.code > 1) throw gitError(answer, files)
    return { ...answer, output: Buffer.concat(chunks) }
  }

  return {
    run,
    async place(path, signal) {
      const real = files.locate(path, 'read')
      const kind = files.kind(real)
      if (!kind) throw new ToolError(`There is no ${files.show(real)}.`, 'Look for it with list or glob.')
      const isFile = kind !== 'folder'
      if (files.isExtra(real)) return { real, isFile, cwd: isFile ? dirname(real) : real, path: isFile ? basename(real) : '.', ignored: true, extra: true }
      const inRoot = files.inRoot(real)
      const ignored = inRoot !== '' && (await run(['check-ignore', '-q', '--', `./${inRoot}`], files.root, signal, () => true)).code === 0
      return { real, isFile, cwd: files.root, path: inRoot || '.', ignored, extra: false }
    },
    async list({ path, ignored, extra, real }, signal) {
      if (extra) throw new ToolError(`${real} holds saved outputs, not files of the repository.`, 'Use read on the folder, or grep in it.')
      const { output } = await ask(
        ['--literal-pathspecs', 'ls-files', '-z', '--cached', '--others', ...(ignored ? [] : ['--exclude-standard']), '--', path],
        signal,
      )
      return [...new Set(output.toString('utf8').split('\0'))].filter((name) => name !== '').sort()
    },
  }
}

/** Git's refusal in words for the model. */
export function gitError({ errors }: GitAnswer, files: Files): ToolError {
  if (/not a git repository/i.test(errors)) {
    return new ToolError(`${files.root} is not a git repository, which glob, grep and list need.`, 'Use read on a folder, or find and grep through bash.')
  }
  return new ToolError(`The search failed: ${errors || 'git gave no reason'}.`, 'Check the pattern and the path.')
}
