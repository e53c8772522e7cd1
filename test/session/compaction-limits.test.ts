import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { calls, chunks, delta, http, type Reply, type SseModel, sseModel, text, usage } from '../support/sse-model.ts'
import { answered, asked, called, contents, full, png, stepsOf, summariesOf, summarising } from './compacting.ts'
import { assistantsOf, errorOf, result, setup, textOf, tool, toolsOf } from './harness.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const read = (path: string, id = `call_${path}`) => ({ id, name: 'read', arguments: { path } })
const overflow: Reply = http(400, { error: { message: 'prompt is too long', code: 'context_length_exceeded' } })
const sentIn = (index: number) => contents(server.requests[index]?.body ?? { messages: [] })
const history = [asked('msg_1', 'FIRST REQUEST'), answered('msg_2', 'msg_1', ['ANSWER ONE'])]

/** A tool with an output of so many characters. */
const reader = (chars: number) => tool('read', ({ path }) => result(`${path} ${'r'.repeat(chars)}`))

/** Steps that call a tool with something new each time. */
function stepping(tokens: (step: number) => number): Reply {
  let step = 0
  return (response, request) => {
    step++
    return calls([read(`file${step}`, `c${step}`)], 'tool_calls', usage(tokens(step), 1))(response, request)
  }
}

describe('a request the provider refuses because of its size', () => {
  test.each([
    ['anthropic', 400, 'prompt is too long: 210000 tokens > 200000 maximum'],
    ['openai', 400, "This model's maximum context length is 128000 tokens. Please reduce the length of the messages."],
    ['google', 400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
    ['a proxy', 413, 'whatever'],
  ])('C84: is repeated after a compaction, as %s words it', async (_, status, message) => {
    server.queue(calls([read('a')]), http(status, { error: { message } }), text('SUMMARY'), text('Done'))
    const { ask, store, events } = setup(server)
    expect(textOf(await ask())).toBe('Done')
    expect(server.requests).toHaveLength(4)
    expect(events).toContainEqual(expect.objectContaining({ type: 'compacted', auto: true, overflow: true }))
    expect(assistantsOf(store.messages()).filter(({ error }) => error)).toEqual([])
  })

  test('C84: a proxy’s HTML answer with status 413 counts too', async () => {
    server.queue(calls([read('a')]), http(413, '<html><body>Request Entity Too Large</body></html>'), text('SUMMARY'), text('Done'))
    expect(textOf(await setup(server).ask())).toBe('Done')
  })

  test('C84: one that is refused for another reason is not compacted', async () => {
    server.queue(calls([read('a')]), http(400, { error: { message: 'unknown parameter' } }))
    expect(errorOf(await setup(server).ask())).toMatchObject({ name: 'APIError' })
    expect(server.requests).toHaveLength(2)
  })

  test('C82: with auto off there is no summary, only the error', async () => {
    server.queue(calls([read('a')]), overflow)
    const { ask, store } = setup(server, { compaction: { auto: false } })
    const answer = await ask()
    expect(errorOf(answer)).toMatchObject({ name: 'ContextOverflowError' })
    expect(answer.info).toMatchObject({ finish: 'error' })
    expect(server.requests).toHaveLength(2)
    expect(store.messages().flatMap(({ parts }) => parts.filter(({ type }) => type === 'compaction'))).toEqual([])
  })

  test('C82: nor is there with auto off when the count says so', async () => {
    server.queue(calls([read('a')], 'tool_calls', usage(99_000, 1)), text('Done'))
    expect(textOf(await setup(server, { compaction: { auto: false } }).ask())).toBe('Done')
    expect(summariesOf(server)).toEqual([])
  })

  test('the turn that did not fit is put again behind the summary, its media only named', async () => {
    server.queue(overflow, text('SUMMARY'), text('Done'))
    const { engine, store } = setup(server, { history, model: server.model({ inputs: ['text', 'image'] }) })
    const answer = await engine.prompt({ parts: [{ type: 'text', text: 'SECOND REQUEST' }, png('B'.repeat(400))], source: { kind: 'comment', id: 7 } })
    expect(textOf(answer)).toBe('Done')
    expect(summariesOf(server)[0]?.text).not.toContain('SECOND REQUEST')
    expect(sentIn(2).slice(2)).toEqual(['assistant: SUMMARY', expect.stringMatching(/^user: SECOND REQUEST\n\n\[Attached image\/png: cat\.png\]/)])
    expect(
      sentIn(2)
        .join('')
        .match(/SECOND REQUEST/g),
    ).toHaveLength(1)
    expect(store.messages().findLast(({ info }) => info.role === 'user')?.info).toMatchObject({ agent: 'build', source: { kind: 'comment', id: 7 } })
  })

  test('a turn with work in it is summarised, so that the work is not forgotten, and media that are gone are spoken of', async () => {
    server.queue(overflow, text('SUMMARY'), text('Done'))
    const { engine } = setup(server, {
      model: server.model({ inputs: ['text', 'image'] }),
      history: [
        ...history,
        asked('msg_3', 'SECOND REQUEST', png('B'.repeat(80_000))),
        answered('msg_4', 'msg_3', [called('RESULT')], { finish: 'tool-calls' }),
      ],
    })
    expect(textOf(await engine.loop())).toBe('Done')
    expect(summariesOf(server)[0]?.text).toContain('SECOND REQUEST')
    const sent = sentIn(2).join('\n')
    expect(sent).toContain('<latest-request>\nSECOND REQUEST\n</latest-request>')
    expect(sent).toContain('files that had been attached')
    expect(sent).not.toContain('BBBB')
  })

  test('when what comes before it can’t be summarised either, the error says so', async () => {
    server.queue(overflow, overflow)
    const answer = await setup(server, { history }).ask()
    expect(errorOf(answer)).toMatchObject({
      name: 'ContextOverflowError',
      message: expect.stringMatching(/^What came before the newest message is too large to compact/),
    })
    expect(server.requests).toHaveLength(2)
  })
})

describe('C47: a first request that is too large', () => {
  const thread = `TITLE AND BODY\n${Array.from({ length: 8_000 }, (_, index) => `comment ${index} of the thread, with some words`).join('\n')}`
  const parts = [
    { type: 'text' as const, text: 'fix this' },
    { type: 'text' as const, text: thread, synthetic: true },
  ]

  test('is repeated once with the newest part of the thread, and a note', async () => {
    server.queue(overflow, text('Done'))
    const { engine, store } = setup(server)
    expect(textOf(await engine.prompt({ parts }))).toBe('Done')
    expect(server.requests).toHaveLength(2)
    const sent = sentIn(1).join('\n')
    expect(sent).toContain('fix this')
    expect(sent).toContain('TITLE AND BODY')
    expect(sent).toContain('comment 7999 of the thread')
    expect(sent).not.toContain('comment 4000 of')
    expect(sent).toMatch(/\[… \d+ characters were left out here/)
    expect(sent.length).toBeLessThan(thread.length / 3)
    expect(assistantsOf(store.messages()).filter(({ error }) => error)).toEqual([])
  })

  test('is a clear error when that does not help, after two requests', async () => {
    server.otherwise(overflow)
    const answer = await setup(server).engine.prompt({ parts })
    expect(errorOf(answer)).toMatchObject({
      name: 'ContextOverflowError',
      message: expect.stringMatching(
        /does not fit the context window of test\/test-model .*although everything that can be spared was left out.*prompt is too long/,
      ),
    })
    expect(answer.info).toMatchObject({ finish: 'error' })
    expect(server.requests).toHaveLength(2)
  })

  test('is a clear error at once when there is nothing to leave out', async () => {
    server.otherwise(overflow)
    expect(errorOf(await setup(server).ask())).toMatchObject({ name: 'ContextOverflowError' })
    expect(server.requests).toHaveLength(1)
  })
})

describe('C80: compactions that do not help', () => {
  test('are followed by clearing what can be spared, then by an error: never by more', async () => {
    server.otherwise(
      summarising(
        stepping(() => 9_000),
        text('SUMMARY', 'stop', usage(9_000, 100)),
      ),
    )
    const { ask, store } = setup(server, { model: server.model({ limit: { context: 8_000, output: 1_000 } }), tools: [reader(3_000)] })
    const answer = await ask()
    expect(errorOf(answer)).toMatchObject({ name: 'ContextOverflowError', message: expect.stringContaining('test/test-model (8000 tokens)') })
    expect(summariesOf(server)).toHaveLength(1)
    expect(stepsOf(server)).toHaveLength(3)
    expect(toolsOf(store.messages())).toHaveLength(3)
    expect(stepsOf(server)[2]?.text).toContain('left out, because it did not fit')
  })

  test('by the provider’s own account end the same way', async () => {
    server.queue(calls([read('a')]))
    server.otherwise(summarising(overflow))
    const { ask } = setup(server, { tools: [reader(30_000)], compaction: { preserveRecentTokens: 10_000 } })
    expect(errorOf(await ask())).toMatchObject({ name: 'ContextOverflowError' })
    expect(summariesOf(server)).toHaveLength(1)
    expect(server.requests.length).toBeLessThanOrEqual(5)
  })

  test('a long run that is compacted again and again goes on: each time the next answer fits', async () => {
    server.otherwise(summarising(stepping((step) => (step % 3 === 0 ? 95_000 : 10_000))))
    const { ask } = setup(server, { maxSteps: 12, tools: [reader(100)] })
    const answer = await ask()
    expect(errorOf(answer)).toBeUndefined()
    expect(stepsOf(server)).toHaveLength(12)
    expect(summariesOf(server)).toHaveLength(3)
    expect(server.refusals).toEqual([])
  })
})

describe('C83: a provider that reports no tokens', () => {
  const silent = (list: Parameters<typeof calls>[0]) => calls(list, 'tool_calls', {})

  test('is asked for them, and its conversation is measured by its length', async () => {
    server.queue(silent(Array.from({ length: 5 }, (_, index) => read(`f${index}`))), text('SUMMARY', 'stop', {}), text('Done', 'stop', {}))
    const { ask, store } = setup(server, { model: server.model({ limit: { context: 32_000, output: 4_000 } }), tools: [reader(40_000)] })
    expect(textOf(await ask())).toBe('Done')
    expect(server.requests[0]?.text).toContain('"stream_options":{"include_usage":true}')
    expect(summariesOf(server)).toHaveLength(1)
    expect(assistantsOf(store.messages()).map(({ tokens }) => tokens.input)).toEqual([0, 0, 0])
  })

  test('is left alone while there is room', async () => {
    server.queue(silent([read('a')]), chunks(delta({ content: 'Done' }), delta({}, 'stop')))
    const { ask } = setup(server, { tools: [reader(40_000)] })
    expect(textOf(await ask())).toBe('Done')
    expect(server.requests).toHaveLength(2)
  })
})

test('the summary counts towards what a run may use, and a run that is used up makes no room for more', async () => {
  server.queue(calls([read('a')], 'tool_calls', usage(95_000, 10)), text('Last words'))
  const { ask } = setup(server, { caps: { maxTokens: 50_000 } })
  expect(textOf(await ask())).toBe('Last words')
  expect(summariesOf(server)).toEqual([])
})

test('a full context from an earlier run is compacted before the new message is answered', async () => {
  server.queue(text('SUMMARY'), text('Done'))
  const { ask } = setup(server, { history: [asked('msg_1', 'FIRST'), answered('msg_2', 'msg_1', ['ONE'], full)] })
  expect(textOf(await ask())).toBe('Done')
  expect(summariesOf(server)).toHaveLength(1)
})
