import { APICallError } from 'ai'
import { expect, test } from 'vitest'
import { type Asked, ask, choiceAt } from '../support/ask.ts'
import { chatChunk, chatEvents, type RawReply, rawServer } from '../support/raw-sse.ts'

const text = (content: string) => chatChunk({ content })
const call = (delta: Record<string, unknown>) => chatChunk({ tool_calls: [delta] })
const stop = chatChunk({}, 'stop')
const calls = chatChunk({}, 'tool_calls')
const read = (path: string, more: Record<string, unknown> = {}) => ({ function: { name: 'read', arguments: JSON.stringify({ path }) }, ...more })

async function answered(reply: RawReply | Record<string, unknown>[]): Promise<Asked> {
  await using server = await rawServer(Array.isArray(reply) ? { pieces: chatEvents(...reply) } : reply)
  return await ask(choiceAt(server.url, 'openai-compatible'))
}

function failure({ errors }: Asked): APICallError {
  const [error] = errors
  if (errors.length !== 1 || !APICallError.isInstance(error)) throw new Error(`expected one APICallError, got ${errors.map(String).join('; ') || 'none'}`)
  return error
}

const two = [
  { name: 'read', input: { path: '1' } },
  { name: 'read', input: { path: '2' } },
]

test.each<[string, Record<string, unknown>[]]>([
  ['both at index 0', [call(read('1', { index: 0, id: 'a' })), call(read('2', { index: 0, id: 'b' })), calls]],
  ['no index', [call(read('1', { id: 'a' })), call(read('2', { id: 'b' })), calls]],
  ['index 1 and 5', [call(read('1', { index: 1, id: 'a' })), call(read('2', { index: 5, id: 'b' })), calls]],
  ['the index as text', [call(read('1', { index: '0', id: 'a' })), call(read('2', { index: '1', id: 'b' })), calls]],
  ['both in one chunk without index', [chatChunk({ tool_calls: [read('1', { id: 'a' }), read('2', { id: 'b' })] }), calls]],
  [
    'no index and the arguments in pieces without an id',
    [
      call({ id: 'a', function: { name: 'read', arguments: '' } }),
      call({ function: { arguments: '{"path":' } }),
      call({ function: { arguments: '"1"}' } }),
      call({ id: 'b', function: { name: 'read', arguments: '' } }),
      call({ function: { arguments: '{"path":"2"}' } }),
      calls,
    ],
  ],
  ['no index and no id', [call(read('1')), call(read('2')), calls]],
])('C156: two calls stay two with %s', async (_, chunks) => {
  const asked = await answered(chunks)
  expect(asked).toMatchObject({ calls: two, ran: [{ path: '1' }, { path: '2' }], errors: [], finish: 'tool-calls' })
})

test.each<[string, Record<string, unknown>[], unknown]>([
  [
    'the name after the id',
    [
      call({ index: 0, id: 'a', function: { arguments: '' } }),
      call({ index: 0, function: { name: 'read' } }),
      call({ index: 0, function: { arguments: '{"path":"a"}' } }),
    ],
    { path: 'a' },
  ],
  [
    'the name after the id, without index',
    [call({ id: 'a', function: { arguments: '' } }), call({ id: 'a', function: { name: 'read' } }), call({ function: { arguments: '{"path":"a"}' } })],
    { path: 'a' },
  ],
  ['no function in the first delta', [call({ index: 0, id: 'a', type: 'function' }), call({ index: 0, ...read('a') })], { path: 'a' }],
  ['a blank name first', [call({ index: 0, id: 'a', function: { name: '', arguments: '' } }), call({ index: 0, ...read('a') })], { path: 'a' }],
  [
    'blank names and ids repeated',
    [call({ index: 0, id: 'a', function: { name: 'read', arguments: '{"path"' } }), call({ index: 0, id: '', function: { name: '', arguments: ':"a"}' } })],
    { path: 'a' },
  ],
  ['a blank after whole arguments', [call({ index: 0, id: 'a', ...read('a') }), call({ index: 0, function: { arguments: ' ' } })], { path: 'a' }],
  [
    'a number in two pieces',
    [call({ index: 0, id: 'a', function: { name: 'read', arguments: '{"a":1' } }), call({ index: 0, function: { arguments: '0}' } })],
    { a: 10 },
  ],
  ['arguments as an object', [call({ index: 0, id: 'a', function: { name: 'read', arguments: { path: 'a' } } })], { path: 'a' }],
])('C157: %s gives one call with its whole arguments', async (_, deltas, input) => {
  expect(await answered([...deltas, calls])).toMatchObject({ calls: [{ id: 'a', name: 'read', input }], ran: [input], errors: [] })
})

test.each([{ arguments: '' }, {}, { arguments: null }])('C158: a call with %o has empty arguments', async (more) => {
  expect(await answered([call({ index: 0, id: 'a', function: { name: 'list', ...more } }), calls])).toMatchObject({
    calls: [{ name: 'list', input: {} }],
    ran: [{}],
  })
})

test.each([{ id: '' }, {}])('C159: calls with %o get ids of their own', async (id) => {
  const asked = await answered([call(read('1', { index: 0, ...id })), call(read('2', { index: 1, ...id })), calls])
  expect(asked.calls).toMatchObject(two)
  expect(new Set(asked.calls.map((made) => made.id)).size).toBe(2)
  expect(asked.calls.map((made) => made.id)).not.toContain('')
})

test.each<[string, Record<string, unknown>]>([
  ['role ""', chatChunk({ role: '', content: null, tool_calls: null, note: 'x' })],
  ['another role', chatChunk({ role: 'model', content: null })],
  ['no choices', { id: 'x', object: 'ping' }],
  ['null for choices', { id: 'x', choices: null }],
  ['numbers as text', { ...chatChunk({}), created: '1700000000' }],
  ['a number as id', { ...chatChunk({}), id: 12 }],
  ['a blank finish reason', chatChunk({ content: null }, '')],
  ['an empty list of calls', chatChunk({ tool_calls: [] })],
])('C160: a chunk with %s does no harm', async (_, chunk) => {
  expect(await answered([chunk, text('Answer'), stop])).toMatchObject({ text: 'Answer', finish: 'stop', errors: [] })
})

test.each<[string, Record<string, unknown>]>([
  ['reasoning_content', { content: '', reasoning_content: 'think' }],
  ['reasoning', { content: '', reasoning: 'think' }],
  ['reasoning twice', { content: '', reasoning: 'think', reasoning_content: 'think' }],
  ['reasoning_details', { content: '', reasoning_details: [{ type: 'reasoning.text', text: 'think' }] }],
  ['reasoning and its details', { content: '', reasoning: 'think', reasoning_details: [{ type: 'reasoning.text', text: 'think' }] }],
  ['an object', { content: null, reasoning: { content: 'think' } }],
  ['thinking', { content: '', thinking: 'think' }],
])('C161: thoughts in the field %s stay out of the answer', async (_, delta) => {
  expect(await answered([chatChunk(delta), text('Answer'), stop])).toMatchObject({ text: 'Answer', reasoning: 'think' })
})

test('C162: usage that grows with each chunk counts once, and null changes nothing', async () => {
  const usage = (completion_tokens: unknown) => ({ usage: { prompt_tokens: 3, completion_tokens } })
  const asked = await answered([
    chatChunk({ content: 'A' }, null, usage(1)),
    chatChunk({ content: 'B' }, null, usage(2)),
    chatChunk({}, 'stop', { usage: null }),
  ])
  expect(asked).toMatchObject({ text: 'AB', usage: { input: 3, output: 2 } })
})

test('C162: usage written as text is read as numbers', async () => {
  const asked = await answered([text('A'), stop, { choices: [], usage: { prompt_tokens: '5', completion_tokens: '2' } }])
  expect(asked).toMatchObject({ usage: { input: 5, output: 2 }, errors: [] })
})

test.each<[string, RawReply]>([
  ['after two texts', { pieces: chatEvents(text('A'), text('B')).slice(0, 2) }],
  ['with the end marker only', { pieces: ['data: [DONE]\n\n'] }],
  ['without a word', { pieces: [] }],
  ['by a broken connection', { pieces: chatEvents(text('A')).slice(0, 1), ending: 'reset' }],
  ['in the middle of an event', { pieces: [...chatEvents(text('A')).slice(0, 1), 'data: {"choices":[{"del'] }],
])('C151: an answer that ends %s is an error worth another try', async (_, reply) => {
  expect(failure(await answered(reply))).toMatchObject({ isRetryable: true, message: expect.stringContaining('acme') })
})

test.each(['{"path":"a', '{"path":"a"}'])('C151: a call that breaks off after %s is neither run nor handed out', async (begun) => {
  const asked = await answered({ pieces: chatEvents(call({ index: 0, id: 'a', function: { name: 'read', arguments: begun } })).slice(0, 1) })
  expect(asked).toMatchObject({ calls: [], ran: [] })
  expect(failure(asked).isRetryable).toBe(true)
})

test.each<[string, string, Partial<APICallError>]>([
  ['an object', '{"error":{"code":429,"message":"too many"}}', { message: 'too many', statusCode: 429, isRetryable: true }],
  ['an object before the end marker', '{"error":{"code":429,"message":"too many"}}[DONE]', { message: 'too many', statusCode: 429, isRetryable: true }],
  ['a code as text', '{"error":{"code":"rate_limit_exceeded","message":"slow"}}', { message: 'slow', statusCode: 429, isRetryable: true }],
  ['a used up quota', '{"error":{"type":"insufficient_quota","message":"pay"}}', { statusCode: 429, isRetryable: false }],
  ['an invalid request', '{"error":{"type":"invalid_request_error","message":"no"}}', { statusCode: 400, isRetryable: false }],
  ['a text', '{"error":"boom"}', { message: 'boom', isRetryable: true }],
  ['no message', '{"error":{"code":500}}', { statusCode: 500, isRetryable: true }],
  ['a flat object', '{"message":"flat","code":503}', { message: 'flat', statusCode: 503, isRetryable: true }],
  [
    'a chunk with an error',
    JSON.stringify({ ...chatChunk({ content: '' }, 'error'), error: { code: 502, message: 'gone' } }),
    { message: 'gone', statusCode: 502 },
  ],
])('C152: an error inside the stream keeps its meaning as %s', async (_, data, expected) => {
  expect(failure(await answered({ pieces: [`data: ${data}\n\n`, 'data: [DONE]\n\n'] }))).toMatchObject(expected)
})

test('C152: an error after text keeps its message, so that an overflow can be told', async () => {
  const asked = await answered([text('Half'), { error: { message: 'context length exceeded', code: 'context_length_exceeded' } }])
  expect(failure(asked)).toMatchObject({ message: 'context length exceeded', statusCode: 400, isRetryable: false })
  expect(failure(asked).responseBody).toContain('context_length_exceeded')
})

test('C152: an event named error is one', async () => {
  const asked = await answered({ pieces: ['event: error\ndata: {"message":"too many","code":429}\n\n'] })
  expect(failure(asked)).toMatchObject({ message: 'too many', statusCode: 429 })
})

test.each<[string, Parameters<typeof choiceAt>[1], string, Partial<APICallError>]>([
  ['OpenAI', 'openai-responses', 'event: error\ndata: {"type":"error","code":"server_error","message":"sorry"}\n\n', { message: 'sorry', statusCode: 500 }],
  ['Anthropic', 'anthropic', 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n', { message: 'Overloaded' }],
  ['Google', 'google', 'data: {"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}\n\n', { message: 'busy', statusCode: 503 }],
])('C152: an error in the stream of %s is reported alike', async (_, protocol, piece, expected) => {
  await using server = await rawServer({ pieces: [piece] })
  expect(failure(await ask(choiceAt(server.url, protocol)))).toMatchObject({ ...expected, isRetryable: true })
})

test.each<[string, Parameters<typeof choiceAt>[1], string]>([
  ['OpenAI', 'openai-responses', 'event: response.created\ndata: {"type":"response.created","response":{"id":"r","created_at":1,"model":"m"}}\n\n'],
  [
    'Anthropic',
    'anthropic',
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
  ],
  ['Google', 'google', 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Half"}]}}]}\n\n'],
])('C151: an answer of %s without an end is an error worth another try', async (_, protocol, piece) => {
  await using server = await rawServer({ pieces: [piece] })
  expect(failure(await ask(choiceAt(server.url, protocol)))).toMatchObject({ isRetryable: true, message: expect.stringContaining('broke off') })
})

test('an event that is no JSON is quoted in the error', async () => {
  expect(failure(await answered({ pieces: ['data: {"choices": oops\n\n'] }))).toMatchObject({ isRetryable: true, message: expect.stringContaining('oops') })
})
