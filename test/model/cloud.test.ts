import { expect, test } from 'vitest'
import { chooseModel, type Environment, parseModelRef, secretsOf } from '../../src/model/choose.ts'
import { ModelError } from '../../src/model/errors.ts'

const choose = (model: string, env: Environment, more: { apiKey?: string; baseUrl?: string } = {}) => chooseModel({ model: parseModelRef(model), env, ...more })

function refusal(model: string, env: Environment): ModelError {
  try {
    choose(model, env)
  } catch (error) {
    if (error instanceof ModelError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

const azure = { AZURE_RESOURCE_NAME: 'acme', AZURE_API_KEY: 'k' }
const aws = { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'session', AWS_REGION: 'eu-west-1' }
const google = { GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_CLOUD_LOCATION: 'europe-west1', GOOGLE_APPLICATION_CREDENTIALS: '/tmp/creds.json' }
const geminiHome = 'https://europe-west1-aiplatform.googleapis.com/v1beta1/projects/p/locations/europe-west1/publishers/google'

test.each([
  ['azure/gpt-5.4', 'openai-responses', 'https://acme.openai.azure.com/openai/v1'],
  ['azure/deepseek-v3.2', 'openai-compatible', 'https://acme.openai.azure.com/openai/v1'],
  ['azure/claude-sonnet-4-6', 'anthropic', 'https://acme.services.ai.azure.com/anthropic/v1'],
  ['azure/our-own-deployment', 'openai-responses', 'https://acme.openai.azure.com/openai/v1'],
])('%s speaks %s at the resource', (model, protocol, baseUrl) => {
  expect(choose(model, azure)).toMatchObject({ protocol, baseUrl, apiKey: 'k', cloud: { kind: 'azure', isToken: false } })
})

test.each([
  ['https://acme.openai.azure.com/', 'https://acme.openai.azure.com/openai/v1'],
  ['https://acme.services.ai.azure.com/openai/v1/responses', 'https://acme.services.ai.azure.com/openai/v1'],
  ['https://gateway.test/azure', 'https://gateway.test/azure'],
])('the address %s of Azure is taken as people paste it', (given, baseUrl) => {
  expect(choose('azure/gpt-5.4', { AZURE_API_KEY: 'k' }, { baseUrl: given }).baseUrl).toBe(baseUrl)
  expect(choose('azure/gpt-5.4', { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: given.replace('/responses', '') }).baseUrl).toBe(baseUrl)
})

test('a token of Entra ID stands in for a stored key at Azure', () => {
  const choice = choose('azure/gpt-5.4', { AZURE_RESOURCE_NAME: 'acme', AZURE_OPENAI_AD_TOKEN: 'ey' })
  expect(choice).toMatchObject({ apiKey: 'ey', cloud: { isToken: true } })
  expect(secretsOf(choice)).toEqual(['ey'])
})

test('C171: what Azure lacks is named: the resource, or the key and the way without one', () => {
  expect(refusal('azure/gpt-5.4', { AZURE_API_KEY: 'k' }).hint).toContain('AZURE_RESOURCE_NAME')
  const { hint } = refusal('azure/gpt-5.4', { AZURE_RESOURCE_NAME: 'acme' })
  for (const name of ['api-key', 'AZURE_API_KEY', 'AZURE_OPENAI_API_KEY', 'AZURE_OPENAI_AD_TOKEN']) expect(hint).toContain(name)
})

test.each([
  ['azure/gpt-5.4', { AZURE_RESOURCE_NAME: 'evil.test/#', AZURE_API_KEY: 'k' }],
  ['amazon-bedrock/openai.gpt-oss-120b', { ...aws, AWS_REGION: 'evil.test/' }],
  ['google-vertex/gemini-2.5-pro', { ...google, GOOGLE_CLOUD_LOCATION: 'evil.test/' }],
])('a name that would lead %s to another host is refused', (model, env) => {
  expect(refusal(model, env).message).toContain('evil.test')
})

test('Bedrock takes what configure-aws-credentials leaves, and none of it is shown', () => {
  const choice = choose('amazon-bedrock/openai.gpt-oss-120b', aws)
  expect(choice).toMatchObject({
    protocol: 'bedrock',
    baseUrl: 'https://bedrock-runtime.eu-west-1.amazonaws.com',
    cloud: { kind: 'aws', region: 'eu-west-1', credentials: { accessKeyId: 'AKIA', secretAccessKey: 'secret', sessionToken: 'session' } },
  })
  expect(choice).not.toHaveProperty('apiKey')
  expect(secretsOf(choice)).toEqual(['secret', 'session'])
})

test('a bearer token goes before other credentials of AWS', () => {
  const choice = choose('amazon-bedrock/openai.gpt-oss-120b', { ...aws, AWS_BEARER_TOKEN_BEDROCK: 'token' })
  expect(choice).toMatchObject({ apiKey: 'token', cloud: { kind: 'aws', region: 'eu-west-1' } })
  expect(secretsOf(choice)).toEqual(['token'])
})

test('C171: what AWS lacks is named: the region, or the credentials and the way without stored ones', () => {
  const { AWS_REGION: _, ...noRegion } = aws
  expect(refusal('amazon-bedrock/openai.gpt-oss-120b', noRegion).hint).toContain('AWS_REGION')
  expect(choose('amazon-bedrock/openai.gpt-oss-120b', { ...noRegion, AWS_DEFAULT_REGION: 'us-east-1' })).toMatchObject({ cloud: { region: 'us-east-1' } })
  const { hint } = refusal('amazon-bedrock/openai.gpt-oss-120b', { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'AKIA' })
  for (const name of ['aws-actions/configure-aws-credentials', 'id-token: write', 'AWS_BEARER_TOKEN_BEDROCK', 'api-key']) expect(hint).toContain(name)
})

test.each([
  ['us-east-1', 'anthropic.claude-sonnet-4-6', 'us.anthropic.claude-sonnet-4-6'],
  ['eu-central-1', 'anthropic.claude-sonnet-4-6', 'eu.anthropic.claude-sonnet-4-6'],
  ['ap-northeast-1', 'anthropic.claude-sonnet-4-6', 'jp.anthropic.claude-sonnet-4-6'],
  ['ap-southeast-2', 'anthropic.claude-sonnet-4-6', 'au.anthropic.claude-sonnet-4-6'],
  ['ap-southeast-1', 'anthropic.claude-sonnet-4-6', undefined],
  ['ap-northeast-2', 'amazon.nova-pro-v1:0', 'apac.amazon.nova-pro-v1:0'],
  ['us-east-1', 'global.anthropic.claude-sonnet-4-6', undefined],
  ['us-east-1', 'qwen.qwen3-32b-v1:0', undefined],
])('in %s Bedrock is asked for %s by the name %s', (region, model, id) => {
  const choice = choose(`amazon-bedrock/${model}`, { ...aws, AWS_REGION: region })
  expect(choice.info.modelID).toBe(model)
  expect(choice.settings?.id).toBe(id)
})

test('an inference profile of one’s own is named by its ARN, and anything else unknown is refused', () => {
  const arn = 'arn:aws:bedrock:us-east-1:1:application-inference-profile/x'
  expect(choose(`amazon-bedrock/${arn}`, aws).info).toMatchObject({ modelID: arn })
  expect(refusal('amazon-bedrock/anthropic.claude-sonet-4-6', aws).hint).toContain('anthropic.claude-sonnet-4-6')
})

test.each([
  ['google-vertex/gemini-2.5-pro', 'google', geminiHome],
  ['google-vertex/claude-opus-4-6@default', 'anthropic', geminiHome.replace('v1beta1', 'v1').replace('publishers/google', 'publishers/anthropic')],
  ['google-vertex-anthropic/claude-opus-4-6@default', 'anthropic', geminiHome.replace('v1beta1', 'v1').replace('publishers/google', 'publishers/anthropic')],
  ['google-vertex/zai-org/glm-5.2-maas', 'openai-compatible', geminiHome.replace('v1beta1', 'v1').replace('publishers/google', 'endpoints/openapi')],
  ['google-vertex/endpoints/123', 'google', geminiHome.replace('/publishers/google', '')],
])('%s speaks %s on Google Cloud', (model, protocol, baseUrl) => {
  expect(choose(model, google)).toMatchObject({ protocol, baseUrl, cloud: { kind: 'google', isToken: false, file: '/tmp/creds.json' } })
})

test.each([
  ['global', 'https://aiplatform.googleapis.com/v1beta1/'],
  ['eu', 'https://aiplatform.eu.rep.googleapis.com/v1beta1/'],
])('the location %s has a host of its own', (location, start) => {
  expect(choose('google-vertex/gemini-2.5-pro', { ...google, GOOGLE_VERTEX_LOCATION: location }).baseUrl).toMatch(start)
})

test('the file that google-github-actions/auth leaves is found under either name', () => {
  const { GOOGLE_APPLICATION_CREDENTIALS: _, ...rest } = google
  expect(choose('google-vertex/gemini-2.5-pro', { ...rest, GOOGLE_GHA_CREDS_PATH: '/w/gha-creds.json' })).toMatchObject({
    cloud: { file: '/w/gha-creds.json' },
  })
})

test('an API key of Google Cloud needs no project, an access token does', () => {
  expect(choose('google-vertex/gemini-2.5-pro', {}, { apiKey: 'AQ.key' }).baseUrl).toBe('https://aiplatform.googleapis.com/v1/publishers/google')
  expect(choose('google-vertex/gemini-2.5-pro', google, { apiKey: 'ya29.token' })).toMatchObject({ baseUrl: geminiHome, cloud: { isToken: true } })
})

test('C171: what Google Cloud lacks is named: project, location, or the credentials', () => {
  const { message, hint } = refusal('google-vertex/gemini-2.5-pro', { GOOGLE_APPLICATION_CREDENTIALS: '/c' })
  expect(message).toContain('project or location')
  for (const name of ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION']) expect(hint).toContain(name)
  const { GOOGLE_APPLICATION_CREDENTIALS: _, ...rest } = google
  for (const name of ['google-github-actions/auth', 'id-token: write', 'GOOGLE_APPLICATION_CREDENTIALS']) {
    expect(refusal('google-vertex/gemini-2.5-pro', rest).hint).toContain(name)
  }
})
