import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { instantModel } from '../../bench/model.ts'
import { openModel } from '../../src/model/open.ts'
import { compactedHistory } from '../../src/session/compacted-history.ts'
import { choiceAt } from '../support/ask.ts'
import { calls, type SseModel, sseModel, text, usage } from '../support/sse-model.ts'
import { result, setup, textOf, tool, toolsOf } from './harness.ts'

const STEPS = 200

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

/** The messages of a request, each as the text that was sent. */
const messagesOf = (index: number) => (server.requests[index]?.body.messages ?? []).map((message) => JSON.stringify(message))
/** Requests whose messages do not begin with those of the request before. */
const breaks = () =>
  server.requests.flatMap((_, index) => {
    const before = index === 0 ? [] : messagesOf(index - 1)
    return before.every((message, at) => message === messagesOf(index)[at]) ? [] : [index]
  })
const tokens = () => Math.ceil((server.requests.at(-1)?.text.length ?? 0) / 4)
/** Reads another file in every step, then answers. */
const reading = () => {
  let step = 0
  server.otherwise((response, request) => {
    step++
    const asksForSummary = (request.body.tools ?? []).length === 0
    const reply = asksForSummary
      ? text('## Goal\n- Read all files.', 'stop', usage(tokens(), 20))
      : step >= STEPS
        ? text('All are read.', 'stop', usage(tokens(), 5))
        : calls([{ id: `call_${step}`, name: 'read', arguments: { path: `file-${step}` } }], 'tool_calls', usage(tokens(), 20))
    return reply(response, request)
  })
}

describe(`a run of ${STEPS} steps`, () => {
  test('repeats in each request the whole of the one before, byte for byte, and the tools with it', async () => {
    reading()
    const { ask, store } = setup(server, { model: server.model({ limit: { context: 1_000_000, output: 10_000 } }), maxSteps: 1_000 })
    expect(textOf(await ask())).toBe('All are read.')
    expect(server.requests).toHaveLength(STEPS)
    expect(breaks()).toEqual([])
    expect(new Set(server.requests.map(({ body }) => JSON.stringify(body.tools))).size).toBe(1)
    expect(toolsOf(store.messages())).toHaveLength(STEPS - 1)
  })

  test('in a small context loses its common prefix at a compaction and nowhere else', async () => {
    reading()
    const large = tool('read', ({ path }) => result(`content of ${path}: ${'x'.repeat(2_000)}`))
    const { ask, store } = setup(server, { model: server.model({ limit: { context: 40_000, output: 4_000 } }), tools: [large], maxSteps: 1_000 })
    expect(textOf(await ask())).toBe('All are read.')
    const summaries = server.requests.flatMap(({ body }, index) => ((body.tools ?? []).length === 0 ? [index] : []))
    expect(summaries.length).toBeGreaterThan(1)
    // A request for a summary is another conversation; the next one starts from its answer.
    expect(breaks()).toEqual(summaries.flatMap((index) => [index, index + 1]))
    expect(compactedHistory(store.messages()).length).toBeLessThan(store.messages().length)
    for (const { text } of server.requests) expect(text.length / 4).toBeLessThan(40_000)
  })

  test('keeps no more in memory than its messages', async () => {
    // This model remembers no request, so that what grows is ours.
    const model = await instantModel(Array.from({ length: STEPS - 1 }, (_, step) => ({ name: 'read', arguments: { path: `file-${step}` } })))
    const heap: number[] = []
    const measuring = tool('read', ({ path }) => {
      if (path === 'file-19' || path === `file-${STEPS - 2}`) {
        collectGarbage()
        heap.push(process.memoryUsage().heapUsed)
      }
      return result(`content of ${path}: ${'x'.repeat(1_000)}`)
    })
    const choice = choiceAt(model.baseUrl.replace(/\/v1$/, ''), 'openai-compatible')
    try {
      expect(textOf(await setup(server, { model: await openModel(choice), tools: [measuring], maxSteps: 1_000 }).ask())).toBe('Done.')
    } finally {
      await model.close()
    }
    expect(heap).toHaveLength(2)
    // 180 results of a thousand characters, and what surrounds them: far less than one copy of the history for each step.
    expect((heap[1] ?? 0) - (heap[0] ?? 0)).toBeLessThan(8_000_000)
  })
})

/** Without what only waits to be collected. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
