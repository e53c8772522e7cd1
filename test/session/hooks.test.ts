import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { HookPoints, Hooks } from '../../src/session/hooks.ts'
import { calls, chunks, delta, type SseModel, sseModel, text } from '../support/sse-model.ts'
import { partTypes, result, setup, textOf, tool, toolsOf } from './harness.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

type Handlers = { [Name in keyof HookPoints]?: (input: HookPoints[Name]['input'], output: HookPoints[Name]['output']) => unknown }

const hooks = (handlers: Handlers): Hooks => ({
  async trigger(name, input, output) {
    await handlers[name]?.(input, output)
    return output
  },
})
const read = () => calls([{ id: 'call_1', name: 'read', arguments: { path: 'a' } }])
const system = (index = 0) => server.requests[index]?.body.messages.filter(({ role }) => role === 'system').map(({ content }) => content) ?? []

describe('plugins', () => {
  test('may change the history that is sent, but not the one that is kept', async () => {
    server.queue(text('Hello'))
    const { ask, store } = setup(server, {
      hooks: hooks({
        'experimental.chat.messages.transform': (_, { messages }) => {
          for (const { parts } of messages) for (const part of parts) if (part.type === 'text') part.text = part.text.toUpperCase()
        },
      }),
    })
    await ask('please')
    expect(server.requests[0]?.body.messages.at(-1)).toMatchObject({ role: 'user', content: 'PLEASE' })
    expect(store.messages().map(textOf)).toEqual(['please', 'Hello'])
  })

  test('may add to the system text: behind an unchanged first part everything else becomes one', async () => {
    server.queue(text('Hello'))
    await setup(server, { hooks: hooks({ 'experimental.chat.system.transform': (_, { system }) => system.push('one', 'two', 'three') }) }).ask()
    expect(system()).toHaveLength(2)
    expect(system()[1]).toBe('one\ntwo\nthree')
  })

  test('may replace the system text; none at all is not a choice', async () => {
    server.queue(text('Hello'), text('Hello'))
    const replace = (pieces: string[]) =>
      setup(server, { hooks: hooks({ 'experimental.chat.system.transform': (_, { system }) => system.splice(0, system.length, ...pieces) }) }).ask()
    await replace(['a', 'b', 'c'])
    expect(system()).toEqual(['a', 'b', 'c'])
    await replace([])
    expect(system(1)).toHaveLength(1)
    expect(system(1)[0]).not.toBe('')
  })

  test('may change the parameters, the options and the headers of a request', async () => {
    server.queue(text('Hello'))
    const seen: unknown[] = []
    await setup(server, {
      agent: { name: 'build', temperature: 0.2, topP: 0.9, options: { reasoningEffort: 'low' } },
      hooks: hooks({
        'chat.params': (input, output) => {
          seen.push(input, { ...output, options: { ...output.options } })
          output.temperature = 0.7
          output.maxOutputTokens = 123
          output.options.reasoningEffort = 'high'
        },
        'chat.headers': (_, { headers }) => {
          headers['x-team'] = 'blue'
        },
      }),
    }).ask()
    expect(seen).toEqual([
      { sessionID: 'ses_test', agent: 'build', model: { providerID: 'test', modelID: 'test-model' } },
      { temperature: 0.2, topP: 0.9, maxOutputTokens: 10_000, options: { reasoningEffort: 'low' } },
    ])
    expect(server.requests[0]?.body).toMatchObject({ temperature: 0.7, top_p: 0.9, max_tokens: 123, reasoning_effort: 'high' })
    expect(server.requests[0]?.headers).toMatchObject({ 'x-team': 'blue' })
  })

  test('may describe a tool differently', async () => {
    server.queue(text('Hello'))
    await setup(server, {
      hooks: hooks({
        'tool.definition': ({ toolID }, output) => {
          output.description = `${toolID}, carefully`
          output.parameters = { type: 'object', properties: { path: { type: 'string', description: 'from the root' } } }
        },
      }),
    }).ask()
    expect(server.requests[0]?.body.tools?.[0]?.function).toMatchObject({
      description: 'read, carefully',
      parameters: { properties: { path: { description: 'from the root' } } },
    })
  })

  test('may change what a tool gets and what it gave', async () => {
    server.queue(read(), text('Done'))
    const reader = tool('read', ({ path }) => result(`content of ${path}`, { metadata: { lines: 1 } }))
    const seen: unknown[] = []
    const { ask, store } = setup(server, {
      tools: [reader],
      hooks: hooks({
        'tool.execute.before': (input, output) => {
          seen.push(input)
          output.args = { path: 'b' }
        },
        'tool.execute.after': (input, output) => {
          seen.push(input)
          output.output += '!'
          output.metadata.seen = true
        },
      }),
    })
    await ask()
    expect(reader.inputs).toEqual([{ path: 'b' }])
    const about = { tool: 'read', sessionID: 'ses_test', callID: 'call_1' }
    expect(seen).toEqual([about, { ...about, args: { path: 'b' } }])
    expect(toolsOf(store.messages())[0]?.state).toMatchObject({ output: 'content of b!', metadata: { lines: 1, seen: true } })
  })

  test('may change a text when it is complete', async () => {
    server.queue(text('My key is k3y'))
    const { ask, events } = setup(server, {
      hooks: hooks({
        'experimental.text.complete': (_, output) => {
          output.text = output.text.replace('k3y', '***')
        },
      }),
    })
    expect(textOf(await ask())).toBe('My key is ***')
    expect(events.at(-1)).toMatchObject({ type: 'status' })
  })

  test('are not shown thoughts as if they were text', async () => {
    server.queue(chunks(delta({ content: '<think>hm</think>' }), delta({ content: 'Yes' }), delta({}, 'stop')))
    const texts: string[] = []
    const { ask } = setup(server, { hooks: hooks({ 'experimental.text.complete': (_, output) => texts.push(output.text) }) })
    const answer = await ask()
    expect(partTypes(answer.parts)).toContain('reasoning')
    expect(texts).toEqual(['Yes'])
  })
})
