import fc from 'fast-check'
import type { Part, Session, WithParts } from '../../src/session/message.ts'
import type { Turn } from '../../src/thread/codec.ts'

/** Turns to test with: small examples and arbitrary ones. */

const model = { providerID: 'openai', modelID: 'gpt-5' }
const tokens = { input: 100, output: 10, reasoning: 0, cache: { read: 0, write: 0 } }

export function session(changes: Partial<Session> = {}): Session {
  return {
    id: 'ses_01',
    title: 'Fix the date parsing',
    agent: 'build',
    model,
    created: 1_700_000_000_000,
    todos: [],
    handled: [],
    usage: { steps: 1, tokens, cost: 0.01 },
    ...changes,
  }
}

export function user(id: string, text: string, parts: Part[] = []): WithParts {
  const info = { role: 'user' as const, id, time: { created: 1 }, agent: 'build', model }
  return { info, parts: [{ id: `prt_${id}`, messageID: id, type: 'text', text }, ...parts] }
}

export function assistant(id: string, parentID: string, text: string, parts: Part[] = []): WithParts {
  const info = { role: 'assistant' as const, id, parentID, time: { created: 1, completed: 2 }, agent: 'build', model, finish: 'stop', tokens, cost: 0 }
  return { info, parts: [...parts, { id: `prt_${id}`, messageID: id, type: 'text', text }] }
}

interface ToolFacts {
  readonly input?: Record<string, unknown>
  /** The tool's own metadata, which no model reads. */
  readonly details?: Record<string, unknown>
  /** The provider's metadata. */
  readonly metadata?: Record<string, unknown>
  readonly compacted?: number
}

export function tool(id: string, messageID: string, output: string, { input = {}, details = {}, metadata, compacted }: ToolFacts = {}): Part {
  const time = { start: 1, end: 7, ...(compacted !== undefined && { compacted }) }
  const state = { status: 'completed' as const, input, output, title: 'read', metadata: details, time }
  return { id, messageID, type: 'tool', callID: `call_${id}`, tool: 'read', state, ...(metadata && { metadata }) }
}

/** A question and its answer, named after the number of the turn. */
export function turn(seq: number, changes: Partial<Turn> = {}): Turn {
  return {
    session: session({ handled: Array.from({ length: seq }, (_, index) => 1000 + index) }),
    messages: [user(`msg_${seq}a`, `question ${seq}`), assistant(`msg_${seq}b`, `msg_${seq}a`, `answer ${seq}`)],
    lossy: false,
    ...changes,
  }
}

/** Text that does not compress, so that sizes mean what they say. */
export function noise(chars: number, seed = 1): string {
  let state = seed
  let text = ''
  while (text.length < chars) {
    state = (state * 48_271) % 2_147_483_647
    text += state.toString(36)
  }
  return text.slice(0, chars)
}

const anyText = fc.string({ unit: 'binary', maxLength: 60 })
const key = fc.stringMatching(/^[a-zA-Z]{1,8}$/)
const record = fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
const metadata = fc.option(fc.dictionary(key, record, { maxKeys: 2 }), { nil: undefined })
const count = fc.nat({ max: 1e12 })
const anyTokens = fc.record({ input: count, output: count, reasoning: count, cache: fc.record({ read: count, write: count }) })
const anyModel = fc.record({ providerID: key, modelID: key })
const base = { id: anyText, messageID: anyText }
const file = {
  mime: fc.constantFrom('image/png', 'text/plain'),
  url: anyText.map((text) => `data:;base64,${text}`),
  filename: fc.option(anyText, { nil: undefined }),
}
const toolState = fc.oneof(
  fc.record({ status: fc.constant('pending' as const), input: record, raw: anyText }),
  fc.record({ status: fc.constant('running' as const), input: record, time: fc.record({ start: count }) }),
  fc.record({
    status: fc.constant('completed' as const),
    input: record,
    output: fc.oneof(
      anyText,
      fc.nat(5000).map((chars) => noise(chars, chars + 1)),
    ),
    title: anyText,
    metadata: record,
    attachments: fc.option(fc.array(fc.record({ type: fc.constant('file' as const), ...file }), { maxLength: 2 }), { nil: undefined }),
    time: fc.record({ start: count, end: count }),
  }),
  fc.record({ status: fc.constant('error' as const), input: record, error: anyText, time: fc.record({ start: count, end: count }) }),
)
const anyPart: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ ...base, type: fc.constant('text' as const), text: anyText, synthetic: fc.option(fc.boolean(), { nil: undefined }), metadata }),
  fc.record({ ...base, type: fc.constant('reasoning' as const), text: anyText, time: fc.record({ start: count }), metadata }),
  fc.record({ ...base, type: fc.constant('file' as const), ...file }),
  fc.record({ ...base, type: fc.constant('tool' as const), callID: anyText, tool: key, state: toolState, metadata: fc.option(record, { nil: undefined }) }),
  fc.record({ ...base, type: fc.constant('compaction' as const), auto: fc.boolean() }),
  fc.record({ ...base, type: fc.constant('step-start' as const) }),
  fc.record({ ...base, type: fc.constant('step-finish' as const), reason: anyText, tokens: anyTokens, cost: count }),
  fc.record({ ...base, type: fc.constant('patch' as const), files: fc.array(anyText, { maxLength: 3 }) }),
)
const common = { id: anyText, time: fc.record({ created: count }), agent: key, model: anyModel }
const anyMessage: fc.Arbitrary<WithParts> = fc.record({
  info: fc.oneof(
    fc.record({ role: fc.constant('user' as const), ...common }),
    fc.record({ role: fc.constant('assistant' as const), parentID: anyText, tokens: anyTokens, cost: count, structured: fc.jsonValue(), ...common }),
  ),
  parts: fc.array(anyPart, { maxLength: 5 }),
})

export const anySessionID = fc.stringMatching(/^ses_[0-9A-Za-z]{1,60}$/)
export const anyTurn: fc.Arbitrary<Turn> = fc.record({
  session: fc.record({
    id: anySessionID,
    title: anyText,
    agent: key,
    model: anyModel,
    created: count,
    todos: fc.array(fc.record({ content: anyText, status: key, priority: key }), { maxLength: 3 }),
    handled: fc.array(count, { maxLength: 5 }),
    usage: fc.record({ steps: count, tokens: anyTokens, cost: count }),
  }),
  messages: fc.array(anyMessage, { maxLength: 5 }),
  removed: fc.option(fc.array(anyText, { maxLength: 3 }), { nil: undefined }),
  lossy: fc.boolean(),
})

/** What a turn is once written and read again: without the fields that are there but undefined. */
export function plain(turn: Turn): unknown {
  return JSON.parse(JSON.stringify(turn))
}
