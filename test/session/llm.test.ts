import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Model } from '../../src/model/model.ts'
import type { Hooks } from '../../src/session/hooks.ts'
import { chatChunk, chatEvents, rawServer } from '../support/raw-sse.ts'
import { bodyOf, chosen, speak } from '../support/speak.ts'
import { type SseModel, sseModel, text } from '../support/sse-model.ts'
import { type Setup, setup } from './harness.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

/** What reaches a model that speaks another protocol. */
async function optionsFor(
  protocol: Model['protocol'],
  info: Partial<Model['info']> = {},
  rest: Setup = {},
): Promise<Parameters<MockLanguageModelV4['doStream']>[0]> {
  const language = new MockLanguageModelV4({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'Hi' },
          { type: 'text-end', id: '1' },
          {
            type: 'finish',
            finishReason: { unified: 'stop', raw: 'stop' },
            usage: { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } },
          },
        ],
      }),
    }),
  })
  await setup(server, { ...rest, model: { ...server.model(info), language, protocol } }).ask()
  const [options] = language.doStreamCalls
  if (!options) throw new Error('the model was not called')
  return options
}

describe('a request', () => {
  test('asks for at most 32,000 tokens, or what the model can give', async () => {
    server.queue(text('a'), text('b'), text('c'))
    for (const output of [10_000, 64_000, 0]) await setup(server, { model: server.model({ limit: { context: 1, output } }) }).ask()
    expect(server.requests.map(({ body }) => body.max_tokens)).toEqual([10_000, 32_000, 32_000])
  })

  test('has a temperature only if the agent sets one and the model takes one', async () => {
    server.queue(text('a'), text('b'), text('c'))
    const agent = { name: 'build', temperature: 0.3 }
    await setup(server, { agent }).ask()
    await setup(server, { agent, model: server.model({ temperature: false }) }).ask()
    await setup(server).ask()
    expect(server.requests.map(({ body }) => body.temperature)).toEqual([0.3, undefined, undefined])
  })

  test('has one system text, the same bytes in every step and every run of a session', async () => {
    server.queue(text('a'), text('b'))
    const options = { system: ['<github>block</github>'] }
    const first = setup(server, options)
    await first.ask()
    const second = setup(server, { ...options, history: first.store.messages() })
    await second.ask('and now')
    const systems = server.requests.map(({ body }) => body.messages.filter(({ role }) => role === 'system'))
    expect(systems[0]).toHaveLength(1)
    expect(systems[1]).toEqual(systems[0])
    expect(server.requests[1]?.body.messages.slice(0, 2)).toEqual(server.requests[0]?.body.messages)
  })

  test('describes tools by JSON schema', async () => {
    server.queue(text('a'))
    await setup(server).ask()
    expect(server.requests[0]?.body.tools?.[0]).toMatchObject({
      function: { name: 'read', description: 'The tool read', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
    })
  })

  test('marks the system text and the last two messages for Anthropic’s cache', async () => {
    const { prompt } = await optionsFor('anthropic')
    const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } }
    expect(prompt.map(({ providerOptions }) => providerOptions)).toEqual([mark, mark])
  })

  test('marks two pieces of a divided system text and no more: Anthropic takes four marks in all', async () => {
    const hooks: Hooks = {
      trigger: (_name, _, output) => {
        if ('system' in output) output.system.splice(0, 1, 'a', 'b', 'c')
        return Promise.resolve(output)
      },
    }
    const { prompt } = await optionsFor('anthropic', {}, { hooks })
    expect(prompt.map(({ role, providerOptions }) => [role, providerOptions !== undefined])).toEqual([
      ['system', true],
      ['system', true],
      ['system', false],
      ['user', true],
    ])
  })

  test('carries the agent’s sampling and options to the protocols of OpenAI', async () => {
    const agent = { name: 'build', temperature: 0.3, topP: 0.8, options: { reasoningEffort: 'high', reasoningSummary: undefined } }
    const responses = await optionsFor('openai-responses', { reasoning: true }, { agent })
    expect(responses).toMatchObject({ temperature: 0.3, topP: 0.8, maxOutputTokens: 10_000 })
    expect(responses.providerOptions?.openai).toMatchObject({ promptCacheKey: 'ses_test', reasoningEffort: 'high' })
    expect((await optionsFor('openai-chat', {}, { agent })).providerOptions).toEqual({ openai: { promptCacheKey: 'ses_test', reasoningEffort: 'high' } })
    expect((await optionsFor('google', {}, { agent })).providerOptions).toEqual({ google: { reasoningEffort: 'high' } })
  })

  test('temperature, top_p, token cap and effort are in the request of a chat-style and of a Responses-style service', async () => {
    const done = 'data: {"type":"response.completed","response":{"id":"r","usage":{"input_tokens":1,"output_tokens":1}}}\n\n'
    await using chat = await rawServer({ pieces: chatEvents(chatChunk({ content: 'Hi' }), chatChunk({}, 'stop')) })
    const sampling = { temperature: 0.3, topP: 0.8 }
    await speak(chosen(chat, 'acme/x'), { ...sampling, variant: 'high' })
    expect(bodyOf(chat)).toMatchObject({ temperature: 0.3, top_p: 0.8, max_tokens: 16_384, reasoning_effort: 'high' })
    await using responses = await rawServer({ pieces: [done] })
    await speak(chosen(responses, 'openai-responses/gpt-4.1'), sampling)
    expect(bodyOf(responses)).toMatchObject({ temperature: 0.3, top_p: 0.8, max_output_tokens: 32_000 })
    await speak(chosen(responses, 'openai-responses/gpt-5.4'), { variant: 'high' })
    expect(bodyOf(responses)).toMatchObject({ max_output_tokens: 32_000, reasoning: { effort: 'high' } })
  })

  test('thinks as hard as the message asks', async () => {
    server.queue(text('a'), text('b'))
    const { engine } = setup(server, { model: server.model({ reasoning: true }) })
    await engine.prompt({ parts: [{ type: 'text', text: 'Think' }], variant: 'high' })
    await engine.prompt({ parts: [{ type: 'text', text: 'Do' }] })
    expect(server.requests.map(({ body }) => body.reasoning_effort)).toEqual(['high', undefined])
  })

  test('asks OpenAI for reasoning that can be sent back, and names the session for its cache', async () => {
    const { providerOptions } = await optionsFor('openai-responses', { reasoning: true })
    expect(providerOptions).toEqual({ openai: { promptCacheKey: 'ses_test', include: ['reasoning.encrypted_content'] } })
  })
})
