import { expect, test } from 'vitest'
import { modelUsed, notesOf } from '../../src/run/account.ts'

const first = { providerID: 'anthropic', modelID: 'a' }
const second = { providerID: 'openai', modelID: 'b' }

test('an early end is told with the input that set the limit', () => {
  expect(notesOf({ ending: { cap: 'cost', reason: 'the limit of $2.00 is reached ($2.10 was spent)' }, takeovers: [] })).toEqual([
    'The run had to sum up before it was done: the limit of $2.00 is reached ($2.10 was spent) (input `max-cost-usd`).',
  ])
  expect(notesOf({ ending: { cap: 'idle', reason: 'nothing has happened for 5 minutes' }, takeovers: [] })).toEqual([
    'The run had to sum up before it was done: nothing has happened for 5 minutes.',
  ])
})

test('a model that took over is told with the reason', () => {
  expect(notesOf({ takeovers: [{ from: first, to: second, because: 'quota used up' }] })).toEqual(['anthropic/a failed and openai/b took over: quota used up'])
})

test('the model that is named is the one that answered last', () => {
  const message = (model: typeof first) => ({
    info: {
      role: 'assistant' as const,
      id: 'msg_1',
      parentID: 'msg_0',
      time: { created: 1 },
      agent: 'build',
      model,
      tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
      cost: 0,
    },
    parts: [],
  })
  expect(modelUsed([message(first), message(second)], first)).toBe('openai/b')
  expect(modelUsed([], first)).toBe('anthropic/a')
})
