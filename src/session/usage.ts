import type { LanguageModelUsage } from 'ai'
import type { ModelInfo } from '../model/model.ts'
import type { Caps } from './caps.ts'
import { addTokens, type Session, type Tokens } from './message.ts'
import type { Recorder } from './record.ts'

const PER_MILLION = 1_000_000

/** Providers report undefined, NaN and negative counts (C162): a count is a finite number of at least 0. */
const count = (value: number | undefined): number => (value !== undefined && Number.isFinite(value) && value > 0 ? value : 0)

/**
 * Tokens of one answer as we count them, from the AI SDK's usage: `input` without what was read from or written to a cache,
 * `output` without reasoning. Never negative, nothing counted twice (C162).
 */
export function tokensOf(usage: LanguageModelUsage | undefined): Tokens {
  const total = count(usage?.inputTokens)
  const read = count(usage?.inputTokenDetails.cacheReadTokens)
  const write = count(usage?.inputTokenDetails.cacheWriteTokens)
  const produced = count(usage?.outputTokens)
  // Some gateways count more reasoning than output; what was produced in all is the bound.
  const reasoning = Math.min(count(usage?.outputTokenDetails.reasoningTokens), produced)
  return { input: Math.max(0, total - read - write), output: produced - reasoning, reasoning, cache: { read, write } }
}

/** What the tokens of one answer cost, in USD; 0 for a model without a price. The tier is chosen by everything that was sent. */
export function costOf(tokens: Tokens, info: ModelInfo): number {
  if (!info.price) return 0
  const sent = tokens.input + tokens.cache.read + tokens.cache.write
  const tier = info.price.tiers?.filter(({ above }) => sent > above).toSorted((a, b) => b.above - a.above)[0]
  const price = tier ?? info.price
  const sum =
    tokens.input * price.input +
    (tokens.output + tokens.reasoning) * price.output +
    tokens.cache.read * (price.cacheRead ?? price.input) +
    tokens.cache.write * (price.cacheWrite ?? price.input)
  return sum / PER_MILLION
}

/** A session's running totals with one more answer added, which counts as so many steps. */
export function addUsage(usage: Session['usage'], tokens: Tokens, cost: number, steps = 1): Session['usage'] {
  return {
    steps: usage.steps + steps,
    cost: usage.cost + cost,
    tokens: addTokens(usage.tokens, tokens),
  }
}

/** What came to a session's running totals between two states of them. */
export function usageBetween(before: Session['usage'], after: Session['usage']): Session['usage'] {
  const [from, to] = [before.tokens, after.tokens]
  return {
    steps: after.steps - before.steps,
    cost: after.cost - before.cost,
    tokens: {
      input: to.input - from.input,
      output: to.output - from.output,
      reasoning: to.reasoning - from.reasoning,
      cache: { read: to.cache.read - from.cache.read, write: to.cache.write - from.cache.write },
    },
  }
}

interface Books {
  readonly record: Recorder
  readonly caps: Caps
}

/** Counts an answer of a model: in the session's totals, and against what the run may use. Every answer of a model goes through here. */
export function bill(usage: LanguageModelUsage | undefined, info: ModelInfo, { record, caps }: Books, steps = 1) {
  const tokens = tokensOf(usage)
  const cost = costOf(tokens, info)
  record.store.update({ usage: addUsage(record.store.session.usage, tokens, cost, steps) })
  caps.spend(tokens, cost)
  return { tokens, cost }
}
