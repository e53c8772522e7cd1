import { type Access, type ProviderInfo, type Providers, unknownModel } from './catalogue.ts'
import type { ModelInfo, ModelSettings, Options, Price } from './model.ts'
import { packageOf } from './packages.ts'

/** The sections of `opencode.json` about providers, in its names. */
export interface ProvidersConfig {
  readonly provider?: Readonly<Record<string, ProviderEntry>> | undefined
  readonly disabled_providers?: readonly string[] | undefined
  readonly enabled_providers?: readonly string[] | undefined
}

interface ProviderEntry {
  readonly npm?: string | undefined
  readonly api?: string | undefined
  readonly name?: string | undefined
  readonly env?: readonly string[] | undefined
  readonly whitelist?: readonly string[] | undefined
  readonly blacklist?: readonly string[] | undefined
  readonly options?: Readonly<Record<string, unknown>> | undefined
  readonly models?: Readonly<Record<string, ModelEntry>> | undefined
}

interface ModelEntry {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly family?: string | undefined
  readonly reasoning?: boolean | undefined
  readonly tool_call?: boolean | undefined
  readonly temperature?: boolean | undefined
  readonly attachment?: boolean | undefined
  readonly interleaved?: unknown
  readonly limit?: { readonly context?: number | undefined; readonly input?: number | undefined; readonly output?: number | undefined } | undefined
  readonly cost?: CostEntry | undefined
  readonly modalities?: { readonly input?: readonly string[] | undefined } | undefined
  readonly options?: Options | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly variants?: Readonly<Record<string, Options>> | undefined
}

interface CostEntry {
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly cache_read?: number | undefined
  readonly cache_write?: number | undefined
}

/**
 * Lays a repository's providers over others (the engine's description 4.4). What it says of a known provider or model is changed, the rest stays; what
 * it adds is like the catalogue's, with the facts of `unknownModel` where it says nothing. Pure. Only the trusted configuration may come here:
 * it decides where keys go.
 */
export function withConfig(base: Providers, config: ProvidersConfig): Providers {
  const entries = config.provider ?? {}
  const entryOf = (id: string): ProviderEntry | undefined => own(entries, id)
  const modelEntry = (id: string, model: string) => own(entryOf(id)?.models ?? {}, model)
  const barredProvider = (id: string) => {
    if (config.disabled_providers?.includes(id)) return 'is switched off by disabled_providers in the configuration.'
    if (config.enabled_providers && !config.enabled_providers.includes(id)) return 'is not among enabled_providers in the configuration.'
    return undefined
  }
  const barredModel = (id: string, model: string) => {
    const { whitelist, blacklist } = entryOf(id) ?? {}
    if (blacklist?.includes(model)) return `is on the blacklist of the provider ${id} in the configuration.`
    if (whitelist && !whitelist.includes(model)) return `is not on the whitelist of the provider ${id} in the configuration.`
    if (modelEntry(id, model)?.tool_call === false) return 'cannot call tools, says the configuration, and without tools nothing can be done here.'
    return undefined
  }
  return {
    ids: () => [...new Set([...base.ids(), ...Object.keys(entries)])].filter((id) => barredProvider(id) === undefined),
    find: (id) => (barredProvider(id) === undefined ? providerOf(id, base.find(id), entryOf(id)) : undefined),
    models: (id) => [...new Set([...base.models(id), ...Object.keys(entryOf(id)?.models ?? {})])].filter((model) => barredModel(id, model) === undefined),
    model(id, model) {
      const entry = modelEntry(id, model)
      const known = base.model(id, model) ?? (entry?.id === undefined ? undefined : base.model(id, entry.id))
      return entry ? modelOf(known, { providerID: id, modelID: model }, entry) : known
    },
    settings: (id, model) => settingsOf(base.settings(id, model), entryOf(id), modelEntry(id, model)),
    barred: (id, model) => barredProvider(id) ?? barredModel(id, model) ?? base.barred(id, model),
  }
}

function providerOf(id: string, base: ProviderInfo | undefined, entry: ProviderEntry | undefined): ProviderInfo | undefined {
  if (entry === undefined) return base
  const npm = entry.npm ?? base?.npm ?? '@ai-sdk/openai-compatible'
  const configured = accessOf(entry)
  // Another package has another home.
  const url = entry.api ?? (npm === base?.npm ? base.url : undefined) ?? packageOf(npm)?.home
  const best = base?.best
  return {
    id,
    name: entry.name ?? base?.name ?? id,
    npm,
    env: entry.env ?? base?.env ?? [`${id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`],
    ...(url === undefined ? {} : { url }),
    ...(best === undefined ? {} : { best }),
    ...(base === undefined && entry.env === undefined ? { keyless: true } : {}),
    ...(Object.keys(configured).length === 0 ? {} : { configured }),
  }
}

function accessOf({ options = {}, api }: ProviderEntry): Access {
  const { apiKey, baseURL, region, project, location, resourceName } = options
  const given = { apiKey, baseURL: baseURL ?? api, region, project, location, resourceName }
  return Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

function modelOf(known: ModelInfo | undefined, names: { providerID: string; modelID: string }, entry: ModelEntry): ModelInfo {
  const { assumed: _, ...assumed } = unknownModel(names)
  const base: ModelInfo = known ?? assumed
  const { limit, cost, modalities } = entry
  const input = limit?.input ?? base.limit.input
  const price = priceOf(base.price, cost)
  const family = entry.family ?? base.family
  const inputs = modalities?.input
    ? kinds.filter((kind) => modalities.input?.includes(kind))
    : entry.attachment && !known
      ? (['text', 'image'] as const)
      : base.inputs
  const { price: __, ...facts } = base
  return {
    ...facts,
    ...names,
    name: entry.name ?? (known ? base.name : names.modelID),
    ...(family === undefined ? {} : { family }),
    reasoning: entry.reasoning ?? base.reasoning,
    temperature: entry.temperature ?? base.temperature,
    inputs,
    limit: { context: limit?.context ?? base.limit.context, output: limit?.output ?? base.limit.output, ...(input === undefined ? {} : { input }) },
    ...(price === undefined ? {} : { price }),
    ...(wantsEcho(entry.interleaved) ? { echo: true } : {}),
  }
}

const kinds = ['text', 'image', 'pdf', 'audio', 'video'] as const

function wantsEcho(interleaved: unknown): boolean {
  return typeof interleaved === 'object' && interleaved !== null && 'field' in interleaved && interleaved.field === 'reasoning_content'
}

/** Prices of long requests go with the prices they were named beside. */
function priceOf(base: ModelInfo['price'], cost: CostEntry | undefined): ModelInfo['price'] {
  if (cost?.input === undefined || cost.output === undefined) return base
  const { input, output, cache_read, cache_write } = cost
  const price: Price = {
    input,
    output,
    ...(cache_read === undefined ? {} : { cacheRead: cache_read }),
    ...(cache_write === undefined ? {} : { cacheWrite: cache_write }),
  }
  return price
}

function settingsOf(base: ModelSettings | undefined, provider: ProviderEntry | undefined, model: ModelEntry | undefined): ModelSettings | undefined {
  const { headers, timeout, headerTimeout, chunkTimeout, setCacheKey } = provider?.options ?? {}
  const timeouts = {
    ...limitOf('total', timeout),
    ...limitOf('headers', headerTimeout),
    ...limitOf('idle', chunkTimeout),
  }
  const allHeaders = { ...base?.headers, ...textsOf(headers), ...model?.headers }
  const settings: ModelSettings = {
    ...base,
    ...(model?.id === undefined ? {} : { id: model.id }),
    ...(model?.options === undefined ? {} : { options: model.options }),
    ...(Object.keys(allHeaders).length === 0 ? {} : { headers: allHeaders }),
    ...(model?.variants === undefined ? {} : { variants: model.variants }),
    ...(setCacheKey === true ? { cacheKey: true } : {}),
    ...(Object.keys(timeouts).length === 0 ? {} : { timeouts }),
  }
  return Object.keys(settings).length === 0 ? undefined : settings
}

/** A time in ms; `false` waits for ever. */
function limitOf(name: 'total' | 'headers' | 'idle', value: unknown): Readonly<Record<string, number>> {
  if (value === false) return name === 'total' ? {} : { [name]: Number.POSITIVE_INFINITY }
  return typeof value === 'number' ? { [name]: value } : {}
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
