import { createHash, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { ApiRequest, Reply } from './http.ts'
import type { Urls } from './links.ts'
import type { Attachment, State } from './state.ts'

/** Attachments and logs, which GitHub hands out from other hosts by signed addresses. */

export interface NewAttachment {
  readonly bytes?: Buffer | string
  /** The content type that is claimed; undefined for none. */
  readonly type?: string
  /** 200 unless told otherwise. */
  readonly status?: number
  /** An address the signed address sends on to. */
  readonly redirect?: string
  /** Leaves the length out of the answer's head. */
  readonly lengthless?: boolean
  /** A file with this name instead of a picture: its address is `user-attachments/files/…`, and GitHub does not sign it in HTML. */
  readonly name?: string
}

const signature = (id: string): string => createHash('sha256').update(`signed ${id}`).digest('hex').slice(0, 32)

/** Keeps an attachment; returns the address to write into a comment. */
export function attach(state: State, urls: Urls, input: NewAttachment): string {
  const id = randomUUID()
  const made: Attachment = {
    id,
    name: input.name ?? '',
    bytes: Buffer.from(input.bytes ?? ''),
    type: input.type,
    status: input.status ?? 200,
    redirect: input.redirect,
    lengthless: input.lengthless ?? false,
  }
  state.attachments.set(id, made)
  return made.name === '' ? `${urls.html}/user-attachments/assets/${id}` : `${urls.html}/user-attachments/files/${id}/${encodeURIComponent(made.name)}`
}

/** The short-lived address under which an attachment can be had without credentials. */
export const signedUrl = (urls: Urls, id: string): string => `${urls.files}/1000/300000001-${id}?jwt=${signature(id)}`

/** The signed address of a job's log. */
export const logUrl = (urls: Urls, job: number): string => `${urls.files}/logs/${job}?sig=${signature(`log ${job}`)}`

/** What follows the server's address in that of an attachment. */
export const attachmentPath = /^\/user-attachments\/(?:assets|files)\/([0-9a-f-]{36})(?:\/[^/]*)?$/

/** Answers at the attachment's own address: in a public repository it sends on to a signed one, in a private one it asks for a browser's session, which no token is. */
export function answerAttachment(state: State, urls: Urls, request: ApiRequest): Reply {
  const [, id = ''] = attachmentPath.exec(request.path) ?? []
  if (state.private || !state.attachments.has(id))
    return { status: 404, headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<!DOCTYPE html><p>Not Found' }
  return { status: 302, headers: { location: signedUrl(urls, id), 'content-type': 'text/html; charset=utf-8' }, body: '' }
}

/** Answers on the host of signed addresses; returns the status. Without the right signature there is nothing to see. */
export function answerSigned(state: State, request: ApiRequest, response: ServerResponse): number {
  const [, job = ''] = /^\/logs\/(\d+)$/.exec(request.path) ?? []
  if (job !== '' && request.query.get('sig') === signature(`log ${job}`)) {
    const log = [...state.runs.values()].flatMap(({ jobs }) => jobs).find(({ id }) => `${id}` === job)?.log
    if (log != null) return finish(response, 200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': `${Buffer.byteLength(log)}` }, log)
  }
  const [, id = ''] = /^\/1000\/300000001-([0-9a-f-]{36})$/.exec(request.path) ?? []
  const found = state.attachments.get(id)
  if (found === undefined || request.query.get('jwt') !== signature(id))
    return finish(response, 404, { 'content-type': 'text/html' }, '<!DOCTYPE html><p>Not Found')
  if (found.redirect !== undefined) return finish(response, 302, { location: found.redirect }, '')
  return finish(
    response,
    found.status,
    {
      ...(found.type === undefined ? {} : { 'content-type': found.type }),
      ...(found.lengthless ? {} : { 'content-length': `${found.bytes.length}` }),
    },
    found.bytes,
  )
}

function finish(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, body: Buffer | string): number {
  response.writeHead(status, headers)
  response.end(body)
  return status
}
