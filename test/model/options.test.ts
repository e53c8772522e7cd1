import { expect, test } from 'vitest'
import { unknownModel } from '../../src/model/catalogue.ts'
import { optionsFor, optionsName, samplingFor } from '../../src/model/options.ts'

const { assumed: _, ...info } = unknownModel({ providerID: 'my-acme_ai', modelID: 'x' })

test('of options the family’s come first, then the model’s, the agent’s and the variant’s, and objects are joined', () => {
  const settings = { options: { reasoning: { a: 'model', b: 'model', c: 'model' } }, variants: { deep: { reasoning: { c: 'variant' }, list: [2] } } }
  const target = { info, protocol: 'openai-compatible', dialect: 'openrouter', settings } as const
  expect(optionsFor(target, { sessionID: 's', variant: 'deep', agent: { reasoning: { b: 'agent', c: 'agent' }, list: [1], usage: null } })).toEqual({
    prompt_cache_key: 's',
    usage: null,
    reasoning: { a: 'model', b: 'agent', c: 'variant' },
    list: [2],
  })
})

test.each([
  ['anthropic', {}],
  ['minimax', { toolStreaming: false }],
  ['google-vertex', { toolStreaming: false }],
])('%s is sent %o, since only Anthropic streams arguments by the piece', (providerID, expected) => {
  expect(optionsFor({ info: { ...info, providerID }, protocol: 'anthropic' }, { sessionID: 's' })).toEqual(expected)
})

test('options are found by the package under the provider’s name without dashes', () => {
  expect(optionsName({ info, protocol: 'openai-compatible' })).toBe('myAcmeAi')
})

test.each([
  ['qwen3-coder-480b-a35b-instruct', { temperature: 0.7, topP: 0.8 }],
  ['qwen3-235b-a22b', { temperature: 0.6, topP: 0.95 }],
  ['MiniMax-M3', { temperature: 1, topP: 0.95 }],
  ['accounts/fireworks/models/glm-5p3', { temperature: 1, topP: 0.95 }],
  ['kimi-k2.6', { temperature: 1, topP: 0.95 }],
  ['kimi-k2-instruct', { temperature: 0.6 }],
  ['devstral-2512', { temperature: 0.15 }],
  ['claude-sonnet-4-5', {}],
  ['gpt-4.1', {}],
])('%s is drawn as its maker advises: %o', (modelID, expected) => {
  expect(samplingFor({ modelID, temperature: true })).toEqual(expected)
})

test('a model that takes no temperature is sent none', () => {
  expect(samplingFor({ modelID: 'qwen3-235b-a22b', temperature: false })).toEqual({})
})
