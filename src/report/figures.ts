import type { Session, Tokens, WithParts } from '../session/message.ts'

/** What a run used: model steps, tokens, and USD by the catalogue's prices (0 when the price is unknown). */
export type Usage = Session['usage']

/** Adds up the model steps of the given messages. */
export function usageOf(messages: readonly WithParts[]): Usage {
  let steps = 0
  let cost = 0
  const tokens: Tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type !== 'step-finish') continue
    steps += 1
    cost += part.cost
    addTokens(tokens, part.tokens)
  }
  return { steps, tokens, cost }
}

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  const tokens = structuredClone(a.tokens)
  addTokens(tokens, b.tokens)
  return { steps: a.steps + b.steps, tokens, cost: a.cost + b.cost }
}

function addTokens(sum: Tokens, more: Tokens): void {
  sum.input += more.input
  sum.output += more.output
  sum.reasoning += more.reasoning
  sum.cache.read += more.cache.read
  sum.cache.write += more.cache.write
}

/** All tokens sent to the model, cached ones included. */
export function inputTokens({ tokens }: Usage): number {
  return tokens.input + tokens.cache.read + tokens.cache.write
}

/** All tokens the model wrote, thinking included. */
export function outputTokens({ tokens }: Usage): number {
  return tokens.output + tokens.reasoning
}

/** A token count for people: `842`, `12.3k`, `1.2M`. */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(count)
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

/** An amount for people: cents matter, fractions of them hardly. */
export function formatCost(usd: number): string {
  return usd > 0 && usd < 0.01 ? '<$0.01' : `$${usd.toFixed(2)}`
}
