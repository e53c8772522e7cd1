import { describe, expect, test } from 'vitest'
import { noHooks } from '../../src/session/hooks.ts'
import type { StreamEvent } from '../../src/session/llm.ts'
import { type Assistant, noTokens } from '../../src/session/message.ts'
import { readAnswer } from '../../src/session/processor.ts'
import { recorder } from '../../src/session/record.ts'
import { memoryStore } from '../../src/session/store.ts'
import { fakeClock, session, toolsOf } from './harness.ts'

const message: Assistant = {
  role: 'assistant',
  id: 'msg_1',
  parentID: 'msg_0',
  time: { created: 1 },
  agent: 'build',
  model: { providerID: 'test', modelID: 'm' },
  tokens: noTokens,
  cost: 0,
}
const none = { inputTokenDetails: { noCacheTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }, outputTokenDetails: { textTokens: 0, reasoningTokens: 0 } }
const finished: StreamEvent = {
  type: 'finish-step',
  finishReason: 'tool-calls',
  rawFinishReason: undefined,
  providerMetadata: undefined,
  response: { id: 'r', timestamp: new Date(0), modelId: 'm' },
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, ...none },
  performance: {
    effectiveOutputTokensPerSecond: 0,
    outputTokensPerSecond: undefined,
    inputTokensPerSecond: undefined,
    effectiveTotalTokensPerSecond: 0,
    stepTimeMs: 0,
    responseTimeMs: 0,
    toolExecutionMs: {},
    timeToFirstOutputMs: undefined,
  },
}

async function reading(...events: StreamEvent[]) {
  const store = memoryStore(session)
  const record = recorder(store, () => {})
  record.message(message)
  async function* stream() {
    yield* events
  }
  const read = await readAnswer(stream(), message, { record, clock: fakeClock(), signal: new AbortController().signal, hooks: noHooks })
  return { read, parts: store.messages()[0]?.parts ?? [], tools: toolsOf(store.messages()) }
}

const start = (id: string): StreamEvent => ({ type: 'tool-input-start', id, toolName: 'read' })
const call = (id: string, path: string): StreamEvent => ({ type: 'tool-call', toolCallId: id, toolName: 'read', input: { path }, dynamic: true })

describe('events from providers that do less for us', () => {
  test('C33: two announced calls with one id stay two calls, in order', async () => {
    const { read, tools } = await reading(start('x'), start('x'), call('x', 'a'), call('x', 'b'), finished)
    expect(read.kind === 'finished' && read.calls.map(({ input }) => input)).toEqual([{ path: 'a' }, { path: 'b' }])
    expect(tools.map(({ state }) => state.input)).toEqual([{ path: 'a' }, { path: 'b' }])
    expect(new Set(tools.map(({ callID }) => callID)).size).toBe(2)
  })

  test('a call that was announced and never made is an interrupted one', async () => {
    const { read, tools } = await reading(start('x'), finished)
    expect(read).toMatchObject({ kind: 'finished', calls: [] })
    expect(tools).toMatchObject([{ state: { status: 'error', metadata: { interrupted: true } } }])
  })

  test('pieces nobody announced are dropped', async () => {
    const { parts } = await reading({ type: 'text-delta', id: '9', text: 'x' }, { type: 'reasoning-delta', id: '9', text: 'x' }, finished)
    expect(parts).toEqual([])
  })

  test('hidden reasoning is kept for the sake of its signature, which comes last', async () => {
    const { parts } = await reading(
      { type: 'reasoning-start', id: '1', providerMetadata: { openai: { itemId: 'i' } } },
      { type: 'reasoning-end', id: '1', providerMetadata: { openai: { itemId: 'i', reasoningEncryptedContent: 's' } } },
      finished,
    )
    expect(parts).toMatchObject([{ type: 'reasoning', text: '', metadata: { openai: { itemId: 'i', reasoningEncryptedContent: 's' } } }])
  })

  test('a tool the provider runs is recorded with its result or its error, and is not ours to run', async () => {
    const own = (id: string): StreamEvent => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: 'web_search',
      input: { query: 'q' },
      dynamic: true,
      providerExecuted: true,
    })
    const { read, tools } = await reading(
      own('a'),
      { type: 'tool-result', toolCallId: 'a', toolName: 'web_search', input: {}, output: { found: 1 }, dynamic: true, providerExecuted: true },
      own('b'),
      { type: 'tool-error', toolCallId: 'b', toolName: 'web_search', input: {}, error: 'no access', dynamic: true, providerExecuted: true },
      finished,
    )
    expect(read).toMatchObject({ calls: [] })
    expect(tools.map(({ state }) => state)).toMatchObject([
      { status: 'completed', output: '{"found":1}' },
      { status: 'error', error: 'no access' },
    ])
    expect(tools.every(({ metadata }) => metadata?.providerExecuted === true)).toBe(true)
  })

  test('an answer without an end has failed', async () => {
    expect((await reading({ type: 'text-start', id: '1' }, { type: 'text-delta', id: '1', text: 'half' })).read).toMatchObject({
      kind: 'failed',
      fault: { error: { retryable: true } },
    })
  })
})
