import { describe, expect, test } from 'vitest'
import { result, tool, toolsOf } from '../session/harness.ts'
import { call, dialects } from './dialects.ts'
import { play } from './play.ts'

/** Public cases of the loop, in every protocol. */

const read = (id: string, path = 'a') => call(id, 'read', { path })
const retry = { 'retry-after-ms': '1' }
const json = (status: number, body: object, headers: Record<string, string> = {}) => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  pieces: [JSON.stringify(body)],
})

describe.each(dialects)('over $protocol', (dialect) => {
  test('C48 a call next to the finish reason "stop" is executed and the loop goes on', async () => {
    const { text, inputs, bodies } = await play(dialect, [{ calls: [read('call_1')], finish: 'stop' }, { text: 'Done' }])
    expect(inputs).toEqual([{ path: 'a' }])
    expect([text, bodies.length]).toEqual(['Done', 2])
  })

  test('C50 a text with a finish reason nobody knows is the answer', async () => {
    const { text, error, bodies } = await play(dialect, [{ text: 'Fine.', finish: 'vendor' }])
    expect([text, error, bodies.length]).toEqual(['Fine.', undefined, 1])
  })

  test('C50 nothing at all is asked for again a few times, with growing waits, and is then an error', async () => {
    const { error, bodies, waits } = await play(dialect, [{ finish: 'vendor' }])
    expect(error?.name).toBe('EmptyAnswerError')
    expect(bodies).toHaveLength(3)
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  })

  test('C51 after the final answer nothing more is asked', async () => {
    const { bodies, results } = await play(dialect, [{ calls: [read('call_1')] }, { text: 'Done' }, { text: 'Too much' }])
    expect(bodies).toHaveLength(2)
    expect(results).toEqual(['content of a'])
  })

  test('C52 the same call for ever: the model is told, then the run ends with what it has', async () => {
    const { bodies, messages, inputs } = await play(dialect, [{ calls: [read('call_1')] }], { maxSteps: 1_000 })
    expect(bodies.length).toBeLessThan(12)
    expect(inputs.length).toBeLessThan(10)
    expect(toolsOf(messages).filter(({ state }) => state.status === 'completed' && state.output.includes('3 times'))).toHaveLength(1)
    expect(dialect.forbidsCalls(bodies.at(-1) ?? '')).toBe(true)
  })

  test('C54 the last step ends in a user message, forbids calls, and carries none out', async () => {
    const { bodies, sent, inputs, messages } = await play(dialect, [{ calls: [read('call_1', 'a')] }, { calls: [read('call_2', 'b')] }, { text: 'Summary' }], {
      maxSteps: 2,
    })
    expect(sent[1]?.at(-1)?.kind).toBe('user')
    expect(bodies.map((body) => dialect.forbidsCalls(body)).slice(0, 2)).toEqual([false, true])
    expect(inputs).toEqual([{ path: 'a' }])
    expect(toolsOf(messages).map(({ state }) => state.status)).toEqual(['completed', 'error'])
  })

  test('C56 a rate limit without end is one layer of bounded tries with growing waits', async () => {
    const { error, bodies, waits } = await play(dialect, [json(429, { error: { type: 'rate_limit_error', message: 'slow down' } })])
    expect(error).toMatchObject({ name: 'APIError', statusCode: 429 })
    expect(error?.message).toContain('slow down')
    expect(bodies).toHaveLength(6)
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(waits).toHaveLength(5)
  })

  test('C57 a quota that is used up ends at once; a limit that passes is waited for as long as it says', async () => {
    const used = await play(dialect, [json(429, { error: { code: 'insufficient_quota', type: 'insufficient_quota', message: 'Your credits are used up.' } })])
    expect(used.bodies).toHaveLength(1)
    expect(used.error?.message).toContain('Your credits are used up.')
    const passing = await play(dialect, [json(429, { error: { message: 'rate limit, try again in 2s' } }, { 'retry-after': '2' }), { text: 'Done' }])
    expect([passing.text, passing.waits]).toEqual(['Done', [2_000]])
  })

  test('C59 a name in other case is repaired; any other unknown name gets an error that names it and the real ones', async () => {
    const made = [call('a', 'Read', { path: 'a' }), call('b', 'read_file', {}), call('c', 'frobnicate', {})]
    const { results, sent, inputs } = await play(dialect, [{ calls: made }, { text: 'Done' }])
    expect(inputs).toEqual([{ path: 'a' }])
    expect(results[0]).toBe('content of a')
    expect(results[1]).toMatch(/read_file\\?".*: read\./)
    expect(results[2]).toMatch(/frobnicate\\?".*: read\./)
    expect(sent[1]?.flatMap((item) => (item.kind === 'call' ? [item.name] : []))).toEqual(['read', 'read_file', 'frobnicate'])
  })

  test('C59 made-up names for ever end within bounds', async () => {
    const { bodies } = await play(dialect, [{ calls: [call('a', 'frobnicate', {})] }], { maxSteps: 1_000 })
    expect(bodies.length).toBeLessThan(10)
  })

  test('C60 arguments that are no object get a short error, good siblings run, and bad ones for ever end within bounds', async () => {
    const bad = [call('a', 'read', `{"path":"${'x'.repeat(3_000)}`), call('b', 'read', 'null'), call('c', 'read', '[1]')]
    const mixed = await play(dialect, [{ calls: [...bad, read('d')] }, { text: 'Done' }])
    expect(mixed.inputs).toEqual([{ path: 'a' }])
    expect(mixed.results).toHaveLength(4)
    expect(mixed.results.at(-1)).toBe('content of a')
    for (const problem of mixed.results.slice(0, 3)) expect(problem.length).toBeLessThan(400)
    const endless = await play(dialect, [{ calls: [call('a', 'read', '[1]')] }], { maxSteps: 1_000 })
    expect(endless.bodies.length).toBeLessThan(10)
    expect(endless.inputs).toEqual([])
  })

  test('C61 stopped in the middle of a tool: nothing more is asked, and the answer says it was stopped', async () => {
    const stop = new AbortController()
    const slow = tool('read', (_, { signal }) => {
      stop.abort()
      return signal.aborted ? Promise.reject(new Error('killed')) : result('never')
    })
    const { bodies, error } = await play(dialect, [{ calls: [read('call_1')] }, { text: 'Too much' }], { tools: [slow], signal: stop.signal })
    expect(bodies).toHaveLength(1)
    expect(error?.name).toBe('MessageAbortedError')
  })

  test.each([401, 403])('C62 a refusal with status %i ends at once with the provider’s words', async (status) => {
    const { error, bodies } = await play(dialect, [json(status, { type: 'error', error: { type: 'authentication_error', message: 'bad key' } })])
    expect(error).toMatchObject({ name: 'ProviderAuthError', statusCode: status })
    expect(error?.message).toContain('bad key')
    expect(bodies).toHaveLength(1)
  })

  test('C62 status 200 with an empty body is an error that says so', async () => {
    const { error, bodies } = await play(dialect, [{ pieces: [] }])
    expect(error).toMatchObject({ name: 'APIError' })
    expect(error?.message).not.toMatch(/^(unknown error)?$/i)
    expect(bodies).toHaveLength(6)
  })

  test('C63 work that ends without a word is asked for a summary once, without tools', async () => {
    const { text, bodies, sent } = await play(dialect, [{ calls: [read('call_1')] }, {}, { text: 'I read it.' }])
    expect(text).toBe('I read it.')
    expect(bodies).toHaveLength(3)
    expect(dialect.forbidsCalls(bodies[2] ?? '')).toBe(true)
    expect(sent[2]?.at(-1)?.kind).toBe('user')
    const silent = await play(dialect, [{ calls: [read('call_1')] }, {}])
    expect(silent.bodies).toHaveLength(3)
  })

  test('an error of the server that passes is tried again', async () => {
    const { text, bodies } = await play(dialect, [json(503, { error: { message: 'busy' } }, retry), { text: 'Done' }])
    expect([text, bodies.length]).toEqual(['Done', 2])
  })
})
