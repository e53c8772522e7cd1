import { expect, test } from 'vitest'
import { builtin } from '../../src/model/catalogue.ts'
import { chooseModel, type ModelChoice, parseModelRef } from '../../src/model/choose.ts'
import { ModelError } from '../../src/model/errors.ts'
import { checkVariant, variantsOf } from '../../src/model/variants.ts'
import { withConfig } from '../../src/model/with-config.ts'
import { awsFrame, awsHeaders } from '../support/aws-frames.ts'
import { chatChunk, chatEvents, type RawReply, rawServer } from '../support/raw-sse.ts'
import { bodyOf, chosen, speak } from '../support/speak.ts'

const env = { AWS_REGION: 'us-east-1', AZURE_RESOURCE_NAME: 'acme', GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_CLOUD_LOCATION: 'global' }
const at = (model: string): ModelChoice => chooseModel({ model: parseModelRef(model), apiKey: 'k', env })

test.each([
  ['openai/gpt-5', 'minimal low medium high'],
  ['openai/gpt-5.1', 'none low medium high'],
  ['openai/gpt-5.4', 'none low medium high xhigh'],
  ['openai/gpt-5.6', 'none low medium high xhigh max'],
  ['openai/gpt-6-sol', 'low medium high xhigh max'],
  ['openai/gpt-5-pro', 'high'],
  ['openai/gpt-5.3-codex', 'low medium high xhigh'],
  ['openai/o3', 'low medium high'],
  ['openai/gpt-5.2-chat-latest', ''],
  ['openai/gpt-4.1', ''],
  ['azure/gpt-5.4', 'none low medium high xhigh'],
  ['azure/our-deployment', 'low medium high'],
  ['anthropic/claude-haiku-4-5', 'none low medium high max'],
  ['anthropic/claude-sonnet-4-5-20250929', 'none low medium high max'],
  ['anthropic/claude-sonnet-4-6', 'none low medium high max'],
  ['anthropic/claude-opus-4-7', 'none low medium high xhigh max'],
  ['anthropic/claude-opus-5', 'none low medium high xhigh max'],
  ['anthropic/claude-opus-5-5', 'low medium high xhigh max'],
  ['anthropic/claude-fable-5', 'low medium high xhigh max'],
  ['google-vertex/claude-sonnet-4@20250514', 'none low medium high max'],
  ['google-vertex/claude-opus-4-8@default', 'none low medium high xhigh max'],
  ['minimax/MiniMax-M3', ''],
  ['google/gemini-2.5-pro', 'low medium high max'],
  ['google/gemini-2.5-flash', 'none low medium high max'],
  ['google/gemini-3-flash-preview', 'minimal low medium high'],
  ['google/gemini-3.1-pro-preview', 'low medium high'],
  ['google/gemma-4-31b-it', ''],
  ['amazon-bedrock/anthropic.claude-opus-4-1-20250805-v1:0', 'none low medium high max'],
  ['amazon-bedrock/us.anthropic.claude-opus-4-7', 'none low medium high xhigh max'],
  ['amazon-bedrock/openai.gpt-oss-120b', 'low medium high'],
  ['amazon-bedrock/amazon.nova-2-lite-v1:0', 'low medium high'],
  ['amazon-bedrock/amazon.nova-pro-v1:0', ''],
  ['openrouter/z-ai/glm-5.2', 'none minimal low medium high xhigh'],
  ['deepseek/deepseek-v4-pro', 'none low high max'],
  ['mistral/magistral-medium-latest', 'none high'],
  ['mistral/zai-glm-5-3', 'low high max'],
  ['mistral/codestral-latest', ''],
  ['xai/grok-4.7', 'low medium high'],
  ['xai/grok-4.20-0309-reasoning', ''],
  ['groq/openai/gpt-oss-120b', 'low medium high'],
  ['groq/qwen/qwen3.8-27b', 'none high'],
  ['cerebras/gpt-oss-120b', 'low medium high'],
  ['moonshotai/kimi-k2.6', 'none high'],
  ['zai/glm-5.2', 'none high'],
  ['alibaba/qwen-plus', 'none high max'],
])('%s has the variants: %s', (model, names) => {
  expect(Object.keys(variantsOf(at(model))).join(' ')).toBe(names)
})

test('a server of one’s own, whose model nobody has described, takes the common efforts', () => {
  expect(Object.keys(variantsOf(chosen({ url: 'http://127.0.0.1:1' }, 'my-vllm/some-model')))).toEqual(['low', 'medium', 'high'])
})

test('half of what an older Claude may write is left for its answer', () => {
  expect(variantsOf(at('anthropic/claude-haiku-4-5'))).toMatchObject({ max: { thinking: { type: 'enabled', budgetTokens: 31_999 } } })
  expect(variantsOf(at('amazon-bedrock/anthropic.claude-opus-4-1-20250805-v1:0'))).toMatchObject({ max: { reasoningConfig: { budgetTokens: 16_000 } } })
})

const usage = { input_tokens: 1, output_tokens: 1 }
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const replies = {
  chat: { pieces: chatEvents(chatChunk({ content: 'Hi' }), chatChunk({}, 'stop')) },
  responses: { pieces: [event({ type: 'response.completed', response: { id: 'r', usage } })] },
  claude: {
    pieces: [
      event({ type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage } }),
      event({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }),
      event({ type: 'message_stop' }),
    ],
  },
  gemini: { pieces: [event({ candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] })] },
  bedrock: { headers: awsHeaders, pieces: [awsFrame('messageStop', { stopReason: 'end_turn' })] },
} satisfies Record<string, RawReply>

test.each<[string, string, RawReply, Record<string, unknown>]>([
  ['openai-responses/gpt-5.6', 'max', replies.responses, { reasoning: { effort: 'max' } }],
  ['openai/gpt-5', 'minimal', replies.chat, { reasoning_effort: 'minimal' }],
  ['anthropic/claude-opus-4-7', 'xhigh', replies.claude, { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }],
  ['anthropic/claude-haiku-4-5', 'high', replies.claude, { thinking: { type: 'enabled', budget_tokens: 16_000 }, max_tokens: 48_000 }],
  ['anthropic/claude-haiku-4-5', 'none', replies.claude, { thinking: { type: 'disabled' } }],
  ['google/gemini-3-flash-preview', 'minimal', replies.gemini, { generationConfig: { thinkingConfig: { thinkingLevel: 'minimal' } } }],
  ['google/gemini-2.5-pro', 'max', replies.gemini, { generationConfig: { thinkingConfig: { thinkingBudget: 32_768 } } }],
  ['google-vertex/gemini-2.5-flash', 'none', replies.gemini, { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
  [
    'amazon-bedrock/anthropic.claude-opus-4-7',
    'low',
    replies.bedrock,
    { additionalModelRequestFields: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } } },
  ],
  [
    'amazon-bedrock/anthropic.claude-haiku-4-5-20251001-v1:0',
    'low',
    replies.bedrock,
    { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 4_000 } } },
  ],
  ['amazon-bedrock/openai.gpt-oss-120b', 'high', replies.bedrock, { additionalModelRequestFields: { reasoning_effort: 'high' } }],
  [
    'amazon-bedrock/amazon.nova-2-lite-v1:0',
    'low',
    replies.bedrock,
    { additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } } },
  ],
  ['openrouter/z-ai/glm-5.2', 'xhigh', replies.chat, { reasoning: { effort: 'xhigh' } }],
  ['deepseek/deepseek-v4-pro', 'max', replies.chat, { thinking: { type: 'enabled' }, reasoning_effort: 'max' }],
  ['deepseek/deepseek-v4-pro', 'none', replies.chat, { thinking: { type: 'disabled' } }],
  ['mistral/magistral-medium-latest', 'high', replies.chat, { reasoning_effort: 'high' }],
  ['xai/grok-4.7', 'low', replies.chat, { reasoning_effort: 'low' }],
  ['groq/qwen/qwen3.8-27b', 'high', replies.chat, { reasoning_effort: 'default' }],
  ['cerebras/gpt-oss-120b', 'medium', replies.chat, { reasoning_effort: 'medium' }],
  ['zai/glm-5.2', 'none', replies.chat, { thinking: { type: 'disabled', clear_thinking: false } }],
  ['alibaba/qwen-plus', 'high', replies.chat, { enable_thinking: true, thinking_budget: 16_000 }],
  ['my-vllm/some-model', 'low', replies.chat, { reasoning_effort: 'low' }],
])('%s asked for %s sends what the service understands', async (model, variant, reply, expected) => {
  await using server = await rawServer(reply)
  expect((await speak(chosen(server, model, { env }), { variant })).errors).toEqual([])
  expect(bodyOf(server)).toMatchObject(expected)
})

test('a variant that the model does not have was meant for another, and changes nothing', async () => {
  await using server = await rawServer(replies.chat)
  await speak(chosen(server, 'xai/grok-4.7'), { variant: 'xhigh' })
  await speak(chosen(server, 'xai/grok-4.7'))
  expect(server.requests[0]?.body).toBe(server.requests[1]?.body)
})

test('a small errand thinks as little as the model can', async () => {
  await using server = await rawServer(replies.chat)
  await speak(chosen(server, 'openai/gpt-5'), { small: true })
  expect(bodyOf(server)).toMatchObject({ reasoning_effort: 'minimal' })
  await speak(chosen(server, 'deepseek/deepseek-v4-pro'), { small: true })
  expect(bodyOf(server)).toMatchObject({ thinking: { type: 'disabled' } })
})

test('C171: an unknown variant is an error that names those there are', () => {
  const refused = (model: string) => expect(() => checkVariant(at(model), 'huge'))
  refused('openai/gpt-5').toThrow('openai/gpt-5 has no variant "huge". It has minimal, low, medium, high.')
  refused('openai/gpt-4.1').toThrow('openai/gpt-4.1 has no variants, so it has no "huge".')
  refused('openai/gpt-5').toThrow(ModelError)
  expect(() => checkVariant(at('openai/gpt-5'), 'low')).not.toThrow()
})

test('a configuration adds variants, changes them and takes them away', async () => {
  const variants = { swift: { reasoningEffort: 'low', textVerbosity: 'low' }, high: { textVerbosity: 'high' }, minimal: { disabled: true } }
  const providers = withConfig(builtin, { provider: { openai: { models: { 'gpt-5': { variants } } } } })
  await using server = await rawServer(replies.chat)
  const choice = chosen(server, 'openai/gpt-5', { providers })
  expect(Object.keys(variantsOf(choice))).toEqual(['low', 'medium', 'high', 'swift'])
  await speak(choice, { variant: 'high' })
  expect(bodyOf(server)).toMatchObject({ reasoning_effort: 'high', verbosity: 'high' })
  await speak(choice, { variant: 'swift' })
  expect(bodyOf(server)).toMatchObject({ reasoning_effort: 'low', verbosity: 'low' })
})
