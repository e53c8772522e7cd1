import type { Session } from '../session/message.ts'

/** What a run used: model steps, tokens, and USD by the catalogue's prices (0 when the price is unknown). */
export type Usage = Session['usage']

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
