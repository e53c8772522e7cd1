import { z } from 'zod'
import type { Model } from '../../src/model/model.ts'
import { chatChunk, chatEvents } from '../support/raw-sse.ts'

/** The three protocols the public cases are played in, each as bytes of answers and as a reading of requests. */

export interface ScriptedCall {
  readonly id: string
  readonly name: string
  /** JSON, or whatever else a model wrote in its place. */
  readonly input: string
}

export interface Scripted {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** Undefined: as it should be for this content. */
  readonly finish?: 'stop' | 'length' | 'vendor'
  /** Null for a provider that reports none (chat completions only). */
  readonly usage?: { readonly input: number; readonly output: number } | null
}

/** One thing a request tells the model, whatever the protocol calls it. */
export type Sent =
  | { readonly kind: 'system' | 'user' | 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly kind: 'result'; readonly id: string; readonly text: string }

export interface Dialect {
  readonly protocol: Model['protocol']
  /** Pieces at the end of an answer without which it is not finished. */
  readonly closing: number
  /** The events of an answer, each a piece. */
  answer(content: Scripted): string[]
  /** An error inside a stream that began with status 200. */
  failure(message: string, code: string | number): string
  read(body: string): Sent[]
  /** Whether a request forbids tool calls while still describing the tools. */
  forbidsCalls(body: string): boolean
}

export const call = (id: string, name: string, input: object | string): ScriptedCall => ({
  id,
  name,
  input: typeof input === 'string' ? input : JSON.stringify(input),
})

const Texts = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() })), z.null()]).optional()
const textOf = (content: z.infer<typeof Texts>): string => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('\n'))
const some = (kind: 'system' | 'user' | 'text' | 'reasoning', text: string | undefined): Sent[] => (text ? [{ kind, text }] : [])
const parsed = (text: string): unknown => JSON.parse(text)
const named = (type: string, rest: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
const numbers = { input: 10, output: 5 }

const ChatBody = z.object({
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: Texts,
      reasoning_content: z.string().optional(),
      tool_call_id: z.string().optional(),
      tool_calls: z.array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) })).optional(),
    }),
  ),
  tools: z.array(z.unknown()).optional(),
  tool_choice: z.unknown().optional(),
})

const chat: Dialect = {
  protocol: 'openai-compatible',
  closing: 3,
  answer({ reasoning, text, calls = [], finish, usage = numbers }) {
    const reason = finish === 'vendor' ? 'eos' : (finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'))
    return chatEvents(
      ...(reasoning === undefined ? [] : [chatChunk({ content: '', reasoning_content: reasoning })]),
      ...(text === undefined ? [] : [chatChunk({ content: text })]),
      ...calls.map(({ id, name, input }, index) => chatChunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: input } }] })),
      chatChunk({}, reason),
      { ...chatChunk(null), choices: [], usage: usage && { prompt_tokens: usage.input, completion_tokens: usage.output } },
    )
  },
  failure: (message, code) => `data: ${JSON.stringify({ error: { message, code } })}\n\n`,
  read: (body) =>
    ChatBody.parse(JSON.parse(body)).messages.flatMap(({ role, content, reasoning_content, tool_calls, tool_call_id }): Sent[] => {
      if (role === 'tool') return [{ kind: 'result', id: tool_call_id ?? '', text: textOf(content) }]
      if (role !== 'assistant') return [{ kind: role === 'user' ? 'user' : 'system', text: textOf(content) }]
      const made = (tool_calls ?? []).map((item): Sent => ({ kind: 'call', id: item.id, name: item.function.name, input: parsed(item.function.arguments) }))
      return [...some('reasoning', reasoning_content), ...some('text', textOf(content)), ...made]
    }),
  forbidsCalls(body) {
    const { tools = [], tool_choice } = ChatBody.parse(JSON.parse(body))
    return tools.length > 0 && tool_choice === 'none'
  },
}

const ResponsesBody = z.object({
  input: z.array(
    z.looseObject({
      type: z.string().optional(),
      role: z.string().optional(),
      content: Texts,
      summary: Texts,
      call_id: z.string().optional(),
      name: z.string().optional(),
      arguments: z.string().optional(),
      output: Texts,
    }),
  ),
  tools: z.array(z.unknown()).optional(),
  tool_choice: z.unknown().optional(),
})

const responses: Dialect = {
  protocol: 'openai-responses',
  closing: 1,
  answer({ reasoning, text, calls = [], finish, usage = numbers }) {
    let index = -1
    const added = (item: object) => named('response.output_item.added', { output_index: ++index, item })
    const done = (item: object) => named('response.output_item.done', { output_index: index, item })
    const end = { id: 'resp_1', usage: { input_tokens: usage?.input, output_tokens: usage?.output } }
    const thought = { type: 'reasoning', id: 'rs_1', encrypted_content: 'sealed', summary: [] }
    return [
      named('response.created', { response: { id: 'resp_1', created_at: 1, model: 'm' } }),
      ...(reasoning === undefined
        ? []
        : [
            added(thought),
            named('response.reasoning_summary_part.added', { item_id: 'rs_1', summary_index: 0 }),
            named('response.reasoning_summary_text.delta', { item_id: 'rs_1', summary_index: 0, delta: reasoning }),
            done(thought),
          ]),
      ...(text === undefined
        ? []
        : [
            added({ type: 'message', id: 'msg_1' }),
            named('response.output_text.delta', { item_id: 'msg_1', delta: text }),
            done({ type: 'message', id: 'msg_1' }),
          ]),
      ...calls.flatMap(({ id, name, input }, n) => {
        const item = { type: 'function_call', id: `fc_${n}`, call_id: id, name }
        return [
          added({ ...item, arguments: '' }),
          named('response.function_call_arguments.delta', { item_id: `fc_${n}`, output_index: index, delta: input }),
          done({ ...item, arguments: input, status: 'completed' }),
        ]
      }),
      finish === 'length' || finish === 'vendor'
        ? named('response.incomplete', { response: { ...end, incomplete_details: { reason: finish === 'length' ? 'max_output_tokens' : 'vendor_reason' } } })
        : named('response.completed', { response: end }),
    ]
  },
  failure: (message, code) => named('error', { sequence_number: 1, error: { type: 'error', code: String(code), message } }),
  read: (body) =>
    ResponsesBody.parse(JSON.parse(body)).input.flatMap((item): Sent[] => {
      if (item.type === 'function_call') return [{ kind: 'call', id: item.call_id ?? '', name: item.name ?? '', input: parsed(item.arguments ?? '') }]
      if (item.type === 'function_call_output') return [{ kind: 'result', id: item.call_id ?? '', text: textOf(item.output) }]
      if (item.type === 'reasoning') return some('reasoning', textOf(item.summary))
      if (item.role === 'assistant') return some('text', textOf(item.content))
      return [{ kind: item.role === 'user' ? 'user' : 'system', text: textOf(item.content) }]
    }),
  forbidsCalls(body) {
    const { tools = [], tool_choice } = ResponsesBody.parse(JSON.parse(body))
    return tools.length > 0 && tool_choice === 'none'
  },
}

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: Texts,
})
const AnthropicBody = z.object({
  system: Texts,
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.array(Block) })),
  tools: z.array(z.unknown()).optional(),
  tool_choice: z.looseObject({ type: z.string() }).optional(),
})

const anthropic: Dialect = {
  protocol: 'anthropic',
  closing: 2,
  answer({ reasoning, text, calls = [], finish, usage = numbers }) {
    let index = -1
    const block = (start: object, ...deltas: object[]) => {
      index++
      return [
        named('content_block_start', { index, content_block: start }),
        ...deltas.map((delta) => named('content_block_delta', { index, delta })),
        named('content_block_stop', { index }),
      ]
    }
    const reason = { stop: 'end_turn', length: 'max_tokens', vendor: 'vendor_reason' }[finish ?? 'stop']
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: usage?.input, output_tokens: 1 } }
    return [
      named('message_start', { message }),
      ...(reasoning === undefined
        ? []
        : block({ type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: reasoning }, { type: 'signature_delta', signature: 'signed' })),
      ...(text === undefined ? [] : block({ type: 'text', text: '' }, { type: 'text_delta', text })),
      ...calls.flatMap(({ id, name, input }) => block({ type: 'tool_use', id, name, input: {} }, { type: 'input_json_delta', partial_json: input })),
      named('message_delta', {
        delta: { stop_reason: finish === undefined && calls.length > 0 ? 'tool_use' : reason, stop_sequence: null },
        usage: { output_tokens: usage?.output },
      }),
      named('message_stop', {}),
    ]
  },
  failure: (message, code) => named('error', { error: { type: code === 429 ? 'overloaded_error' : 'invalid_request_error', message } }),
  read(body) {
    const { system, messages } = AnthropicBody.parse(JSON.parse(body))
    const rest = messages.flatMap(({ role, content }) =>
      content.flatMap((item): Sent[] => {
        if (item.type === 'tool_use') return [{ kind: 'call', id: item.id ?? '', name: item.name ?? '', input: item.input }]
        if (item.type === 'tool_result') return [{ kind: 'result', id: item.tool_use_id ?? '', text: textOf(item.content) }]
        if (item.type === 'thinking') return some('reasoning', item.thinking)
        return some(role === 'user' ? 'user' : 'text', item.text)
      }),
    )
    return [...some('system', textOf(system)), ...rest]
  },
  forbidsCalls(body) {
    const { tools = [], tool_choice } = AnthropicBody.parse(JSON.parse(body))
    return tools.length > 0 && tool_choice?.type === 'none'
  },
}

export const dialects: readonly Dialect[] = [chat, responses, anthropic]

/** The first rule strict backends have that a request breaks; undefined when it is in order. */
export function disorderOf(body: string, dialect: Dialect): string | undefined {
  if (/\\u0000|\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f]/i.test(body)) return 'it holds a NUL or half a character'
  const sent = dialect.read(body).filter(({ kind }) => kind !== 'system')
  const seen = new Set<string>()
  let owed: string[] = []
  let answering = false
  for (const item of sent) {
    if (item.kind === 'result') {
      answering = true
      if (owed.shift() !== item.id) return `the result of ${item.id} is out of order`
      if (item.text === '') return `the result of ${item.id} is empty`
      continue
    }
    if (item.kind === 'call') {
      if (answering && owed.length > 0) return `${owed[0]} has no result`
      answering = false
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(item.name)) return `the tool name ${item.name} is not allowed`
      if (item.id === '' || seen.has(item.id)) return `the call id ${JSON.stringify(item.id)} is empty or used twice`
      seen.add(item.id)
      owed.push(item.id)
      continue
    }
    if (item.kind === 'user' && owed.length > 0) return `${owed[0]} has no result`
    if (item.kind === 'user' || item.kind === 'text') owed = []
  }
  if (owed.length > 0) return `${owed[0]} has no result`
  const last = sent.at(-1)?.kind
  return last === 'user' || last === 'result' ? undefined : `it ends in the model's own ${last}`
}
