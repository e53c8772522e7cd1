import { spawn } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { readBody } from './github/http.ts'
import { type Env, gitEnv } from './process.ts'

export interface GitServer {
  /** Whether a URL path belongs to git. */
  owns(path: string): boolean
  /** Answers one request of a git client; resolves when the answer is sent. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

interface GitServerOptions {
  /** Folder of the bare repositories, `owner/name.git`. */
  readonly root: string
  readonly env: Env
  /** Who may push, and read where reading is not open to all. */
  readonly token: string
  isPrivate(repository: string): boolean
  /** Says no to who may read but not do this, whatever the token; undefined when it is allowed. */
  forbid?(repository: string, writes: boolean): Promise<{ readonly status: number; readonly text: string } | undefined>
  /** Sees a push before git does; what it returns is answered in git's stead. */
  receive?(repository: string, body: Buffer, encoding: string | undefined): Promise<Buffer | undefined>
  /** Called after every push that git accepted or refused. */
  pushed(repository: string): Promise<void>
}

const route = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/

/** Git over HTTP as GitHub speaks it: `git http-backend` behind a token check. */
export function createGitServer(options: GitServerOptions): GitServer {
  return {
    owns: (path) => route.test(path),
    async handle(request, response) {
      const url = new URL(request.url ?? '/', 'http://localhost')
      const [, owner = '', name = '', action = ''] = route.exec(url.pathname) ?? []
      const repository = `${owner}/${name}`.toLowerCase()
      const writes = action === 'git-receive-pack' || url.searchParams.get('service') === 'git-receive-pack'
      const refusal = refuse(request, writes, repository, options) ?? (await options.forbid?.(repository, writes))
      if (refusal !== undefined) return end(response, refusal.status, refusal.text)
      const env = cgi(request, url, `/${repository}.git/${action}`, options)
      if (action !== 'git-receive-pack') return backend(request, response, env)
      const body = await readBody(request)
      const answer = await options.receive?.(repository, body, request.headers['content-encoding'])
      if (answer !== undefined) {
        response.writeHead(200, { 'content-type': 'application/x-git-receive-pack-result', 'cache-control': 'no-cache' })
        return void response.end(answer)
      }
      await backend(Readable.from([body]), response, { ...env, CONTENT_LENGTH: `${body.length}` }, () => options.pushed(repository))
    },
  }
}

/** GitHub's answer to a request it will not serve: 400 for doubled credentials (a persisted extraheader and one's own), 401 for missing or wrong ones. */
function refuse(request: IncomingMessage, writes: boolean, repository: string, options: GitServerOptions) {
  const credentials = request.headersDistinct.authorization ?? []
  if (credentials.length > 1) return { status: 400, text: 'Duplicate header: "Authorization"' }
  const given = tokenOf(credentials[0])
  if (given === options.token) return undefined
  if (given === undefined && !writes && !options.isPrivate(repository)) return undefined
  return { status: 401, text: given === undefined ? 'Authentication required.' : 'Invalid username or token.' }
}

/** The token in `Basic base64(user:token)`, `Bearer token` or `token token`. */
function tokenOf(header: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(\w+)\s+(.+)$/.exec(header ?? '') ?? []
  if (value === '') return undefined
  if (scheme.toLowerCase() !== 'basic') return value
  return Buffer.from(value, 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '')
}

function cgi(request: IncomingMessage, url: URL, path: string, options: GitServerOptions): Record<string, string> {
  const optional = {
    CONTENT_TYPE: request.headers['content-type'],
    CONTENT_LENGTH: request.headers['content-length'],
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
    HTTP_GIT_PROTOCOL: [request.headers['git-protocol']].flat()[0],
  }
  return {
    ...gitEnv(options.env),
    GIT_PROJECT_ROOT: options.root,
    GIT_HTTP_EXPORT_ALL: '1',
    REMOTE_USER: 'x-access-token',
    REMOTE_ADDR: '127.0.0.1',
    REQUEST_METHOD: request.method ?? 'GET',
    PATH_INFO: path,
    QUERY_STRING: url.search.slice(1),
    ...Object.fromEntries(Object.entries(optional).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))),
  }
}

/** Pipes a request through git's own program. `after` runs before the client has the end of the answer, so that it finds GitHub up to date. */
function backend(request: Readable, response: ServerResponse, env: Record<string, string>, after: () => Promise<void> = async () => {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
    // A client that hangs up, or a backend that stops reading early, is no fault of the server's.
    child.stdin.on('error', () => {})
    request.pipe(child.stdin)
    let head = Buffer.alloc(0)
    let started = false
    child.stdout.on('data', (chunk: Buffer) => {
      if (started) return void response.write(chunk)
      head = Buffer.concat([head, chunk])
      const split = head.indexOf('\r\n\r\n')
      if (split < 0) return
      started = true
      writeHead(response, head.subarray(0, split).toString('latin1'))
      response.write(head.subarray(split + 4))
    })
    child.on('error', (error) => {
      end(response, 500, error.message)
      resolve()
    })
    child.on('close', () => {
      after().then(() => {
        if (started) response.end()
        else end(response, 500, 'git http-backend gave no answer')
        resolve()
      }, reject)
    })
  })
}

function writeHead(response: ServerResponse, text: string): void {
  const headers = text.split('\r\n').map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  const status = headers.find(([name]) => name === 'status')?.[1]
  response.writeHead(status === undefined ? 200 : Number.parseInt(status, 10), Object.fromEntries(headers.filter(([name]) => name !== 'status')))
}

function end(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.end()
  response.writeHead(status, { 'content-type': 'text/plain', ...(status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : {}) })
  response.end(`${text}\n`)
}
