import { describe, expect, test } from 'vitest'
import { toolsOf } from '../session/harness.ts'
import { byteByByte, chatChunk, chatEvents } from '../support/raw-sse.ts'
import { call, type Dialect, dialects } from './dialects.ts'
import { play } from './play.ts'

/** Public cases of provider streams: what the engine makes of them, in every protocol where they can happen. */

const read = (id: string, path = 'a') => call(id, 'read', { path })
const whole = { text: 'The whole answer.', usage: { input: 12, output: 7 } }
const page = '<!doctype html><html><title>Log in</title></html>'
/** An answer without the events that end it. */
const unfinished = (dialect: Dialect, pieces: string[]) => pieces.slice(0, -dialect.closing)

describe.each(dialects)('over $protocol', (dialect) => {
  test('C151 text without a finish is asked for again, and no half of it stays', async () => {
    const { text, messages, bodies } = await play(dialect, [{ pieces: unfinished(dialect, dialect.answer({ text: 'Half of' })) }, whole])
    expect([text, bodies.length]).toEqual(['The whole answer.', 2])
    expect(JSON.stringify(messages)).not.toContain('Half of')
  })

  test('C151 half a call is not executed, and the run goes on from a whole one', async () => {
    const begun = unfinished(dialect, dialect.answer({ calls: [call('call_1', 'read', '{"path":"ha')] })).slice(
      0,
      dialect.protocol === 'openai-compatible' ? 1 : -1,
    )
    const { inputs, text } = await play(dialect, [{ pieces: begun }, { calls: [read('call_1', 'whole')] }, whole])
    expect(inputs).toEqual([{ path: 'whole' }])
    expect(text).toBe('The whole answer.')
  })

  test('C151 a stream that never finishes is given up after a bounded number of tries', async () => {
    const { error, bodies } = await play(dialect, [{ pieces: unfinished(dialect, dialect.answer({ text: 'Half of' })) }])
    expect(error?.name).toBe('APIError')
    expect(bodies).toHaveLength(6)
  })

  test('C152 an error inside the stream: one that passes is retried, one of the request’s size is an overflow with its message', async () => {
    const passing = await play(dialect, [{ pieces: [dialect.failure('too many', 429)] }, whole])
    expect([passing.text, passing.bodies.length]).toEqual(['The whole answer.', 2])
    const begun = dialect.answer({ text: 'Half of' }).slice(0, 1)
    const tooLong = await play(dialect, [
      { pieces: [...begun, dialect.failure('prompt is too long: 210000 tokens > 200000 maximum', 'context_length_exceeded')] },
    ])
    expect(tooLong.error).toMatchObject({ name: 'ContextOverflowError', message: expect.stringContaining('210000 tokens') })
  })

  test.each(['silence', 'heartbeat', 'mute'] as const)('C153 a server that goes into %s is given up, asked again, and at last an error', async (ending) => {
    const stalled = { pieces: dialect.answer(whole).slice(0, 1), ending }
    const recovered = await play(dialect, [stalled, whole], { patience: 300 })
    expect([recovered.text, recovered.bodies.length]).toEqual(['The whole answer.', 2])
    const dead = await play(dialect, [stalled], { patience: 20 })
    expect(dead.error).toMatchObject({ name: 'APIError', message: expect.stringContaining('0.02 s') })
    expect(dead.bodies).toHaveLength(6)
  })

  test('C154 the same answer comes whole however its bytes are cut and decorated', async () => {
    const pieces = dialect.answer({ text: 'Grüße, 世界 🎉', calls: [read('call_1', 'é')] })
    const ways = [
      byteByByte(pieces),
      pieces.map((piece) => `: PROCESSING\r\n\r\n${piece.replaceAll('\n', '\r\n').replaceAll('data: ', 'data:')}`),
      [pieces.join('').trimEnd()],
    ]
    for (const way of ways) {
      const { inputs, sent } = await play(dialect, [{ pieces: way }, whole])
      expect(inputs).toEqual([{ path: 'é' }])
      expect(sent[1]).toContainEqual({ kind: 'text', text: 'Grüße, 世界 🎉' })
    }
  })

  test('C158 a call without arguments has an empty object', async () => {
    const { inputs, sent } = await play(dialect, [{ calls: [call('call_1', 'read', '')] }, whole])
    expect(inputs).toEqual([{}])
    expect(sent[1]).toContainEqual({ kind: 'call', id: 'call_1', name: 'read', input: {} })
  })

  test('C159 calls without an id get one of their own, the same on both sides', async () => {
    const { inputs, results } = await play(dialect, [{ calls: [read('', 'a'), read('', 'b')] }, whole])
    expect(inputs).toEqual([{ path: 'a' }, { path: 'b' }])
    expect(results).toEqual(['content of a', 'content of b'])
  })

  test('C161 reasoning before the text is no part of the answer', async () => {
    const { text } = await play(dialect, [{ reasoning: 'think', text: 'Answer' }], { info: { reasoning: true } })
    expect(text).toBe('Answer')
  })

  test('C162 usage that is missing or makes no sense gives no negative count', async () => {
    const { answers } = await play(dialect, [{ text: 'A', usage: { input: 0, output: 0 } }])
    expect(answers[0]?.tokens).toEqual({ input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } })
  })

  test('C163 a web page in place of an answer is called one, at once; a gateway’s error page is tried again', async () => {
    const headers = { 'content-type': 'text/html' }
    const login = await play(dialect, [{ headers, pieces: [page] }])
    expect(login.error?.message).toContain('HTML')
    expect(login.bodies).toHaveLength(1)
    const gateway = await play(dialect, [{ status: 502, headers, pieces: [page] }, whole])
    expect([gateway.text, gateway.bodies.length]).toEqual(['The whole answer.', 2])
    const down = await play(dialect, [{ status: 502, headers, pieces: [page] }])
    expect(down.error?.message).toMatch(/HTML.*502/)
    expect(down.bodies).toHaveLength(6)
  })

  test('C163 an event stream without a content type is read as one', async () => {
    expect((await play(dialect, [{ headers: {}, pieces: dialect.answer(whole) }])).text).toBe('The whole answer.')
  })

  test('C164 a name with characters that backends forbid is cleaned in the history, and the model is told', async () => {
    const { results, messages } = await play(dialect, [{ calls: [call('call_1', '$READFILE', {}), call('call_2', '<|channel|>x', {})] }, whole])
    expect(results[0]).toContain('$READFILE')
    expect(toolsOf(messages)).toHaveLength(2)
  })
})

describe('chat completions', () => {
  const [chat] = dialects
  const stop = chatChunk({}, 'stop')
  const plays = (...events: unknown[]) => {
    if (!chat) throw new Error('there is no dialect')
    return play(chat, [{ pieces: chatEvents(...events) }, whole])
  }
  const calls = chatChunk({}, 'tool_calls')
  const part = (rest: object) => chatChunk({ tool_calls: [rest] })
  const named = (path: string) => ({ type: 'function', function: { name: 'read', arguments: JSON.stringify({ path }) } })

  test.each([
    ['both 0', 0, 0],
    ['missing', undefined, undefined],
    ['1 and 5', 1, 5],
  ])('C156 two calls whose indexes are %s stay two', async (_, first, second) => {
    const { inputs } = await plays(part({ index: first, id: 'a', ...named('1') }), part({ index: second, id: 'b', ...named('2') }), calls)
    expect(inputs).toEqual([{ path: '1' }, { path: '2' }])
  })

  test.each<[string, object[], object]>([
    [
      'the name after the id',
      [
        { index: 0, id: 'a', function: { arguments: '' } },
        { index: 0, function: { name: 'read' } },
        { index: 0, function: { arguments: '{"path":"a"}' } },
      ],
      { path: 'a' },
    ],
    [
      'a blank after whole arguments',
      [
        { index: 0, id: 'a', function: { name: 'read', arguments: '{}' } },
        { index: 0, function: { arguments: ' ' } },
      ],
      {},
    ],
    [
      'a number in two pieces',
      [
        { index: 0, id: 'a', function: { name: 'read', arguments: '{"a":1' } },
        { index: 0, function: { arguments: '0}' } },
      ],
      { a: 10 },
    ],
  ])('C157 %s: the whole arguments are used, once', async (_, deltas, input) => {
    expect((await plays(...deltas.map(part), calls)).inputs).toEqual([input])
  })

  test('C160 harmless oddities are accepted', async () => {
    const { text } = await plays(chatChunk({ role: '', content: null, tool_calls: null, note: 'x' }), chatChunk({ content: 'Fine' }), stop)
    expect(text).toBe('Fine')
  })

  test.each([
    ['the field reasoning', { content: '', reasoning: 'think' }],
    ['think tags', { content: '<think>think</think>\n' }],
  ])('C161 thoughts in %s are no part of the answer', async (_, delta) => {
    expect((await plays(chatChunk(delta), chatChunk({ content: 'Answer' }), stop)).text).toBe('Answer')
  })

  test('C162 the last of cumulative numbers counts, and more thinking than writing is no negative', async () => {
    const usage = (completion_tokens: number, more: object = {}) => ({ usage: { prompt_tokens: 3, completion_tokens, ...more } })
    const { answers } = await plays(
      chatChunk({ content: 'A' }, null, usage(4)),
      chatChunk({}, 'stop', usage(10, { completion_tokens_details: { reasoning_tokens: 12 } })),
      { choices: [], usage: null },
    )
    const tokens = answers[0]?.tokens
    expect(tokens).toMatchObject({ input: 3 })
    expect(Math.min(tokens?.output ?? -1, tokens?.reasoning ?? -1)).toBeGreaterThanOrEqual(0)
    expect((tokens?.output ?? 0) + (tokens?.reasoning ?? 0)).toBeLessThanOrEqual(12)
  })

  test('C163 a whole completion in place of a stream is the answer', async () => {
    if (!chat) throw new Error('there is no dialect')
    const completion = {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Whole.' }, finish_reason: 'stop' }],
    }
    expect((await play(chat, [{ headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(completion)] }])).text).toBe('Whole.')
  })
})
