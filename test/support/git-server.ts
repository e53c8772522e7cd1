import { execFile, spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What git needs to be the same on every machine; tests and server use it, never the environment of the machine. */
export const neutralEnv = {
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
  /** `http://127.0.0.1:PORT/NAME.git` */
  url(name: string): string
  /** The bare repository behind it. */
  folder(name: string): string
  /** Makes an empty bare repository with this default branch. */
  create(name: string, defaultBranch?: string): Promise<void>
  /** Has pushes judged by a shell script: stdin has the refs, what it prints reaches the pusher as `remote:` lines. */
  onPush(name: string, script: string): Promise<void>
  /** Answers every request to a path that matches with this status, instead of git. `never` leaves it waiting. */
  answer(path: RegExp, status: number | 'never', body?: string): void
  /** Every request so far: method, path with query, and the Authorization headers as they arrived. */
  readonly requests: { readonly path: string; readonly authorization: readonly string[] }[]
  close(): Promise<void>
}

/**
 * A git host over real HTTP (`git http-backend`) on loopback. Reading is public unless `private`; pushing needs the token by basic auth. Two
 * Authorization headers are answered with 400, as GitHub does.
 */
export async function startGitServer(options: { readonly token: string; readonly private?: boolean }): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'git-server-'))
  const requests: GitServer['requests'] = []
  const answers: { readonly path: RegExp; readonly status: number | 'never'; readonly body: string }[] = []
  const expected = `Basic ${Buffer.from(`x-access-token:${options.token}`).toString('base64')}`

  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const authorization = request.rawHeaders.filter((_, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === 'authorization')
    requests.push({ path, authorization })
    const fixed = answers.find((answer) => answer.path.test(path))
    if (fixed?.status === 'never') return
    if (fixed !== undefined) return plain(response, fixed.status, fixed.body)
    if (authorization.length > 1) return plain(response, 400, 'Duplicate header: "Authorization"')
    const known = authorization[0] === expected
    const needsToken = options.private === true || path.includes('git-receive-pack') || authorization.length > 0
    if (needsToken && !known) return plain(response, 401, 'Who are you?', { 'WWW-Authenticate': 'Basic realm="git"' })
    serve(root, request, response, known)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const folder = (name: string) => join(root, `${name}.git`)

  return {
    requests,
    folder,
    url: (name) => `http://127.0.0.1:${port}/${name}.git`,
    async create(name, defaultBranch = 'main') {
      await mkdir(folder(name), { recursive: true })
      await git(folder(name), 'init', '--quiet', '--bare', `--initial-branch=${defaultBranch}`)
    },
    async onPush(name, script) {
      const hook = join(folder(name), 'hooks/pre-receive')
      await writeFile(hook, `#!/bin/sh\n${script}\n`)
      await chmod(hook, 0o755)
    },
    answer(path, status, body = '') {
      answers.unshift({ path, status, body })
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(root, { recursive: true, force: true })
    },
  }
}

function plain(response: ServerResponse, status: number, body: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'Content-Type': 'text/plain', ...headers })
  response.end(body)
}

/** One CGI exchange with `git http-backend`. */
function serve(root: string, request: IncomingMessage, response: ServerResponse, known: boolean): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const header = (name: string) => String(request.headers[name] ?? '')
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...neutralEnv,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: header('content-type'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_PROTOCOL: header('git-protocol'),
      ...(known ? { REMOTE_USER: 'bot' } : {}),
    },
  })
  request.pipe(backend.stdin)
  // A backend that refuses early stops reading; that is its answer and no failure of the server.
  backend.stdin.on('error', () => request.unpipe(backend.stdin))
  const output: Buffer[] = []
  backend.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  backend.on('close', () => {
    const bytes = Buffer.concat(output)
    const end = bytes.indexOf('\r\n\r\n')
    const headers = bytes.subarray(0, Math.max(end, 0)).toString().split('\r\n')
    const pairs = headers.filter(Boolean).map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
    const status = pairs.find(([name]) => name === 'Status')?.[1] ?? (end < 0 ? '500' : '200')
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(pairs.filter(([name]) => name !== 'Status')))
    response.end(end < 0 ? '' : bytes.subarray(end + 4))
  })
}
