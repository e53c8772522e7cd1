import type { LanguageModel } from 'ai'
import type { Dialect } from './packages.ts'

/** How requests and answers are written, whoever serves them. */
export type Protocol = 'openai-responses' | 'openai-chat' | 'openai-compatible' | 'anthropic' | 'google' | 'bedrock'

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
  /** It wants its own reasoning back with the history, in the field `reasoning_content`, even where there was none. */
  readonly echo?: true
  /** Nobody has described it: what stands here is assumed. */
  readonly assumed?: true
}

/** Options of a provider by their names in the AI SDK. */
export type Options = Readonly<Record<string, unknown>>

/** What a repository's configuration says about the use of a model, beside its facts. */
export interface ModelSettings {
  /** What the provider calls the model, if not by the name it is known under here. */
  readonly id?: string
  readonly options?: Options
  readonly headers?: Readonly<Record<string, string>>
  /** Options by variant; laid over those the model has by itself. `disabled: true` takes one away. */
  readonly variants?: Readonly<Record<string, Options>>
  /** Name the session to the provider, so that its requests find the same cache. */
  readonly cacheKey?: boolean
  readonly timeouts?: Partial<Timeouts>
}

/** How long a call may stay silent, in ms. */
export interface Timeouts {
  /** Until the server answers at all. */
  readonly headers: number
  /** Between two events of an answer; comments and pings are not counted as events. */
  readonly idle: number
  /** For the whole of an answer. */
  readonly total?: number
}

/** A model that can be called: facts, and the AI SDK's handle. */
export interface Model {
  readonly info: ModelInfo
  readonly language: Exclude<LanguageModel, string>
  /** Which protocol is spoken; decides provider options and what history may carry. */
  readonly protocol: Protocol
  /** Where the service departs from its protocol; absent where it does not. */
  readonly dialect?: Dialect
  readonly settings?: ModelSettings
}
