import { isRecord, parseJson } from '../json.ts'
import { limits } from '../limits.ts'
import { chatRepair, completionEvents } from './chat-repair.ts'
import { brokenOff, fault, htmlFault, reportedFault, type Where } from './faults.ts'
import type { Protocol, Timeouts } from './model.ts'
import { EventParser, encodeEvent, type ServerEvent } from './sse.ts'
import { streamErrorOf } from './wire.ts'

export type { Timeouts }

const defaults: Timeouts = { headers: limits.modelHeadersTimeout, idle: limits.modelIdleTimeout }

/** Asks for a stream; also the sign by which the fetch below knows that it asked for one. */
export const streamHeaders = { accept: 'text/event-stream, application/json' } as const

/**
 * The `fetch` that provider packages are given. Over the plain one it adds our name, the two timeouts (C153), and for streams:
 * only whole events in plain form are passed on (C154), those of chat completions repaired; a web page or another document in
 * place of a stream becomes an error that says so, and a whole chat completion is taken as a stream of one event (C163). The frames
 * of Bedrock are checked by their reader, so only their silence is watched. Fails with `APICallError`, or with the reason of the caller's signal.
 */
export function modelFetch(protocol: Protocol, provider: string, timeouts: Partial<Timeouts> = {}): typeof globalThis.fetch {
  const { headers: headersMs, idle: idleMs, total: totalMs } = { ...defaults, ...timeouts }
  return async (input, init) => {
    const where: Where = { url: input instanceof Request ? input.url : String(input), provider }
    const headers = new Headers(init?.headers)
    headers.set('user-agent', `opencode-action ${headers.get('user-agent') ?? ''}`.trim())
    const call = new AbortController()
    const signal = init?.signal ? AbortSignal.any([init.signal, call.signal]) : call.signal
    if (totalMs !== undefined) {
      const late = fault(where, `${provider} did not finish its answer within ${seconds(totalMs)}.`, { statusCode: 504, retryable: true })
      setTimeout(() => call.abort(late), totalMs).unref()
    }
    const silent = fault(where, `${provider} did not answer within ${seconds(headersMs)}.`, { statusCode: 504, retryable: true })
    const response = await within(headersMs, call, silent, () => globalThis.fetch(input, { ...init, headers, signal }))
    if (!response.ok || response.body === null) return response

    const stalled = fault(where, `${provider} sent nothing for ${seconds(idleMs)} in the middle of its answer.`, { statusCode: 504, retryable: true })
    if (response.headers.get('content-type')?.startsWith(framesOfAws)) {
      const read = pieceReader(response.body, where, signal)
      const frames = watched({ read, guard: (work) => within(idleMs, call, stalled, work), stop: () => call.abort() })
      return new Response(frames, { status: response.status, headers: response.headers })
    }
    if (headers.get('accept') !== streamHeaders.accept) return response
    const source: Source = {
      read: reader(response.body, where, signal),
      guard: (work) => within(idleMs, call, stalled, work),
      stop: () => call.abort(),
    }
    const head = await opening(source)
    if (/^\s*</.test(head)) throw htmlFault(where, response.status, head + (await remainder(source)))
    const events = /^\s*[{[]/.test(head) ? wholeAnswer(protocol, where, head + (await remainder(source))) : undefined
    return new Response(events ? streamOf(events) : liveStream(source, head, protocol === 'openai-chat' || protocol === 'openai-compatible'), {
      status: response.status,
      statusText: response.statusText,
      headers: eventHeaders(response.headers),
    })
  }
}

const framesOfAws = 'application/vnd.amazon.eventstream'

interface Source<Piece = string> {
  /** The next piece; undefined at the end. */
  readonly read: () => Promise<Piece | undefined>
  /** Lets work that ends in a real event take no longer than the idle time. */
  readonly guard: <T>(work: () => Promise<T>) => Promise<T>
  readonly stop: () => void
}

function seconds(ms: number): string {
  return `${ms / 1000} s`
}

async function within<T>(ms: number, call: AbortController, late: Error, work: () => Promise<T>): Promise<T> {
  if (!Number.isFinite(ms)) return work()
  const timer = setTimeout(() => call.abort(late), ms)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

function reader(body: ReadableStream<Uint8Array>, where: Where, signal: AbortSignal): Source['read'] {
  const pieces = pieceReader(body, where, signal)
  const decoder = new TextDecoder()
  return async () => {
    const piece = await pieces()
    return piece === undefined ? undefined : decoder.decode(piece, { stream: true })
  }
}

/** Reads a body piece by piece; undefined at the end. */
function pieceReader(body: ReadableStream<Uint8Array>, where: Where, signal: AbortSignal): () => Promise<Uint8Array | undefined> {
  const chunks = body.getReader()
  return async () => {
    try {
      const { done, value } = await chunks.read()
      return done ? undefined : value
    } catch (error) {
      // Either our timeout or the caller's abort has its own reason; everything else is the connection.
      throw signal.aborted ? signal.reason : brokenOff(where, error)
    }
  }
}

/** The same bytes, each piece of which has to come in time. */
function watched({ read, guard, stop }: Source<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const piece = await guard(read)
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
    cancel: stop,
  })
}

/** The first text that isn't blank, by which a stream is told from a document whatever its content type says. */
function opening({ read, guard }: Source): Promise<string> {
  return guard(async () => {
    let head = ''
    while (head.trim() === '') {
      const piece = await read()
      if (piece === undefined) break
      head += piece
    }
    return head
  })
}

function remainder({ read, guard }: Source): Promise<string> {
  return guard(async () => {
    let text = ''
    for (let piece = await read(); piece !== undefined; piece = await read()) text += piece
    return text
  })
}

/** Makes events of a JSON document that came instead of a stream. Throws what it reports, or that it is none. */
function wholeAnswer(protocol: Protocol, where: Where, text: string): ServerEvent[] {
  const value = parseJson(text)
  const error = isRecord(value) ? streamErrorOf(value) : undefined
  const reported = error && reportedFault(where, error)
  if (reported) throw reported
  const chat = protocol === 'openai-chat' || protocol === 'openai-compatible'
  if (chat && isRecord(value) && Array.isArray(value.choices)) return completionEvents(value).flatMap(chatRepair())
  throw fault(where, `${where.provider} sent a document where a stream was asked for: ${text.slice(0, 200)}`, {
    retryable: false,
    responseBody: text.slice(0, 2_000),
  })
}

function streamOf(events: readonly ServerEvent[]): string {
  return events.map(encodeEvent).join('')
}

/** Passes events on as they arrive. The idle time runs only while somebody waits for the next one. */
function liveStream({ read, guard, stop }: Source, head: string, chat: boolean): ReadableStream<Uint8Array> {
  const parser = new EventParser()
  const encoder = new TextEncoder()
  const repair = chat ? chatRepair() : (event: ServerEvent) => [event]
  const ready = parser.push(head)
  let ended = false
  return new ReadableStream({
    async pull(controller) {
      await guard(async () => {
        while (!ended && !ready.some(isReal)) {
          const piece = await read()
          ended = piece === undefined
          ready.push(...(piece === undefined ? parser.end() : parser.push(piece)))
        }
      })
      for (const event of ready.splice(0).flatMap(repair)) controller.enqueue(encoder.encode(encodeEvent(event)))
      if (ended) controller.close()
    },
    cancel: stop,
  })
}

/** Anthropic's pings are events in form only. */
function isReal({ name }: ServerEvent): boolean {
  return name !== 'ping'
}

/** The body is no longer the one that these described. */
function eventHeaders(original: Headers): Headers {
  const headers = new Headers(original)
  headers.delete('content-length')
  headers.delete('content-encoding')
  headers.set('content-type', 'text/event-stream')
  return headers
}
