import { describe, expect, test } from 'vitest'
import { type Dialect, dialects, disorderOf, type Sent } from './dialects.ts'

/** The judge of requests must be able to say no, or every test that relies on it says nothing. */

const user: Sent = { kind: 'user', text: 'fix it' }
const call = (id: string, name = 'read'): Sent => ({ kind: 'call', id, name, input: {} })
const result = (id: string, text = 'content'): Sent => ({ kind: 'result', id, text })

/** A request that tells the model these things. */
const bodies: Record<string, (sent: readonly Sent[]) => object> = {
  'openai-compatible': (sent) => ({
    messages: sent.map((item) =>
      item.kind === 'call'
        ? { role: 'assistant', content: null, tool_calls: [{ id: item.id, function: { name: item.name, arguments: '{}' } }] }
        : item.kind === 'result'
          ? { role: 'tool', tool_call_id: item.id, content: item.text }
          : { role: item.kind === 'text' ? 'assistant' : 'user', content: item.text },
    ),
  }),
  'openai-responses': (sent) => ({
    input: sent.map((item) =>
      item.kind === 'call'
        ? { type: 'function_call', call_id: item.id, name: item.name, arguments: '{}' }
        : item.kind === 'result'
          ? { type: 'function_call_output', call_id: item.id, output: item.text }
          : { role: item.kind === 'text' ? 'assistant' : 'user', content: [{ text: item.text }] },
    ),
  }),
  anthropic: (sent) => ({
    messages: sent.map((item) =>
      item.kind === 'call'
        ? { role: 'assistant', content: [{ type: 'tool_use', id: item.id, name: item.name, input: {} }] }
        : item.kind === 'result'
          ? { role: 'user', content: [{ type: 'tool_result', tool_use_id: item.id, content: item.text }] }
          : { role: item.kind === 'text' ? 'assistant' : 'user', content: [{ type: 'text', text: item.text }] },
    ),
  }),
}
const judge = (dialect: Dialect, sent: readonly Sent[]) => disorderOf(JSON.stringify(bodies[dialect.protocol]?.(sent)), dialect)

describe.each(dialects)('over $protocol', (dialect) => {
  test('a request in order passes', () => {
    expect(judge(dialect, [user, call('a'), call('b'), result('a'), result('b'), { kind: 'text', text: 'Done' }, user])).toBeUndefined()
  })

  test.each<[string, readonly Sent[]]>([
    ['a call without a result', [user, call('a'), user]],
    ['a call without a result at the end', [user, call('a')]],
    ['a result without its call', [user, result('a')]],
    ['results in another order', [user, call('a'), call('b'), result('b'), result('a')]],
    ['two results of one call', [user, call('a'), result('a'), result('a')]],
    ['an empty result', [user, call('a'), result('a', '')]],
    ['an id twice', [user, call('a'), result('a'), call('a'), result('a')]],
    ['an empty id', [user, call(''), result('')]],
    ['a forbidden name', [user, call('a', '$read'), result('a')]],
    ['an answer at the end', [user, { kind: 'text', text: 'Done' }]],
    ['a NUL', [{ kind: 'user', text: 'a\0b' }]],
    ['half a character', [{ kind: 'user', text: 'a\ud83d' }]],
  ])('%s is refused', (_, sent) => {
    expect(judge(dialect, sent)).toBeTypeOf('string')
  })
})
