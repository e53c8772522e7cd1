import { expect, test } from 'vitest'
import { builtin, suggest } from '../../src/model/catalogue.ts'
import { chooseModel, parseModelRef } from '../../src/model/choose.ts'
import { type ProvidersConfig, withConfig } from '../../src/model/with-config.ts'
import { ask } from '../support/ask.ts'
import { chatChunk, chatEvents, rawServer } from '../support/raw-sse.ts'
import { refusal } from '../support/refusal.ts'
import { bodyOf, speak } from '../support/speak.ts'

const laid = (config: ProvidersConfig) => withConfig(builtin, config)
const choose = (model: string, config: ProvidersConfig, env = {}, more: { apiKey?: string; baseUrl?: string } = {}) =>
  chooseModel({ model: parseModelRef(model), env, providers: laid(config), ...more })

const acme = { npm: '@ai-sdk/openai-compatible', name: 'Acme', options: { baseURL: 'https://acme.test/v1', apiKey: 'from-config' } }

test('a configuration that says nothing changes nothing', () => {
  const providers = laid({})
  expect(providers.ids()).toEqual(builtin.ids())
  expect(providers.find('openai')).toEqual(builtin.find('openai'))
  expect(providers.model('openai', 'gpt-5.4')).toEqual(builtin.model('openai', 'gpt-5.4'))
  expect(providers.settings('openai', 'gpt-5.4')).toBeUndefined()
})

test('a provider of the repository’s own is described as the catalogue describes its', () => {
  const models = {
    big: {
      name: 'Acme Big',
      family: 'acme',
      reasoning: true,
      temperature: false,
      limit: { context: 100_000, output: 9_000, input: 80_000 },
      cost: { input: 1, output: 4, cache_read: 0.1, cache_write: 1.2 },
      modalities: { input: ['text', 'image', 'smell'] },
      interleaved: { field: 'reasoning_content' },
    },
  }
  expect(laid({ provider: { acme: { ...acme, models } } }).model('acme', 'big')).toEqual({
    providerID: 'acme',
    modelID: 'big',
    name: 'Acme Big',
    family: 'acme',
    reasoning: true,
    temperature: false,
    inputs: ['text', 'image'],
    limit: { context: 100_000, output: 9_000, input: 80_000 },
    price: { input: 1, output: 4, cacheRead: 0.1, cacheWrite: 1.2 },
    echo: true,
  })
})

test('where it says nothing of a model of its own, the usual is assumed', () => {
  expect(laid({ provider: { acme: { models: { x: {} } } } }).model('acme', 'x')).toEqual({
    providerID: 'acme',
    modelID: 'x',
    name: 'x',
    reasoning: false,
    temperature: true,
    inputs: ['text'],
    limit: { context: 128_000, output: 16_384 },
  })
})

test('of a known model only what is named is changed', () => {
  const known = builtin.model('openai', 'gpt-5.4')
  const providers = laid({ provider: { openai: { models: { 'gpt-5.4': { limit: { context: 50_000 } } } } } })
  expect(providers.model('openai', 'gpt-5.4')).toEqual({ ...known, limit: { ...known?.limit, context: 50_000 } })
  expect(providers.model('openai', 'gpt-5.6')).toEqual(builtin.model('openai', 'gpt-5.6'))
})

test('a known model under another name keeps its facts, and is asked for by its own', async () => {
  const config = { provider: { openai: { models: { thrifty: { id: 'gpt-5', options: { reasoningEffort: 'low' } } } } } }
  await using server = await rawServer({ pieces: chatEvents(chatChunk({ content: 'Hi' }), chatChunk({}, 'stop')) })
  const choice = choose('openai/thrifty', config, {}, { apiKey: 'k', baseUrl: server.url })
  expect(choice.info).toMatchObject({ modelID: 'thrifty', limit: { context: 400_000 } })
  await speak(choice)
  expect(bodyOf(server)).toMatchObject({ model: 'gpt-5', reasoning_effort: 'low' })
})

test('key and address of the configuration are used, the job’s inputs go before them, and the environment behind', () => {
  const config = { provider: { acme: { ...acme, env: ['ACME_TOKEN'], models: { x: {} } } } }
  const env = { ACME_TOKEN: 'from-env', ACME_BASE_URL: 'https://env.test' }
  expect(choose('acme/x', config, env)).toMatchObject({ apiKey: 'from-config', baseUrl: 'https://acme.test/v1' })
  const inputs = { apiKey: 'from-input', baseUrl: 'https://input.test/v1' }
  expect(choose('acme/x', config, env, inputs)).toMatchObject(inputs)
  const { options: _, ...bare } = config.provider.acme
  expect(choose('acme/x', { provider: { acme: bare } }, env)).toMatchObject({ apiKey: 'from-env', baseUrl: 'https://env.test' })
})

test('a server of the repository’s own needs no key unless it names the variable of one', () => {
  const open = { options: { baseURL: 'https://acme.test/v1' }, models: { x: {} } }
  expect(choose('acme/x', { provider: { acme: open } })).not.toHaveProperty('apiKey')
  expect(refusal(() => choose('acme/x', { provider: { acme: { ...open, env: ['ACME_TOKEN'] } } })).hint).toContain('ACME_TOKEN')
})

test.each([
  ['@ai-sdk/anthropic', 'anthropic', 'https://acme.test/v1'],
  ['@ai-sdk/google', 'google', 'https://acme.test/v1'],
  ['@ai-sdk/openai', 'openai-responses', 'https://acme.test/v1'],
  ['@ai-sdk/mistral', 'openai-compatible', 'https://acme.test/v1'],
])('a provider that names the package %s speaks %s', (npm, protocol, baseUrl) => {
  expect(choose('acme/x', { provider: { acme: { ...acme, npm, models: { x: {} } } } })).toMatchObject({ protocol, baseUrl })
})

test('a package that is named without an address goes to its home', () => {
  expect(choose('mine/x', { provider: { mine: { npm: '@ai-sdk/groq', options: { apiKey: 'k' }, models: { x: {} } } } })).toMatchObject({
    baseUrl: 'https://api.groq.com/openai/v1',
    dialect: 'groq',
  })
})

test('a package that is not built in is an error that lists those that are', () => {
  const { message, hint } = refusal(() => choose('acme/x', { provider: { acme: { ...acme, npm: 'acme-ai-provider', models: { x: {} } } } }))
  expect(message).toBe('The provider acme needs the package acme-ai-provider, which is not built in.')
  for (const name of ['@ai-sdk/openai-compatible', '@ai-sdk/anthropic', '@ai-sdk/amazon-bedrock']) expect(hint).toContain(name)
})

test('OpenAI at an address of the configuration still speaks the Responses API', () => {
  const config = { provider: { openai: { options: { baseURL: 'https://proxy.test/v1' } } } }
  expect(choose('openai/gpt-5.4', config, {}, { apiKey: 'k' })).toMatchObject({ protocol: 'openai-responses', baseUrl: 'https://proxy.test/v1' })
})

test('clouds take region, project and resource from the configuration', () => {
  const aws = { provider: { 'amazon-bedrock': { options: { region: 'eu-west-1' } } } }
  expect(choose('amazon-bedrock/openai.gpt-oss-120b', aws, {}, { apiKey: 'k' }).baseUrl).toContain('eu-west-1')
  const google = { provider: { 'google-vertex': { options: { project: 'p', location: 'global' } } } }
  expect(choose('google-vertex/gemini-2.5-pro', google, { GOOGLE_APPLICATION_CREDENTIALS: '/c' }).baseUrl).toContain('/projects/p/locations/global/')
  const azure = { provider: { azure: { options: { resourceName: 'acme' } } } }
  expect(choose('azure/gpt-5.4', azure, { AZURE_API_KEY: 'k' }).baseUrl).toBe('https://acme.openai.azure.com/openai/v1')
})

test.each<[string, ProvidersConfig, string]>([
  ['openai/gpt-5.4', { disabled_providers: ['openai'] }, 'openai/gpt-5.4 is switched off by disabled_providers in the configuration.'],
  ['openai/gpt-5.4', { enabled_providers: ['anthropic'] }, 'openai/gpt-5.4 is not among enabled_providers in the configuration.'],
  ['openai/gpt-5.4', { provider: { openai: { blacklist: ['gpt-5.4'] } } }, 'openai/gpt-5.4 is on the blacklist of the provider openai in the configuration.'],
  [
    'openai/gpt-5.4',
    { provider: { openai: { whitelist: ['gpt-5.6'] } } },
    'openai/gpt-5.4 is not on the whitelist of the provider openai in the configuration.',
  ],
  [
    'acme/x',
    { provider: { acme: { ...acme, models: { x: { tool_call: false } } } } },
    'acme/x cannot call tools, says the configuration, and without tools nothing can be done here.',
  ],
])('%s under %o is refused with the reason', (model, config, message) => {
  expect(refusal(() => choose(model, config, { OPENAI_API_KEY: 'k' })).message).toBe(message)
})

test('a provider that is switched off is neither preferred nor suggested', () => {
  const env = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }
  const config = { disabled_providers: ['anthropic'] }
  expect(chooseModel({ env, providers: laid(config) }).info.providerID).toBe('openai')
  expect(suggest({ providerID: 'anthropic', modelID: 'claude-sonnet-5' }, laid(config))).not.toContain('anthropic/claude-sonnet-5')
})

test('models of the configuration are suggested', () => {
  expect(suggest({ providerID: 'acme', modelID: 'bigg' }, laid({ provider: { acme: { ...acme, models: { big: {} } } } }))[0]).toBe('acme/big')
})

test('headers of provider and model are sent, the model’s last', async () => {
  await using server = await rawServer({ pieces: chatEvents(chatChunk({ content: 'Hi' }), chatChunk({}, 'stop')) })
  const options = { baseURL: server.url, headers: { 'x-team': 'provider', 'x-both': 'provider' } }
  await speak(choose('acme/x', { provider: { acme: { options, models: { x: { headers: { 'x-both': 'model' } } } } } }))
  expect(server.requests[0]?.headers).toMatchObject({ 'x-team': 'provider', 'x-both': 'model' })
})

test('options of the model are sent, under those of the agent', async () => {
  await using server = await rawServer({ pieces: chatEvents(chatChunk({ content: 'Hi' }), chatChunk({}, 'stop')) })
  const models = { x: { options: { extra: { a: 1, b: 1 }, seed: 1 } } }
  await speak(choose('my-acme/x', { provider: { 'my-acme': { options: { baseURL: server.url }, models } } }), { options: { extra: { b: 2 } } })
  expect(bodyOf(server)).toMatchObject({ extra: { a: 1, b: 2 }, seed: 1 })
})

test('a provider that wants to know the session is told, if the configuration says so', async () => {
  await using server = await rawServer({ pieces: chatEvents(chatChunk({ content: 'Hi' }), chatChunk({}, 'stop')) })
  await speak(choose('acme/x', { provider: { acme: { options: { baseURL: server.url, setCacheKey: true }, models: { x: {} } } } }))
  expect(bodyOf(server)).toMatchObject({ prompt_cache_key: 'ses_test' })
})

test.each([
  [{ headerTimeout: 30 }, { ending: 'mute' as const }, 'did not answer within 0.03 s'],
  [{ chunkTimeout: 30 }, { pieces: [chatEvents(chatChunk({ content: 'Hi' }))[0] ?? ''], ending: 'silence' as const }, 'sent nothing for 0.03 s'],
  [{ timeout: 30 }, { pieces: [chatEvents(chatChunk({ content: 'Hi' }))[0] ?? ''], ending: 'silence' as const }, 'did not finish its answer within 0.03 s'],
])('a wait is as long as %o says', async (waits, reply, message) => {
  await using server = await rawServer(reply)
  const { errors } = await ask(choose('acme/x', { provider: { acme: { options: { baseURL: server.url, ...waits }, models: { x: {} } } } }))
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining(message), isRetryable: true })])
})

test('waits that are switched off have no end', () => {
  const options = { headerTimeout: false, chunkTimeout: false, timeout: false }
  expect(laid({ provider: { acme: { options } } }).settings('acme', 'x')).toEqual({
    timeouts: { headers: Number.POSITIVE_INFINITY, idle: Number.POSITIVE_INFINITY },
  })
})

test('names that only JavaScript knows are no providers and no models', () => {
  const providers = laid({ provider: { acme } })
  expect(providers.find('constructor')).toBeUndefined()
  expect(providers.model('acme', 'constructor')).toBeUndefined()
})
