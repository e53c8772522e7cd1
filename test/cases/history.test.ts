import { describe, expect, test } from 'vitest'
import { result, tool } from '../session/harness.ts'
import { call, dialects } from './dialects.ts'
import { play } from './play.ts'

/** Public cases of the history that is sent back, in every protocol. `play` holds each request against the rules of strict backends. */

const read = (id: string, path = 'a') => call(id, 'read', { path })

describe.each(dialects)('over $protocol', (dialect) => {
  test('C30 a whole call and then a reset: the run recovers, nothing runs twice, no call is left without a result', async () => {
    const whole = dialect.answer({ text: 'Let me look.', calls: [read('call_1')] })
    const begun = whole.slice(0, -dialect.closing)
    const { inputs, bodies, results } = await play(dialect, [{ pieces: begun, ending: 'reset' }, { calls: [read('call_1')] }, { text: 'Done' }])
    expect(inputs).toEqual([{ path: 'a' }])
    expect(bodies).toHaveLength(3)
    expect(results).toEqual(['content of a'])
  })

  test('C30 a run stopped in the middle of its calls can be continued by the next message', async () => {
    const stop = new AbortController()
    const stopping = tool('read', () => {
      stop.abort()
      return Promise.reject(new Error('killed'))
    })
    const first = await play(dialect, [{ text: 'Let me look.', calls: [read('call_1'), read('call_2', 'b')] }], { tools: [stopping], signal: stop.signal })
    expect(first.error?.name).toBe('MessageAbortedError')
    const second = await play(dialect, [{ text: 'Done' }], { history: first.messages, again: 'go on' })
    expect(second.text).toBe('Done')
    expect(second.results).toHaveLength(2)
  })

  test('C31 a tool that prints nothing has a result all the same', async () => {
    const { results } = await play(dialect, [{ calls: [read('call_1')] }, { text: 'Done' }], { tools: [tool('read', () => result(''))] })
    expect(results).toEqual(['(no output)'])
  })

  test('C33 ids that start again with each turn, or come twice in one, are made unique on both sides, the same way every time', async () => {
    const { results, sent } = await play(
      dialect,
      [{ calls: [read('call_0', 'a'), read('call_0', 'b')] }, { calls: [read('call_0', 'c')] }, { text: 'Done' }, { text: 'Still done' }],
      { again: 'and?' },
    )
    expect(results).toEqual(['content of a', 'content of b', 'content of c'])
    expect(sent[3]?.slice(0, sent[2]?.length)).toEqual(sent[2])
  })

  test('C34 results stand in the order of the calls, whichever is ready first', async () => {
    const ready = Promise.withResolvers<void>()
    const racing = tool('read', async ({ path }) => {
      if (path === 'slow') await ready.promise
      else ready.resolve()
      return result(`content of ${path}`)
    })
    const { results } = await play(dialect, [{ calls: [read('call_a', 'slow'), read('call_b', 'quick')] }, { text: 'Done' }], { tools: [racing] })
    expect(results).toEqual(['content of slow', 'content of quick'])
  })

  test('C35 reasoning goes back unchanged with the calls it led to, and is no part of the answer', async () => {
    const { sent, text, bodies } = await play(dialect, [{ reasoning: 'I should read.', calls: [read('call_1')] }, { text: 'Done' }], {
      info: { reasoning: true },
    })
    expect(sent[1]?.filter(({ kind }) => kind === 'reasoning')).toEqual([{ kind: 'reasoning', text: 'I should read.' }])
    if (dialect.protocol === 'openai-responses') expect(bodies[1]).toContain('"encrypted_content":"sealed"')
    if (dialect.protocol === 'anthropic') expect(bodies[1]).toContain('"signature":"signed"')
    expect(text).toBe('Done')
    // It is not invented where there was none.
    const plain = await play(dialect, [{ calls: [read('call_1')] }, { text: 'Done' }])
    expect(plain.bodies[1]).not.toMatch(/reasoning_content|"thinking"|"type":"reasoning"/)
  })

  test('C37 an answer of nothing but reasoning is not sent back', async () => {
    const { sent, text } = await play(dialect, [{ reasoning: 'Hm.' }, { text: 'Done' }])
    expect(text).toBe('Done')
    expect(sent[1]?.filter(({ kind }) => kind !== 'system').map(({ kind }) => kind)).toEqual(['user'])
  })

  test('C37 C38 a text of control characters alone is no answer and is not sent back', async () => {
    const { sent, text } = await play(dialect, [{ text: '\0\u001b[0m' }, { text: 'Done' }])
    expect(text).toBe('Done')
    expect(sent[1]?.filter(({ kind }) => kind !== 'system').map(({ kind }) => kind)).toEqual(['user'])
  })

  test('C38 control bytes and broken characters of a result reach no model, now or in a later turn', async () => {
    const dirty = tool('read', () => result('a\0b\u001b[31mred\u001b[0m\ud83d end'))
    const { results, bodies } = await play(dialect, [{ calls: [read('call_1')] }, { text: 'Done' }, { text: 'Again' }], { tools: [dirty], again: 'and?' })
    expect(results).toEqual(['abred\ufffd end'])
    expect(bodies).toHaveLength(3)
  })
})

test('C36 content is null next to calls and a string without', async () => {
  const [chat] = dialects
  if (!chat) throw new Error('there is no dialect')
  const { bodies } = await play(chat, [{ calls: [read('call_1')] }, { text: 'First' }, { text: 'Second' }], { again: 'and now?' })
  expect(bodies[2]).toMatch(/"role":"assistant","content":null,"tool_calls"/)
  expect(bodies[2]).toMatch(/"role":"assistant","content":"First"/)
  expect(bodies.join()).not.toMatch(/"content":""/)
})
