import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { builtin } from '../../src/model/catalogue.ts'
import { chooseModel, type ModelRequest, parseModelRef, secretsOf } from '../../src/model/choose.ts'
import { withConfig } from '../../src/model/with-config.ts'
import { refusal } from '../support/refusal.ts'

function choose(model: string | undefined, more: Omit<Partial<ModelRequest>, 'model'> = {}) {
  return chooseModel({ env: {}, ...more, ...(model === undefined ? {} : { model: parseModelRef(model) }) })
}

test('C169: the provider is what stands before the first slash, the model may hold more', () => {
  expect(parseModelRef(' acme/vendor/model-x ')).toEqual({ providerID: 'acme', modelID: 'vendor/model-x' })
})

test('every provider and model put together with a slash is read back', () => {
  const word = fc.string({ minLength: 1 }).filter((text) => text === text.trim() && text !== '')
  fc.assert(
    fc.property(
      word.filter((text) => !text.includes('/')),
      word,
      (providerID, modelID) => {
        expect(parseModelRef(`${providerID}/${modelID}`)).toEqual({ providerID, modelID })
      },
    ),
  )
})

test.each(['', '   ', 'claude-sonnet-5', '/gpt-5', 'openai/', 'openai/  '])('"%s" names no model', (text) => {
  expect(refusal(() => parseModelRef(text)).message).toContain('provider/model')
})

test('a model named without its provider is told which may have been meant', () => {
  expect(refusal(() => parseModelRef('claude-sonnet-5')).hint).toContain('anthropic/claude-sonnet-5')
})

test('a known model with a key is ready, its facts from the catalogue', () => {
  const choice = choose('anthropic/claude-sonnet-5', { env: { ANTHROPIC_API_KEY: 'sk-a' } })
  expect(choice).toMatchObject({ protocol: 'anthropic', apiKey: 'sk-a', info: { name: 'Claude Sonnet 5', limit: { context: 1_000_000 } } })
})

test('the input wins over the environment', () => {
  expect(choose('openai/gpt-5', { apiKey: 'input', env: { OPENAI_API_KEY: 'env' } }).apiKey).toBe('input')
})

test('C165: an empty input does not hide the environment', () => {
  const choice = choose('openai/gpt-5', { apiKey: '', baseUrl: '  ', env: { OPENAI_API_KEY: 'env', OPENAI_BASE_URL: '' } })
  expect(choice).toMatchObject({ apiKey: 'env', protocol: 'openai-responses' })
})

test('C149: a trailing line break is no part of the key', () => {
  expect(secretsOf(choose('openai/gpt-5', { apiKey: 'sk-1\n' }))).toEqual(['sk-1'])
})

test.each(['two\nlines', 'OPENAI_API_KEY: sk-1', 'schlüssel'])('the key "%s" is refused before it breaks a header, and not repeated', (apiKey) => {
  const error = refusal(() => choose('openai/gpt-5', { apiKey }))
  expect(`${error.message} ${error.hint}`).not.toContain(apiKey)
})

test('the first variable of a provider that is set gives the key', () => {
  const env = { GOOGLE_API_KEY: ' ', GEMINI_API_KEY: 'g' }
  expect(choose('google/gemini-2.5-pro', { env })).toMatchObject({ protocol: 'google', apiKey: 'g' })
})

test('C171: a missing key is an error that names the input and every variable', () => {
  const error = refusal(() => choose('google/gemini-2.5-pro'))
  expect(error.message).toContain('Google')
  for (const name of ['api-key', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY']) expect(error.hint).toContain(name)
})

test('C169: an unknown provider is an error that lists the known ones', () => {
  const error = refusal(() => choose('antropic/claude-sonnet-5', { apiKey: 'k' }))
  for (const id of ['anthropic', 'openai', 'google', 'openrouter']) expect(error.message).toContain(id)
  expect(error.hint).toContain('anthropic/claude-sonnet-5')
  expect(error.hint).toContain('base-url')
})

test('C169: an unknown model of a known provider is an error with what may have been meant', () => {
  const error = refusal(() => choose('openai/gpt-54', { apiKey: 'k' }))
  expect(error.message).toContain('gpt-54')
  expect(error.hint).toContain('openai/gpt-5.4')
})

test('a model newer than the catalogue is used as the hint says, with default limits', () => {
  const { hint } = refusal(() => choose('openai/gpt-99', { apiKey: 'k' }))
  const baseUrl = /https:\S+\w/.exec(hint)?.[0]
  expect(choose('openai/gpt-99', { apiKey: 'k', baseUrl })).toMatchObject({ protocol: 'openai-responses', info: { limit: { context: 128_000 } } })
})

test('with nothing named the first provider with a key gives its best model', () => {
  const env = { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a', GEMINI_API_KEY: 'g' }
  expect(choose(undefined, { env })).toMatchObject({ apiKey: 'a', info: { providerID: 'anthropic' } })
  expect(choose(undefined, { env: { ...env, ANTHROPIC_API_KEY: '' } })).toMatchObject({ apiKey: 'o', info: { providerID: 'openai' } })
  expect(choose(undefined, { env: { XAI_API_KEY: 'x', DEEPSEEK_API_KEY: 'd' } }).info.providerID).toBe('deepseek')
})

test('a marketplace has no best model and asks for one', () => {
  const error = refusal(() => choose(undefined, { env: { OPENROUTER_API_KEY: 'r' } }))
  expect(error.message).toContain('OPENROUTER_API_KEY')
  expect(error.hint).toContain('openrouter/')
})

test('C171: with no model and no key at all there is one clear error', () => {
  const error = refusal(() => choose(undefined))
  expect(error).toBeInstanceOf(Failure)
  for (const name of ['model', 'api-key', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY']) expect(error.hint).toContain(name)
})

test.each([{ apiKey: 'k' }, { baseUrl: 'https://gateway.test/v1' }])('%o without a model is never sent to a guessed provider', (given) => {
  expect(refusal(() => choose(undefined, { ...given, env: { ANTHROPIC_API_KEY: 'a' } })).hint).toContain('model')
})

test.each([
  ['openai/gpt-5', {}, 'openai-responses', 'https://api.openai.com/v1'],
  ['openai/gpt-5', { baseUrl: 'https://gw.test/v1/' }, 'openai-chat', 'https://gw.test/v1'],
  ['openai/gpt-5', { env: { OPENAI_BASE_URL: 'https://gw.test/v1' } }, 'openai-chat', 'https://gw.test/v1'],
  ['openai/gpt-5', { env: { OPENAI_BASE_URL: 'https://api.openai.com/v1' } }, 'openai-responses', 'https://api.openai.com/v1'],
  ['openai/llama-4', { baseUrl: 'https://gw.test/v1' }, 'openai-compatible', 'https://gw.test/v1'],
  ['openai-responses/gpt-5', { baseUrl: 'https://gw.test/v1' }, 'openai-responses', 'https://gw.test/v1'],
  ['anthropic/claude-sonnet-5', { env: { ANTHROPIC_BASE_URL: 'https://gw.test/anthropic' } }, 'anthropic', 'https://gw.test/anthropic/v1'],
  ['anthropic/claude-sonnet-5', { baseUrl: 'https://gw.test/v1/messages' }, 'anthropic', 'https://gw.test/v1'],
  ['google/gemini-2.5-pro', { env: { GEMINI_BASE_URL: 'https://gw.test' } }, 'google', 'https://gw.test/v1beta'],
  ['google/gemini-2.5-pro', { baseUrl: 'https://gw.test/v1' }, 'google', 'https://gw.test/v1'],
  ['minimax/MiniMax-M3', {}, 'anthropic', 'https://api.minimax.io/anthropic/v1'],
  ['openrouter/z-ai/glm-5.2', {}, 'openai-compatible', 'https://openrouter.ai/api/v1'],
  ['deepseek/deepseek-v4-pro', {}, 'openai-compatible', 'https://api.deepseek.com'],
  ['mistral/devstral-latest', {}, 'openai-compatible', 'https://api.mistral.ai/v1'],
  ['xai/grok-4.7', {}, 'openai-compatible', 'https://api.x.ai/v1'],
  ['groq/openai/gpt-oss-120b', {}, 'openai-compatible', 'https://api.groq.com/openai/v1'],
  ['cerebras/gpt-oss-120b', {}, 'openai-compatible', 'https://api.cerebras.ai/v1'],
  ['togetherai/openai/gpt-oss-120b', {}, 'openai-compatible', 'https://api.together.xyz/v1'],
  ['fireworks-ai/accounts/fireworks/models/kimi-k3', {}, 'openai-compatible', 'https://api.fireworks.ai/inference/v1'],
  ['groq/openai/gpt-oss-120b', { baseUrl: 'https://gw.test/openai/v1/chat/completions' }, 'openai-compatible', 'https://gw.test/openai/v1'],
])('%s with %o speaks %s at %s', (model, more, protocol, baseUrl) => {
  expect(choose(model, { apiKey: 'k', ...more })).toMatchObject({ protocol, baseUrl })
})

test('a provider whose address nobody knows asks for it', () => {
  const providers = withConfig(builtin, { provider: { acme: { models: { x: {} } } } })
  expect(refusal(() => choose('acme/x', { apiKey: 'k', providers })).hint).toContain('base-url')
})

test('a server of one’s own needs an address and no key', () => {
  const choice = choose('my-vllm/qwen/coder', { baseUrl: 'http://10.0.0.5:8000/v1' })
  expect(choice).toEqual({
    info: expect.objectContaining({ providerID: 'my-vllm', modelID: 'qwen/coder' }),
    protocol: 'openai-compatible',
    baseUrl: 'http://10.0.0.5:8000/v1',
  })
  expect(secretsOf(choice)).toEqual([])
})

test('a server of one’s own takes its key and address from variables of its name', () => {
  const env = { MY_VLLM_API_KEY: 'v', MY_VLLM_BASE_URL: 'https://vllm.test/v1' }
  expect(choose('my-vllm/coder', { env })).toMatchObject({ apiKey: 'v', baseUrl: 'https://vllm.test/v1' })
})

test.each(['http://127.0.0.1:11434/v1', 'http://localhost:11434/v1', 'http://[::1]:11434/v1'])('a known provider’s name needs no key at %s', (baseUrl) => {
  expect(choose('openai/llama-4', { baseUrl })).not.toHaveProperty('apiKey')
  expect(refusal(() => choose('openai/llama-4', { baseUrl: 'https://localhost.evil.test/v1' })).message).toContain('key')
})

test.each([
  ['gateway.test/v1', 'base-url'],
  ['ftp://gateway.test', 'base-url'],
  ['https://user:pass@gateway.test/v1', 'password'],
  ['https://gateway.test/v1?api-version=1', 'query'],
])('the address %s is refused at once', (baseUrl, word) => {
  expect(refusal(() => choose('acme/x', { baseUrl })).message).toContain(word)
})

test('an address from a variable is refused by the variable’s name', () => {
  expect(refusal(() => choose('openai/gpt-5', { apiKey: 'k', env: { OPENAI_BASE_URL: 'nowhere' } })).message).toContain('OPENAI_BASE_URL')
})
