import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createGitServer } from '../../src/local/git-server.ts'

/** What git needs to be the same on every machine. */
const neutralEnv = {
  PATH: process.env.PATH ?? '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
}

/** Runs git as a person or the agent would, in `cwd`; returns what it printed, and never blocks the process that hosts the server. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { cwd, env: neutralEnv, maxBuffer: 1 << 26 })
  return stdout.trimEnd()
}

export interface GitServer {
  /** `http://127.0.0.1:PORT/octo/NAME.git` */
  url(name: string): string
  /** The bare repository behind it. */
  folder(name: string): string
  /** Makes an empty bare repository with this default branch. */
  create(name: string, defaultBranch?: string): Promise<void>
  /** Has pushes judged by a shell script: stdin has the refs, what it prints reaches the pusher as `remote:` lines. */
  onPush(name: string, script: string): Promise<void>
  /** Answers every request to a path that matches with this status, instead of git, at most `times` times. `never` leaves it waiting. */
  answer(path: RegExp, status: number | 'never', body?: string, times?: number): void
  /** Every request so far: method, path with query, and the Authorization headers as they arrived. */
  readonly requests: { readonly path: string; readonly authorization: readonly string[] }[]
  close(): Promise<void>
}

/** A git host over real HTTP on loopback: the demo's, with what tests want to see and to break. Reading is public unless `private`; pushing needs the token. */
export async function startGitServer(options: { readonly token: string; readonly private?: boolean }): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'git-server-'))
  const requests: GitServer['requests'] = []
  const answers: { readonly path: RegExp; readonly status: number | 'never'; readonly body: string; left: number }[] = []
  const host = createGitServer({ root, env: process.env, token: options.token, isPrivate: () => options.private === true, pushed: async () => undefined })

  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    requests.push({ path, authorization: request.headersDistinct.authorization ?? [] })
    const fixed = answers.find((answer) => answer.left > 0 && answer.path.test(path))
    if (fixed === undefined) return void host.handle(request, response)
    fixed.left -= 1
    if (fixed.status === 'never') return
    response.writeHead(fixed.status, { 'Content-Type': 'text/plain' })
    response.end(fixed.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const folder = (name: string) => join(root, 'octo', `${name}.git`)

  return {
    requests,
    folder,
    url: (name) => `http://127.0.0.1:${port}/octo/${name}.git`,
    async create(name, defaultBranch = 'main') {
      await mkdir(folder(name), { recursive: true })
      await git(folder(name), 'init', '--quiet', '--bare', `--initial-branch=${defaultBranch}`)
    },
    async onPush(name, script) {
      const hook = join(folder(name), 'hooks/pre-receive')
      await writeFile(hook, `#!/bin/sh\n${script}\n`)
      await chmod(hook, 0o755)
    },
    answer(path, status, body = '', times = Number.POSITIVE_INFINITY) {
      answers.unshift({ path, status, body, left: times })
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(root, { recursive: true, force: true })
    },
  }
}
