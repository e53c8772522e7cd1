import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { suggest } from '../../src/model/catalogue.ts'
import type { Model } from '../../src/model/model.ts'
import { calls, chunks, delta, http, raw, type SseModel, sseModel, text, usage } from '../support/sse-model.ts'
import { assistantsOf, errorOf, partTypes, setup, textOf, tool, toolsOf } from './harness.ts'
import { firstWords, setupTeam, task, taskStates, toolNames } from './subtasks.ts'

let server: SseModel
let other: SseModel
beforeEach(async () => {
  server = await sseModel()
  other = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
})

const second = (): Promise<Model> => Promise.resolve(other.model({ providerID: 'spare', modelID: 'spare-model', price: { input: 1_000_000, output: 0 } }))
const read = (path: string) => calls([{ id: `call_${path}`, name: 'read', arguments: { path } }])

describe('the next model takes over', () => {
  test.each([
    ['a used-up quota', http(429, { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } })],
    ['a wrong key', http(401, { error: { message: 'bad key' } })],
    ['a model that is not there', http(404, { error: { code: 'model_not_found', message: 'The model test-model does not exist' } })],
    ['a wait of more than two minutes', http(429, { error: { message: 'rate limit' } }, { 'retry-after': '3600' })],
    ['a request the model refuses', http(400, { error: { message: 'tools are not supported' } })],
  ])('after %s, at once', async (_, reply) => {
    server.queue(reply)
    other.queue(text('Here I am'))
    const { ask, clock } = setup(server, { fallbacks: [second] })
    const answer = await ask()
    expect(textOf(answer)).toBe('Here I am')
    expect(errorOf(answer)).toBeUndefined()
    expect([server.requests.length, other.requests.length]).toEqual([1, 1])
    expect(clock.waits).toEqual([])
  })

  test('C56: of an overloaded provider, once the retries are used up', async () => {
    server.otherwise(http(503, { error: { message: 'overloaded' } }))
    other.queue(text('Here I am'))
    const { ask, clock } = setup(server, { fallbacks: [second] })
    expect(textOf(await ask())).toBe('Here I am')
    expect(server.requests).toHaveLength(6)
    expect(clock.waits).toEqual([2000, 4000, 8000, 16_000, 30_000])
  })

  test('for all subtasks that meet the failure at the same time, as one change of models', async () => {
    const both = Promise.withResolvers<void>()
    let asked = 0
    server.otherwise(async (response, request) => {
      if (firstWords(request.body).includes('part')) {
        if (++asked === 2) both.resolve()
        await both.promise
        return http(429, { error: { code: 'insufficient_quota', message: 'none left' } })(response, request)
      }
      return calls([task('general', 'part one', { id: 'a' }), task('general', 'part two', { id: 'b' })])(response, request)
    })
    other.otherwise((response, request) => text(firstWords(request.body).includes('part') ? 'This part is done' : 'Done')(response, request))
    const { ask, store, engine } = setupTeam(server, { fallbacks: [second] })
    expect(textOf(await ask())).toBe('Done')
    expect(taskStates(store.messages())).toMatchObject([
      { status: 'completed', output: expect.stringContaining('This part is done') },
      { status: 'completed', output: expect.stringContaining('This part is done') },
    ])
    expect(engine.account().takeovers).toHaveLength(1)
  })

  test('in the middle of a session, which it goes on with: its own metadata is left out, thoughts become text', async () => {
    server.queue(
      chunks(delta({ reasoning_content: 'I should look' }), delta({ tool_calls: [toolCall('a')] }), delta({}, 'tool_calls', usage())),
      http(429, { error: { code: 'insufficient_quota', message: 'none left' } }),
    )
    other.queue(read('b'), text('Done'))
    const { ask, store, engine } = setup(server, { model: server.model({ reasoning: true }), fallbacks: [second] })
    expect(textOf(await ask())).toBe('Done')
    expect(other.refusals).toEqual([])
    expect(other.requests[0]?.body.messages.slice(-2)).toEqual([
      { role: 'assistant', content: 'I should look', tool_calls: [expect.objectContaining({ id: 'call_a' })] },
      { role: 'tool', tool_call_id: 'call_a', content: 'content of a' },
    ])
    expect(assistantsOf(store.messages()).map(({ model }) => model.modelID)).toEqual(['test-model', 'spare-model', 'spare-model'])
    expect(server.requests).toHaveLength(2)
    expect(engine.account().takeovers).toEqual([
      {
        from: { providerID: 'test', modelID: 'test-model' },
        to: { providerID: 'spare', modelID: 'spare-model' },
        because: expect.stringContaining('none left'),
      },
    ])
  })

  test('and is offered the tools that suit it, as is the model of an agent that is given work', async () => {
    const suiting = (id: string, modelID: string) => ({ ...tool(id), suits: (inUse: string) => inUse === modelID })
    const tools = [suiting('edit', 'test-model'), suiting('apply_patch', 'spare-model'), tool('read')]
    server.queue(calls([task('helper', 'part of it')]), http(401, { error: { message: 'bad key' } }))
    other.queue(text('part done'), calls([{ id: 'patch', name: 'apply_patch', arguments: { path: 'a' } }]), text('All done'))
    const agents = { helper: { model: 'spare/spare-model' } }
    const { ask, store } = setupTeam(server, { tools, agents, fallbacks: [second], openModel: second })
    expect(textOf(await ask())).toBe('All done')
    expect(server.requests.map(({ body }) => toolNames(body))).toEqual([
      ['edit', 'read', 'task'],
      ['edit', 'read', 'task'],
    ])
    expect(other.requests.map(({ body }) => toolNames(body))).toEqual([
      ['apply_patch', 'read'],
      ['apply_patch', 'read', 'task'],
      ['apply_patch', 'read', 'task'],
    ])
    expect(toolsOf(store.messages()).at(-1)).toMatchObject({ tool: 'apply_patch', state: { status: 'completed' } })
  })

  test('a part and a status tell of it, and its answer is paid at its own price', async () => {
    server.queue(http(401, { error: { message: 'bad key' } }))
    other.queue(text('Here', 'stop', usage(3, 1)))
    const { ask, events } = setup(server, { fallbacks: [second] })
    const answer = await ask()
    expect(partTypes(answer.parts)).toEqual(['retry', 'step-start', 'text', 'step-finish'])
    expect(answer.parts[0]).toMatchObject({ attempt: 1, error: { name: 'ProviderAuthError', message: expect.stringContaining('bad key') } })
    expect(events).toContainEqual({
      type: 'status',
      status: expect.objectContaining({ type: 'retry', message: expect.stringContaining('Going on with spare/spare-model') }),
    })
    expect(answer.info).toMatchObject({ cost: 3 })
  })

  test('one that can’t be opened is passed over, and each is opened only when it is needed', async () => {
    const opened: string[] = []
    const broken = () => {
      opened.push('broken')
      return Promise.reject(new Error('no such package'))
    }
    server.queue(text('First'), http(401, { error: { message: 'bad key' } }))
    other.queue(text('Second'))
    const { ask, engine } = setup(server, { fallbacks: [broken, second] })
    expect(textOf(await ask())).toBe('First')
    expect(opened).toEqual([])
    expect(textOf(await ask('again'))).toBe('Second')
    expect(opened).toEqual(['broken'])
    expect(engine.account().takeovers[0]?.because).toContain('no such package')
  })

  test('when none is left, the error tells what went wrong with each', async () => {
    server.queue(http(401, { error: { message: 'bad key' } }))
    other.queue(http(429, { error: { code: 'insufficient_quota', message: 'none left' } }))
    const answer = await setup(server, { fallbacks: [second] }).ask()
    expect(errorOf(answer)).toMatchObject({ name: 'APIError', message: expect.stringMatching(/none left.*test\/test-model: .*bad key/s) })
  })
})

describe('the next model does not take over', () => {
  test.each([
    ['from a conversation that is too long', http(400, { error: { code: 'context_length_exceeded', message: 'too long' } }), 'ContextOverflowError'],
    ['from a content filter', text('half', 'content_filter'), 'ContentFilterError'],
    ['from a refused prompt', raw(`data: ${JSON.stringify({ error: { code: 'invalid_prompt', message: 'no' } })}\n\n`), 'APIError'],
  ])('%s', async (_, reply, name) => {
    server.queue(reply)
    const answer = await setup(server, { fallbacks: [second], compaction: { auto: false } }).ask()
    expect(errorOf(answer)).toMatchObject({ name })
    expect(other.requests).toEqual([])
  })
})

describe('a model the provider does not know', () => {
  test('is an error that names those that may have been meant, and is not asked for again', async () => {
    server.queue(http(404, { error: { code: 'model_not_found', message: 'The model gpt-5-min does not exist' } }))
    const { ask, clock } = setup(server, { model: server.model({ providerID: 'openai', modelID: 'gpt-5-min' }), suggest })
    expect(errorOf(await ask())).toMatchObject({ name: 'ModelNotFoundError', message: expect.stringMatching(/Did you mean openai\/gpt-5-mini/) })
    expect(clock.waits).toEqual([])
  })

  test('without anything alike, the provider’s words stand alone', async () => {
    server.queue(http(404, { error: { message: "model 'x' not found" } }))
    const answer = await setup(server, { suggest: () => [] }).ask()
    expect(errorOf(answer)).toMatchObject({ name: 'ModelNotFoundError' })
    expect(errorOf(answer)?.message).not.toContain('Did you mean')
  })
})

const toolCall = (path: string) => ({ index: 0, id: `call_${path}`, type: 'function', function: { name: 'read', arguments: JSON.stringify({ path }) } })
