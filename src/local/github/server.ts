import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { z } from 'zod'
import { parseJson } from '../../json.ts'
import type { GitServer } from '../git-server.ts'
import type { RestContext } from './context.ts'
import { graphql } from './graphql.ts'
import { type ApiRequest, type Reply, readBody, send } from './http.ts'
import type { Exchange, Hooks } from './journal.ts'
import { rest } from './rest.ts'

interface Served {
  readonly hooks: Hooks
  readonly journal: Exchange[]
  readonly git: GitServer
  readonly context: () => RestContext
}

export interface RunningServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  close(): Promise<void>
}

const Address = z.object({ port: z.number() })

/** Starts one loopback server for REST, GraphQL and git, on a free port. */
export async function listen(served: Served): Promise<RunningServer> {
  const server = createServer((request, response) => {
    serve(served, request, response).catch((error: unknown) => {
      // A bug of the emulator: shown to the client, so that no run waits for an answer that never comes.
      if (!response.headersSent) response.writeHead(500)
      response.end(error instanceof Error ? (error.stack ?? error.message) : String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${Address.parse(server.address()).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function serve(served: Served, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { hooks, journal, git } = served
  const url = new URL(incoming.url ?? '/', 'http://localhost')
  const kind = git.owns(url.pathname) ? 'git' : url.pathname.endsWith('/graphql') ? 'graphql' : 'rest'
  const path = kind === 'git' ? url.pathname : url.pathname.replace(/^.*?(?=\/repos\/|\/graphql$)/, '')
  const body = kind === 'git' ? undefined : parseJson((await readBody(incoming)).toString('utf8'))
  const request: ApiRequest = { method: incoming.method ?? 'GET', path, query: url.searchParams, headers: incoming.headers, body }
  const note = (status: number, answer: unknown, injected: boolean) =>
    void journal.push({ kind, method: request.method, path, query: Object.fromEntries(url.searchParams), body, status, response: asSent(answer), injected })

  const fault = await hooks.take(request)
  if (fault !== undefined && !('reset' in fault)) {
    note(send(response, request, fault), fault.body, true)
    return
  }
  if (fault?.reset === 'before') {
    note(0, undefined, true)
    return void incoming.socket.destroy()
  }
  if (kind === 'git') {
    await git.handle(incoming, response)
    return note(response.statusCode, undefined, false)
  }
  const reply = await answer(served.context(), kind, request)
  if (fault?.reset === 'after') {
    note(0, reply.body, true)
    return void incoming.socket.destroy()
  }
  // Noted first: a client that has its answer may look at the journal at once.
  const index = journal.length
  note(reply.status, reply.body, false)
  const status = send(response, request, reply)
  const entry = journal[index]
  if (entry !== undefined && status !== entry.status) journal[index] = { ...entry, status, response: undefined }
}

async function answer(context: RestContext, kind: 'rest' | 'graphql', request: ApiRequest): Promise<Reply> {
  const [, token] = /^(?:bearer|token)\s+(.+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (token !== context.state.token) {
    const message = token === undefined ? 'Requires authentication' : 'Bad credentials'
    return { status: 401, body: { message, documentation_url: 'https://docs.github.com/rest', status: '401' } }
  }
  return kind === 'graphql' ? await graphql(context, request) : await rest(context, request)
}

/** The value a client reads after it went over the wire. */
function asSent(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
