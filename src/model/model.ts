import type { LanguageModel } from 'ai'

/** Prices in USD per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** What the catalogue knows about a model. Limits in tokens. */
export interface ModelInfo {
  readonly providerID: string
  readonly modelID: string
  readonly name: string
  readonly family?: string
  readonly reasoning: boolean
  readonly temperature: boolean
  readonly inputs: readonly ('text' | 'image' | 'pdf' | 'audio' | 'video')[]
  readonly limit: { readonly context: number; readonly input?: number; readonly output: number }
  readonly price?: Price & { readonly tiers?: readonly (Price & { readonly above: number })[] }
}

/** A model that can be called: facts, and the AI SDK's handle. */
export interface Model {
  readonly info: ModelInfo
  readonly language: Exclude<LanguageModel, string>
  /** Which protocol is spoken; decides provider options and what history may carry. */
  readonly protocol: 'openai-responses' | 'openai-chat' | 'openai-compatible' | 'anthropic' | 'google'
}
