import { APICallError } from 'ai'
import { expect, test } from 'vitest'
import { costOf, tokensOf } from '../../src/session/usage.ts'
import { ask } from '../support/ask.ts'
import { awsFrame, awsHeaders } from '../support/aws-frames.ts'
import { type RawReply, rawServer } from '../support/raw-sse.ts'
import { bodyOf, called, chosen, speak } from '../support/speak.ts'

const env = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'very-secret', AWS_SESSION_TOKEN: 'session-token', AWS_REGION: 'us-east-1' }
const claude = 'amazon-bedrock/anthropic.claude-sonnet-4-6'

const frames = [
  awsFrame('messageStart', { role: 'assistant' }),
  awsFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Grüße 🎉' } }),
  awsFrame('contentBlockStop', { contentBlockIndex: 0 }),
  awsFrame('contentBlockStart', { contentBlockIndex: 1, start: { toolUse: { toolUseId: 'call_1', name: 'read' } } }),
  awsFrame('contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '{"path":"a.txt"}' } } }),
  awsFrame('contentBlockStop', { contentBlockIndex: 1 }),
  awsFrame('messageStop', { stopReason: 'tool_use' }),
  awsFrame('metadata', {
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 115, cacheReadInputTokens: 60, cacheWriteInputTokens: 40 },
    metrics: { latencyMs: 1 },
  }),
]
const answer: RawReply = { headers: awsHeaders, pieces: frames }
const at = (server: { url: string }, model = claude) => chosen(server, model, { apiKey: undefined, baseUrl: server.url, env })

test('a request is signed with the job’s credentials, and no key is in its address', async () => {
  await using server = await rawServer(answer)
  await speak(at(server))
  const [request] = server.requests
  expect(request?.path).toBe('/model/us.anthropic.claude-sonnet-4-6/converse-stream')
  expect(request?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=\S+, Signature=[0-9a-f]{64}$/,
  )
  expect(request?.headers).toMatchObject({ 'x-amz-security-token': 'session-token' })
  expect(JSON.stringify(request)).not.toContain('very-secret')
  expect(request?.headers['user-agent']).toMatch(/^opencode-action /)
})

test('a bearer token is shown instead of a signature', async () => {
  await using server = await rawServer(answer)
  await speak(chosen(server, claude, { apiKey: undefined, baseUrl: server.url, env: { ...env, AWS_BEARER_TOKEN_BEDROCK: 'token' } }))
  expect(server.requests[0]?.headers.authorization).toBe('Bearer token')
})

test.each([
  ['whole', frames],
  ['in pieces of one byte', [...Buffer.concat(frames)].map((byte) => Uint8Array.of(byte))],
])('an answer in frames that arrive %s is complete', async (_, pieces) => {
  await using server = await rawServer({ headers: awsHeaders, pieces })
  const { text, calls, errors } = await speak(at(server))
  expect({ text, errors }).toEqual({ text: 'Grüße 🎉', errors: [] })
  expect(calls).toMatchObject([{ toolCallId: 'call_1', toolName: 'read', input: { path: 'a.txt' } }])
})

test('what was read from and written to the cache is counted and billed', async () => {
  await using server = await rawServer(answer)
  const choice = at(server)
  const tokens = tokensOf((await speak(choice)).usage)
  expect(tokens).toEqual({ input: 10, output: 5, reasoning: 0, cache: { read: 60, write: 40 } })
  const { input, output, cacheRead = 0, cacheWrite = 0 } = choice.info.price ?? { input: 0, output: 0 }
  expect(cacheWrite).toBeGreaterThan(0)
  expect(costOf(tokens, choice.info)).toBeCloseTo((10 * input + 5 * output + 60 * cacheRead + 40 * cacheWrite) / 1e6, 12)
})

test('the cache is marked behind the system text and the last two messages', async () => {
  await using server = await rawServer(answer)
  await speak(at(server), { messages: called('call_1') })
  const mark = { cachePoint: { type: 'default' } }
  expect(bodyOf(server)).toMatchObject({
    system: [{ text: 'You are tested.' }, mark],
    messages: [
      { role: 'user', content: [{ text: 'Read a.txt' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'call_1' } }, mark] },
      { role: 'user', content: [{ toolResult: { toolUseId: 'call_1' } }, mark] },
    ],
  })
})

test('a step in which no tool may be called keeps the calls and results in the history', async () => {
  await using server = await rawServer(answer)
  await speak(at(server), { messages: called('call_1'), toolChoice: 'none' })
  expect(bodyOf(server)).toMatchObject({
    toolConfig: { tools: [{ toolSpec: { name: 'read' } }], toolChoice: { auto: {} } },
    messages: [{}, { content: [{ toolUse: { toolUseId: 'call_1' } }, {}] }, { content: [{ toolResult: { toolUseId: 'call_1' } }, {}] }],
  })
})

test('a model without such a cache is sent no marks', async () => {
  await using server = await rawServer(answer)
  await speak(at(server, 'amazon-bedrock/qwen.qwen3-32b-v1:0'))
  expect(server.requests[0]?.body).not.toContain('cachePoint')
})

test('C151: frames that stop before the end are an error, and the call is not run', async () => {
  await using server = await rawServer({ headers: awsHeaders, pieces: frames.slice(0, 6) })
  const { ran, errors } = await ask(at(server))
  expect(ran).toEqual([])
  expect(errors).toHaveLength(1)
  expect(errors[0]).toSatisfy((error) => APICallError.isInstance(error) && error.isRetryable)
})

test('C153: frames that stop coming end the wait', async () => {
  await using server = await rawServer({ headers: awsHeaders, pieces: frames.slice(0, 2), ending: 'silence' })
  const { errors } = await ask(at(server), { timeouts: { idle: 30 } })
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('sent nothing for 0.03 s'), isRetryable: true })])
})

test('C152: an exception among the frames is an error with its status', async () => {
  await using server = await rawServer({
    headers: awsHeaders,
    pieces: [...frames.slice(0, 2), awsFrame('throttlingException', { message: 'Too many tokens' }, 'exception')],
  })
  const { errors } = await ask(at(server))
  expect(errors).toEqual([expect.objectContaining({ message: 'Too many tokens', statusCode: 429, isRetryable: true })])
})

test('a refusal comes with Bedrock’s sentence', async () => {
  await using server = await rawServer({
    status: 400,
    headers: { 'content-type': 'application/json' },
    pieces: ['{"message":"The model is not supported in this region."}'],
  })
  const { errors } = await ask(at(server))
  expect(errors).toEqual([expect.objectContaining({ message: 'The model is not supported in this region.', statusCode: 400, isRetryable: false })])
})
