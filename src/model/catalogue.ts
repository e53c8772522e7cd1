import { distance } from 'fastest-levenshtein'
import { limits } from '../limits.ts'
import data from './catalogue.json' with { type: 'json' }
import { CompactModel, ProviderFacts } from './catalogue-schema.ts'
import type { ModelInfo, ModelSettings, Price } from './model.ts'

/** What the catalogue knows about a provider. */
export interface ProviderInfo {
  readonly id: string
  readonly name: string
  /** The AI SDK package that speaks its protocol. */
  readonly npm: string
  /** Environment variables that may hold its key, in order. */
  readonly env: readonly string[]
  /** Where it answers; absent where only the user can say. */
  readonly url?: string
  /** The model used when none is named. */
  readonly best?: string
  /** A server of one's own, which may need no key. */
  readonly keyless?: true
  /** What a configuration says about access to it. */
  readonly configured?: Access
}

/** How a configuration says a provider is reached, by the names of `opencode.json`. */
export interface Access {
  readonly apiKey?: string
  readonly baseURL?: string
  readonly region?: string
  readonly project?: string
  readonly location?: string
  readonly resourceName?: string
}

/** All providers and models that can be named: those of the catalogue, or those with a configuration laid over them. */
export interface Providers {
  /** In the order in which keys are looked for. */
  ids(): readonly string[]
  find(providerID: string): ProviderInfo | undefined
  /** Every model of a provider, by name. */
  models(providerID: string): readonly string[]
  model(providerID: string, modelID: string): ModelInfo | undefined
  settings(providerID: string, modelID: string): ModelSettings | undefined
  /** Why it must not be used, as the end of a sentence that begins with its name. */
  barred(providerID: string, modelID: string): string | undefined
}

interface Reference {
  readonly providerID: string
  readonly modelID: string
}

/** Only what is asked for is checked: the whole file takes 10 ms, which a test spends instead of every run. */
const catalogue: Readonly<Record<string, { readonly models: Readonly<Record<string, unknown>> }>> = data

/** What every repository has, whatever its configuration says. */
export const builtin: Providers = {
  ids: providerIDs,
  find: findProvider,
  models: (providerID) => Object.keys(Object.hasOwn(catalogue, providerID) ? (catalogue[providerID]?.models ?? {}) : {}),
  model: findModel,
  settings: () => undefined,
  barred: () => undefined,
}

/** Ids of all known providers: the three with protocols of their own, then the others by name. It is the order in which keys are looked for. */
export function providerIDs(): readonly string[] {
  const first = ['anthropic', 'openai', 'google']
  return [...first, ...Object.keys(catalogue).filter((id) => !first.includes(id))]
}

/** The provider of that id, if the catalogue has it. */
export function findProvider(providerID: string): ProviderInfo | undefined {
  if (!Object.hasOwn(catalogue, providerID)) return undefined
  const { url, best, ...rest } = ProviderFacts.parse(catalogue[providerID])
  return { id: providerID, ...rest, ...(url === undefined ? {} : { url }), ...(best === undefined ? {} : { best }) }
}

/** The facts of a model, if the catalogue has them. */
export function findModel(providerID: string, modelID: string): ModelInfo | undefined {
  const models = Object.hasOwn(catalogue, providerID) ? catalogue[providerID]?.models : undefined
  if (models === undefined || !Object.hasOwn(models, modelID)) return undefined
  return expand(providerID, modelID, CompactModel.parse(models[modelID]))
}

/** Facts assumed of a model nobody has described: limits of `limits.ts`, text only, no price. */
export function unknownModel({ providerID, modelID }: Reference): ModelInfo {
  return {
    providerID,
    modelID,
    name: modelID,
    reasoning: false,
    temperature: true,
    inputs: ['text'],
    limit: { context: limits.unknownModelContext, output: limits.unknownModelOutput },
    assumed: true,
  }
}

/** Up to three known models that may have been meant, the likeliest first, as `provider/model`. */
export function suggest({ providerID, modelID }: Reference, providers: Providers = builtin): readonly string[] {
  const wanted = `${providerID}/${modelID}`.toLowerCase()
  const wantedModel = modelID.toLowerCase()
  const allowance = Math.max(2, Math.ceil(wantedModel.length / 3))
  return (
    providers
      .ids()
      .flatMap((id) =>
        providers.models(id).map((model) => {
          const known = `${id}/${model}`
          // The right model under the wrong provider is as likely a slip as a letter too many.
          const elsewhere = distance(wantedModel, model.toLowerCase()) + (id === providerID ? 0 : 1)
          return { known, off: Math.min(distance(wanted, known.toLowerCase()), elsewhere) }
        }),
      )
      .filter(({ off }) => off <= allowance)
      // Of two that are as likely the maker's own comes first, as it does among the providers.
      .sort((a, b) => a.off - b.off)
      .slice(0, 3)
      .map(({ known }) => known)
  )
}

function expand(providerID: string, modelID: string, model: CompactModel): ModelInfo {
  const [context, output, input] = model.l
  const tiers = model.t?.map(([above, ...price]) => ({ above, ...expandPrice(price) }))
  return {
    providerID,
    modelID,
    name: model.n,
    ...(model.f === undefined ? {} : { family: model.f }),
    reasoning: model.k.includes('r'),
    temperature: model.k.includes('t'),
    inputs: kinds.filter(([letter]) => model.i.includes(letter)).map(([, kind]) => kind),
    limit: { context, output, ...(input === undefined ? {} : { input }) },
    ...(model.k.includes('h') ? { echo: true } : {}),
    ...(model.p === undefined ? {} : { price: { ...expandPrice(model.p), ...(tiers === undefined ? {} : { tiers }) } }),
  }
}

const kinds = [
  ['t', 'text'],
  ['i', 'image'],
  ['p', 'pdf'],
  ['a', 'audio'],
  ['v', 'video'],
] as const

function expandPrice([input, output, read, write]: readonly [number, number, ...(number | null)[]]): Price {
  return {
    input,
    output,
    ...(typeof read === 'number' ? { cacheRead: read } : {}),
    ...(typeof write === 'number' ? { cacheWrite: write } : {}),
  }
}
