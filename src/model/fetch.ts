import { limits } from '../limits.ts'
import { chatRepair, completionEvents } from './chat-repair.ts'
import { brokenOff, fault, htmlFault, reportedFault, type Where } from './faults.ts'
import type { Model } from './model.ts'
import { EventParser, encodeEvent, type ServerEvent } from './sse.ts'
import { isRecord, streamErrorOf } from './wire.ts'

/** How long a call may stay silent, in ms. */
export interface Timeouts {
  /** Until the server answers at all. */
  readonly headers: number
  /** Between two events of an answer; comments and pings are not counted as events. */
  readonly idle: number
}

const defaults: Timeouts = { headers: limits.modelHeadersTimeout, idle: limits.modelIdleTimeout }

/** Asks for a stream; also the sign by which the fetch below knows that it asked for one. */
export const streamHeaders = { accept: 'text/event-stream, application/json' } as const

/**
 * The `fetch` that provider packages are given. Over the plain one it adds our name, the two timeouts (C153), and for streams:
 * only whole events in plain form are passed on (C154), those of chat completions repaired; a web page or another document in
 * place of a stream becomes an error that says so, and a whole chat completion is taken as a stream of one event (C163).
 * Fails with `APICallError`, or with the reason of the caller's signal.
 */
export function modelFetch(protocol: Model['protocol'], provider: string, timeouts: Partial<Timeouts> = {}): typeof globalThis.fetch {
  const { headers: headersMs, idle: idleMs } = { ...defaults, ...timeouts }
  return async (input, init) => {
    const where: Where = { url: input instanceof Request ? input.url : String(input), provider }
    const headers = new Headers(init?.headers)
    headers.set('user-agent', `opencode-action ${headers.get('user-agent') ?? ''}`.trim())
    const call = new AbortController()
    const signal = init?.signal ? AbortSignal.any([init.signal, call.signal]) : call.signal
    const silent = fault(where, `${provider} did not answer within ${seconds(headersMs)}.`, { statusCode: 504, retryable: true })
    const response = await within(headersMs, call, silent, () => globalThis.fetch(input, { ...init, headers, signal }))
    if (!response.ok || response.body === null || headers.get('accept') !== streamHeaders.accept) return response

    const stalled = fault(where, `${provider} sent nothing for ${seconds(idleMs)} in the middle of its answer.`, { statusCode: 504, retryable: true })
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

interface Source {
  /** The next piece of text; undefined at the end. */
  readonly read: () => Promise<string | undefined>
  /** Lets work that ends in a real event take no longer than the idle time. */
  readonly guard: <T>(work: () => Promise<T>) => Promise<T>
  readonly stop: () => void
}

function seconds(ms: number): string {
  return `${ms / 1000} s`
}

async function within<T>(ms: number, call: AbortController, late: Error, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => call.abort(late), ms)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

function reader(body: ReadableStream<Uint8Array>, where: Where, signal: AbortSignal): Source['read'] {
  const chunks = body.getReader()
  const decoder = new TextDecoder()
  return async () => {
    try {
      const { done, value } = await chunks.read()
      return done ? undefined : decoder.decode(value, { stream: true })
    } catch (error) {
      // Either our timeout or the caller's abort has its own reason; everything else is the connection.
      throw signal.aborted ? signal.reason : brokenOff(where, error)
    }
  }
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
function wholeAnswer(protocol: Model['protocol'], where: Where, text: string): ServerEvent[] {
  const value = parse(text)
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
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
