import type { ProviderInfo } from './catalogue.ts'
import { ModelError } from './errors.ts'
import { checkedLabel, type Environment, fromEnvironment, isLoopback } from './given.ts'
import type { ModelInfo, Protocol } from './model.ts'
import type { CloudName } from './packages.ts'

/** Models that a cloud serves: where, over which protocol, and as whom. */

/** As whom a cloud is asked, where that is more than a key. */
export type Cloud =
  /** The key has a header of its own; a token of Entra ID goes as one. */
  | { readonly kind: 'azure'; readonly isToken: boolean }
  /** Requests are signed with the credentials; without any, the key is a bearer token. */
  | { readonly kind: 'aws'; readonly region: string; readonly credentials?: AwsCredentials }
  /** `file` tells how to get access tokens; without one, the key is an API key, or a token if `isToken`. */
  | { readonly kind: 'google'; readonly isToken: boolean; readonly file?: string }

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** What is known when a place in a cloud is looked for. */
export interface Asked {
  readonly provider: ProviderInfo
  readonly info: ModelInfo
  /** The key that was given, by input, configuration or the provider's variables. */
  readonly apiKey?: string | undefined
  /** The address that was given, in the same ways. */
  readonly address?: string | undefined
  readonly env: Environment
  /** Whether the provider lists a model of that name. */
  readonly has: (modelID: string) => boolean
}

export interface Place {
  readonly protocol: Protocol
  readonly baseUrl: string
  readonly cloud: Cloud
  readonly apiKey?: string
  /** What the cloud calls the model, if not by the name that was asked for. */
  readonly id?: string
}

/** Where a cloud serves a model. Throws `ModelError` that names the variable which is missing. */
export function placeIn(cloud: CloudName, asked: Asked): Place {
  if (cloud === 'azure') return azure(asked)
  return cloud === 'bedrock' ? bedrock(asked) : vertex(asked)
}

/** Clouds take names that no catalogue can know: deployments, inference profiles and tuned models. */
export function isOwnName(cloud: CloudName, modelID: string): boolean {
  return cloud === 'azure' || (cloud === 'bedrock' ? modelID.startsWith('arn:') : modelID.startsWith('endpoints/'))
}

const azureHost = /\.(openai|services\.ai|cognitiveservices)\.azure\.com$/

/**
 * Azure's v1 API, in which OpenAI's own clients work: models of OpenAI over the Responses API, Claude over Anthropic's, the rest over
 * chat completions. The name is that of a deployment; one that is not in the catalogue is taken for OpenAI's.
 */
function azure({ provider, info, apiKey, address, env }: Asked): Place {
  const token = apiKey === undefined ? fromEnvironment(env, ['AZURE_OPENAI_AD_TOKEN'])?.value : undefined
  const key = apiKey ?? token
  const root = address ?? azureRoot(provider, env)
  if (key === undefined && !isLoopback(root)) {
    throw new ModelError(
      `There is no key for ${provider.name}.`,
      `Set the input api-key, or ${provider.env.join(' or ')} in the step's env; or, without a stored key, AZURE_OPENAI_AD_TOKEN to the token that "az account get-access-token --resource https://cognitiveservices.azure.com" gives after azure/login.`,
    )
  }
  const isClaude = info.modelID.includes('claude')
  const isOther = info.assumed !== true && !/^(gpt|o\d|codex|model-router)/.test(info.modelID)
  const url = new URL(root)
  const own = azureHost.test(url.hostname)
  const claudeRoot = own ? `https://${url.hostname.split('.')[0]}.services.ai.azure.com/anthropic` : root
  return {
    protocol: isClaude ? 'anthropic' : isOther ? 'openai-compatible' : 'openai-responses',
    baseUrl: isClaude ? claudeRoot.replace(/(\/v1)?$/, '/v1') : own && !/\/v1$/.test(url.pathname) ? `${url.origin}/openai/v1` : root,
    cloud: { kind: 'azure', isToken: token !== undefined },
    ...(key === undefined ? {} : { apiKey: key }),
  }
}

function azureRoot({ name, configured }: ProviderInfo, env: Environment): string {
  const endpoint = fromEnvironment(env, ['AZURE_OPENAI_ENDPOINT'])
  const resource = configured?.resourceName ?? fromEnvironment(env, ['AZURE_RESOURCE_NAME'])?.value
  if (resource !== undefined) return `https://${checkedLabel('The Azure resource name', resource)}.openai.azure.com`
  if (endpoint && URL.canParse(endpoint.value)) return endpoint.value.replace(/\/+$/, '')
  throw new ModelError(
    `It is not said which resource of ${name} serves the model.`,
    "Set AZURE_RESOURCE_NAME in the step's env, or the input base-url to the address of the resource.",
  )
}

/** Bedrock's Converse API. Signed with what aws-actions/configure-aws-credentials leaves in the environment, or with a bearer token. */
function bedrock({ provider, info, apiKey, address, env, has }: Asked): Place {
  const region = provider.configured?.region ?? fromEnvironment(env, ['AWS_REGION', 'AWS_DEFAULT_REGION'])?.value
  if (region === undefined) {
    throw new ModelError(`It is not said in which region of AWS ${provider.name} is asked.`, "Set AWS_REGION in the step's env, for example to us-east-1.")
  }
  checkedLabel('The region of AWS', region)
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const id = profileOf(info.modelID, region, has)
  const credentials = apiKey === undefined ? awsCredentials(env) : undefined
  if (apiKey === undefined && credentials === undefined) {
    throw new ModelError(
      `There are no credentials for ${provider.name}.`,
      'Run aws-actions/configure-aws-credentials before this step: with "permissions: id-token: write" and a role it needs no stored key. Or set AWS_BEARER_TOKEN_BEDROCK, or the input api-key to a Bedrock API key.',
    )
  }
  return {
    protocol: 'bedrock',
    baseUrl: address ?? `https://bedrock-runtime.${region}.${suffix}`,
    cloud: { kind: 'aws', region, ...(credentials ? { credentials } : {}) },
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(id === info.modelID ? {} : { id }),
  }
}

function awsCredentials(env: Environment): AwsCredentials | undefined {
  const accessKeyId = fromEnvironment(env, ['AWS_ACCESS_KEY_ID'])?.value
  const secretAccessKey = fromEnvironment(env, ['AWS_SECRET_ACCESS_KEY'])?.value
  const sessionToken = fromEnvironment(env, ['AWS_SESSION_TOKEN'])?.value
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
}

/** Regions and the geographies whose inference profiles serve them, the narrower first. */
const geographies: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^us-gov-/, ['us-gov']],
  [/^us-/, ['us']],
  [/^ca-/, ['ca', 'us']],
  [/^eu-/, ['eu']],
  [/^ap-northeast-[13]$/, ['jp', 'apac']],
  [/^ap-southeast-[24]$/, ['au', 'apac']],
  [/^ap-south-/, ['in', 'apac']],
  [/^ap-/, ['apac']],
]

/**
 * Most models are served through inference profiles, whose names begin with a geography. It is added where the catalogue has it for the region;
 * `global.` never is, because it may leave the region's law behind.
 */
function profileOf(modelID: string, region: string, has: Asked['has']): string {
  const prefixes = geographies.find(([pattern]) => pattern.test(region))?.[1] ?? []
  const prefix = prefixes.find((candidate) => has(`${candidate}.${modelID}`))
  return prefix === undefined ? modelID : `${prefix}.${modelID}`
}

/**
 * Vertex AI: Gemini over Google's protocol, Claude over Anthropic's, the models of others over chat completions. Access tokens come from the
 * file that google-github-actions/auth leaves, which for workload identity holds no key.
 */
function vertex(asked: Asked): Place {
  const { provider, info, apiKey, address } = asked
  const isClaude = info.modelID.includes('claude')
  const isOther = !isClaude && /\//.test(info.modelID) && !info.modelID.startsWith('endpoints/')
  const isToken = apiKey?.startsWith('ya29.') ?? false
  const file = apiKey === undefined ? googleFile(asked) : undefined
  // An API key carries its project with it; only Gemini is served that way.
  const express = apiKey !== undefined && !isToken && !isClaude && !isOther
  const root = (version: string, tail: string) => address ?? (express ? expressHome : `${projectHome(asked, version)}${tail}`)
  const tail = info.modelID.startsWith('endpoints/') ? '' : '/publishers/google'
  const [protocol, baseUrl]: [Protocol, string] = isClaude
    ? ['anthropic', root('v1', '/publishers/anthropic')]
    : isOther
      ? ['openai-compatible', root('v1', '/endpoints/openapi')]
      : ['google', root('v1beta1', tail)]
  if (apiKey === undefined && file === undefined && !isLoopback(baseUrl)) {
    throw new ModelError(
      `There are no credentials for ${provider.name}.`,
      'Run google-github-actions/auth before this step: with "permissions: id-token: write" and workload identity it needs no stored key. Or set GOOGLE_APPLICATION_CREDENTIALS to a credentials file, or the input api-key.',
    )
  }
  return {
    protocol,
    baseUrl,
    cloud: { kind: 'google', isToken, ...(file === undefined ? {} : { file }) },
    ...(apiKey === undefined ? {} : { apiKey }),
  }
}

const expressHome = 'https://aiplatform.googleapis.com/v1/publishers/google'

function projectHome({ provider, env }: Asked, version: string): string {
  const { configured } = provider
  const project = configured?.project ?? fromEnvironment(env, ['GOOGLE_VERTEX_PROJECT', 'GOOGLE_CLOUD_PROJECT', 'GCLOUD_PROJECT', 'GCP_PROJECT'])?.value
  const location = configured?.location ?? fromEnvironment(env, ['GOOGLE_VERTEX_LOCATION', 'GOOGLE_CLOUD_LOCATION', 'VERTEX_LOCATION'])?.value
  const missing = [...(project === undefined ? ['GOOGLE_CLOUD_PROJECT'] : []), ...(location === undefined ? ['GOOGLE_CLOUD_LOCATION'] : [])]
  if (project === undefined || location === undefined) {
    throw new ModelError(
      `It is not said in which project or location of Google Cloud ${provider.name} is asked.`,
      `Set ${missing.join(' and ')} in the step's env; the location is for example global or europe-west1.`,
    )
  }
  checkedLabel('The location of Google Cloud', location)
  const host =
    location === 'global'
      ? 'aiplatform.googleapis.com'
      : location === 'eu' || location === 'us'
        ? `aiplatform.${location}.rep.googleapis.com`
        : `${location}-aiplatform.googleapis.com`
  return `https://${host}/${version}/projects/${encodeURIComponent(project)}/locations/${location}`
}

function googleFile({ env }: Asked): string | undefined {
  return fromEnvironment(env, ['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_GHA_CREDS_PATH'])?.value
}
