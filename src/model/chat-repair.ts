import { isRecord, parseJson } from '../json.ts'
import type { ServerEvent } from './sse.ts'
import { numberOf, type StreamError, streamErrorOf, textOf } from './wire.ts'

/**
 * Puts the events of a streamed chat completion into the one form that the provider packages accept (C152, C156–C161). They are
 * robust in most respects; mended here is only what they refuse or lose. State is kept per answer, for calls without an index.
 */
export function chatRepair(): (event: ServerEvent) => ServerEvent[] {
  const calls = new CallIndex()
  let begun = false
  let finished = false
  return ({ name, data }) => {
    if (data.trim() === '[DONE]') return begun && !finished ? [unknownFinish, { data }] : [{ data }]
    // Seen at the end of an error: the marker glued to the last object.
    const text = data.replace(/(?<=\})\s*\[DONE\]$/, '')
    // What is not JSON goes on as it came; the provider package reports it.
    const value = parseJson(text)
    if (!isRecord(value)) return [{ data: text }]
    const error = streamErrorOf(value, name)
    if (error) {
      finished = true
      return [{ data: JSON.stringify({ error: wireError(error) }) }]
    }
    const mended = chunk(value, calls)
    begun ||= mended.choices.length > 0
    finished ||= mended.choices.some((choice) => choice.finish_reason !== null)
    return [{ data: JSON.stringify(mended) }]
  }
}

/** A stream that ends properly but names no reason is complete; what it means is the session's to decide (C50). One that just stops is broken (C151). */
const unknownFinish: ServerEvent = { data: JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'unknown' }] }) }

/** The events of a stream that would have ended in this completion, for a server that answers in one piece (C163). */
export function completionEvents(completion: Record<string, unknown>): ServerEvent[] {
  const choices = list(completion.choices).map(({ message, ...choice }) => ({ ...choice, delta: isRecord(message) ? numbered(message) : message }))
  return [{ data: JSON.stringify({ ...completion, object: 'chat.completion.chunk', choices }) }, { data: '[DONE]' }]
}

function numbered(message: Record<string, unknown>): Record<string, unknown> {
  return { ...message, tool_calls: list(message.tool_calls).map((call, index) => ({ ...call, index })) }
}

function wireError({ message, code, type }: StreamError): Record<string, unknown> {
  return { message, ...(code === undefined ? {} : { code }), ...(type === undefined ? {} : { type }) }
}

function chunk(value: Record<string, unknown>, calls: CallIndex) {
  return {
    ...value,
    id: textOf(value.id),
    model: textOf(value.model),
    created: numberOf(value.created),
    choices: list(value.choices).map((choice) => ({
      ...choice,
      delta: isRecord(choice.delta) ? delta(choice.delta, calls) : null,
      // A blank reason is none: it would be taken for the end of the answer.
      finish_reason: textOf(choice.finish_reason) ?? null,
    })),
    usage: isRecord(value.usage) ? usage(value.usage) : null,
  }
}

function delta({ role: _, tool_calls, ...rest }: Record<string, unknown>, calls: CallIndex): Record<string, unknown> {
  const pieces = list(rest.content)
  const reasoning = reasoningOf(rest) ?? thoughtsIn(pieces)
  const content = typeof rest.content === 'string' ? rest.content : pieces.length > 0 ? textIn(pieces) : null
  return { ...rest, content, reasoning_content: reasoning, reasoning: null, tool_calls: list(tool_calls).map((call) => toolCall(call, calls)) }
}

/** The fields in which servers send their reasoning; the first that holds text wins, because some send the same text twice. */
function reasoningOf(delta: Record<string, unknown>): string | null {
  const details = list(delta.reasoning_details)
    .map((detail) => textOf(detail.text) ?? textOf(detail.summary) ?? '')
    .join('')
  const nested = isRecord(delta.reasoning) ? (textOf(delta.reasoning.content) ?? textOf(delta.reasoning.text)) : undefined
  const candidates = [delta.reasoning_content, delta.reasoning, nested, details, delta.reasoning_text, delta.thinking]
  return candidates.find((field) => typeof field === 'string' && field !== '')?.toString() ?? null
}

/** The text among the pieces of a content in pieces. */
function textIn(pieces: readonly Record<string, unknown>[]): string {
  return pieces.map((piece) => (piece.type === 'text' && typeof piece.text === 'string' ? piece.text : '')).join('')
}

/** Mistral sends its reasoning as pieces of the content, each made of pieces of text. */
function thoughtsIn(pieces: readonly Record<string, unknown>[]): string | null {
  return textIn(pieces.flatMap((piece) => (piece.type === 'thinking' ? list(piece.thinking) : []))) || null
}

function toolCall(call: Record<string, unknown>, calls: CallIndex): Record<string, unknown> {
  const target = isRecord(call.function) ? call.function : {}
  const id = textOf(call.id)
  const name = textOf(target.name)
  return {
    ...call,
    id,
    index: numberOf(call.index) ?? calls.of(id, name),
    function: { name, arguments: isRecord(target.arguments) ? JSON.stringify(target.arguments) : target.arguments },
  }
}

/**
 * Numbers the calls of servers that send no index: a new id begins a call, and so does a second name; what has neither goes
 * on with the last one (C156, C157).
 */
class CallIndex {
  #ids = new Map<string, number>()
  #last = -1
  #named = false

  of(id: string | undefined, name: string | undefined): number {
    const known = id === undefined ? undefined : this.#ids.get(id)
    if (known !== undefined) this.#last = known
    else if (this.#last === -1 || id !== undefined || (name !== undefined && this.#named)) this.#begin(id)
    this.#named ||= name !== undefined
    return this.#last
  }

  #begin(id: string | undefined): void {
    this.#last = Math.max(-1, this.#last, ...this.#ids.values()) + 1
    this.#named = false
    if (id !== undefined) this.#ids.set(id, this.#last)
  }
}

function numeric(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, isRecord(entry) ? numeric(entry) : (numberOf(entry) ?? entry)]))
}

/** Numbers as numbers, and what was read from and written to a cache under one name each: servers have several. */
function usage(value: Record<string, unknown>): Record<string, unknown> {
  const counts = numeric(value)
  const details = isRecord(counts.prompt_tokens_details) ? counts.prompt_tokens_details : {}
  const read = [details.cached_tokens, counts.prompt_cache_hit_tokens, counts.cached_tokens, counts.cache_read_input_tokens].find(isCount)
  const written = [details.cache_write_tokens, details.cache_creation_input_tokens, details.cache_creation_tokens, counts.cache_creation_input_tokens].find(
    isCount,
  )
  const cache = { ...(read === undefined ? {} : { cached_tokens: read }), ...(written === undefined ? {} : { cache_write_tokens: written }) }
  return { ...counts, prompt_tokens_details: { ...details, ...cache } }
}

const isCount = (value: unknown) => typeof value === 'number' && value > 0

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
