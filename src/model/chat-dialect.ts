import { createHash } from 'node:crypto'
import { isRecord } from '../json.ts'
import type { ModelInfo } from './model.ts'
import type { Dialect } from './packages.ts'

type Body = Record<string, unknown>
type Message = Record<string, unknown>

/**
 * Puts the body of a chat completion into the words of the service it goes to. What every service understands stays as the package wrote it.
 */
export function inDialect(dialect: Dialect | undefined, info: ModelInfo): (body: Body) => Body {
  const steps: ((message: Message) => Message)[] = [withMarkedContent]
  if (dialect === 'openrouter') steps.push(withDetails)
  if (dialect === 'mistral') steps.push(asMistral)
  else if (info.echo) steps.push(withEcho)
  return (body) => {
    const messages = records(body.messages).map((message) => steps.reduce((made, step) => step(made), message))
    return { ...body, messages: dialect === 'mistral' ? inMistralsOrder(messages) : messages }
  }
}

/** A cache mark belongs to a piece of the content, so a marked text becomes one; where there is no text, the mark is of no use. */
function withMarkedContent({ cache_control, ...message }: Message): Message {
  if (cache_control === undefined) return message
  const { content } = message
  return typeof content === 'string' && content !== '' ? { ...message, content: [{ type: 'text', text: content, cache_control }] } : message
}

/** The details that came with an answer (see `reasoning-details.ts`) say all that its reasoning does, and more. */
function withDetails(message: Message): Message {
  const calls = records(message.tool_calls)
  const details = calls.find((call) => call.reasoning_details !== undefined)?.reasoning_details
  if (details === undefined) return message
  const { reasoning_content: _, ...rest } = message
  return { ...rest, reasoning_details: details, tool_calls: calls.map(({ reasoning_details: _, ...call }) => call) }
}

/** DeepSeek, Kimi and others refuse a history of tool calls whose reasoning is missing; an empty one will do. */
function withEcho(message: Message): Message {
  return message.role === 'assistant' ? { ...message, reasoning_content: message.reasoning_content ?? '' } : message
}

/** Mistral takes reasoning as a piece of the content, no null content, and ids of exactly nine letters and digits. */
function asMistral({ reasoning_content, ...message }: Message): Message {
  if (message.role === 'tool') return { ...message, tool_call_id: shortID(message.tool_call_id) }
  if (message.role !== 'assistant') return message
  const text = typeof message.content === 'string' ? message.content : ''
  const thoughts = typeof reasoning_content === 'string' && reasoning_content !== '' ? reasoning_content : undefined
  const content =
    thoughts === undefined
      ? text
      : [{ type: 'thinking', thinking: [{ type: 'text', text: thoughts }], closed: true }, ...(text === '' ? [] : [{ type: 'text', text }])]
  const calls = records(message.tool_calls).map((call) => ({ ...call, id: shortID(call.id) }))
  return { ...message, content, ...(calls.length === 0 ? {} : { tool_calls: calls }) }
}

/** The same id for the same id, so that calls and results still belong together. */
function shortID(id: unknown): string {
  const text = String(id)
  return /^[a-zA-Z0-9]{9}$/.test(text) ? text : createHash('sha256').update(text).digest('hex').slice(0, 9)
}

/** A user can't speak right after a tool there, and a request can't end in an answer unless it is the beginning of the next. */
function inMistralsOrder(messages: readonly Message[]): Message[] {
  return messages.flatMap((message, index) => {
    const speaksAfterTool = message.role === 'user' && messages[index - 1]?.role === 'tool'
    const isPrefix = message.role === 'assistant' && index === messages.length - 1
    return [...(speaksAfterTool ? [{ role: 'assistant', content: 'OK.' }] : []), isPrefix ? { ...message, prefix: true } : message]
  })
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
