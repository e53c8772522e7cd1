import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PromptPart } from '../../src/session/user.ts'
import { calls, hang, http, type SseModel, sseModel, text, whenAsked } from '../support/sse-model.ts'
import { assistantsOf, errorOf, session, textOf, toolsOf } from './harness.ts'
import { bySession, firstWords, setupTeam, task, taskStates } from './subtasks.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const subtask = (rest: Partial<Extract<PromptPart, { type: 'subtask' }>> = {}): PromptPart => ({
  type: 'subtask',
  agent: 'explore',
  description: 'Look around',
  prompt: 'find the parser',
  ...rest,
})

describe('a subtask of a message', () => {
  test('is carried out before the session’s own model is asked, which then gets call and result', async () => {
    server.queue(text('It is in src/parser.ts'), text('The parser is in src/parser.ts'))
    const { engine, store, children } = setupTeam(server)
    expect(textOf(await engine.prompt({ parts: [subtask()] }))).toBe('The parser is in src/parser.ts')

    expect(server.requests.map(({ body }) => firstWords(body))[0]).toBe('find the parser')
    const [, made] = store.messages()
    expect(made?.info).toMatchObject({ role: 'assistant', agent: 'explore', finish: 'tool-calls', time: { completed: expect.any(Number) } })
    expect(made?.parts).toMatchObject([
      {
        type: 'tool',
        tool: 'task',
        state: {
          status: 'completed',
          title: 'Look around',
          input: { description: 'Look around', prompt: 'find the parser', subagent_type: 'explore' },
          output: expect.stringContaining('It is in src/parser.ts'),
          metadata: { sessionId: children.list[0]?.session.id },
        },
      },
    ])
    expect(server.requests[1]?.body.messages.slice(-2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ function: { name: 'task' } }] },
      { role: 'tool', content: expect.stringContaining('<task_result>') },
    ])
  })

  test('from a command has the model report on it', async () => {
    server.queue(text('reviewed'), text('The review says …'))
    const { engine, store } = setupTeam(server)
    await engine.prompt({ parts: [subtask({ command: 'review' })] })
    expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringMatching(/Sum up its result/) })
    const added = store.messages().findLast(({ info }) => info.role === 'user')
    expect(added?.parts).toMatchObject([{ type: 'text', synthetic: true }])
    expect(taskStates(store.messages())).toMatchObject([{ input: { command: 'review' } }])
  })

  test('without a command adds no message of ours', async () => {
    server.queue(text('found'), text('Done'))
    const { engine, store } = setupTeam(server)
    await engine.prompt({ parts: [subtask()] })
    expect(store.messages().filter(({ info }) => info.role === 'user')).toHaveLength(1)
  })

  test('shows the child’s session, model and title while it runs', async () => {
    let seen: unknown
    const { engine, store } = setupTeam(server)
    server.queue(
      whenAsked(() => {
        seen = taskStates(store.messages())[0]
      }, text('found')),
      text('Done'),
    )
    await engine.prompt({ parts: [subtask()] })
    expect(seen).toMatchObject({
      status: 'running',
      title: 'Look around',
      metadata: { sessionId: expect.stringMatching(/^ses_/), model: { modelID: 'test-model' } },
    })
  })

  test('that fails says so, keeps what it had shown, and the model goes on from there', async () => {
    server.queue(http(401, { error: { message: 'bad key' } }), text('It did not work'))
    const { engine, store, children } = setupTeam(server)
    expect(textOf(await engine.prompt({ parts: [subtask()] }))).toBe('It did not work')
    expect(taskStates(store.messages())).toMatchObject([
      {
        status: 'error',
        error: expect.stringMatching(/^Tool execution failed: Subagent failed \(task_id: ses_\w+\): .*bad key/),
        metadata: { sessionId: children.list[0]?.session.id },
      },
    ])
    expect(assistantsOf(store.messages())[0]).toMatchObject({ finish: 'tool-calls' })
  })

  test('for an agent that is not there fails with the list', async () => {
    server.queue(text('No such agent'))
    const { engine, store } = setupTeam(server)
    await engine.prompt({ parts: [subtask({ agent: 'nobody' })] })
    expect(taskStates(store.messages())).toMatchObject([
      { status: 'error', error: expect.stringMatching(/^Tool execution failed: There is no agent "nobody"\. The agents are: build, plan/) },
    ])
  })

  test('needs no permission, since a person asked for it', async () => {
    server.queue(text('found'), text('Done'))
    const { engine, store } = setupTeam(server, { agents: { build: { permission: { task: 'deny' } } } })
    await engine.prompt({ parts: [subtask()] })
    expect(taskStates(store.messages())).toMatchObject([{ status: 'completed' }])
  })

  test('uses the model the command names, unless its agent has its own', async () => {
    const openModel = ({ modelID }: { modelID: string }) => Promise.resolve(server.model({ modelID }))
    const model = { providerID: 'test', modelID: 'of-command' }
    server.queue(text('found'), text('Done'), text('found'), text('Done'))
    const plain = setupTeam(server, { openModel })
    await plain.engine.prompt({ parts: [subtask({ model })] })
    await setupTeam(server, { openModel, agents: { explore: { model: 'test/of-agent' } } }).engine.prompt({ parts: [subtask({ model })] })
    expect(server.requests.map(({ body }) => body.model)).toEqual(['of-command', 'test-model', 'of-agent', 'test-model'])
    expect(assistantsOf(plain.store.messages())[0]?.model).toEqual(model)
  })

  test('and another in the same message are both carried out, each once', async () => {
    server.otherwise(bySession({ one: [text('first found')], two: [text('second found')], 'executed:': [text('Both')] }))
    const { engine, store } = setupTeam(server)
    expect(textOf(await engine.prompt({ parts: [subtask({ prompt: 'one' }), subtask({ prompt: 'two' })] }))).toBe('Both')
    expect(taskStates(store.messages()).map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect(server.requests).toHaveLength(3)
  })

  test('counts as a step of the run', async () => {
    server.queue(text('found'), text('Done'))
    const { engine } = setupTeam(server, { maxSteps: 3 })
    await engine.prompt({ parts: [subtask()] })
    expect(server.requests.map(({ body }) => body.tool_choice)).toEqual(['auto', 'none'])
  })
})

describe('stopping a subtask', () => {
  test('stops the child and marks the part; the session can go on', async () => {
    const { engine, ask, store, children } = setupTeam(server)
    server.queue(
      whenAsked(() => void engine.cancel(), hang()),
      text('Here again'),
    )
    const answer = await engine.prompt({ parts: [subtask({ command: 'review' })] })
    expect(errorOf(answer)).toMatchObject({ name: 'MessageAbortedError' })
    expect(toolsOf([answer])).toMatchObject([
      { tool: 'task', state: { status: 'error', metadata: { interrupted: true, sessionId: children.list[0]?.session.id } } },
    ])
    expect(assistantsOf(children.list[0]?.messages() ?? []).at(-1)?.error).toMatchObject({ name: 'MessageAbortedError' })
    expect(store.messages().filter(({ info }) => info.role === 'user')).toHaveLength(1)
    expect(textOf(await ask('go on'))).toBe('Here again')
    expect(server.refusals).toEqual([])
  })
})

describe('rules of the session', () => {
  test('a prompt’s map of tools replaces them, and children inherit its denials', async () => {
    server.queue(calls([task('general', 'x')]), text('There'), text('Done'))
    const { engine, store, children } = setupTeam(server)
    store.update({ permission: [{ permission: 'grep', pattern: '*', action: 'deny' }] })
    await engine.prompt({ parts: [{ type: 'text', text: 'go' }], tools: { bash: false, read: true } })
    expect(store.session.permission).toEqual([
      { permission: 'bash', pattern: '*', action: 'deny' },
      { permission: 'read', pattern: '*', action: 'allow' },
    ])
    expect(children.list[0]?.session).toMatchObject({
      parentID: session.id,
      permission: [
        { permission: 'bash', action: 'deny' },
        { permission: 'task', action: 'deny' },
      ],
    })
  })
})
