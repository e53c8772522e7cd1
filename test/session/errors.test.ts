import { APICallError, InvalidResponseDataError, LoadAPIKeyError } from 'ai'
import { describe, expect, test } from 'vitest'
import { fromError } from '../../src/session/errors.ts'

const here = { aborted: false, providerID: 'test' }
const call = (statusCode: number | undefined, body: object | string, message = 'Bad Request', isRetryable = false) =>
  new APICallError({
    message,
    url: 'http://x',
    requestBodyValues: {},
    isRetryable,
    responseBody: typeof body === 'string' ? body : JSON.stringify(body),
    ...(statusCode === undefined ? {} : { statusCode }),
  })

describe('what went wrong is classified', () => {
  test.each([
    ['Anthropic', 'prompt is too long: 210000 tokens > 200000 maximum'],
    ['OpenAI', 'Your input exceeds the context window of this model.'],
    ['OpenAI chat', "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."],
    ['Google', 'The input token count exceeds the maximum number of tokens allowed (1048576).'],
    ['Groq', 'Please reduce the length of the messages or completion.'],
    ['llama.cpp', 'the request exceeds the available context size, try increasing it'],
    ['Mistral', 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length'],
    ['a gateway', 'Requested token count exceeds the model limit'],
    ['Bedrock', 'Input is too long for requested model.'],
    ['xAI', "This model's maximum prompt length is 131072 but the request contains 200000 tokens."],
  ])('C84: the wording of %s is an overflow', (_, message) => {
    expect(fromError(call(400, { error: { message } }), here).error).toMatchObject({ name: 'ContextOverflowError', retryable: false })
  })

  test('C84: status 413 is an overflow even with an HTML body; so are bodyless 400 and 413, and the code with another status', () => {
    expect(fromError(call(413, '<html>too large</html>'), here).error.name).toBe('ContextOverflowError')
    expect(fromError(call(400, '', '400 status code (no body)'), here).error.name).toBe('ContextOverflowError')
    expect(fromError(call(422, { error: { code: 'context_length_exceeded', message: 'no' } }), here).error.name).toBe('ContextOverflowError')
  })

  test('a 429 without a body and a limit of tokens per minute are no overflow', () => {
    expect(fromError(call(429, '', '429 status code (no body)'), here).error).toMatchObject({ name: 'APIError', retryable: true })
    expect(fromError(call(400, { error: { message: 'rate limit: too many tokens per minute' } }), here).error.name).toBe('APIError')
  })

  test.each(['insufficient_quota', 'usage_not_included'])('C57: code %s is final', (code) => {
    expect(fromError(call(429, { error: { code, message: 'no' } }, 'no', true), here).error).toMatchObject({ name: 'APIError', retryable: false })
    expect(fromError({ error: { code, message: 'no' } }, here).error).toMatchObject({ name: 'APIError', retryable: false })
  })

  test('C57: a weekly limit is final; a per-minute quota that names its end is not', () => {
    expect(fromError(call(429, { error: { message: 'You have reached your weekly usage limit' } }), here).error.retryable).toBe(false)
    expect(fromError(call(429, { error: { message: 'You exceeded your current quota. Please retry in 34.5s.' } }), here).error.retryable).toBe(true)
  })

  test('a rejected prompt is final, a failing server is not', () => {
    expect(fromError({ type: 'error', error: { code: 'invalid_prompt', message: 'no' } }, here).error.retryable).toBe(false)
    expect(fromError({ type: 'error', error: { code: 'server_is_overloaded', message: 'busy' } }, here).error.retryable).toBe(true)
    expect(fromError(call(502, '<html>Bad gateway</html>'), here).error).toMatchObject({
      retryable: true,
      message: expect.stringContaining('HTML (status 502)'),
    })
  })

  test('a 404 of OpenAI may pass, unless the model does not exist', () => {
    const openai = { aborted: false, providerID: 'openai' }
    expect(fromError(call(404, { error: { message: 'Not found' } }), openai).error.retryable).toBe(true)
    expect(fromError(call(404, { error: { message: 'The model gpt-x does not exist', code: 'model_not_found' } }), openai).error.retryable).toBe(false)
    expect(fromError(call(404, { error: { message: 'Not found' } }), here).error.retryable).toBe(false)
  })

  test('an abort is ours only if the run was stopped; otherwise the model stopped answering', () => {
    const abort = new DOMException('idle', 'TimeoutError')
    expect(fromError(abort, { aborted: true }).error.name).toBe('MessageAbortedError')
    expect(fromError(abort, here).error).toMatchObject({ name: 'APIError', retryable: true })
  })

  test('a reset connection, a broken answer and a failed fetch may pass', () => {
    expect(fromError(Object.assign(new Error('read'), { code: 'ECONNRESET' }), here).error).toMatchObject({ name: 'APIError', retryable: true })
    expect(fromError(new InvalidResponseDataError({ data: undefined, message: 'no finish' }), here).error.retryable).toBe(true)
    expect(fromError(new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND x') }), here).error.retryable).toBe(true)
  })

  test('a missing key is an error of its own', () => {
    expect(fromError(new LoadAPIKeyError({ message: 'no key' }), here).error).toMatchObject({ name: 'ProviderAuthError', message: 'no key' })
  })

  test('anything else keeps its words and is not retried', () => {
    expect(fromError(123, here).error).toMatchObject({ name: 'UnknownError', message: '123', retryable: false })
    expect(fromError(new Error('strange'), here).error).toMatchObject({ name: 'UnknownError', message: 'strange', retryable: false })
    expect(fromError(undefined, here).error.name).toBe('UnknownError')
  })

  test('a numeric code does not confuse it', () => {
    expect(fromError(call(400, { error: { code: 400, message: 'bad' } }), here).error).toMatchObject({ name: 'APIError', retryable: false })
  })
})
