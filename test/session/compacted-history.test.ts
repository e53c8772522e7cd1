import { describe, expect, test } from 'vitest'
import { compactedHistory, pendingCompaction } from '../../src/session/compacted-history.ts'
import { type Assistant, noTokens, type Part, type WithParts } from '../../src/session/message.ts'

const model = { providerID: 'test', modelID: 'test-model' }
const text = (messageID: string, words: string): Part => ({ id: `prt_${messageID}`, messageID, type: 'text', text: words })
const user = (id: string): WithParts => ({ info: { role: 'user', id, time: { created: 1 }, agent: 'build', model }, parts: [text(id, id)] })
const request = (id: string, tailStart?: string): WithParts => ({
  ...user(id),
  parts: [{ id: `prt_${id}`, messageID: id, type: 'compaction', auto: true, ...(tailStart === undefined ? {} : { tailStart }) }],
})
const answer = (id: string, parentID: string, rest: Partial<Assistant> = {}): WithParts => ({
  info: { role: 'assistant', id, parentID, time: { created: 1 }, agent: 'build', model, finish: 'stop', tokens: noTokens, cost: 0, ...rest },
  parts: [text(id, id)],
})
const summary = (id: string, parentID: string, rest: Partial<Assistant> = {}) => answer(id, parentID, { summary: true, ...rest })
const unfinished = (id: string, parentID: string): WithParts => {
  const { info, parts } = summary(id, parentID)
  const { finish: _, ...rest } = info.role === 'assistant' ? info : { finish: '', ...info }
  return { info: rest, parts }
}
const failed = { name: 'APIError' as const, message: 'broke' }
const ids = (messages: readonly WithParts[]) => messages.map(({ info }) => info.id).join(' ')

describe('the history after compactions', () => {
  test.each<[string, WithParts[], string]>([
    ['without one: everything in order', [user('u1'), answer('a1', 'u1'), user('u2')], 'u1 a1 u2'],
    ['it begins with the request of a finished summary', [user('u1'), answer('a1', 'u1'), request('c'), summary('s', 'c'), user('u2')], 'c s u2'],
    ['an errored summary is ignored', [user('u1'), answer('a1', 'u1'), request('c'), summary('s', 'c', { error: failed }), user('u2')], 'u1 a1 u2'],
    ['an unfinished summary is ignored', [user('u1'), answer('a1', 'u1'), request('c'), unfinished('s', 'c'), user('u2')], 'u1 a1 u2'],
    [
      'a kept tail comes between the summary and what is later',
      [user('u1'), answer('a1', 'u1'), user('u2'), answer('a2', 'u2'), request('c', 'u2'), summary('s', 'c'), user('u3')],
      'c s u2 a2 u3',
    ],
    [
      'a tail may start inside a turn',
      [user('u1'), answer('a1', 'u1', { finish: 'tool-calls' }), answer('a2', 'u1'), request('c', 'a2'), summary('s', 'c'), user('u2')],
      'c s a2 u2',
    ],
    ['a tail whose first message is gone is no tail', [user('u1'), answer('a1', 'u1'), request('c', 'u0'), summary('s', 'c'), user('u2')], 'c s u2'],
    [
      'of several compactions the newest counts, also within its tail',
      [user('u1'), request('c1'), summary('s1', 'c1'), user('u2'), answer('a2', 'u2'), request('c2', 'u2'), summary('s2', 'c2'), user('u3')],
      'c2 s2 u2 a2 u3',
    ],
    [
      'after a failed one the earlier still counts',
      [user('u1'), request('c1'), summary('s1', 'c1'), user('u2'), answer('a2', 'u2'), request('c2'), summary('s2', 'c2', { error: failed }), user('u3')],
      'c1 s1 u2 a2 u3',
    ],
    ['a message that arrived while the summary was written is kept', [user('u1'), request('c'), user('u2'), summary('s', 'c')], 'c s u2'],
  ])('%s', (_, messages, expected) => {
    expect(ids(compactedHistory(messages))).toBe(expected)
  })
})

describe('a request to compact is pending', () => {
  test.each<[string, WithParts[], string | undefined]>([
    ['until it is carried out', [user('u1'), answer('a1', 'u1'), request('c')], 'c'],
    ['not afterwards', [user('u1'), request('c'), summary('s', 'c')], undefined],
    ['again after a failure', [user('u1'), request('c'), { ...unfinished('s', 'c') }], 'c'],
    ['not after one that can only fail', [user('u1'), request('c'), summary('s', 'c', { finish: 'error', error: failed })], undefined],
    ['also behind a message that arrived since', [user('u1'), request('c'), user('u2')], 'c'],
  ])('%s', (_, messages, expected) => {
    expect(pendingCompaction(messages)?.info.id).toBe(expected)
  })
})
