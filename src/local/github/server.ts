import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { z } from 'zod'
import { parseJson } from '../../json.ts'
import type { GitServer } from '../git-server.ts'
import type { RestContext } from './context.ts'
import { answerAttachment, answerSigned, attachmentPath } from './files.ts'
import { graphql } from './graphql.ts'
import { type ApiRequest, type Reply, readBody, send } from './http.ts'
import type { Exchange, FaultReply, Hooks } from './journal.ts'
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
  /** Another host, that of attachments and logs: `http://localhost:PORT` */
  readonly files: string
  close(): Promise<void>
}

const Address = z.object({ port: z.number() })

/** Starts one loopback server for REST, GraphQL and git, and one for files, on free ports. */
export async function listen(served: Served): Promise<RunningServer> {
  const main = await start('127.0.0.1', (request, response) => serve(served, request, response))
  const files = await start('localhost', (request, response) => serveFile(served, request, response))
  return { url: main.url, files: files.url, close: async () => void (await Promise.all([main.close(), files.close()])) }
}

async function start(host: string, handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // A bug of the emulator: shown to the client, so that no run waits for an answer that never comes.
      if (!response.headersSent) response.writeHead(500)
      response.end(error instanceof Error ? (error.stack ?? error.message) : String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return {
    url: `http://${host}:${Address.parse(server.address()).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Kind = Exchange['kind']
const kindOf = (git: GitServer, path: string): Kind =>
  git.owns(path) ? 'git' : attachmentPath.test(path) ? 'file' : path.endsWith('/graphql') ? 'graphql' : 'rest'

/** Serves the host that people and programs know. */
async function serve(served: Served, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(incoming.url ?? '/', 'http://localhost')
  const kind = kindOf(served.git, url.pathname)
  const isApi = kind === 'rest' || kind === 'graphql'
  const path = isApi ? url.pathname.replace(/^.*?(?=\/repos\/|\/search\/|\/graphql$)/, '') : url.pathname
  const body = isApi ? parseJson((await readBody(incoming)).toString('utf8')) : undefined
  const request: ApiRequest = { method: incoming.method ?? 'GET', path, query: url.searchParams, headers: incoming.headers, body }
  const note = noter(served.journal, kind, request)

  const fault = await served.hooks.take(request)
  // A connection that is closed over unread bytes takes back what was said on it.
  if (fault !== undefined && 'reset' in fault && fault.reset === 'before') await readBody(incoming)
  if (fault !== undefined && answerFault(fault, kind, request, response, note)) return
  if (kind === 'git') {
    if (fault !== undefined) cutOff(fault, kind, response)
    await served.git.handle(incoming, response)
    return void note(fault === undefined ? response.statusCode : 0, undefined, fault !== undefined)
  }
  const reply = await answer(served.context(), kind, request)
  if (fault !== undefined) {
    note(0, reply.body, true)
    cutOff(fault, kind, response)
    return void send(response, request, reply)
  }
  // Noted first: a client that has its answer may look at the journal at once.
  const index = note(reply.status, reply.body, false)
  const status = send(response, request, reply)
  const entry = served.journal[index]
  if (entry !== undefined && status !== entry.status) served.journal[index] = { ...entry, status, response: undefined }
}

/** Serves the host of attachments and logs, which asks nobody who they are. */
async function serveFile({ hooks, journal, context }: Served, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(incoming.url ?? '/', 'http://localhost')
  const request: ApiRequest = { method: incoming.method ?? 'GET', path: url.pathname, query: url.searchParams, headers: incoming.headers, body: undefined }
  const note = noter(journal, 'file', request)
  const fault = await hooks.take(request)
  if (fault !== undefined && answerFault(fault, 'file', request, response, note)) return
  if (fault !== undefined) cutOff(fault, 'file', response)
  const index = note(0, undefined, fault !== undefined)
  const status = answerSigned(context().state, request, response)
  const entry = journal[index]
  if (entry !== undefined && fault === undefined) journal[index] = { ...entry, status }
}

type Note = (status: number, answer: unknown, injected: boolean) => number

/** Writes an exchange into the journal; returns where it stands. */
const noter =
  (journal: Exchange[], kind: Kind, { method, path, query, headers, body }: ApiRequest): Note =>
  (status, response, injected) =>
    journal.push({ kind, method, path, query: Object.fromEntries(query), headers, body, status, response: asSent(response), injected }) - 1

/** Answers with a fault that does without GitHub; false when the request must be carried out first. */
function answerFault(fault: FaultReply, kind: Kind, request: ApiRequest, response: ServerResponse, note: Note): boolean {
  if (!('reset' in fault)) {
    note(send(response, request, fault), fault.body, true)
    return true
  }
  if (fault.reset !== 'before') return false
  note(0, undefined, true)
  hangUp(kind, response.socket, '')
  return true
}

/** Lets an answer be made to its end but not arrive: nothing of it, or its first half. */
function cutOff(fault: FaultReply, kind: Kind, response: ServerResponse): void {
  const during = 'reset' in fault && fault.reset === 'during'
  const { socket } = response
  let half = ''
  const write = (chunk: unknown) => {
    if (typeof chunk === 'string' || Buffer.isBuffer(chunk)) half ||= chunk.toString('latin1').slice(0, 40)
    return true
  }
  const end = (chunk: unknown) => {
    write(chunk)
    hangUp(kind, socket, during ? half : '')
    return response
  }
  Object.assign(response, { writeHead: () => response, write, end })
}

/** Closes a connection. Git gets the beginning of a head, because it would try a kept connection once more that said nothing. */
function hangUp(kind: Kind, socket: Socket | null, half: string): void {
  if (half !== '') socket?.write(`HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${half}`)
  else if (kind === 'git') socket?.write('HTTP/1.1 200 OK\r\n')
  else return void socket?.destroy()
  socket?.destroySoon()
}

async function answer(context: RestContext, kind: Kind, request: ApiRequest): Promise<Reply> {
  if (kind === 'file') return answerAttachment(context.state, context.urls, request)
  const [, token] = /^(?:bearer|token)\s+(.+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (token !== context.state.token) {
    const message = token === undefined ? 'Requires authentication' : 'Bad credentials'
    return { status: 401, body: { message, documentation_url: 'https://docs.github.com/rest', status: '401' } }
  }
  return kind === 'graphql' ? await graphql(context, request) : await rest(context, request)
}

/** The value a client reads after it went over the wire. */
function asSent(value: unknown): unknown {
  return value === undefined || Buffer.isBuffer(value) ? undefined : JSON.parse(JSON.stringify(value))
}
