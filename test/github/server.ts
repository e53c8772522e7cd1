import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect } from '../../src/github/client.ts'
import { GitHubError } from '../../src/github/errors.ts'
import type { GatewayOptions } from '../../src/github/gateway.ts'
import type { GitHub } from '../../src/github/types.ts'
import { afterwards } from '../support/closing.ts'

export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** What the server answers: a status with JSON, or `cut` for a connection that is reset after the request was read. */
export type Answer = { status: number; json?: unknown; text?: string; headers?: Record<string, string> } | 'cut'

export interface FakeServer {
  readonly origin: string
  readonly seen: Seen[]
  readonly said: string[]
  connect(options?: Partial<GatewayOptions> & { api?: string; graphql?: string; token?: string }): GitHub
  stop(): Promise<void>
}

/** A loopback server, stopped after the test, that answers every request by one function, which gets the number of earlier requests for the same route. */
export async function start(answer: (request: Seen, earlier: number) => Answer): Promise<FakeServer> {
  const seen: Seen[] = []
  const said: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const now = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() }
      const earlier = seen.filter((other) => other.method === now.method && other.path === now.path).length
      seen.push(now)
      reply(response, answer(now, earlier))
    })
  })
  const origin = await listen(server)
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  afterwards(stop)
  return {
    origin,
    seen,
    said,
    connect: ({ api = '', graphql = '/graphql', token = 'token', ...options } = {}) =>
      connect(
        { token, apiUrl: `${origin}${api}`, graphqlUrl: `${origin}${graphql}`, owner: 'octo', repo: 'demo' },
        { second: 1, log: (message) => said.push(message), ...options },
      ),
    stop,
  }
}

/** A refusal as GitHub writes it. */
export const refused = (status: number, message: string, more: Partial<{ errors: unknown; headers: Record<string, string> }> = {}): Answer => ({
  status,
  json: { message, ...(more.errors ? { errors: more.errors } : {}) },
  ...(more.headers ? { headers: more.headers } : {}),
})
/** The refusal a call ends in. */
export async function errorOf(promise: Promise<unknown>): Promise<GitHubError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof GitHubError) return error
  throw new Error(`no GitHubError: ${String(error)}`)
}

function reply(response: ServerResponse, answer: Answer): void {
  if (answer === 'cut') {
    response.destroy()
    return
  }
  response.writeHead(answer.status, { 'content-type': answer.text === undefined ? 'application/json' : 'text/html', ...answer.headers })
  response.end(answer.text ?? (answer.json === undefined ? undefined : JSON.stringify(answer.json)))
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address && typeof address === 'object') resolve(`http://127.0.0.1:${address.port}`)
      else reject(new Error('no address'))
    })
  })
}
