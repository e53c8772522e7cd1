import { describe, expect, test } from 'vitest'
import { noTokens, type Tokens } from '../../src/session/message.ts'
import { type CompactionSettings, estimateTokens, isOverflow, usable } from '../../src/session/overflow.ts'

const model = (context: number, output: number, input?: number) => ({ limit: { context, output, ...(input === undefined ? {} : { input }) } })
const tokens = (input: number, output: number, cached: Partial<Tokens['cache']> = {}): Tokens => ({
  ...noTokens,
  input,
  output,
  cache: { ...noTokens.cache, ...cached },
})

describe('what is usable of a context', () => {
  test.each<[string, ReturnType<typeof model>, CompactionSettings, number]>([
    ['the context less the output limit', model(200_000, 32_000), {}, 168_000],
    ['an output limit counts up to 32,000', model(1_000_000, 384_000), {}, 968_000],
    ['a missing output limit counts as 32,000', model(200_000, 0), {}, 168_000],
    ['the input limit less 20,000', model(400_000, 128_000, 272_000), {}, 252_000],
    ['the input limit less a smaller output limit', model(200_000, 8_000, 200_000), {}, 192_000],
    ['the input limit less what is reserved', model(400_000, 128_000, 272_000), { reserved: 50_000 }, 222_000],
    ['never less than nothing', model(400_000, 128_000, 10_000), { reserved: 50_000 }, 0],
    ['what is reserved has no effect without an input limit', model(200_000, 32_000), { reserved: 50_000 }, 168_000],
    ['nothing of an unknown context', model(0, 32_000), {}, 0],
    ['half of a context that its output limit could fill', model(8_192, 8_192), {}, 4_096],
  ])('%s', (_, limits, settings, expected) => {
    expect(usable(limits, settings)).toBe(expected)
  })
})

describe('an answer says that the context is full', () => {
  test.each<[string, Tokens, ReturnType<typeof model>, CompactionSettings, boolean]>([
    ['75k + 5k tokens of 100k with 32k for output: yes', tokens(75_000, 5_000), model(100_000, 32_000), {}, true],
    ['110k of 200k with 32k for output: no', tokens(100_000, 10_000), model(200_000, 32_000), {}, false],
    ['cached tokens count', tokens(60_000, 10_000, { read: 10_000 }), model(100_000, 32_000), {}, true],
    ['reasoning counts', { ...tokens(60_000, 0), reasoning: 8_000 }, model(100_000, 32_000), {}, true],
    ['198k against an input limit of 200k: yes, because of the reserve', tokens(190_000, 8_000), model(400_000, 32_000, 200_000), {}, true],
    ['little against an input limit: no', tokens(20_000, 1_000), model(400_000, 32_000, 200_000), {}, false],
    ['exactly what is usable: yes', tokens(68_000, 0), model(100_000, 32_000), {}, true],
    ['one token less: no', tokens(67_999, 0), model(100_000, 32_000), {}, false],
    ['an unknown context is never full', tokens(1_000_000, 0), model(0, 32_000), {}, false],
    ['C82: nothing is, with auto off', tokens(1_000_000, 0), model(100_000, 32_000), { auto: false }, false],
  ])('%s', (_, used, limits, settings, expected) => {
    expect(isOverflow(used, limits, settings)).toBe(expected)
  })
})

test('a token is estimated at four characters', () => {
  expect([estimateTokens(''), estimateTokens('abcd'), estimateTokens('a'.repeat(4_001))]).toEqual([0, 1, 1_000])
})
