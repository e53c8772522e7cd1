import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { costOf, tokensOf } from '../../src/session/usage.ts'
import { chatChunk, chatEvents, type RawReply, type RawServer, rawServer } from '../support/raw-sse.ts'
import { bodyOf, called, chosen, speak } from '../support/speak.ts'

const events = (...list: object[]) => list.map((event) => `data: ${JSON.stringify(event)}\n\n`)
const usage = (counts: object) => ({ ...chatChunk(null), choices: [], usage: { prompt_tokens: 100, completion_tokens: 5, ...counts } })
const chat: RawReply = { pieces: chatEvents(chatChunk({ role: 'assistant', content: 'Hi' }), chatChunk({}, 'stop'), usage({})) }
const responses: RawReply = {
  pieces: events(
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm' } },
    { type: 'response.output_text.delta', item_id: 'm', delta: 'Hi' },
    { type: 'response.completed', response: { id: 'r', usage: { input_tokens: 100, output_tokens: 5, input_tokens_details: { cached_tokens: 60 } } } },
  ),
}
const gemini: RawReply = {
  pieces: events({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 5, cachedContentTokenCount: 60 },
  }),
}
const claude: RawReply = {
  pieces: events(
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 60, cache_creation_input_tokens: 30 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ),
}

/** Names of the headers by which a key may be shown, with what was sent in them. */
function shown({ requests }: RawServer): Record<string, unknown> {
  const names = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key']
  return Object.fromEntries(Object.entries(requests.at(-1)?.headers ?? {}).filter(([name]) => names.includes(name)))
}

describe('Azure', () => {
  const env = { AZURE_OPENAI_AD_TOKEN: 'entra' }

  test.each([
    ['azure/gpt-5.4', responses, '/v1/responses', { 'api-key': 'sk-test' }],
    ['azure/our-deployment', responses, '/v1/responses', { 'api-key': 'sk-test' }],
    ['azure/deepseek-v3.2', chat, '/v1/chat/completions', { 'api-key': 'sk-test' }],
    ['azure/claude-sonnet-4-6', claude, '/v1/messages', { 'x-api-key': 'sk-test' }],
  ])('%s is asked with the key in the header Azure wants, and no other', async (model, reply, path, headers) => {
    await using server = await rawServer(reply)
    expect(await speak(chosen(server, model))).toMatchObject({ text: 'Hi', errors: [] })
    expect(server.requests[0]?.path).toBe(path)
    expect(shown(server)).toEqual(headers)
  })

  test('a token of Entra ID is shown as a token', async () => {
    await using server = await rawServer(responses)
    await speak(chosen(server, 'azure/gpt-5.4', { apiKey: undefined, env }))
    expect(shown(server)).toEqual({ authorization: 'Bearer entra' })
  })

  test('a reasoning model behind a name of its own is asked as one', async () => {
    await using server = await rawServer(responses)
    await speak(chosen(server, 'azure/gpt-5.4'), { variant: 'high' })
    expect(bodyOf(server)).toMatchObject({
      store: false,
      prompt_cache_key: 'ses_test',
      reasoning: { effort: 'high' },
      include: ['reasoning.encrypted_content'],
      tools: [{ name: 'read', strict: false }],
    })
  })
})

describe('Google Cloud', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vertex-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** What google-github-actions/auth leaves for workload identity: where to get the job's identity, and where to change it for a token. */
  async function keyless(tokens: RawServer): Promise<string> {
    const file = join(folder, 'keyless.json')
    const credentials = {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/g',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${tokens.url}/token`,
      credential_source: {
        url: `${tokens.url}/identity`,
        headers: { Authorization: 'Bearer request-token' },
        format: { type: 'json', subject_token_field_name: 'value' },
      },
    }
    await writeFile(file, JSON.stringify(credentials))
    return file
  }

  const json = (value: object): RawReply => ({ headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(value)] })
  const granted = () =>
    rawServer(json({ value: 'github-identity' }), json({ access_token: 'cloud-token', expires_in: 3600, token_type: 'Bearer', issued_token_type: 'x' }))
  const at = (server: RawServer, model: string, file: string) =>
    chosen(server, model, { apiKey: undefined, baseUrl: `${server.url}/v1/projects/p`, env: { GOOGLE_APPLICATION_CREDENTIALS: file } })

  test('without a stored key the job’s identity is changed for a token', async () => {
    await using tokens = await granted()
    await using server = await rawServer(gemini)
    const choice = at(server, 'google-vertex/gemini-2.5-pro', await keyless(tokens))
    expect(await speak(choice)).toMatchObject({ text: 'Hi', errors: [] })
    expect(server.requests[0]?.path).toBe('/v1/projects/p/models/gemini-2.5-pro:streamGenerateContent?alt=sse')
    expect(shown(server)).toEqual({ authorization: 'Bearer cloud-token' })
    expect(tokens.requests.map(({ path }) => path)).toEqual(['/identity', '/token'])
    expect(tokens.requests[0]?.headers.authorization).toBe('Bearer request-token')
    expect(decodeURIComponent(tokens.requests[1]?.body ?? '')).toContain('subject_token=github-identity')
  })

  test('Claude is asked at an address with its name, in the body Vertex wants', async () => {
    await using tokens = await granted()
    await using server = await rawServer(claude)
    expect(await speak(at(server, 'google-vertex/claude-opus-4-6@default', await keyless(tokens)))).toMatchObject({ text: 'Hi', errors: [] })
    expect(server.requests[0]?.path).toBe('/v1/projects/p/models/claude-opus-4-6@default:streamRawPredict')
    expect(shown(server)).toEqual({ authorization: 'Bearer cloud-token' })
    const body = bodyOf(server)
    expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true, system: [{ cache_control: { type: 'ephemeral' } }] })
    expect(body).not.toHaveProperty('model')
  })

  test('the models of others are asked for chat completions', async () => {
    await using tokens = await granted()
    await using server = await rawServer(chat)
    await speak(at(server, 'google-vertex/zai-org/glm-5.2-maas', await keyless(tokens)))
    expect(server.requests[0]?.path).toBe('/v1/projects/p/chat/completions')
    expect(shown(server)).toEqual({ authorization: 'Bearer cloud-token' })
  })

  test.each([
    ['AQ.an-api-key', { 'x-goog-api-key': 'AQ.an-api-key' }],
    ['ya29.a-token', { authorization: 'Bearer ya29.a-token' }],
  ])('%s is shown as what it is', async (apiKey, headers) => {
    await using server = await rawServer(gemini)
    await speak(chosen(server, 'google-vertex/gemini-2.5-pro', { apiKey }))
    expect(shown(server)).toEqual(headers)
  })

  test('a refused identity is an error that names the file, and the model is not asked', async () => {
    await using tokens = await rawServer(json({ value: 'github-identity' }), {
      status: 400,
      headers: { 'content-type': 'application/json' },
      pieces: ['{"error":"invalid_grant","error_description":"The audience does not match."}'],
    })
    await using server = await rawServer(gemini)
    const { errors } = await speak(at(server, 'google-vertex/gemini-2.5-pro', await keyless(tokens)))
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/credentials file.*The audience does not match/s), statusCode: 401, isRetryable: false }),
    ])
    expect(server.requests).toEqual([])
  })
})

describe('cached tokens', () => {
  test.each([
    ['OpenAI', 'openai-responses/gpt-5.4', responses, { input: 40, cache: { read: 60, write: 0 } }],
    ['Gemini', 'google/gemini-2.5-pro', gemini, { input: 40, cache: { read: 60, write: 0 } }],
    ['Claude', 'anthropic/claude-sonnet-4-6', claude, { input: 10, cache: { read: 60, write: 30 } }],
    ['Claude on Azure', 'azure/claude-sonnet-4-6', claude, { input: 10, cache: { read: 60, write: 30 } }],
    ['Claude on Google Cloud', 'google-vertex/claude-opus-4-6@default', claude, { input: 10, cache: { read: 60, write: 30 } }],
  ])('%s: what was read and written is taken apart and billed', async (_, model, reply, expected) => {
    await using server = await rawServer(reply)
    const choice = chosen(server, model)
    const tokens = tokensOf((await speak(choice)).usage)
    expect(tokens).toMatchObject({ ...expected, output: 5 })
    const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = choice.info.price ?? {}
    const { read, write } = expected.cache
    expect(costOf(tokens, choice.info)).toBeCloseTo((expected.input * input + read * cacheRead + write * cacheWrite + 5 * output) / 1e6, 12)
  })

  test.each([
    ['the usual names', { prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 } }],
    ['Alibaba’s', { prompt_tokens_details: { cached_tokens: 60, cache_creation_input_tokens: 30 } }],
    ['those of gateways before Claude', { cache_read_input_tokens: 60, cache_creation_input_tokens: 30 }],
  ])('chat completions with %s', async (_, counts) => {
    await using server = await rawServer({ pieces: chatEvents(chatChunk({ content: 'Hi' }), chatChunk({}, 'stop'), usage(counts)) })
    const { usage: counted } = await speak(chosen(server, 'acme/x'))
    expect(tokensOf(counted)).toEqual({ input: 10, output: 5, reasoning: 0, cache: { read: 60, write: 30 } })
  })

  test.each([
    ['DeepSeek', { prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }],
    ['Kimi', { cached_tokens: 60 }],
  ])('%s names what was read in its own way', async (_, counts) => {
    await using server = await rawServer({ pieces: chatEvents(chatChunk({ content: 'Hi' }), chatChunk({}, 'stop'), usage(counts)) })
    expect(tokensOf((await speak(chosen(server, 'acme/x'))).usage)).toMatchObject({ input: 40, cache: { read: 60, write: 0 } })
  })
})

describe('sessions', () => {
  test.each([
    ['acme/x', {}],
    ['xai/grok-4.7', { 'x-grok-conv-id': 'ses_test' }],
  ])('%s is told the session, so that a gateway finds the same cache', async (model, more) => {
    await using server = await rawServer(chat)
    await speak(chosen(server, model))
    expect(server.requests[0]?.headers).toMatchObject({ 'x-session-affinity': 'ses_test', 'x-session-id': 'ses_test', ...more })
  })

  test.each([
    ['mistral/devstral-latest', 'ses_test'],
    ['moonshotai/kimi-k3', 'ses_test'],
    ['openrouter/z-ai/glm-5.2', 'ses_test'],
    ['acme/x', undefined],
  ])('%s is given the cache key %s in the body', async (model, key) => {
    await using server = await rawServer(chat)
    await speak(chosen(server, model))
    expect(bodyOf(server).prompt_cache_key).toBe(key)
  })
})

test('the history of a call reaches every service of chat completions in the same order', async () => {
  await using server = await rawServer(chat)
  for (const model of ['acme/x', 'openrouter/z-ai/glm-5.2', 'deepseek/deepseek-v4-pro', 'mistral/devstral-latest', 'xai/grok-4.7']) {
    await speak(chosen(server, model), { messages: called('call_1') })
    expect(bodyOf(server).messages).toMatchObject([{ role: 'system' }, { role: 'user' }, { role: 'assistant' }, { role: 'tool', content: 'content' }])
  }
})
