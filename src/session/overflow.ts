import { limits } from '../limits.ts'
import type { Model, ModelInfo } from '../model/model.ts'
import type { Tokens } from './message.ts'

/** How a session deals with a context window that runs full. The names are those of the configuration key `compaction`. */
export interface CompactionSettings {
  /** Whether a full context is compacted by itself; default true. */
  readonly auto?: boolean
  /** Whether old tool output is cleared after each run of the loop; default false. */
  readonly prune?: boolean
  /** Turns that may be kept as they are; default as many as fit. */
  readonly tailTurns?: number
  /** Tokens of the newest messages that are kept as they are. */
  readonly preserveRecentTokens?: number
  /** Tokens held free below a model's input limit. */
  readonly reserved?: number
}

/** The same with what the engine adds: who writes the summaries. */
export interface CompactionOptions extends CompactionSettings {
  readonly agent?: {
    /** In place of `prompts/agents/compaction.md`. */
    readonly prompt?: string
    /** In place of the session's model, which takes over when this one fails. */
    readonly model?: Model
  }
}

type Limits = Pick<ModelInfo, 'limit'>

/** Tokens held free below an input limit at the most, unless configured. */
const RESERVED = 20_000
const CHARS_PER_TOKEN = 4

/**
 * Tokens a conversation may have before it counts as full; 0 for a model whose context is not known. With an input limit that is the limit less
 * `reserved` (else 20,000 or what the model may write, if that is less); without one, the context less what the model may write, and
 * `reserved` has no effect (the engine's description 2.11). Unlike there, room for the answer never takes more than half of the
 * context: for the small models whose output limit equals their context, nothing would be left.
 */
export function usable({ limit }: Limits, { reserved }: CompactionSettings = {}): number {
  if (limit.context === 0) return 0
  const output = Math.min(limit.output || limits.outputTokens, limits.outputTokens)
  if (limit.input) return Math.max(0, limit.input - (reserved ?? Math.min(RESERVED, output)))
  return limit.context - Math.min(output, limit.context / 2)
}

/** Whether an answer's tokens, cached ones included, show that the conversation fills what is usable. Never with `auto` off or an unknown context. */
export function isOverflow(tokens: Tokens, model: Limits, settings: CompactionSettings = {}): boolean {
  return overfills(countOf(tokens), model, settings)
}

/** The same for a count in tokens. */
export function overfills(count: number, model: Limits, settings: CompactionSettings = {}): boolean {
  return settings.auto !== false && model.limit.context > 0 && count >= usable(model, settings)
}

/** Tokens a conversation had when an answer was complete; 0 when the provider did not say. */
export function countOf({ input, output, reasoning, cache }: Tokens): number {
  return input + output + reasoning + cache.read + cache.write
}

/** Tokens of a text, roughly: four characters each. */
export function estimateTokens(text: string): number {
  return Math.round(text.length / CHARS_PER_TOKEN)
}

/** Characters of about so many tokens. */
export function charsOf(tokens: number): number {
  return tokens * CHARS_PER_TOKEN
}
