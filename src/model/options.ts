import { mergeDeep } from '../json.ts'
import type { Model, ModelInfo, Options } from './model.ts'
import { variantsOf } from './variants.ts'

/** What a request carries beside its messages: sampling, the provider's own options, and marks for its cache. */

export interface OptionsRequest {
  readonly sessionID: string
  /** One that the model does not have is ignored: it was meant for another. */
  readonly variant?: string | undefined
  /** A small errand, such as a title, for which no thinking is needed. */
  readonly small?: boolean | undefined
  /** What the agent sets. */
  readonly agent?: Options | undefined
}

type Target = Pick<Model, 'info' | 'protocol' | 'dialect' | 'settings'>

/**
 * The provider's options for a request, by their names in the AI SDK: defaults of the family, then the configuration's for the model, then the
 * agent's, then the variant's (the engine's description 2.7). Objects are mergeDeep.
 */
export function optionsFor(target: Target, { sessionID, variant, small, agent = {} }: OptionsRequest): Options {
  const variants = variantsOf(target)
  const least = Object.entries(variants)[0]
  const modest = small && least && /^(none|minimal|low)$/.test(least[0]) ? least[1] : {}
  const chosen = variant !== undefined && Object.hasOwn(variants, variant) ? variants[variant] : undefined
  return [modest, target.settings?.options ?? {}, agent, chosen ?? {}].reduce(mergeDeep, defaults(target, sessionID))
}

/**
 * Nothing is kept at OpenAI, so reasoning has to travel encrypted. The key lets all steps of a session find the same cache; it goes only to
 * services that know it, or where the configuration asks for it.
 */
function defaults({ info, protocol, dialect, settings }: Target, sessionID: string): Options {
  switch (protocol) {
    case 'openai-responses':
    case 'openai-chat':
      return {
        promptCacheKey: sessionID,
        ...(protocol === 'openai-responses' && info.reasoning ? { include: ['reasoning.encrypted_content'] } : {}),
        // A deployment's name does not tell the package what it is.
        ...(dialect === 'azure' && info.reasoning ? { forceReasoning: true } : {}),
      }
    case 'openai-compatible': {
      const knowsKey = dialect === 'openrouter' || dialect === 'mistral' || dialect === 'moonshot' || settings?.cacheKey
      return {
        ...(knowsKey ? { prompt_cache_key: sessionID } : {}),
        ...(dialect === 'openrouter' ? { usage: { include: true } } : {}),
        // Its thoughts stay in the history, so that the cached prefix holds.
        ...(dialect === 'zai' && info.reasoning ? { thinking: { type: 'enabled', clear_thinking: false } } : {}),
      }
    }
    case 'anthropic':
      // Others who serve this protocol refuse the field by which arguments are asked for piece by piece; whole ones are all that is needed.
      return info.providerID === 'anthropic' ? {} : { toolStreaming: false }
    default:
      return {}
  }
}

/** The name under which the protocol's client looks for options. */
export function optionsName({ info, protocol }: Target): string {
  switch (protocol) {
    case 'openai-responses':
    case 'openai-chat':
      return 'openai'
    case 'bedrock':
      return 'amazonBedrock'
    case 'openai-compatible':
      // The package wants the name without dashes.
      return info.providerID.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase())
    default:
      return protocol
  }
}

/** Headers that let a gateway send all requests of a session to the same server, where its cache is. */
export function sessionHeaders({ dialect }: Target, sessionID: string): Readonly<Record<string, string>> {
  return { 'x-session-affinity': sessionID, 'x-session-id': sessionID, ...(dialect === 'xai' ? { 'x-grok-conv-id': sessionID } : {}) }
}

interface Sampling {
  readonly temperature?: number
  readonly topP?: number
}

/** What the makers advise for their models where nobody sets it; the defaults of those who serve them differ. */
const advised: readonly (readonly [RegExp, Sampling])[] = [
  [/qwen3?-?coder/, { temperature: 0.7, topP: 0.8 }],
  [/qwen/, { temperature: 0.6, topP: 0.95 }],
  [/glm-[45]/, { temperature: 1, topP: 0.95 }],
  [/minimax-m[23]/, { temperature: 1, topP: 0.95 }],
  [/kimi-k2(\.[5-9]|p[5-9]|-thinking)/, { temperature: 1, topP: 0.95 }],
  [/kimi-k2/, { temperature: 0.6 }],
  [/devstral/, { temperature: 0.15 }],
  [/magistral/, { temperature: 0.7, topP: 0.95 }],
]

/** How a model's words are drawn if the agent does not say; nothing for a model that can't be told, and where the provider's default is the maker's. */
export function samplingFor({ modelID, temperature }: Pick<ModelInfo, 'modelID' | 'temperature'>): Sampling {
  return temperature ? (advised.find(([pattern]) => pattern.test(modelID.toLowerCase()))?.[1] ?? {}) : {}
}

/** How a place is marked up to which the provider is to cache, and how many system texts may be; undefined where it caches by itself or not at all. */
export function cacheMarkFor({ info, protocol, dialect }: Target): CacheMark | undefined {
  const id = info.modelID.toLowerCase()
  if (protocol === 'anthropic') return { on: 'message', options: { anthropic: { cacheControl: { type: 'ephemeral' } } } }
  if (protocol === 'bedrock' && /claude|nova/.test(id)) return { on: 'message', options: { amazonBedrock: { cachePoint: { type: 'default' } } } }
  const takesMarks = (dialect === 'openrouter' && /claude/.test(id)) || (dialect === 'alibaba' && /qwen/.test(id))
  return takesMarks ? { on: 'part', options: { openaiCompatible: { cache_control: { type: 'ephemeral' } } } } : undefined
}

export interface CacheMark {
  /** Whether the client looks for it on the message or on its last part. */
  readonly on: 'message' | 'part'
  readonly options: Record<string, Record<string, Record<string, string>>>
}
