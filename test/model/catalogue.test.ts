import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { catalogueText } from '../../scripts/models.ts'
import { findModel, findProvider, providerIDs, suggest, unknownModel } from '../../src/model/catalogue.ts'
import { Catalogue } from '../../src/model/catalogue-schema.ts'

const committed = readFileSync(new URL('../../src/model/catalogue.json', import.meta.url), 'utf8')

const model = (more: Record<string, unknown> = {}) => ({
  name: 'Model',
  reasoning: true,
  temperature: true,
  limit: { context: 200_000, output: 32_000 },
  cost: { input: 1, output: 2 },
  released: '2026-01-01',
  ...more,
})
const source = (models: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  acme: { name: 'Acme', env: ['ACME_API_KEY'], npm: '@ai-sdk/openai-compatible', api: 'https://api.acme.test/v1/', models, ...more },
})
const made = (from: unknown) => Catalogue.parse(JSON.parse(catalogueText(from)))

test('the committed catalogue is valid and every preferred model is in it', () => {
  const catalogue = Catalogue.parse(JSON.parse(committed))
  for (const [id, provider] of Object.entries(catalogue)) {
    if (provider.best !== undefined) expect(Object.keys(provider.models), id).toContain(provider.best)
  }
  expect(Object.keys(catalogue)).toEqual(Object.keys(catalogue).toSorted())
})

test('the committed catalogue stays small enough for the bundle', () => {
  expect(Buffer.byteLength(committed)).toBeLessThan(200_000)
})

test('the same facts give the same bytes, in whatever order they come', () => {
  const one = source({ b: model(), a: model({ released: '2026-02-01' }) })
  const two = source({ a: model({ released: '2026-02-01' }), b: model() })
  expect(catalogueText(one)).toBe(catalogueText(two))
  expect(catalogueText(one)).toBe(catalogueText(one))
})

test('both forms of the source give the same catalogue', () => {
  const { released, ...rest } = model({ input: ['text', 'image'] })
  const published = { ...rest, input: undefined, modalities: { input: ['text', 'image'], output: ['text'] }, release_date: released, tool_call: true }
  expect(catalogueText(source({ a: published }))).toBe(catalogueText(source({ a: model({ input: ['text', 'image'] }) })))
})

test('models that cannot call tools, are retired or write no text are left out', () => {
  const models = made(
    source({
      good: model(),
      mute: model({ tool_call: false }),
      old: model({ status: 'deprecated' }),
      painter: model({ modalities: { input: ['text'], output: ['image'] } }),
    }),
  ).acme?.models
  expect(Object.keys(models ?? {})).toEqual(['good'])
})

test('providers whose package is not built in, or that have no key variable, are left out', () => {
  expect(made({ ...source({ a: model() }, { npm: '@acme/ai-sdk' }) })).toEqual({})
  expect(made({ ...source({ a: model() }, { env: ['ACME_REGION'] }) })).toEqual({})
})

test('of a cloud’s variables the key is kept, and no model is preferred', () => {
  const bedrock = { name: 'Bedrock', npm: '@ai-sdk/amazon-bedrock', env: ['AWS_ACCESS_KEY_ID', 'AWS_REGION', 'AWS_BEARER_TOKEN_BEDROCK'] }
  const catalogue = made({ 'amazon-bedrock': { ...bedrock, models: { a: model() } } })
  expect(catalogue['amazon-bedrock']).toMatchObject({ env: ['AWS_BEARER_TOKEN_BEDROCK'] })
  expect(catalogue['amazon-bedrock']).not.toHaveProperty('best')
})

test('a service that has one address for everybody is given it', () => {
  expect(made(source({ a: model() }, { npm: '@ai-sdk/groq', api: undefined })).acme?.url).toBe('https://api.groq.com/openai/v1')
})

test('a model that wants its reasoning back is marked so', () => {
  const models = made(source({ a: model({ interleaved: { field: 'reasoning_content' } }), b: model({ interleaved: true }) })).acme?.models
  expect(models).toMatchObject({ a: { k: 'rth' }, b: { k: 'rt' } })
  expect(findModel('deepseek', 'deepseek-v4-pro')).toMatchObject({ echo: true })
})

test('an address with a placeholder is left for the user to give', () => {
  expect(made(source({ a: model() }, { api: 'https://$' + '{ACCOUNT}.acme.test' })).acme?.url).toBeUndefined()
  expect(made(source({ a: model() })).acme?.url).toBe('https://api.acme.test/v1')
})

test('the preferred model is the newest able one that is neither special nor dear, of one day the dearest', () => {
  const catalogue = made(
    source({
      older: model({ released: '2026-05-01' }),
      'small-of-the-day': model({ released: '2026-06-01', cost: { input: 0.1, output: 1 } }),
      'big-of-the-day': model({ released: '2026-06-01', cost: { input: 3, output: 9 } }),
      'newest-preview': model({ released: '2026-07-01' }),
      'other/newest': model({ released: '2026-07-01' }),
      dear: model({ released: '2026-07-01', cost: { input: 30, output: 90 } }),
      free: model({ released: '2026-07-01', cost: { input: 0, output: 0 } }),
      forgetful: model({ released: '2026-07-01', limit: { context: 32_000, output: 32_000 } }),
      thoughtless: model({ released: '2026-07-01', reasoning: false }),
    }),
  )
  expect(catalogue.acme?.best).toBe('big-of-the-day')
  expect(made(source({ 'other/newest': model() })).acme?.best).toBeUndefined()
})

test('prices of long requests are kept with the size above which they apply', () => {
  const cost = {
    input: 2,
    output: 10,
    cache_read: 0.2,
    tiers: [{ input: 4, output: 15, cache_read: 0.4, cache_write: 5, tier: { type: 'context', size: 272_000 } }],
    context_over_200k: { input: 9, output: 9 },
  }
  expect(made(source({ a: model({ cost }) })).acme?.models.a).toMatchObject({ p: [2, 10, 0.2], t: [[272_000, 4, 15, 0.4, 5]] })
  const { tiers: _, ...older } = cost
  expect(made(source({ a: model({ cost: older }) })).acme?.models.a).toMatchObject({ t: [[200_000, 9, 9]] })
})

test('a model is found with its limits, abilities, inputs and prices in full words', () => {
  expect(findModel('openai', 'gpt-5.4')).toEqual({
    providerID: 'openai',
    modelID: 'gpt-5.4',
    name: 'GPT-5.4',
    family: 'gpt',
    reasoning: true,
    temperature: true,
    inputs: ['text', 'image', 'pdf'],
    limit: { context: 1_050_000, output: 128_000, input: 922_000 },
    price: { input: 2.5, output: 15, cacheRead: 0.25, tiers: [{ above: 272_000, input: 5, output: 22.5, cacheRead: 0.5 }] },
  })
})

test('names that only JavaScript knows are no providers and no models', () => {
  expect(findProvider('constructor')).toBeUndefined()
  expect(findModel('__proto__', 'toString')).toBeUndefined()
  expect(findModel('openai', 'constructor')).toBeUndefined()
})

test('the providers with protocols of their own come first, the others by name', () => {
  const [a, b, c, ...others] = providerIDs()
  expect([a, b, c]).toEqual(['anthropic', 'openai', 'google'])
  expect(others).toEqual(others.toSorted())
  expect(others).toContain('openrouter')
})

test.each([
  ['anthropic', 'claude-sonet-5', 'anthropic/claude-sonnet-5'],
  ['antropic', 'claude-sonnet-5', 'anthropic/claude-sonnet-5'],
  ['google', 'claude-opus-5-5', 'anthropic/claude-opus-5-5'],
  ['', 'claude-sonnet-5', 'anthropic/claude-sonnet-5'],
  ['openai', 'GPT-5.4', 'openai/gpt-5.4'],
])('for %s/%s it suggests %s first', (providerID, modelID, expected) => {
  expect(suggest({ providerID, modelID })[0]).toBe(expected)
})

test('nothing is suggested for a name that resembles none', () => {
  expect(suggest({ providerID: 'acme', modelID: 'zzzzzzzzzzzzzz' })).toEqual([])
})

test('an undescribed model is taken to read text only and to hold a moderate amount', () => {
  expect(unknownModel({ providerID: 'acme', modelID: 'x' })).toMatchObject({ inputs: ['text'], limit: { context: 128_000, output: 16_384 } })
})
