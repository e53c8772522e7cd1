import { expect, test } from 'vitest'
import type { Model } from '../../src/model/model.ts'
import { ask, choiceAt } from '../support/ask.ts'
import { byteByByte, chatChunk, chatEvents, type RawReply, rawServer } from '../support/raw-sse.ts'

const named = (...events: { type: string }[]) => events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
const plain = (...events: unknown[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`)

const text = 'Grüße, 世界 🎉'
const input = '{"path":"a.txt"}'

/** The same answer in each protocol of events: a text, a call of `read`, 12 tokens read and 5 written. Bedrock's frames have a test of their own. */
const answers: Record<Exclude<Model['protocol'], 'bedrock'>, string[]> = {
  'openai-compatible': chatEvents(
    chatChunk({ role: 'assistant', content: text }),
    chatChunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'read', arguments: input } }] }),
    chatChunk({}, 'tool_calls'),
    { ...chatChunk(null), choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } },
  ),
  'openai-chat': chatEvents(
    chatChunk({ role: 'assistant', content: text }),
    chatChunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'read', arguments: input } }] }),
    chatChunk({}, 'tool_calls'),
    { ...chatChunk(null), choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } },
  ),
  'openai-responses': named(
    { type: 'response.created', ...{ response: { id: 'resp_1', created_at: 1, model: 'm' } } },
    { type: 'response.output_item.added', ...{ output_index: 0, item: { type: 'message', id: 'msg_1' } } },
    { type: 'response.output_text.delta', ...{ item_id: 'msg_1', delta: text } },
    { type: 'response.output_item.done', ...{ output_index: 0, item: { type: 'message', id: 'msg_1' } } },
    { type: 'response.output_item.added', ...{ output_index: 1, item: { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '' } } },
    { type: 'response.function_call_arguments.delta', ...{ item_id: 'fc_1', output_index: 1, delta: input } },
    {
      type: 'response.output_item.done',
      ...{ output_index: 1, item: { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: input, status: 'completed' } },
    },
    { type: 'response.completed', ...{ response: { id: 'resp_1', usage: { input_tokens: 12, output_tokens: 5 } } } },
  ),
  anthropic: named(
    {
      type: 'message_start',
      ...{ message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 12, output_tokens: 1 } } },
    },
    { type: 'content_block_start', ...{ index: 0, content_block: { type: 'text', text: '' } } },
    { type: 'ping' },
    { type: 'content_block_delta', ...{ index: 0, delta: { type: 'text_delta', text } } },
    { type: 'content_block_stop', ...{ index: 0 } },
    { type: 'content_block_start', ...{ index: 1, content_block: { type: 'tool_use', id: 'call_1', name: 'read', input: {} } } },
    { type: 'content_block_delta', ...{ index: 1, delta: { type: 'input_json_delta', partial_json: input } } },
    { type: 'content_block_stop', ...{ index: 1 } },
    { type: 'message_delta', ...{ delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 5 } } },
    { type: 'message_stop' },
  ),
  google: plain(
    { candidates: [{ content: { role: 'model', parts: [{ text }] } }] },
    {
      candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'read', args: { path: 'a.txt' } } }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 5, totalTokenCount: 17 },
    },
  ),
}

const protocols = ['openai-compatible', 'openai-chat', 'openai-responses', 'anthropic', 'google'] as const
const deliveries: [string, (pieces: string[]) => RawReply['pieces']][] = [
  ['whole events', (pieces) => pieces],
  ['one byte at a time', byteByByte],
  ['CRLF and comments', (pieces) => pieces.map((piece) => `: PROCESSING\r\n\r\n${piece.replaceAll('\n', '\r\n').replaceAll('data: ', 'data:')}`)],
  ['no last blank line', (pieces) => [pieces.join('').trimEnd()]],
]

for (const protocol of protocols)
  test.each(deliveries)(`C154: an answer over ${protocol} in %s arrives complete`, async (_, deliver) => {
    await using server = await rawServer({ pieces: deliver(answers[protocol]) ?? [] })
    const asked = await ask(choiceAt(server.url, protocol))
    expect(asked).toMatchObject({ text, finish: 'tool-calls', usage: { input: 12, output: 5 }, errors: [] })
    expect(asked.calls).toMatchObject([{ name: 'read', input: { path: 'a.txt' } }])
    expect(asked.ran).toEqual([{ path: 'a.txt' }])
  })

test.each([
  ['openai-compatible', '/v1/chat/completions', 'authorization', 'Bearer sk-test'],
  ['openai-chat', '/v1/chat/completions', 'authorization', 'Bearer sk-test'],
  ['openai-responses', '/v1/responses', 'authorization', 'Bearer sk-test'],
  ['anthropic', '/v1/messages', 'x-api-key', 'sk-test'],
  ['google', '/v1/models/m:streamGenerateContent?alt=sse', 'x-goog-api-key', 'sk-test'],
] as const)('%s asks at %s with the key and our name', async (protocol, path, header, value) => {
  await using server = await rawServer({ pieces: answers[protocol] })
  await ask(choiceAt(server.url, protocol))
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]).toMatchObject({ method: 'POST', path, headers: { [header]: value } })
  expect(server.requests[0]?.headers['user-agent']).toMatch(/^opencode-action /)
})

test('C83: a stream of chat completions asks for usage', async () => {
  await using server = await rawServer({ pieces: answers['openai-compatible'] })
  await ask(choiceAt(server.url, 'openai-compatible'))
  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ model: 'm', stream: true, stream_options: { include_usage: true } })
})

test('a server that needs no key is sent none', async () => {
  await using server = await rawServer({ pieces: answers['openai-compatible'] })
  const { apiKey: _, ...choice } = choiceAt(server.url, 'openai-compatible')
  expect(await ask(choice)).toMatchObject({ text })
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
})

test('OpenAI is told to keep nothing and to let optional parameters be optional', async () => {
  await using server = await rawServer({ pieces: answers['openai-responses'] })
  await ask(choiceAt(server.url, 'openai-responses', 'gpt-5'))
  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
    store: false,
    include: ['reasoning.encrypted_content'],
    tools: [
      { name: 'read', strict: false },
      { name: 'list', strict: false },
    ],
  })
})
