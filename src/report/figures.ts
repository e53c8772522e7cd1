import type { ModelRef, Session, Tokens } from '../session/message.ts'

/** What a run used: model steps, tokens, and USD by the catalogue's prices (0 when the price is unknown). */
export type Usage = Session['usage']

/** All tokens sent to the model, cached ones included. */
export function inputTokens({ tokens }: { readonly tokens: Tokens }): number {
  return tokens.input + tokens.cache.read + tokens.cache.write
}

/** All tokens the model wrote, thinking included. */
export function outputTokens({ tokens }: { readonly tokens: Tokens }): number {
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

/** A time in ms for people: `0.4 s`, `45 s`, `3 min 20 s`, `1 h 5 min`. */
export function formatTime(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes} min${whole % 60 ? ` ${whole % 60} s` : ''}`
  return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`
}

/** A model as settings and logs name it: `provider/model`. */
export function nameOfModel({ providerID, modelID }: ModelRef): string {
  return `${providerID}/${modelID}`
}
