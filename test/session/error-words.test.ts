import { once } from 'node:events'
import { createServer } from 'node:http'
import { APICallError } from 'ai'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fromError } from '../../src/session/errors.ts'
import { chunks, delta, http, type SseModel, sseModel, text, usage } from '../support/sse-model.ts'
import { errorOf, setup, textOf } from './harness.ts'

const here = { aborted: false, providerID: 'test' }
const call = (statusCode: number | undefined, body: object | string, message = 'Bad Request') =>
  new APICallError({
    message,
    url: 'http://x',
    requestBodyValues: {},
    isRetryable: false,
    responseBody: typeof body === 'string' ? body : JSON.stringify(body),
    ...(statusCode === undefined ? {} : { statusCode }),
  })

describe('C84: every known wording of a full context is an overflow', () => {
  test.each([
    'prompt is too long: 210000 tokens > 200000 maximum',
    'request_too_large: Request exceeds the maximum size',
    'Input is too long for requested model.',
    'Your input exceeds the context window of this model.',
    "This request exceeds the model's maximum context length of 32768 tokens",
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'The number of tokens in the request is more than the max tokens allowed',
    "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
    'Please reduce the length of the messages or completion.',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    'Prompt tokens exceed maximum allowed input length of 32768',
    "The input (40000 tokens) is longer than the model's context length (32768 tokens).",
    'prompt token count of 140000 exceeds the limit of 128000',
    'the request exceeds the available context size, try increasing it',
    'Number of tokens is greater than the context length of the model',
    'invalid params, context window exceeds limit',
    'Your request exceeded model token limit: 262144',
    'context_length_exceeded',
    'Request entity too large',
    'The context length is only 4096 tokens, resulting in a maximum input length of 3000 tokens',
    'the input length exceeds the context length',
    'prompt too long, exceeded max context length by 1200 tokens',
    'prompt too long; exceeded context length',
    'Prompt contains 40000 tokens, too large for model with 32768 maximum context length',
    'Your prompt has 9,001 tokens, but the configured context size is 8192',
    'stop reason model_context_window_exceeded',
    'too many tokens in the prompt',
    'token limit exceeded',
  ])('%s', (message) => {
    expect(fromError(call(400, { error: { message } }), here).error).toMatchObject({ name: 'ContextOverflowError', retryable: false })
    expect(fromError({ type: 'error', error: { message } }, here).error.name).toBe('ContextOverflowError')
  })

  test.each([
    'rate limit exceeded: too many tokens per minute',
    'Too many requests: token limit exceeded for this minute',
    'Throttling error: too many tokens, please wait before trying again',
    'Service unavailable: token limit exceeded',
  ])('but not: %s', (message) => {
    expect(fromError(call(400, { error: { message } }, message), here).error.name).toBe('APIError')
  })
})

describe('a model that is not there', () => {
  test.each([
    ['OpenAI', 404, { error: { code: 'model_not_found', message: 'The model `gpt-x` does not exist or you do not have access to it.' } }],
    ['Anthropic', 404, { type: 'error', error: { type: 'not_found_error', message: 'model: claude-x' } }],
    ['Google', 404, { error: { code: 404, message: 'models/gemini-x is not found for API version v1beta', status: 'NOT_FOUND' } }],
    ['Ollama', 404, { error: { message: "model 'x' not found" } }],
    ['OpenRouter', 400, { error: { code: 400, message: 'x/y is not a valid model ID' } }],
    ['Mistral', 400, { message: 'Invalid model: x', type: 'invalid_model' }],
    ['DeepSeek', 400, { error: { message: 'Model Not Exist', type: 'invalid_request_error' } }],
  ])('in the words of %s', (_, status, body) => {
    expect(fromError(call(status, body, 'Not Found'), { ...here, providerID: 'openai' }).error).toMatchObject({ name: 'ModelNotFoundError', retryable: false })
  })

  test.each([
    ['a wrong address', 404, { error: { message: 'Not found' } }],
    ['a failing server', 503, { error: { message: 'model not found in cache, loading' } }],
  ])('is something else than %s', (_, status, body) => {
    expect(fromError(call(status, body, 'no'), here).error.name).toBe('APIError')
  })
})

describe('faults that pass, and faults that stay', () => {
  test.each([
    '{"type":"error","error":{"type":"too_many_requests","message":"slow down"}}',
    '{"error":{"code":"resource_exhausted","message":"Overloaded"}}',
    'upstream connect error or disconnect: connection termination',
    'Provider returned error',
    'getaddrinfo EAI_AGAIN api.example.com',
    'fetch failed',
    'terminated',
    'The operation timed out',
    'You can retry your request',
    'The server is currently at capacity, try again later',
    'temporarily unavailable',
    'HTTP 529',
  ])('%s: passes', (message) => {
    expect(fromError(new Error(message), here).error).toMatchObject({ retryable: true })
  })

  test.each(['bad argument', 'tool schema is not supported', ''])('%j: stays', (message) => {
    expect(fromError(new Error(message), here).error).toMatchObject({ name: 'UnknownError', retryable: false })
  })

  test('codes come along', () => {
    expect(fromError(call(429, { error: { code: 'insufficient_quota', message: 'no' } }), here).error.code).toBe('insufficient_quota')
    expect(fromError({ type: 'error', error: { code: 'invalid_prompt', message: 'no' } }, here).error).toMatchObject({
      code: 'invalid_prompt',
      retryable: false,
    })
  })

  test('an answer that can’t be unpacked passes', () => {
    const broken = new TypeError('terminated', { cause: Object.assign(new Error('unexpected end of file'), { code: 'Z_BUF_ERROR' }) })
    expect(fromError(broken, here).error).toMatchObject({ name: 'APIError', code: 'Z_BUF_ERROR', retryable: true })
    expect(fromError(broken, { aborted: true }).error.name).toBe('MessageAbortedError')
  })

  test.each([401, 403])('a web page with status %i is a gateway in the way, not a wrong key of ours', (status) => {
    expect(fromError(call(status, '<!doctype html><h1>Login</h1>'), here).error.message).toContain('gateway or proxy')
  })
})

test('ECONNRESET of a real socket is a fault that passes, with its code', async () => {
  const server = createServer((request) => request.socket.resetAndDestroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const thrown: unknown = await fetch(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`).catch((error: unknown) => error)
  server.close()
  expect(fromError(thrown, here).error).toMatchObject({ name: 'APIError', code: 'ECONNRESET', retryable: true })
})

describe('over HTTP', () => {
  let server: SseModel
  beforeEach(async () => {
    server = await sseModel()
  })
  afterEach(async () => {
    await server[Symbol.asyncDispose]()
  })

  test('a connection that is reset before any answer is tried again', async () => {
    server.queue((response) => response.socket?.resetAndDestroy(), text('Here'))
    const { ask, store } = setup(server)
    expect(textOf(await ask())).toBe('Here')
    expect(store.messages().at(-1)?.parts[0]).toMatchObject({ type: 'retry', attempt: 1, error: { name: 'APIError', code: 'ECONNRESET' } })
  })

  test('a 400 of unknown kind is not tried again', async () => {
    server.queue(http(400, { error: { message: 'bad argument' } }))
    expect(errorOf(await setup(server).ask())).toMatchObject({ name: 'APIError', statusCode: 400, message: expect.stringContaining('bad argument') })
    expect(server.requests).toHaveLength(1)
  })

  test('thoughts of a failed attempt are not in the next', async () => {
    const thought = (words: string) => delta({ reasoning_content: words })
    server.queue(
      chunks(thought('First I'), { error: { message: 'server_error', type: 'server_error' } }),
      chunks(thought('Well'), delta({ content: 'Yes' }), delta({}, 'stop', usage())),
    )
    const { ask } = setup(server)
    const answer = await ask()
    expect(answer.parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []))).toEqual(['Well'])
  })

  test('C62: a wrong key ends in the provider’s words', async () => {
    server.queue(http(401, { error: { message: 'bad key' } }))
    expect(errorOf(await setup(server).ask())).toMatchObject({ name: 'ProviderAuthError', message: expect.stringContaining('bad key') })
    expect(server.requests).toHaveLength(1)
  })

  test('C62: an answer without a body is tried again and then told as what it is', async () => {
    server.otherwise((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end()
    })
    const { ask } = setup(server)
    expect(errorOf(await ask())).toMatchObject({ name: 'APIError', message: expect.stringContaining('tried 6 times') })
    expect(server.requests).toHaveLength(6)
  })
})
