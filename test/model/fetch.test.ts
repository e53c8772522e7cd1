import { APICallError } from 'ai'
import { expect, test } from 'vitest'
import type { Model } from '../../src/model/model.ts'
import { type Asked, ask, choiceAt } from '../support/ask.ts'
import { chatChunk, chatEvents, type RawReply, rawServer } from '../support/raw-sse.ts'

const json = { 'content-type': 'application/json' }
const html = { 'content-type': 'text/html' }
const begun = chatEvents(chatChunk({ content: 'Half' })).slice(0, 1)
const whole = chatEvents(chatChunk({ content: 'Whole' }), chatChunk({}, 'stop'))

async function answered(reply: RawReply, more: { protocol?: Model['protocol'] } & Parameters<typeof ask>[1] = {}): Promise<Asked> {
  await using server = await rawServer(reply)
  return await ask(choiceAt(server.url, more.protocol ?? 'openai-compatible'), more)
}

function failure({ errors }: Asked): APICallError {
  const [error] = errors
  if (errors.length !== 1 || !APICallError.isInstance(error)) throw new Error(`expected one APICallError, got ${errors.map(String).join('; ') || 'none'}`)
  return error
}

const openings = {
  'openai-compatible': begun,
  anthropic: [
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
  ],
} as const
for (const protocol of ['openai-compatible', 'anthropic'] as const)
  test.each<[string, RawReply]>([
    ['before the first event', { ending: 'silence' }],
    ['after the first event', { pieces: openings[protocol], ending: 'silence' }],
    ['but for comments', { pieces: openings[protocol], ending: 'heartbeat' }],
    ['but for comments from the start', { ending: 'heartbeat' }],
  ])(`C153: a stream over ${protocol} that falls silent %s is given up`, async (_, reply) => {
    const asked = await answered(reply, { protocol, timeouts: { idle: 40 } })
    expect(failure(asked)).toMatchObject({ isRetryable: true, statusCode: 504, message: expect.stringContaining('0.04 s') })
  })

test('C153: pings of Anthropic are no answer', async () => {
  const ping = 'event: ping\ndata: {"type":"ping"}\n\n'
  expect(failure(await answered({ pieces: [ping, ping], ending: 'heartbeat' }, { protocol: 'anthropic', timeouts: { idle: 40 } })).statusCode).toBe(504)
})

test('C153: a server that never answers is given up', async () => {
  const asked = await answered({ ending: 'mute' }, { timeouts: { headers: 40 } })
  expect(failure(asked)).toMatchObject({ isRetryable: true, statusCode: 504, message: expect.stringContaining('did not answer within 0.04 s') })
})

test('the caller’s abort is an abort, not an error', async () => {
  const stop = new AbortController()
  const asked = await answered({ pieces: begun, ending: 'silence' }, { signal: stop.signal, onText: () => stop.abort() })
  expect(asked).toMatchObject({ text: 'Half', aborted: true, errors: [] })
})

test('a server that is not there is an error worth another try', async () => {
  const server = await rawServer()
  await server[Symbol.asyncDispose]()
  expect(failure(await ask(choiceAt(server.url, 'openai-compatible')))).toMatchObject({ isRetryable: true, message: expect.stringContaining('ECONNREFUSED') })
})

test.each(['openai-compatible', 'openai-chat'] as const)('C163: a whole completion over %s in place of a stream is taken as the answer', async (protocol) => {
  const completion = {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Whole',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"1"}' } },
            { id: 'b', type: 'function', function: { name: 'read', arguments: '{"path":"2"}' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 4, completion_tokens: 3 },
  }
  const asked = await answered({ headers: json, pieces: [JSON.stringify(completion)] }, { protocol })
  expect(asked).toMatchObject({ text: 'Whole', ran: [{ path: '1' }, { path: '2' }], usage: { input: 4, output: 3 }, errors: [] })
})

test.each(['openai-responses', 'anthropic', 'google'] as const)('C163: a document over %s in place of a stream is an error that says so', async (protocol) => {
  const asked = await answered({ headers: json, pieces: ['{"id":"x","output":[]}'] }, { protocol })
  expect(failure(asked)).toMatchObject({ isRetryable: false, message: expect.stringContaining('document where a stream was asked for') })
})

test.each(['openai-compatible', 'anthropic'] as const)('C163: an error document with status 200 over %s keeps its meaning', async (protocol) => {
  const asked = await answered({ headers: json, pieces: ['{"error":{"code":429,"message":"too many"}}'] }, { protocol })
  expect(failure(asked)).toMatchObject({ message: 'too many', statusCode: 429, isRetryable: true })
})

test.each([
  [200, false],
  [401, false],
  [502, true],
])('C163: HTML with status %i is named, and tried again: %s', async (status, isRetryable) => {
  for (const protocol of ['openai-compatible', 'openai-responses', 'anthropic', 'google'] as const) {
    const asked = await answered({ status, headers: html, pieces: ['<!DOCTYPE html><title>Log in</title>'] }, { protocol })
    expect(failure(asked)).toMatchObject({ isRetryable, statusCode: status, message: expect.stringContaining(`returned HTML (status ${status}): Log in`) })
  }
})

test.each([{}, json, { 'content-type': 'text/plain' }])('C163: an event stream with the content type of %o is read as one', async (headers) => {
  expect(await answered({ headers, pieces: whole })).toMatchObject({ text: 'Whole', errors: [] })
})

test('C163: an event stream without a content type has its timeouts', async () => {
  expect(failure(await answered({ headers: {}, pieces: begun, ending: 'heartbeat' }, { timeouts: { idle: 40 } })).statusCode).toBe(504)
})

test.each([
  '{"error":"prompt is too long"}',
  '{"detail":"prompt is too long"}',
  '{"message":"prompt is too long"}',
  '{"error":{"message":"prompt is too long"}}',
])('the sentence of a refusal like %s reaches the caller', async (body) => {
  expect(failure(await answered({ status: 400, headers: json, pieces: [body] }))).toMatchObject({ message: 'prompt is too long', isRetryable: false })
})

test('the wait a server asks for reaches the caller', async () => {
  const asked = await answered({ status: 429, headers: { ...json, 'retry-after': '3' }, pieces: ['{"error":{"message":"slow down"}}'] })
  expect(failure(asked)).toMatchObject({ isRetryable: true, responseHeaders: { 'retry-after': '3' } })
})
