import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Format } from '../../src/session/message.ts'
import { calls, http, type SseModel, sseModel, text } from '../support/sse-model.ts'
import { errorOf, incoming, setup, textOf, tool, toolsOf } from './harness.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { verdict: { enum: ['good', 'bad'] }, lines: { type: 'integer', minimum: 0 } },
  required: ['verdict'],
  additionalProperties: false,
}
const format = Format.parse({ type: 'json_schema', schema })
const hand = (given: unknown, id = 'call_1') => calls([{ id, name: 'StructuredOutput', arguments: given }])
const asked = (options: Parameters<typeof setup>[1] = {}, wanted: Format = format) => {
  const made = setup(server, options)
  return { ...made, answer: () => made.engine.prompt({ parts: [{ type: 'text', text: 'judge it' }], format: wanted }) }
}
const structuredOf = ({ info }: Awaited<ReturnType<ReturnType<typeof asked>['answer']>>) => (info.role === 'assistant' ? info.structured : undefined)

describe('an answer in a given form', () => {
  test('the format is text or a JSON schema; two retries are the default', () => {
    expect(Format.parse({ type: 'text' })).toEqual({ type: 'text' })
    expect(format).toMatchObject({ retryCount: 2 })
    expect(Format.safeParse({ type: 'yaml' }).success).toBe(false)
  })

  test('is asked for by a tool that has to be called, with the schema and a text that says so', async () => {
    server.queue(hand({ verdict: 'good' }))
    await asked({ tools: [tool('read')] }).answer()
    const body = server.requests[0]?.body
    expect(body?.tool_choice).toBe('required')
    expect(body?.tools?.map(({ function: { name } }) => name)).toEqual(['StructuredOutput', 'read'])
    const { $schema: _, ...shown } = schema
    expect(body?.tools?.[0]?.function.parameters).toEqual(shown)
    expect(String(body?.messages[0]?.content)).toContain('`StructuredOutput`')
  })

  test('the first call that fits is the answer and ends the run', async () => {
    server.queue(calls([{ name: 'read', arguments: { path: 'a' } }]), hand({ verdict: 'good', lines: 3 }))
    const { answer, store, engine } = asked()
    const result = await answer()
    expect(structuredOf(result)).toEqual({ verdict: 'good', lines: 3 })
    expect(errorOf(result)).toBeUndefined()
    expect(toolsOf([result])[0]?.state).toMatchObject({ status: 'completed', output: 'Structured output captured successfully.' })
    expect(server.requests).toHaveLength(2)
    await engine.loop()
    expect(server.requests).toHaveLength(2)
    expect(store.messages()).toHaveLength(3)
  })

  test('of two that fit in one answer the first counts', async () => {
    const both = ['good', 'bad'].map((verdict, index) => ({ id: `call_${index}`, name: 'StructuredOutput', arguments: { verdict } }))
    server.queue(calls(both))
    expect(structuredOf(await asked().answer())).toEqual({ verdict: 'good' })
  })

  test('a call that does not fit is told what is wrong, and may be made again', async () => {
    server.queue(hand({ verdict: 'so-so', extra: 1 }), hand({ verdict: 'bad' }, 'call_2'))
    expect(structuredOf(await asked().answer())).toEqual({ verdict: 'bad' })
    const told = String(server.requests[1]?.body.messages.at(-1)?.content)
    expect(told).toContain('answer/verdict must be equal to one of the allowed values')
    expect(told).toContain('must NOT have additional properties')
  })

  test('words in its place are no answer: the model is told to call the tool', async () => {
    server.queue(text('It is good.'), hand({ verdict: 'good' }))
    expect(structuredOf(await asked().answer())).toEqual({ verdict: 'good' })
    expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('`StructuredOutput`') })
    expect(server.refusals).toEqual([])
  })

  test('after two retries it is an error that says why', async () => {
    server.queue(hand({ verdict: 1 }), text('good'), hand({ verdict: 2 }, 'call_3'), hand({ verdict: 'good' }, 'call_4'))
    const result = await asked().answer()
    expect(errorOf(result)).toMatchObject({ name: 'StructuredOutputError', message: expect.stringMatching(/tried 3 times.*allowed values/s) })
    expect(structuredOf(result)).toBeUndefined()
    expect(server.requests).toHaveLength(3)
  })

  test('a retry count of 0 is obeyed', async () => {
    server.queue(text('good'))
    const result = await asked({}, Format.parse({ type: 'json_schema', schema, retryCount: 0 })).answer()
    expect(errorOf(result)).toMatchObject({ name: 'StructuredOutputError' })
    expect(server.requests).toHaveLength(1)
  })

  test('the last step asks for nothing else, carries out nothing else, and takes the answer', async () => {
    const read = tool('read')
    const late = calls([
      { id: 'call_2', name: 'read', arguments: { path: 'b' } },
      { id: 'call_3', name: 'StructuredOutput', arguments: { verdict: 'bad' } },
    ])
    server.queue(calls([{ id: 'call_1', name: 'read', arguments: { path: 'a' } }]), late)
    const result = await asked({ tools: [read], maxSteps: 2 }).answer()
    expect(server.requests[1]?.body.tool_choice).toEqual({ type: 'function', function: { name: 'StructuredOutput' } })
    expect(server.requests[1]?.body.messages.at(-1)?.content).toContain('the limit of 2 steps is reached')
    expect(structuredOf(result)).toEqual({ verdict: 'bad' })
    expect(errorOf(result)).toBeUndefined()
    expect(read.inputs).toEqual([{ path: 'a' }])
  })

  test('a last step without it is an error', async () => {
    server.queue(text('no'))
    expect(errorOf(await asked({ maxSteps: 1 }).answer())).toMatchObject({ name: 'StructuredOutputError' })
  })

  test('a failing provider stays the error it is', async () => {
    server.queue(http(401, { error: { message: 'bad key' } }))
    expect(errorOf(await asked().answer())).toMatchObject({ name: 'ProviderAuthError' })
  })

  test('what is no object comes under a key of its own; references are still found', async () => {
    const list = { type: 'array', items: { $ref: '#/$defs/item' }, $defs: { item: { type: 'string', format: 'date' } } }
    server.queue(hand({ answer: ['yesterday'] }), hand({ answer: ['2026-09-15'] }, 'call_2'))
    const result = await asked({}, Format.parse({ type: 'json_schema', schema: list })).answer()
    expect(structuredOf(result)).toEqual(['2026-09-15'])
    expect(server.requests[0]?.body.tools?.[0]?.function.parameters).toMatchObject({ required: ['answer'], $defs: list.$defs })
  })

  test('draft 2020-12 is understood where the schema says so', async () => {
    const pair = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }
    server.queue(hand({ answer: [1, 2] }), hand({ answer: ['a', 2] }, 'call_2'))
    expect(structuredOf(await asked({}, Format.parse({ type: 'json_schema', schema: pair })).answer())).toEqual(['a', 2])
  })

  test('a schema that is none is refused before anything is stored or asked', async () => {
    const { answer, store } = asked({}, Format.parse({ type: 'json_schema', schema: { type: 'objekt' } }))
    await expect(answer()).rejects.toThrow('no valid JSON schema')
    expect(store.messages()).toEqual([])
    expect(server.requests).toEqual([])
  })

  test('a message that arrives meanwhile does not change the form', async () => {
    server.queue(
      (response, request) => {
        arriving.push(incoming('and be quick'))
        calls([{ name: 'read', arguments: { path: 'a' } }])(response, request)
      },
      hand({ verdict: 'good' }),
    )
    const { answer, arriving } = asked()
    expect(structuredOf(await answer())).toEqual({ verdict: 'good' })
    expect(server.requests[1]?.body.tool_choice).toBe('required')
  })

  test('an answer in text needs none of it', async () => {
    server.queue(text('good'))
    expect(textOf(await asked({}, { type: 'text' }).answer())).toBe('good')
    expect(server.requests[0]?.body.tool_choice).toBe('auto')
  })
})
