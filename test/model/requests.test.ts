import { expect, test } from 'vitest'
import { rawServer } from '../support/raw-sse.ts'
import { bodyOf, called, chosen, speak } from '../support/speak.ts'

/** The whole request that a model of each family receives for the same short history, to be read and compared. The answers don't matter. */

const env = { AWS_REGION: 'us-east-1', AZURE_RESOURCE_NAME: 'acme' }

test.each([
  'anthropic/claude-sonnet-4-6',
  'openai-responses/gpt-5.4',
  'openai/gpt-5.4',
  'google/gemini-2.5-pro',
  'azure/gpt-5.4',
  'amazon-bedrock/anthropic.claude-sonnet-4-6',
  'google-vertex/claude-opus-4-6@default',
  'openrouter/anthropic/claude-opus-4.6',
  'mistral/magistral-medium-latest',
  'deepseek/deepseek-v4-pro',
  'alibaba/qwen-plus',
  'my-vllm/some-model',
])('%s', async (model) => {
  await using server = await rawServer({ status: 400 })
  await speak(chosen(server, model, { env }), { messages: called('call_1', { reasoning: 'I need the file.' }) })
  const [request] = server.requests
  expect({ path: request?.path, body: bodyOf(server) }).toMatchSnapshot()
})
