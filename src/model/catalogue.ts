import { distance } from 'fastest-levenshtein'
import { limits } from '../limits.ts'
import data from './catalogue.json' with { type: 'json' }
import { CompactModel, ProviderFacts } from './catalogue-schema.ts'
import type { ModelInfo, Price } from './model.ts'

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
}

interface Reference {
  readonly providerID: string
  readonly modelID: string
}

/** Only what is asked for is checked: the whole file takes 10 ms, which a test spends instead of every run. */
const catalogue: Readonly<Record<string, { readonly models: Readonly<Record<string, unknown>> }>> = data

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
  }
}

/** Up to three known models that may have been meant, the likeliest first, as `provider/model`. */
export function suggest({ providerID, modelID }: Reference): readonly string[] {
  const wanted = `${providerID}/${modelID}`.toLowerCase()
  const wantedModel = modelID.toLowerCase()
  const allowance = Math.max(2, Math.ceil(wantedModel.length / 3))
  return Object.entries(catalogue)
    .flatMap(([id, provider]) =>
      Object.keys(provider.models).map((model) => {
        const known = `${id}/${model}`
        // The right model under the wrong provider is as likely a slip as a letter too many.
        const elsewhere = distance(wantedModel, model.toLowerCase()) + (id === providerID ? 0 : 1)
        return { known, off: Math.min(distance(wanted, known.toLowerCase()), elsewhere) }
      }),
    )
    .filter(({ off }) => off <= allowance)
    .sort((a, b) => a.off - b.off || a.known.length - b.known.length)
    .slice(0, 3)
    .map(({ known }) => known)
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
