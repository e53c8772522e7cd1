import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { z } from 'zod'
import type { Model, ModelInfo } from '../../src/model/model.ts'

/** A scripted model on a loopback port that speaks OpenAI's chat protocol and, like strict backends, refuses a history that is not in order. */

const Content = z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()]).optional()
const ChatMessage = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: Content,
  reasoning_content: z.string().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(z.object({ id: z.string(), type: z.literal('function'), function: z.object({ name: z.string(), arguments: z.string() }) })).optional(),
})
const ChatRequest = z.looseObject({
  messages: z.array(ChatMessage),
  tools: z.array(z.object({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) })).optional(),
  tool_choice: z.unknown().optional(),
})
export type ChatMessage = z.infer<typeof ChatMessage>
export type ChatRequest = z.infer<typeof ChatRequest>

export interface Recorded {
  readonly body: ChatRequest
  readonly text: string
  readonly headers: IncomingHttpHeaders
}

/** Answers one request. */
export type Reply = (response: ServerResponse, request: Recorded) => unknown

export interface SseModel extends AsyncDisposable {
  readonly url: string
  /** Every request so far, refused ones included. */
  readonly requests: readonly Recorded[]
  /** Why a request was refused as out of order. */
  readonly refusals: readonly string[]
  queue(...replies: Reply[]): void
  /** Answers every request for which nothing is queued. */
  otherwise(reply: Reply): void
  /** The model at the other end of this server. */
  model(info?: Partial<ModelInfo>): Model
}

/** `prefill`: takes a request that ends in an assistant's message, as few backends do. */
export async function sseModel({ prefill = false } = {}): Promise<SseModel> {
  const requests: Recorded[] = []
  const refusals: string[] = []
  const replies: Reply[] = []
  let fallback: Reply = http(400, { error: { message: 'the script has no reply for this request' } })

  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(Buffer.from(piece))
    const text = Buffer.concat(pieces).toString('utf8')
    const recorded = { body: ChatRequest.parse(JSON.parse(text)), text, headers: request.headers }
    requests.push(recorded)
    const disorder = disorderOf(recorded.body, prefill)
    if (disorder) {
      refusals.push(disorder)
      http(400, { error: { message: disorder } })(response, recorded)
      return
    }
    await (replies.shift() ?? fallback)(response, recorded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1`

  return {
    url,
    requests,
    refusals,
    queue: (...more) => void replies.push(...more),
    otherwise: (reply) => {
      fallback = reply
    },
    model: (info) => ({
      info: {
        providerID: 'test',
        modelID: 'test-model',
        name: 'Test Model',
        reasoning: false,
        temperature: true,
        inputs: ['text'],
        limit: { context: 100_000, output: 10_000 },
        ...info,
      },
      protocol: 'openai-compatible',
      language: createOpenAICompatible({ name: 'test', baseURL: url, apiKey: 'k', includeUsage: true }).chatModel(info?.modelID ?? 'test-model'),
    }),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The first rule of a strict backend that a request breaks. */
export function disorderOf({ messages, tools }: ChatRequest, prefill = false): string | undefined {
  const names = tools?.map((tool) => tool.function.name) ?? []
  if (names.join() !== names.toSorted().join()) return 'tools are not sorted by name'
  const last = messages.at(-1)?.role
  if (last !== 'user' && last !== 'tool' && !(prefill && last === 'assistant')) return `the last message is of role ${last}`
  const ids = new Set<string>()
  let owed: string[] = []
  for (const [index, message] of messages.entries()) {
    if (JSON.stringify(message.content ?? '').includes('\\u0000')) return `message ${index} holds a NUL`
    if (message.role === 'tool') {
      if (message.tool_call_id !== owed.shift()) return `message ${index} is a result without its call, or out of order`
      if (typeof message.content !== 'string' || message.content === '') return `the result in message ${index} is no text`
      continue
    }
    if (owed.length > 0) return `message ${index} comes before the result of call ${owed[0]}`
    if (message.role !== 'assistant') continue
    const calls = message.tool_calls ?? []
    if (calls.length === 0 && (typeof message.content !== 'string' || message.content.trim() === '')) return `message ${index} is an empty answer`
    if (calls.length > 0 && message.content === '') return `message ${index} has calls next to an empty string`
    for (const { id, function: called } of calls) {
      if (id === '' || ids.has(id)) return `the call id ${JSON.stringify(id)} is empty or used twice`
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(called.name)) return `the tool name ${called.name} is not allowed`
      ids.add(id)
      JSON.parse(called.arguments)
    }
    owed = calls.map(({ id }) => id)
  }
  return owed.length > 0 ? `call ${owed[0]} has no result` : undefined
}

/** A chunk of a streamed answer. */
export const delta = (content: object, finish: string | null = null, rest: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'test-model',
  choices: [{ index: 0, delta: content, finish_reason: finish }],
  ...rest,
})

export const usage = (prompt = 10, completion = 5, rest: object = {}) => ({
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion, ...rest },
})

export const event = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`
export const DONE = 'data: [DONE]\n\n'

/** The given bytes as an event stream, each piece in a write of its own. */
export const raw =
  (...pieces: (string | Buffer)[]): Reply =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const piece of pieces) {
      response.write(piece)
      await new Promise(setImmediate)
    }
    response.end()
  }

/** A stream of chunks with the end OpenAI puts after them. */
export const chunks = (...list: object[]): Reply => raw(...list.map(event), DONE)

/** A stream that breaks off after these chunks: the connection is reset. */
export const reset =
  (...list: object[]): Reply =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of list) response.write(event(chunk))
    await new Promise(setImmediate)
    response.destroy()
  }

/** A stream that just stops, without a finish reason and without `[DONE]`. */
export const cut = (...list: object[]): Reply => raw(...list.map(event))

/** An answer in text. */
export const text = (content: string, finish = 'stop', rest: object = usage()): Reply => chunks(delta({ role: 'assistant', content }), delta({}, finish, rest))

export interface ScriptedCall {
  readonly id?: string
  readonly name: string
  readonly arguments: unknown
}

/** The tool-call deltas of some calls; arguments that are no string are sent as JSON. */
export const callDelta = (list: readonly ScriptedCall[]) => ({
  tool_calls: list.map(({ id, name, arguments: args }, index) => ({
    index,
    id: id ?? `call_${name}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  })),
})

/** An answer that calls tools. */
export const calls = (list: readonly ScriptedCall[], finish = 'tool_calls', rest: object = usage()): Reply =>
  chunks(delta(callDelta(list)), delta({}, finish, rest))

/** A plain HTTP answer. */
export const http =
  (status: number, body: object | string, headers: Record<string, string> = {}): Reply =>
  (response) => {
    const plain = typeof body === 'string'
    response.writeHead(status, { 'content-type': plain ? 'text/html' : 'application/json', ...headers })
    response.end(plain ? body : JSON.stringify(body))
  }

/** Runs something while the request waits, then answers. */
export const whenAsked =
  (wait: () => unknown, reply: Reply): Reply =>
  async (response, request) => {
    await wait()
    await reply(response, request)
  }

/** Headers and some chunks, and then nothing until the other side hangs up. */
export const hang =
  (...list: object[]): Reply =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    for (const chunk of list) response.write(event(chunk))
    await once(response, 'close')
  }
