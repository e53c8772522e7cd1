import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One scripted answer: the bytes go out exactly as written, each piece in a write of its own. */
export interface RawReply {
  readonly status?: number
  /** Defaults to an event stream; an empty object sends no content type at all. */
  readonly headers?: Readonly<Record<string, string>>
  readonly pieces?: readonly (string | Uint8Array)[]
  /** What happens after the last piece: the answer ends (default), stays open and silent, beats a comment line for ever, or the socket breaks; `mute` sends not even headers. */
  readonly ending?: 'end' | 'silence' | 'heartbeat' | 'reset' | 'mute'
}

export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface RawServer extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly RawRequest[]
}

/** A model server on loopback that sends whatever bytes a test writes down, however odd. Each request takes the next answer; the last one stays. */
export async function rawServer(...replies: RawReply[]): Promise<RawServer> {
  const queue = [...replies]
  const requests: RawRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    requests.push({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    })
    const reply = queue.length > 1 ? queue.shift() : queue[0]
    if (reply) await send(response, reply)
    else response.writeHead(500).end('no reply was scripted')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = addressOf(server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function send(response: ServerResponse, reply: RawReply): Promise<void> {
  if (reply.ending === 'mute') return
  // Small pieces must leave as packets of their own, or the test of split characters tests nothing.
  response.socket?.setNoDelay(true)
  response.writeHead(reply.status ?? 200, reply.headers ?? { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  for (const piece of reply.pieces ?? []) await new Promise<void>((done) => response.write(piece, () => done()))
  if (reply.ending === 'silence') return
  if (reply.ending === 'reset') return void response.socket?.resetAndDestroy()
  if (reply.ending === 'heartbeat') {
    const beat = setInterval(() => response.write(': keep-alive\n\n'), 5)
    response.on('close', () => clearInterval(beat))
    return
  }
  response.end()
}

function addressOf(address: string | AddressInfo | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address
}

/** Server-sent events of JSON values, with the `[DONE]` that chat completions end in. */
export function chatEvents(...values: unknown[]): string[] {
  return [...values.map((value) => `data: ${JSON.stringify(value)}\n\n`), 'data: [DONE]\n\n']
}

/** One chunk of a streamed chat completion. */
export function chatChunk(delta: Record<string, unknown> | null, finish: string | null = null, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }], ...more }
}

/** The same text, one byte a piece, which splits lines, events and characters. */
export function byteByByte(pieces: readonly string[]): Uint8Array[] {
  return [...Buffer.from(pieces.join(''), 'utf8')].map((byte) => Uint8Array.of(byte))
}
