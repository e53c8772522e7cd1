import { builtin, type ProviderInfo, type Providers, suggest, unknownModel } from './catalogue.ts'
import { type Cloud, isOwnName, placeIn } from './cloud.ts'
import { ModelError } from './errors.ts'
import { checkedAddress, checkedKey, type Environment, fromEnvironment, isLoopback, present } from './given.ts'
import type { ModelInfo, ModelSettings, Protocol } from './model.ts'
import { type Dialect, dialectOf, packageNames, packageOf } from './packages.ts'

export type { Environment }

/** What the settings and the environment say about the model. Empty and blank values count as not given (C165). */
export interface ModelRequest {
  readonly model?: ModelReference | undefined
  readonly apiKey?: string | undefined
  readonly baseUrl?: string | undefined
  readonly env: Environment
  /** Those that can be named; default the catalogue's. `withConfig` lays a repository's over them. */
  readonly providers?: Providers | undefined
}

export interface ModelReference {
  readonly providerID: string
  readonly modelID: string
}

/** A model, where it answers and with which key: all that is needed to open it. */
export interface ModelChoice {
  readonly info: ModelInfo
  readonly protocol: Protocol
  /** Absent where a server of one's own asks for none, and where a cloud knows the job. */
  readonly apiKey?: string
  readonly baseUrl: string
  readonly dialect?: Dialect
  readonly cloud?: Cloud
  readonly settings?: ModelSettings
}

/** Written instead of `openai` to speak the Responses API at an address of one's own. */
const responsesAlias = 'openai-responses'

/**
 * Reads `provider/model`. The provider is what stands before the first slash; the rest may hold slashes (C169).
 * Throws `ModelError` if a part is missing.
 */
export function parseModelRef(text: string): ModelReference {
  const trimmed = text.trim()
  const slash = trimmed.indexOf('/')
  const providerID = trimmed.slice(0, Math.max(slash, 0)).trim()
  const modelID = trimmed.slice(slash + 1).trim()
  if (providerID !== '' && modelID !== '') return { providerID, modelID }
  throw new ModelError(
    `"${trimmed}" names no model: the form is provider/model.`,
    didYouMean(suggest({ providerID, modelID }), 'Write for example anthropic/claude-sonnet-5.'),
  )
}

/**
 * Decides which model is used, over which protocol, at which address and with which key. Pure; throws `ModelError` with what
 * to set, so that a wrong name or a missing key is found before anything is written to GitHub (C169, C171).
 *
 * - Model: the one named, else the best of the first provider whose key is set (order of `Providers.ids`).
 * - Key: the input `api-key`, else the configuration's, else the provider's variables. A provider outside the catalogue has
 *   `<PROVIDER>_API_KEY`. None is needed there, nor at a loopback address; clouds have other credentials (`cloud.ts`).
 * - Address: the input `base-url`, else the configuration's, else the variable named as the key's with `_BASE_URL`, else the catalogue's.
 * - Protocol: Anthropic's and Google's own for their packages, and chat completions for everything else. OpenAI's models speak
 *   the Responses API at OpenAI itself and chat completions at any address given by the job, because that is what every gateway
 *   understands; `openai-responses/<model>` asks for the Responses API there too.
 */
export function chooseModel(request: ModelRequest): ModelChoice {
  const { providers = builtin } = request
  const { providerID, modelID, responses } = resolveAlias(request.model ?? preferred(request, providers))
  const barred = providers.barred(providerID, modelID)
  if (barred !== undefined) throw new ModelError(`${providerID}/${modelID} ${barred}`, 'Choose another model, or change the configuration of the repository.')

  const provider = providers.find(providerID)
  const keys = provider?.env ?? [`${providerID.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`]
  const given = givenAddress(request, keys, provider)
  if (provider === undefined && given === undefined) throw unknownProvider({ providerID, modelID }, providers)

  const known = providers.model(providerID, modelID)
  const service = serviceOf(provider)
  const isNamed = known !== undefined || given !== undefined || (service.cloud !== undefined && isOwnName(service.cloud, modelID))
  if (!isNamed) throw unknownName({ providerID, modelID }, providers)

  const info = known ?? unknownModel({ providerID, modelID })
  const key = present(request.apiKey) ?? present(provider?.configured?.apiKey) ?? fromEnvironment(request.env, keys)?.value
  const apiKey = key === undefined ? undefined : checkedKey(key)
  const about = { info, ...extrasOf(provider, providers.settings(providerID, modelID)) }
  if (provider !== undefined && service.cloud !== undefined) {
    const has = (name: string) => providers.model(providerID, name) !== undefined
    const { id, ...place } = placeIn(service.cloud, { provider, info, apiKey, address: given?.url, env: request.env, has })
    return { ...about, ...(id === undefined ? {} : { settings: { id, ...about.settings } }), ...place }
  }

  const address = given?.url ?? provider?.url
  if (address === undefined)
    throw new ModelError(`Nobody has said where ${provider?.name} answers.`, 'Set the input base-url to its OpenAI-compatible address.')
  const elsewhere = given?.byJob === true && provider?.url !== address
  const protocol =
    provider?.id === 'openai' && provider.npm === '@ai-sdk/openai' ? openAIProtocol({ known: known !== undefined, elsewhere, responses }) : service.protocol
  if (apiKey === undefined && provider !== undefined && provider.keyless !== true && !isLoopback(address)) throw missingKey(provider)
  return { ...about, protocol, ...(apiKey === undefined ? {} : { apiKey }), baseUrl: versioned(address, protocol) }
}

/** How a provider is spoken to; a server of one's own that nobody has described understands chat completions. */
function serviceOf(provider: ProviderInfo | undefined) {
  const service = packageOf(provider?.npm ?? '@ai-sdk/openai-compatible')
  if (service !== undefined) return service
  throw new ModelError(
    `The provider ${provider?.id} needs the package ${provider?.npm}, which is not built in.`,
    `Built in are ${packageNames().join(', ')}. Most services can be reached by @ai-sdk/openai-compatible and their address.`,
  )
}

function extrasOf(provider: ProviderInfo | undefined, settings: ModelSettings | undefined): Pick<ModelChoice, 'dialect' | 'settings'> {
  const dialect = provider && dialectOf(provider)
  return { ...(dialect === undefined ? {} : { dialect }), ...(settings === undefined ? {} : { settings }) }
}

/** The values of a choice that must never be shown. */
export function secretsOf({ apiKey, cloud }: ModelChoice): readonly string[] {
  const signing = cloud?.kind === 'aws' ? cloud.credentials : undefined
  return [apiKey, signing?.secretAccessKey, signing?.sessionToken].filter((value) => value !== undefined)
}

/** The best model of the first provider whose key is set. A key or address of unknown owner is not sent to a guess. */
function preferred({ apiKey, baseUrl, env }: ModelRequest, providers: Providers): ModelReference {
  const orphan = present(apiKey) ? 'api-key' : present(baseUrl) ? 'base-url' : undefined
  if (orphan) throw new ModelError(`The input ${orphan} is set, but not whose it is.`, 'Set the input model to provider/model.')
  for (const id of providers.ids()) {
    const provider = providers.find(id)
    const key = provider && (present(provider.configured?.apiKey) ? 'A key of the configuration' : fromEnvironment(env, provider.env)?.name)
    if (key === undefined) continue
    if (provider?.best !== undefined) return { providerID: id, modelID: provider.best }
    throw new ModelError(`${key} is set, but no model is named and ${provider?.name} has none to prefer.`, `Set the input model to ${id}/<model>.`)
  }
  throw new ModelError(
    'No model is named and no key of a model provider is set.',
    `Set the input model to provider/model and the input api-key, or one of ${keyExamples(providers)} in the step's env.`,
  )
}

function keyExamples(providers: Providers): string {
  return ['anthropic', 'openai', 'google'].flatMap((id) => providers.find(id)?.env ?? []).join(', ')
}

function resolveAlias({ providerID, modelID }: ModelReference): ModelReference & { responses: boolean } {
  const responses = providerID === responsesAlias
  return { providerID: responses ? 'openai' : providerID, modelID, responses }
}

function openAIProtocol(is: { known: boolean; elsewhere: boolean; responses: boolean }): Protocol {
  if (is.responses || !is.elsewhere) return 'openai-responses'
  // OpenAI's dialect of chat completions depends on its own model names; another model behind the address gets the plain one.
  return is.known ? 'openai-chat' : 'openai-compatible'
}

/** The address the user gave, as opposed to the catalogue's, and whether the job gave it or the repository. */
function givenAddress({ baseUrl, env }: ModelRequest, keys: readonly string[], provider?: ProviderInfo): { url: string; byJob: boolean } | undefined {
  const input = present(baseUrl)
  if (input !== undefined) return { url: checkedAddress('The input base-url', input), byJob: true }
  const configured = present(provider?.configured?.baseURL)
  if (configured !== undefined) return { url: checkedAddress(`The baseURL of the provider ${provider?.id} in the configuration`, configured), byJob: false }
  const ending = /_(API_)?(KEY|TOKEN)$/
  const names = keys.filter((name) => ending.test(name)).map((name) => name.replace(ending, '_BASE_URL'))
  const variable = fromEnvironment(env, names)
  return variable && { url: checkedAddress(`The variable ${variable.name}`, variable.value), byJob: true }
}

/** Anthropic's and Google's own clients are given addresses without the version, which the packages used here expect. */
function versioned(address: string, protocol: Protocol): string {
  const version = protocol === 'anthropic' ? '/v1' : protocol === 'google' ? '/v1beta' : ''
  return /\/v\d+\w*$/.test(address) ? address : `${address}${version}`
}

function missingKey(provider: ProviderInfo): ModelError {
  return new ModelError(
    `There is no key for ${provider.name}.`,
    `Set the input api-key, or ${provider.env.join(' or ')} in the step's env. A secret is empty in runs that a fork started.`,
  )
}

function unknownProvider(reference: ModelReference, providers: Providers): ModelError {
  return new ModelError(
    `"${reference.providerID}" is no known model provider. Known are: ${providers.ids().join(', ')}.`,
    didYouMean(suggest(reference, providers), 'For a server of your own set the input base-url to its OpenAI-compatible address.'),
  )
}

function unknownName({ providerID, modelID }: ModelReference, providers: Providers): ModelError {
  const provider = providers.find(providerID)
  const newer = `If the model is newer than this release, set the input base-url to ${provider?.url ?? 'the address of the provider'}.`
  return new ModelError(`${provider?.name} has no model "${modelID}" in the catalogue.`, didYouMean(suggest({ providerID, modelID }, providers), newer))
}

function didYouMean(names: readonly string[], otherwise: string): string {
  return names.length === 0 ? otherwise : `Did you mean ${names.join(' or ')}? ${otherwise}`
}
