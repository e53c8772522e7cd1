import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { chooseEarly, chooseModels, chooseWith, modelFor, secretsOfAll } from '../../src/run/models.ts'
import { readSettings } from '../../src/settings/read.ts'
import { refusal } from '../support/refusal.ts'
import { fakeTree } from '../support/tree.ts'

type Values = Readonly<Record<string, string>>

const settingsOf = (inputs: Values) =>
  readSettings(Object.fromEntries(Object.entries({ 'github-token': 't', ...inputs }).map(([key, value]) => [`INPUT_${key.toUpperCase()}`, value])))

const choose = (inputs: Values, env: Values = {}) => chooseModels(settingsOf(inputs), env)

describe('the models of a run', () => {
  test('those that take over get the keys of their own providers, from the environment', () => {
    const { choice: main, fallbacks } = choose(
      { model: 'anthropic/claude-haiku-4-5', 'api-key': 'mine', 'fallback-models': 'openai/gpt-5-mini, anthropic/claude-opus-4-5' },
      { OPENAI_API_KEY: 'theirs' },
    )
    expect(main.apiKey).toBe('mine')
    expect(fallbacks.map(({ info, apiKey }) => [info.modelID, apiKey])).toEqual([
      ['gpt-5-mini', 'theirs'],
      // The input is the key of that provider.
      ['claude-opus-4-5', 'mine'],
    ])
  })

  test('the small one too, at the address of its provider', () => {
    const { small } = choose({ model: 'acme/big', 'base-url': 'http://127.0.0.1:8080/v1', 'small-model': 'acme/tiny' })
    expect(small).toMatchObject({ info: { modelID: 'tiny' }, baseUrl: 'http://127.0.0.1:8080/v1' })
  })

  test('without the inputs there are none', () => {
    expect(choose({ model: 'anthropic/claude-haiku-4-5', 'api-key': 'k' })).toMatchObject({ fallbacks: [] })
    expect(choose({ model: 'anthropic/claude-haiku-4-5', 'api-key': 'k' })).not.toHaveProperty('small')
  })

  test.each([
    ['fallback-models', 'openai/gpt-5-mini', 'OPENAI_API_KEY'],
    ['small-model', 'openai/gpt-5-mini', 'OPENAI_API_KEY'],
    ['fallback-models', 'anthropic/claude-haiku-4-6', 'claude-haiku-4-5'],
  ])('what is wrong with %s: %s is found at the start, and both are named', (input, model, hint) => {
    const { message, hint: told } = refusal(() => choose({ model: 'anthropic/claude-haiku-4-5', 'api-key': 'k', [input]: model }))
    expect(message).toContain(`The input ${input} names ${model}`)
    expect(told).toContain(hint)
  })

  test('a variant that the model does not have is found at the start', () => {
    const known = { model: 'anthropic/claude-haiku-4-5', 'api-key': 'k' }
    expect(choose({ ...known, variant: 'high' }).choice.info.modelID).toBe('claude-haiku-4-5')
    const { message, hint } = refusal(() => choose({ ...known, variant: 'xhigh' }))
    expect(message).toContain('anthropic/claude-haiku-4-5 has no variant "xhigh". It has none, low, medium, high, max.')
    expect(hint).toContain('variant')
  })

  test('money is limited only where every price is known', () => {
    const known = { model: 'anthropic/claude-haiku-4-5', 'api-key': 'k', 'max-cost-usd': '2' }
    expect(choose(known).choice.info.price).toBeDefined()
    const { message, hint } = refusal(() => choose({ ...known, 'fallback-models': 'acme/x' }, { ACME_BASE_URL: 'http://127.0.0.1:1/v1' }))
    expect(message).toBe('The input max-cost-usd is set, but the price of acme/x is not known.')
    expect(hint).toContain('max-tokens')
  })

  test('an agent that asks for the run’s own model gets it as the job has set it up, one of the same provider with the same key and address', () => {
    const settings = settingsOf({ model: 'openai-responses/gpt-5.2', 'api-key': 'mine', 'base-url': 'http://127.0.0.1:8080/v1' })
    const { choice: main } = chooseModels(settings, {})
    expect(main.protocol).toBe('openai-responses')
    expect(modelFor({ providerID: 'openai', modelID: 'gpt-5.2' }, settings, main, {})).toBe(main)
    expect(modelFor({ providerID: 'openai', modelID: 'gpt-5-mini' }, settings, main, {})).toMatchObject({ apiKey: 'mine', baseUrl: 'http://127.0.0.1:8080/v1' })
  })
})

describe('a repository that says which model to use', () => {
  const lab = { npm: '@ai-sdk/openai-compatible', options: { baseURL: 'http://127.0.0.1:8080/v1', apiKey: 'of-the-lab' }, models: { big: {}, tiny: {} } }
  const configured = async (config: object, inputs: Record<string, string> = {}, env: Record<string, string> = {}) => {
    const read = await loadConfig({ tree: fakeTree({}), directory: '', env, inline: JSON.stringify(config), texts: (name) => name })
    return chooseWith(read, settingsOf(inputs), env, chooseEarly(settingsOf(inputs), env))
  }

  test('is asked where the job names none, also for providers nobody else knows', async () => {
    const { models } = await configured({ model: 'lab/big', small_model: 'lab/tiny', provider: { lab } })
    expect(models.choice).toMatchObject({ info: { modelID: 'big' }, baseUrl: 'http://127.0.0.1:8080/v1', apiKey: 'of-the-lab' })
    expect(models.small).toMatchObject({ info: { modelID: 'tiny' } })
    expect(secretsOfAll(models)).toContain('of-the-lab')
  })

  test('does not change the model that the job names, nor get the key that goes with it', async () => {
    const { models } = await configured({ model: 'lab/big', provider: { lab } }, { model: 'anthropic/claude-haiku-4-5', 'api-key': 'mine' })
    expect(models.choice).toMatchObject({ info: { modelID: 'claude-haiku-4-5' }, apiKey: 'mine' })
  })

  test('can describe the provider of the model that the job names', async () => {
    const { models } = await configured({ provider: { lab } }, { model: 'lab/tiny' })
    expect(models.choice).toMatchObject({ info: { modelID: 'tiny' }, apiKey: 'of-the-lab' })
  })

  test('C169 that helps no more is told, with what was read', async () => {
    await expect(configured({ provider: { lab } }, { model: 'acme/big' })).rejects.toMatchObject({
      hint: expect.stringContaining('Configuration was read from'),
    })
    await expect(configured({})).rejects.toThrow('No model is named')
  })
})
