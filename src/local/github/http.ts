import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

/** Requests and replies of the emulated API, and GitHub's way of saying no. */

export interface ApiRequest {
  readonly method: string
  /** From `/repos/` or `/graphql` on, whatever base stood before; the whole path for git. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** Parsed JSON; undefined when there was none. */
  readonly body: unknown
}

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text is sent as it is, bytes too. */
  readonly body?: unknown
}

interface FieldError {
  readonly resource: string
  readonly code: string
  readonly field?: string
  readonly message?: string
}

/** A request GitHub turns down; `reply` is what the client gets. */
export class Refusal extends Error {
  readonly reply: Reply

  constructor(status: number, message: string, errors?: readonly (FieldError | string)[]) {
    super(message)
    this.reply = {
      status,
      body: { message, ...(errors === undefined ? {} : { errors }), documentation_url: 'https://docs.github.com/rest', status: `${status}` },
    }
  }
}

/** A 422 in the form of the endpoints that answer bare sentences. */
export const unprocessable = (message: string, ...errors: readonly string[]): Refusal => new Refusal(422, message, errors.length === 0 ? undefined : errors)
export const notFound = (): Refusal => new Refusal(404, 'Not Found')
export const invalid = (error: FieldError): Refusal => new Refusal(422, 'Validation Failed', [error])

/** Reads a whole request body. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** Sends a reply as JSON with an ETag; a GET whose `If-None-Match` names it gets 304 without a body. Returns the status that was sent. */
export function send(response: ServerResponse, request: ApiRequest, reply: Reply): number {
  const { body } = reply
  const text = body === undefined ? '' : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const etag = `W/"${createHash('sha256').update(text).digest('hex')}"`
  const fresh = request.method === 'GET' && reply.status === 200 && request.headers['if-none-match'] === etag
  const status = fresh ? 304 : reply.status
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-github-request-id': createHash('sha1').update(`${Date.now()}`).update(text).digest('hex').slice(0, 16),
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': '4999',
    ...(request.method === 'GET' && reply.status === 200 ? { etag } : {}),
    ...reply.headers,
  })
  response.end(fresh ? '' : text)
  return status
}

/** One page of a list with GitHub's `Link` header; `per_page` is capped at 100. `url` is the list's address without a query. */
export function page<T>(items: readonly T[], request: ApiRequest, url: string, show: (item: T) => object): Reply {
  const whole = (name: string, fallback: number) => {
    const value = Number(request.query.get(name) ?? fallback)
    return Number.isInteger(value) && value >= 1 ? value : fallback
  }
  const size = Math.min(100, whole('per_page', 30))
  const at = whole('page', 1)
  const last = Math.max(1, Math.ceil(items.length / size))
  const link = (rel: string, number: number) => {
    const query = new URLSearchParams(request.query)
    query.set('page', `${number}`)
    return `<${url}?${query}>; rel="${rel}"`
  }
  const links = [
    ...(at > 1 ? [link('prev', Math.min(at - 1, last))] : []),
    ...(at < last ? [link('next', at + 1), link('last', last)] : []),
    ...(at > 1 ? [link('first', 1)] : []),
  ]
  return {
    status: 200,
    ...(links.length === 0 ? {} : { headers: { link: links.join(', ') } }),
    body: items.slice((at - 1) * size, at * size).map(show),
  }
}
