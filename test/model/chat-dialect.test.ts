import { expect, test } from 'vitest'
import { openModel } from '../../src/model/open.ts'
import { setup } from '../session/harness.ts'
import { chatChunk, chatEvents, type RawReply, rawServer } from '../support/raw-sse.ts'
import { bodyOf, called, chosen, speak } from '../support/speak.ts'
import { calls, chunks, delta, sseModel, text, usage } from '../support/sse-model.ts'

const answer: RawReply = { pieces: chatEvents(chatChunk({ role: 'assistant', content: 'Hi' }), chatChunk({}, 'stop')) }

async function sent(model: string, step: Parameters<typeof speak>[1] = {}): Promise<Record<string, unknown>> {
  await using server = await rawServer(answer)
  await speak(chosen(server, model), step)
  return bodyOf(server)
}

const mistral = 'mistral/magistral-medium-latest'

test('Mistral’s call ids are nine letters and digits, the same on both sides', async () => {
  const { messages } = await sent(mistral, { messages: [...called('call_abc-1'), ...called('Abc123xyz')] })
  expect(messages).toMatchObject([
    {},
    {},
    { tool_calls: [{ id: expect.stringMatching(/^[a-z0-9]{9}$/) }] },
    { role: 'tool' },
    { role: 'assistant' },
    { role: 'user' },
    { tool_calls: [{ id: 'Abc123xyz' }] },
    { tool_call_id: 'Abc123xyz' },
  ])
  const pairs = JSON.stringify(messages)
    .match(/"(?:tool_call_id|id)":"[^"]+"/g)
    ?.map((pair) => pair.split('"')[3])
  expect(pairs?.[0]).toBe(pairs?.[1])
})

test('for Mistral an answer stands between a tool and the user who speaks next', async () => {
  const { messages } = await sent(mistral, { messages: [...called('a'), { role: 'user', content: 'Go on' }] })
  expect(messages).toMatchObject([{}, {}, {}, { role: 'tool' }, { role: 'assistant' }, { role: 'user', content: 'Go on' }])
})

test('for Mistral an answer that ends the request is the beginning of the next', async () => {
  const { messages } = await sent(mistral, {
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ],
  })
  expect(messages).toMatchObject([{}, {}, { role: 'assistant', content: 'b', prefix: true }])
})

test('Mistral gets reasoning as a piece of the content, and a text where there is none', async () => {
  const { messages } = await sent(mistral, { messages: [...called('a', { reasoning: 'Hm' }), ...called('b')] })
  expect(messages).toMatchObject([{}, {}, { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }, {}, {}, {}, { content: '' }, {}])
  expect(JSON.stringify(messages)).not.toContain('reasoning_content')
})

test('Mistral is not asked for usage, which it sends anyway, and its thoughts are reasoning', async () => {
  const pieces = (...content: object[]) => chatChunk({ content })
  const thinking = (words: string) => ({ type: 'thinking', thinking: [{ type: 'text', text: words }] })
  await using server = await rawServer({
    pieces: chatEvents(
      pieces(thinking('Let me ')),
      pieces(thinking('see.')),
      pieces({ type: 'text', text: 'It ' }),
      chatChunk({ content: 'is.' }),
      chatChunk({}, 'stop', usage(9, 3)),
    ),
  })
  const spoken = await speak(chosen(server, mistral))
  expect(spoken).toMatchObject({ reasoning: 'Let me see.', text: 'It is.', usage: { inputTokens: 9, outputTokens: 3 }, errors: [] })
  expect(bodyOf(server)).not.toHaveProperty('stream_options')
})

test('DeepSeek gets its reasoning back with the history', async () => {
  await using server = await sseModel()
  const choice = chosen({ url: server.url.replace(/\/v1$/, '') }, 'deepseek/deepseek-v4-pro')
  const { ask } = setup(server, { model: await openModel(choice) })
  server.queue(
    chunks(
      delta({ reasoning_content: 'I read it.' }),
      delta({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } }] }),
      delta({}, 'tool_calls', usage()),
    ),
    text('Done'),
  )
  await ask()
  expect(server.refusals).toEqual([])
  expect(server.requests[1]?.body.messages.find(({ role }) => role === 'assistant')).toMatchObject({
    reasoning_content: 'I read it.',
    tool_calls: [{ id: 'c' }],
  })
})

test.each([
  ['deepseek/deepseek-v4-pro', { reasoning_content: '' }],
  ['moonshotai/kimi-k3', { reasoning_content: '' }],
])('%s refuses calls without reasoning, so an empty one goes with those of other models', async (model, expected) => {
  expect((await sent(model, { messages: called('a') })).messages).toMatchObject([{}, {}, expected, {}])
})

test('whoever does not want reasoning back is not sent an empty one', async () => {
  expect(JSON.stringify(await sent('acme/x', { messages: called('a') }))).not.toContain('reasoning_content')
})

test('OpenRouter gets back what a model thought, signatures and all, beside the calls it led to', async () => {
  const detail = (more: object) => delta({ reasoning: 'x', reasoning_details: [{ type: 'reasoning.text', index: 0, format: 'anthropic-claude-v1', ...more }] })
  await using server = await sseModel()
  const choice = chosen({ url: server.url.replace(/\/v1$/, '') }, 'openrouter/x-ai/grok-4.6')
  const { ask } = setup(server, { model: await openModel(choice) })
  server.queue(
    chunks(
      detail({ text: 'I need ' }),
      detail({ text: 'the file.' }),
      detail({ text: '', signature: 'signed' }),
      delta({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'sealed' }] }),
      delta({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } }] }),
      delta({}, 'tool_calls', usage()),
    ),
    calls([{ id: 'd', name: 'read', arguments: {} }]),
    text('Done'),
  )
  await ask()
  expect(server.refusals).toEqual([])
  const [first, second] = server.requests.at(-1)?.body.messages.filter(({ role }) => role === 'assistant') ?? []
  expect(first).toMatchObject({
    reasoning_details: [
      { type: 'reasoning.text', index: 0, format: 'anthropic-claude-v1', text: 'I need the file.', signature: 'signed' },
      { type: 'reasoning.encrypted', index: 1, data: 'sealed' },
    ],
  })
  expect(first).not.toHaveProperty('reasoning_content')
  expect(first?.tool_calls).toEqual([{ id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } }])
  expect(second).not.toHaveProperty('reasoning_details')
})

const mark = { cache_control: { type: 'ephemeral' } }

test.each(['openrouter/anthropic/claude-opus-4.6', 'alibaba/qwen-plus'])(
  'the cache is marked for %s behind the system text and the last two messages',
  async (model) => {
    const more = [...called('a'), { role: 'user', content: 'Go on' }] as const
    expect((await sent(model, { messages: more })).messages).toMatchObject([
      { role: 'system', content: [{ type: 'text', text: 'You are tested.', ...mark }] },
      { role: 'user', content: 'Read a.txt' },
      { role: 'assistant', content: null },
      { role: 'tool', content: [{ type: 'text', text: 'content', ...mark }] },
      { role: 'user', content: [{ type: 'text', text: 'Go on', ...mark }] },
    ])
  },
)

test('a mark where there is no text is left out', async () => {
  const { messages } = await sent('openrouter/anthropic/claude-opus-4.6', { messages: called('a') })
  expect(messages).toMatchObject([{}, {}, { role: 'assistant', content: null }, { role: 'tool', content: [mark] }])
  expect(JSON.stringify(messages).split('cache_control')).toHaveLength(3)
})

test.each(['openrouter/z-ai/glm-5.2', 'alibaba/kimi-k3', 'acme/x'])('%s caches by itself, so nothing is marked', async (model) => {
  expect(JSON.stringify(await sent(model, { messages: called('a') }))).not.toContain('cache_control')
})

test('OpenRouter is asked for usage', async () => {
  expect(await sent('openrouter/z-ai/glm-5.2')).toMatchObject({ usage: { include: true }, stream_options: { include_usage: true } })
})
