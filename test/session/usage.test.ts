import type { LanguageModelUsage } from 'ai'
import { describe, expect, test } from 'vitest'
import type { ModelInfo } from '../../src/model/model.ts'
import { costOf, tokensOf } from '../../src/session/usage.ts'

const usage = (
  input: number | undefined,
  output: number | undefined,
  details: { read?: number; write?: number; reasoning?: number } = {},
): LanguageModelUsage => ({
  inputTokens: input,
  inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: details.read, cacheWriteTokens: details.write },
  outputTokens: output,
  outputTokenDetails: { textTokens: undefined, reasoningTokens: details.reasoning },
  totalTokens: undefined,
})
const info = (price: ModelInfo['price']): ModelInfo => ({
  providerID: 'p',
  modelID: 'm',
  name: 'M',
  reasoning: true,
  temperature: true,
  inputs: ['text'],
  limit: { context: 200_000, output: 32_000 },
  ...(price ? { price } : {}),
})

describe('tokens', () => {
  test('what was read from or written to a cache is taken out of the input, reasoning out of the output', () => {
    expect(tokensOf(usage(1000, 300, { read: 200, write: 100, reasoning: 50 }))).toEqual({
      input: 700,
      output: 250,
      reasoning: 50,
      cache: { read: 200, write: 100 },
    })
  })

  test('C162: missing, negative and impossible numbers count as nothing', () => {
    const none = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }
    expect(tokensOf(undefined)).toEqual(none)
    expect(tokensOf(usage(undefined, undefined))).toEqual(none)
    expect(tokensOf(usage(Number.NaN, -5))).toEqual(none)
    expect(tokensOf(usage(10, 10, { read: 20, reasoning: 12 }))).toEqual({ input: 0, output: 0, reasoning: 10, cache: { read: 20, write: 0 } })
  })
})

describe('cost', () => {
  const tokens = { input: 1_000_000, output: 500_000, reasoning: 500_000, cache: { read: 1_000_000, write: 1_000_000 } }

  test('each kind of token has its price; reasoning is billed as output', () => {
    expect(costOf(tokens, info({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }))).toBeCloseTo(3 + 15 + 0.3 + 3.75)
  })

  test('the tier is chosen by everything that was sent', () => {
    const tiers = [
      { above: 200_000, input: 6, output: 30, cacheRead: 1, cacheWrite: 1 },
      { above: 2_900_000, input: 10, output: 50, cacheRead: 2, cacheWrite: 2 },
    ]
    const priced = info({ input: 3, output: 15, tiers })
    expect(costOf(tokens, priced)).toBeCloseTo(10 + 50 + 2 + 2)
    expect(costOf({ ...tokens, input: 300_000, cache: { read: 0, write: 0 } }, priced)).toBeCloseTo(0.3 * 6 + 30)
    expect(costOf({ ...tokens, input: 200_000, cache: { read: 0, write: 0 } }, priced)).toBeCloseTo(0.2 * 3 + 15)
  })

  test('a model without a price costs nothing', () => {
    expect(costOf(tokens, info(undefined))).toBe(0)
  })
})
