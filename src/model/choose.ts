import { findModel, findProvider, type ProviderInfo, providerIDs, suggest, unknownModel } from './catalogue.ts'
import { ModelError } from './errors.ts'
import type { Model, ModelInfo } from './model.ts'

/** What the settings and the environment say about the model. Empty and blank values count as not given (C165). */
export interface ModelRequest {
  readonly model?: ModelReference | undefined
  readonly apiKey?: string | undefined
  readonly baseUrl?: string | undefined
  readonly env: Environment
}

export interface ModelReference {
  readonly providerID: string
  readonly modelID: string
}

export type Environment = Readonly<Record<string, string | undefined>>

/** A model, where it answers and with which key: all that is needed to open it. */
export interface ModelChoice {
  readonly info: ModelInfo
  readonly protocol: Model['protocol']
  /** Absent where a server of one's own asks for none. */
  readonly apiKey?: string
  readonly baseUrl: string
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
 * - Model: the one named, else the best of the first provider whose key variable is set (order of `providerIDs`).
 * - Key: the input `api-key`, else the provider's variables. A provider outside the catalogue has `<PROVIDER>_API_KEY`.
 *   None is needed there, nor at a loopback address.
 * - Address: the input `base-url`, else the variable named as the key's with `_BASE_URL`, else the catalogue's.
 * - Protocol: Anthropic's and Google's own for their packages, and chat completions for everything else. OpenAI's models speak
 *   the Responses API at OpenAI itself and chat completions at any address given, because that is what every gateway
 *   understands; `openai-responses/<model>` asks for the Responses API there too.
 */
export function chooseModel(request: ModelRequest): ModelChoice {
  const { providerID, modelID, responses } = resolveAlias(request.model ?? preferred(request))
  const provider = findProvider(providerID)
  const keys = provider?.env ?? [`${providerID.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`]
  const given = givenAddress(request, keys)
  if (provider === undefined && given === undefined) throw unknownProvider({ providerID, modelID })

  const known = findModel(providerID, modelID)
  if (known === undefined && given === undefined) throw unknownName({ providerID, modelID })

  const address = given ?? provider?.url
  if (address === undefined)
    throw new ModelError(`The catalogue has no address for ${provider?.name}.`, 'Set the input base-url to its OpenAI-compatible address.')

  const elsewhere = provider?.url !== address
  const protocol = protocolOf(provider, { known: known !== undefined, elsewhere, responses })
  const apiKey = present(request.apiKey) ?? fromEnvironment(request.env, keys)?.value
  if (apiKey === undefined && provider !== undefined && !isLoopback(address)) throw missingKey(provider)
  return {
    info: known ?? unknownModel({ providerID, modelID }),
    protocol,
    ...(apiKey === undefined ? {} : { apiKey: checkedKey(apiKey) }),
    baseUrl: versioned(address, protocol),
  }
}

/** The values of a choice that must never be shown. */
export function secretsOf(choice: ModelChoice): readonly string[] {
  return choice.apiKey === undefined ? [] : [choice.apiKey]
}

/** The best model of the first provider whose key is set. A key or address of unknown owner is not sent to a guess. */
function preferred({ apiKey, baseUrl, env }: ModelRequest): ModelReference {
  const orphan = present(apiKey) ? 'api-key' : present(baseUrl) ? 'base-url' : undefined
  if (orphan) throw new ModelError(`The input ${orphan} is set, but not whose it is.`, 'Set the input model to provider/model.')
  for (const id of providerIDs()) {
    const provider = findProvider(id)
    const key = provider && fromEnvironment(env, provider.env)
    if (key === undefined) continue
    if (provider?.best !== undefined) return { providerID: id, modelID: provider.best }
    throw new ModelError(`${key.name} is set, but no model is named and ${provider?.name} has none to prefer.`, `Set the input model to ${id}/<model>.`)
  }
  throw new ModelError(
    'No model is named and no key of a model provider is set.',
    `Set the input model to provider/model and the input api-key, or one of ${keyExamples()} in the step's env.`,
  )
}

function keyExamples(): string {
  return ['anthropic', 'openai', 'google'].flatMap((id) => findProvider(id)?.env ?? []).join(', ')
}

function resolveAlias({ providerID, modelID }: ModelReference): ModelReference & { responses: boolean } {
  const responses = providerID === responsesAlias
  return { providerID: responses ? 'openai' : providerID, modelID, responses }
}

function protocolOf(provider: ProviderInfo | undefined, is: { known: boolean; elsewhere: boolean; responses: boolean }): Model['protocol'] {
  if (provider?.id === 'openai') {
    if (is.responses || !is.elsewhere) return 'openai-responses'
    // OpenAI's dialect of chat completions depends on its own model names; another model behind the address gets the plain one.
    return is.known ? 'openai-chat' : 'openai-compatible'
  }
  if (provider?.npm === '@ai-sdk/anthropic') return 'anthropic'
  if (provider?.npm === '@ai-sdk/google') return 'google'
  return 'openai-compatible'
}

/** The address the user gave, as opposed to the catalogue's. */
function givenAddress({ baseUrl, env }: ModelRequest, keys: readonly string[]): string | undefined {
  const input = present(baseUrl)
  if (input !== undefined) return checkedAddress('The input base-url', input)
  const variable = fromEnvironment(
    env,
    keys.map((name) => name.replace(/_(API_)?(KEY|TOKEN)$/, '_BASE_URL')),
  )
  return variable && checkedAddress(`The variable ${variable.name}`, variable.value)
}

/** Takes the address as people paste it: a trailing slash or the path of the call itself is cut off. */
function checkedAddress(what: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new ModelError(`${what} is no http(s) address.`, 'Give it in full, as https://host/v1.')
  if (url.username || url.password) throw new ModelError(`${what} holds a user name or password.`, 'Give the key by the input api-key instead.')
  if (url.search || url.hash) throw new ModelError(`${what} holds a query or a fragment.`, 'Give the address up to its path, as https://host/v1.')
  return url.href.replace(/\/+$/, '').replace(/\/(chat\/completions|responses|messages)$/, '')
}

/** Anthropic's and Google's own clients are given addresses without the version, which the packages used here expect. */
function versioned(address: string, protocol: Model['protocol']): string {
  const version = protocol === 'anthropic' ? '/v1' : protocol === 'google' ? '/v1beta' : ''
  return /\/v\d+\w*$/.test(address) ? address : `${address}${version}`
}

function isLoopback(address: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname)
}

function fromEnvironment(env: Environment, names: readonly string[]): { name: string; value: string } | undefined {
  for (const name of names) {
    const value = present(env[name])
    if (value !== undefined) return { name, value }
  }
  return undefined
}

/** Trims; blank is absent (C149, C165). */
function present(value: string | undefined): string | undefined {
  return value?.trim() || undefined
}

/** A key travels in a header; one that can't would fail at the first request with a message about bytes. */
function checkedKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new ModelError(
    'The API key holds spaces, line breaks or letters that no key has.',
    'Store the key alone in the secret, without quotes or a name before it.',
  )
}

function missingKey(provider: ProviderInfo): ModelError {
  return new ModelError(
    `There is no key for ${provider.name}.`,
    `Set the input api-key, or ${provider.env.join(' or ')} in the step's env. A secret is empty in runs that a fork started.`,
  )
}

function unknownProvider(reference: ModelReference): ModelError {
  return new ModelError(
    `"${reference.providerID}" is no known model provider. Known are: ${providerIDs().join(', ')}.`,
    didYouMean(suggest(reference), 'For a server of your own set the input base-url to its OpenAI-compatible address.'),
  )
}

function unknownName({ providerID, modelID }: ModelReference): ModelError {
  const provider = findProvider(providerID)
  const newer = `If the model is newer than this release, set the input base-url to ${provider?.url ?? 'the address of the provider'}.`
  return new ModelError(`${provider?.name} has no model "${modelID}" in the catalogue.`, didYouMean(suggest({ providerID, modelID }), newer))
}

function didYouMean(names: readonly string[], otherwise: string): string {
  return names.length === 0 ? otherwise : `Did you mean ${names.join(' or ')}? ${otherwise}`
}
