import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { callDelta, calls, chunks, cut, DONE, delta, event, http, raw, reset, type SseModel, sseModel, text, usage } from '../support/sse-model.ts'
import { errorOf, partTypes, result, setup, textOf, tool, toolsOf } from './harness.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const read = (path: string, id = 'call_1') => ({ id, name: 'read', arguments: { path } })
const toolMessages = (index: number) => server.requests[index]?.body.messages.filter(({ role }) => role === 'tool') ?? []
const callsSent = (index: number) => server.requests[index]?.body.messages.flatMap((message) => message.tool_calls ?? []) ?? []

describe('an answer becomes parts', () => {
  test('text pieces form one part with its times', async () => {
    server.queue(chunks(delta({ content: 'Hel' }), delta({ content: 'lo' }), delta({}, 'stop', usage())))
    const answer = await setup(server).ask()
    expect(partTypes(answer.parts)).toEqual(['step-start', 'text', 'step-finish'])
    const part = answer.parts[1]
    expect(part).toMatchObject({ text: 'Hello' })
    expect(part?.type === 'text' && part.time && part.time.start <= (part.time.end ?? 0)).toBe(true)
  })

  test('C161: reasoning and text are kept apart, whatever field it comes in, and empty content opens no text', async () => {
    for (const field of ['reasoning_content', 'reasoning']) {
      server.queue(chunks(delta({ content: '', [field]: 'thi' }), delta({ content: '', [field]: 'nk' }), delta({ content: 'Answer' }), delta({}, 'stop')))
      const answer = await setup(server).ask()
      expect(partTypes(answer.parts)).toEqual(['step-start', 'reasoning', 'text', 'step-finish'])
      expect(answer.parts[1]).toMatchObject({ text: 'think' })
      expect(textOf(answer)).toBe('Answer')
    }
  })

  test('C161: reasoning in think tags at the start of the text is no part of the answer and is not sent back', async () => {
    server.queue(
      chunks(delta({ content: '<think>\nhm' }), delta({ content: '</think>\n\nI will read.' }), delta(callDelta([read('a')])), delta({}, 'tool_calls')),
      text('Done'),
    )
    const { ask, store } = setup(server)
    await ask()
    expect(store.messages().map(textOf)).toEqual(['please fix it', 'I will read.', 'Done'])
    expect(server.requests[1]?.text).not.toContain('hm')
  })

  test('a completed tool part carries input, output, title, metadata and times', async () => {
    server.queue(calls([read('a')]), text('Done'))
    const { ask, store } = setup(server, { tools: [tool('read', () => result('text', { title: 'a', metadata: { lines: 1 } }))] })
    await ask()
    expect(toolsOf(store.messages())[0]).toMatchObject({
      callID: 'call_1',
      tool: 'read',
      state: {
        status: 'completed',
        input: { path: 'a' },
        output: 'text',
        title: 'a',
        metadata: { lines: 1 },
        time: { start: expect.any(Number), end: expect.any(Number) },
      },
    })
  })

  test('listeners see a call pending, running with its progress, and completed', async () => {
    server.queue(calls([read('a')]), text('Done'))
    const slow = tool('read', (_, { metadata }) => {
      metadata({ title: 'half way' })
      return result('text')
    })
    const { ask, events } = setup(server, { tools: [slow] })
    await ask()
    const states = events.flatMap((item) => (item.type === 'part' && item.part.type === 'tool' ? [item.part.state] : []))
    expect([...new Set(states.map(({ status }) => status))]).toEqual(['pending', 'running', 'completed'])
    expect(states).toContainEqual(expect.objectContaining({ status: 'running', title: 'half way' }))
  })

  test('a tool that throws becomes an error the model reads', async () => {
    server.queue(calls([read('a')]), text('Done'))
    const broken = tool('read', () => {
      throw new Error('no such file: a')
    })
    await setup(server, { tools: [broken] }).ask()
    expect(toolMessages(1)[0]?.content).toBe('no such file: a')
  })

  test('tokens and cost stand on the message, on the step and in the session’s sum', async () => {
    const price = { input: 2, output: 10, cacheRead: 1 }
    server.queue(
      calls([read('a')]),
      text('Done', 'stop', usage(1000, 100, { prompt_tokens_details: { cached_tokens: 400 }, completion_tokens_details: { reasoning_tokens: 30 } })),
    )
    const { ask, store } = setup(server, { model: server.model({ price }) })
    const answer = await ask()
    const tokens = { input: 600, output: 70, reasoning: 30, cache: { read: 400, write: 0 } }
    const cost = (600 * 2 + 100 * 10 + 400) / 1_000_000
    expect(answer.info).toMatchObject({ tokens, cost })
    expect(answer.parts.at(-1)).toMatchObject({ type: 'step-finish', reason: 'stop', tokens, cost })
    expect(store.session.usage).toMatchObject({ steps: 2, tokens: { input: 610, output: 75 } })
  })

  test('C162: impossible, repeated and missing usage numbers give no negative or doubled counts', async () => {
    server.queue(text('a', 'stop', usage(10, 10, { completion_tokens_details: { reasoning_tokens: 12 } })))
    expect((await setup(server).ask()).info).toMatchObject({ tokens: { input: 10, output: 0, reasoning: 10 } })
    server.queue(chunks(delta({ content: 'a' }, null, usage(10, 1)), delta({ content: 'b' }, null, usage(10, 2)), delta({}, 'stop', usage(10, 2))))
    expect((await setup(server).ask()).info).toMatchObject({ tokens: { input: 10, output: 2 } })
    server.queue(text('a', 'stop', { usage: null }))
    expect((await setup(server).ask()).info).toMatchObject({ tokens: { input: 0, output: 0 } })
  })
})

describe('a broken stream', () => {
  test('C151: an answer without a finish is asked for again, and nothing of the first try is left but that it failed', async () => {
    server.queue(cut(delta({ content: 'half an' })), text('A whole answer'))
    const { ask, events } = setup(server)
    const answer = await ask()
    expect(textOf(answer)).toBe('A whole answer')
    expect(partTypes(answer.parts)).toEqual(['retry', 'step-start', 'text', 'step-finish'])
    expect(events).toContainEqual({ type: 'status', status: expect.objectContaining({ type: 'retry', attempt: 1 }) })
  })

  test('C151: half a tool call is not executed', async () => {
    const tried = tool('read')
    server.queue(cut(delta(callDelta([{ id: 'call_1', name: 'read', arguments: '{"path":"a' }]))), text('Done'))
    const { ask, store } = setup(server, { tools: [tried] })
    await ask()
    expect(tried.inputs).toEqual([])
    expect(toolsOf(store.messages())).toEqual([])
  })

  test('C151: a stream that always breaks off is given up after five retries', async () => {
    server.otherwise(cut(delta({ content: 'half an' })))
    const { ask, clock } = setup(server)
    const answer = await ask()
    expect(errorOf(answer)).toMatchObject({ name: 'APIError' })
    expect(server.requests).toHaveLength(6)
    expect(clock.waits).toEqual([2000, 4000, 8000, 16_000, 30_000])
  })

  test('C30: a whole call followed by a reset is not executed twice and leaves no orphan', async () => {
    const tried = tool('read')
    server.queue(reset(delta({ content: 'Looking' }), delta(callDelta([read('a')]))), calls([read('a')]), text('Done'))
    const { ask } = setup(server, { tools: [tried] })
    expect(textOf(await ask())).toBe('Done')
    expect(tried.inputs).toEqual([{ path: 'a' }])
    expect(server.refusals).toEqual([])
  })

  test('parts that arrived before a final failure are kept, their calls marked as interrupted', async () => {
    server.queue(chunks(delta({ content: 'Looking' }), delta(callDelta([read('a')])), { error: { message: 'invalid_prompt', code: 'invalid_prompt' } }))
    const answer = await setup(server).ask()
    expect(errorOf(answer)).toMatchObject({ name: 'APIError', message: 'invalid_prompt' })
    expect(textOf(answer)).toBe('Looking')
    expect(toolsOf([answer])[0]?.state).toMatchObject({ status: 'error', metadata: { interrupted: true } })
    expect(server.requests).toHaveLength(1)
  })

  test('C152: an error object inside a stream is retried when it passes', async () => {
    server.queue(
      chunks({ error: { code: 429, message: 'too many' } }),
      chunks(delta({ content: 'x' }), { error: { type: 'server_error', message: 'oops' } }),
      text('Done'),
    )
    expect(textOf(await setup(server).ask())).toBe('Done')
    expect(server.requests).toHaveLength(3)
  })

  test('C152: an error object that tells of an overflow is one, with its message', async () => {
    server.queue(raw(event({ error: { message: 'context length exceeded' } }), DONE))
    expect(errorOf(await setup(server).ask())).toMatchObject({ name: 'ContextOverflowError', message: expect.stringContaining('context length exceeded') })
    expect(server.requests).toHaveLength(1)
  })

  test('a finish reason that names an error is retried', async () => {
    server.queue(text('half', 'network_error'), text('whole'))
    expect(textOf(await setup(server).ask())).toBe('whole')
  })

  test('reasoning of a failed try is not mixed into the next', async () => {
    server.queue(cut(delta({ reasoning_content: 'first' })), chunks(delta({ reasoning_content: 'second' }), delta({ content: 'Done' }), delta({}, 'stop')))
    const answer = await setup(server).ask()
    expect(answer.parts.filter(({ type }) => type === 'reasoning')).toMatchObject([{ text: 'second' }])
  })

  test('C154: the same answer arrives however its bytes are cut and decorated', async () => {
    const whole = event(delta({ content: 'Grüße, 世界 🎉' })) + event(delta({}, 'stop', usage())) + DONE
    const bytes = Buffer.from(whole)
    const variants = [
      raw(...Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))),
      raw(whole.replaceAll('\n', '\r\n')),
      raw(': PROCESSING\n\n', whole),
      raw(whole.replaceAll('data: ', 'data:')),
      raw(whole.trimEnd()),
    ]
    for (const reply of variants) {
      server.queue(reply)
      const answer = await setup(server).ask()
      expect(textOf(answer)).toBe('Grüße, 世界 🎉')
      expect(answer.info).toMatchObject({ tokens: { input: 10, output: 5 } })
    }
  })

  test('C160: harmless oddities are accepted', async () => {
    server.queue(chunks(delta({ role: '', content: null, tool_calls: null, note: 'x' }), delta({ content: 'Fine' }), delta({}, 'stop')))
    expect(textOf(await setup(server).ask())).toBe('Fine')
  })
})

describe('retries', () => {
  test('C56: a rate limit that never ends is given up after five retries', async () => {
    server.otherwise(http(429, { error: { message: 'slow down' } }))
    const { ask, clock } = setup(server)
    expect(errorOf(await ask())).toMatchObject({ name: 'APIError', statusCode: 429, message: expect.stringContaining('slow down') })
    expect(server.requests).toHaveLength(6)
    expect(clock.waits).toHaveLength(5)
  })

  test('C56: the wait the provider asks for is kept', async () => {
    server.queue(
      http(429, { error: { message: 'slow down' } }, { 'retry-after-ms': '1500' }),
      http(503, { error: { message: 'busy' } }, { 'retry-after': '30' }),
      text('Done'),
    )
    const { ask, clock } = setup(server)
    expect(textOf(await ask())).toBe('Done')
    expect(clock.waits).toEqual([1500, 30_000])
  })

  test('a wait of more than two minutes is not slept through; the error says so', async () => {
    server.queue(http(429, { error: { message: 'slow down' } }, { 'retry-after': '3600' }))
    const { ask, clock } = setup(server)
    expect(errorOf(await ask())?.message).toContain('60 minutes')
    expect(clock.waits).toEqual([])
  })

  test('C57: a used-up quota ends at once, in the provider’s words', async () => {
    server.queue(http(429, { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } }))
    expect(errorOf(await setup(server).ask())).toMatchObject({ retryable: false, message: expect.stringContaining('You exceeded your current quota') })
    expect(server.requests).toHaveLength(1)
  })

  test('C57: a limit that passes within seconds is retried', async () => {
    server.queue(http(429, { error: { message: 'rate limit, try again in 2s' } }), text('Done'))
    expect(textOf(await setup(server).ask())).toBe('Done')
  })

  test('a 400 of unknown kind is not retried', async () => {
    server.queue(http(400, { error: { message: 'bad field' } }))
    const answer = await setup(server).ask()
    expect(errorOf(answer)).toMatchObject({ name: 'APIError', statusCode: 400 })
    expect(server.requests).toHaveLength(1)
  })

  test('a wrong key is an error of its own, with the provider’s words', async () => {
    server.queue(http(401, { error: { message: 'bad key' } }))
    expect(errorOf(await setup(server).ask())).toMatchObject({ name: 'ProviderAuthError', message: expect.stringContaining('bad key') })
  })

  test('being stopped while waiting ends the run without another request', async () => {
    const controller = new AbortController()
    server.queue(http(500, { error: { message: 'oops' } }))
    const { ask } = setup(server, {
      signal: controller.signal,
      sink: (item) => {
        if (item.type === 'status' && item.status.type === 'retry') controller.abort()
      },
    })
    expect(errorOf(await ask())).toMatchObject({ name: 'MessageAbortedError' })
    expect(server.requests).toHaveLength(1)
  })
})

describe('tool calls as models make them', () => {
  test('C34: results are sent in the order of the calls, not of their ends', async () => {
    let release = () => {}
    const first = new Promise<void>((resolve) => {
      release = resolve
    })
    const racing = tool('read', async ({ path }) => {
      if (path === 'slow') await first
      else release()
      return result(`content of ${path}`)
    })
    server.queue(calls([read('slow', 'call_a'), read('quick', 'call_b')]), text('Done'))
    await setup(server, { tools: [racing] }).ask()
    expect(toolMessages(1).map(({ content }) => content)).toEqual(['content of slow', 'content of quick'])
  })

  test('C33: an id used twice in one answer and again in the next is made unique on both sides', async () => {
    server.queue(calls([read('a', 'call_0'), read('b', 'call_0')]), calls([read('c', 'call_0')]), text('Done'))
    const seen: string[] = []
    const noting = tool('read', ({ path }, { callID }) => {
      seen.push(callID)
      return result(`content of ${path}`)
    })
    await setup(server, { tools: [noting] }).ask()
    expect(server.refusals).toEqual([])
    expect(new Set(seen).size).toBe(3)
    expect(new Set(callsSent(2).map(({ id }) => id)).size).toBe(3)
    expect(toolMessages(2).map(({ content }) => content)).toEqual(['content of a', 'content of b', 'content of c'])
  })

  test('C159: empty and missing ids are replaced', async () => {
    const bare = { index: 2, function: { name: 'read', arguments: '{"path":"c"}' } }
    server.queue(chunks(delta({ tool_calls: [...callDelta([read('a', ''), read('b', '')]).tool_calls, bare] }), delta({}, 'tool_calls')), text('Done'))
    await setup(server).ask()
    expect(server.refusals).toEqual([])
    expect(toolMessages(1).map(({ content }) => content)).toEqual(['content of a', 'content of b', 'content of c'])
  })

  test.each([
    ['both 0', [0, 0]],
    ['missing', [undefined, undefined]],
    ['1 and 5', [1, 5]],
  ])('C156: two calls whose indexes are %s', async (_, indexes) => {
    const two = [read('a', 'call_a'), read('b', 'call_b')]
    server.queue(
      chunks(delta({ tool_calls: callDelta(two).tool_calls.map((call, n) => ({ ...call, index: indexes[n] })) }), delta({}, 'tool_calls')),
      text('Done'),
    )
    await setup(server).ask()
    expect(toolMessages(1).map(({ content }) => content)).toEqual(['content of a', 'content of b'])
  })

  test('C157: name after the id, arguments in pieces, arguments that already parsed and go on', async () => {
    const piece = (index: number, rest: object) => delta({ tool_calls: [{ index, ...rest }] })
    const numbers = tool('read')
    server.queue(
      chunks(
        piece(0, { id: 'a', function: { arguments: '' } }),
        piece(0, { function: { name: 'read' } }),
        piece(0, { function: { arguments: '{"path":"a"}' } }),
        delta({}, 'tool_calls'),
      ),
      chunks(piece(0, { id: 'b', function: { name: 'read', arguments: '{}' } }), piece(0, { function: { arguments: ' ' } }), delta({}, 'tool_calls')),
      chunks(piece(0, { id: 'c', function: { name: 'read', arguments: '{"a":1' } }), piece(0, { function: { arguments: '0}' } }), delta({}, 'tool_calls')),
      text('Done'),
    )
    await setup(server, { tools: [numbers] }).ask()
    expect(numbers.inputs).toEqual([{ path: 'a' }, {}, { a: 10 }])
  })

  test.each([
    ['""', ''],
    ['missing', undefined],
  ])('C158: arguments that are %s are an empty object', async (_, args) => {
    const list = tool('list')
    server.queue(chunks(delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'list', arguments: args } }] }), delta({}, 'tool_calls')), text('Done'))
    await setup(server, { tools: [list] }).ask()
    expect(list.inputs).toEqual([{}])
    expect(callsSent(1)[0]?.function.arguments).toBe('{}')
  })

  test('C59: a name in other case is understood; another is answered with its name and the real ones', async () => {
    server.queue(
      calls([
        { id: 'a', name: 'Read', arguments: { path: 'a' } },
        { id: 'b', name: 'frobnicate', arguments: {} },
      ]),
      text('Done'),
    )
    await setup(server, { tools: [tool('read'), tool('edit')] }).ask()
    expect(toolMessages(1).map(({ content }) => content)).toEqual(['content of a', 'There is no tool named "frobnicate". The tools are: edit, read.'])
    expect(callsSent(1)[0]?.function.name).toBe('read')
    expect(server.requests[1]?.body.tools?.map(({ function: { name } }) => name)).toEqual(['edit', 'read'])
  })

  test('C59: a call without a name ends the run within bounds', async () => {
    server.otherwise(calls([{ id: 'a', name: '', arguments: {} }]))
    expect(errorOf(await setup(server).ask())).toBeDefined()
    expect(server.requests.length).toBeLessThan(10)
  })

  test('C164: a name with forbidden characters is cleaned in the history', async () => {
    server.queue(calls([{ id: 'a', name: '$READ<|x|>', arguments: {} }]), text('Done'))
    expect(textOf(await setup(server).ask())).toBe('Done')
    expect(toolMessages(1)[0]?.content).toContain('$READ<|x|>')
  })

  test('C60: arguments that are no JSON object get a short error, and good siblings still run', async () => {
    const long = `{"path": "${'x'.repeat(2000)}`
    server.queue(
      calls([
        { id: 'a', name: 'read', arguments: '{"path":' },
        { id: 'b', name: 'read', arguments: 'null' },
        { id: 'c', name: 'read', arguments: '[1]' },
        read('good', 'd'),
      ]),
      calls([
        { id: 'e', name: 'read', arguments: long },
        { id: 'f', name: 'read', arguments: { path: 7 } },
      ]),
      text('Done'),
    )
    await setup(server).ask()
    const [json, none, list, good, endless, wrong] = toolMessages(2).map(({ content }) => String(content))
    expect(json).toMatch(/not valid JSON.*\{"path":/)
    expect(none).toMatch(/not null/)
    expect(list).toMatch(/not an array: \[1\]/)
    expect(good).toBe('content of good')
    expect(endless?.length).toBeLessThan(400)
    expect(wrong).toMatch(/do not fit[\s\S]*path/)
  })

  test('C148: prototype keys in arguments and ids change nothing', async () => {
    server.queue(
      calls([
        { id: '__proto__', name: 'read', arguments: '{"path":"a","\\u005f_proto__":{"polluted":1}}' },
        { id: 'constructor', name: '__proto__', arguments: {} },
        read('b'),
      ]),
      text('Done'),
    )
    expect(textOf(await setup(server).ask())).toBe('Done')
    expect(toolMessages(1).map(({ content }) => content)).toEqual([
      expect.stringContaining('not valid JSON'),
      expect.stringContaining('There is no tool named "__proto__"'),
      'content of b',
    ])
    expect('polluted' in {}).toBe(false)
  })

  test('C31: a tool that prints nothing still has a result', async () => {
    server.queue(calls([read('a')]), text('Done'))
    await setup(server, { tools: [tool('read', () => result(''))] }).ask()
    expect(toolMessages(1)[0]?.content).toBe('(no output)')
  })

  test('C35: reasoning is sent back with the calls it led to, unchanged', async () => {
    server.queue(
      chunks(delta({ reasoning_content: 'I should ' }), delta({ reasoning_content: 'read' }), delta(callDelta([read('a')])), delta({}, 'tool_calls')),
      text('Done'),
    )
    await setup(server).ask()
    expect(server.requests[1]?.body.messages.find(({ role }) => role === 'assistant')).toMatchObject({ reasoning_content: 'I should read' })
  })

  test('C36: content is null next to calls and a string without', async () => {
    server.queue(calls([read('a')]), text('First'), text('Second'))
    const { ask } = setup(server)
    await ask()
    await ask('and now?')
    const sent = server.requests[2]?.body.messages.filter(({ role }) => role === 'assistant')
    expect(sent?.map(({ content }) => content)).toEqual([null, 'First'])
  })

  test('C38: control bytes, terminal colours and half characters of a result don’t reach the model', async () => {
    server.queue(calls([read('a')]), text('Done'))
    await setup(server, { tools: [tool('read', () => result('a\0b\u001b[31mred\u001b[0m\ud83d end\tx\n'))] }).ask()
    expect(toolMessages(1)[0]?.content).toBe('abred\ufffd end\tx\n')
  })
})
