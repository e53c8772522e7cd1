import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WithParts } from '../../src/session/message.ts'
import { fromConfig } from '../../src/tool/permission.ts'
import { calls, hang, http, type SseModel, sseModel, text, usage, whenAsked } from '../support/sse-model.ts'
import { assistantsOf, errorOf, result, session, textOf, tool, toolsOf } from './harness.ts'
import { bySession, descriptionOf, firstWords, setupTeam, systemOf, task, taskStates, toolNames } from './subtasks.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const read = (path: string, id = 'call_read') => ({ id, name: 'read', arguments: { path } })
const childID = (messages: readonly WithParts[], index = 0) => {
  const state = taskStates(messages)[index]
  return state?.status === 'completed' || state?.status === 'error' || state?.status === 'running' ? String(state.metadata?.sessionId) : ''
}

describe('the task tool', () => {
  test('has another agent do a task in a session of its own, and gives back its last text', async () => {
    server.queue(calls([task('explore', 'find the parser')]), calls([read('src/parser.ts')]), text('It is in src/parser.ts:1'), text('Found it'))
    const { ask, store, children } = setupTeam(server)
    expect(textOf(await ask())).toBe('Found it')

    const [child] = children.list
    expect(child?.session).toMatchObject({ parentID: session.id, title: 'Look around (@explore subagent)', agent: 'explore', usage: { steps: 2 } })
    expect(child?.messages().map(({ info }) => info.role)).toEqual(['user', 'assistant', 'assistant'])
    expect(toolsOf(child?.messages() ?? [])).toMatchObject([{ tool: 'read', state: { status: 'completed' } }])
    expect(server.requests[3]?.body.messages.at(-1)?.content).toBe(
      `<task id="${child?.session.id}" state="completed">\n<task_result>\nIt is in src/parser.ts:1\n</task_result>\n</task>`,
    )
    expect(store.messages().map(({ info }) => info.role)).toEqual(['user', 'assistant', 'assistant'])
  })

  test('tells the child its own part and its agent’s prompt, and nothing of the parent’s conversation', async () => {
    server.queue(calls([task('explore', 'find the parser')]), text('There'), text('Done'))
    await setupTeam(server, { system: ['You work on octo/repo.'] }).ask('a long story about the bug')
    const body = server.requests[1]?.body
    expect(body && systemOf(body)).toMatch(/^You find things in a code base[\s\S]*octo\/repo[\s\S]*one task for another agent/)
    expect(body?.messages.slice(1)).toEqual([{ role: 'user', content: 'find the parser' }])
    expect(server.requests[0] && systemOf(server.requests[0].body)).not.toContain('one task for another agent')
  })

  test('lists the agents that can be given work by name, the same at every step', async () => {
    server.queue(calls([read('a')]), text('Done'))
    await setupTeam(server, {
      agents: { zebra: { description: 'Last' }, ant: { description: 'First', mode: 'subagent' }, lead: { mode: 'primary' }, shy: { hidden: true } },
    }).ask()
    const [first, second] = server.requests.map(({ body }) => String(descriptionOf(body, 'task')))
    expect(first?.match(/^- .*$/gm)?.map((line) => line.split(':')[0])).toEqual(['- ant', '- explore', '- general', '- zebra'])
    expect(first).toContain('- ant: First')
    expect(second).toBe(first)
  })

  test('lists no agent that the rules deny, and a call of it is answered with the rule', async () => {
    server.queue(calls([task('orchestrator-a', 'x')]), text('Done'))
    const rules = { task: { 'orchestrator-*': 'deny', 'orchestrator-b': 'allow' } } as const
    const { ask, store, children } = setupTeam(server, { agents: { build: { permission: rules }, 'orchestrator-a': {}, 'orchestrator-b': {} } })
    await ask()
    const description = server.requests[0] && String(descriptionOf(server.requests[0].body, 'task'))
    expect(description).toContain('- orchestrator-b')
    expect(description).not.toContain('- orchestrator-a')
    expect(taskStates(store.messages())).toMatchObject([
      { status: 'error', error: expect.stringMatching(/`task: orchestrator-\*`.*forbids `task` of `orchestrator-a`/) },
    ])
    expect(children.list).toEqual([])
  })

  test('is not offered where every agent is denied, or where there is none', async () => {
    server.queue(text('a'), text('b'))
    await setupTeam(server, { agents: { build: { permission: { task: 'deny' } } } }).ask()
    await setupTeam(server, { agents: { general: { disable: true }, explore: { disable: true } } }).ask()
    expect(server.requests.map(({ body }) => toolNames(body))).toEqual([['read'], ['read']])
  })

  test('is asked about no more when the person named the agent, in a session of theirs', async () => {
    const agents = { build: { permission: { task: { general: 'deny' } } } } as const
    server.queue(calls([task('general', 'x')]), text('from general'), text('Done'))
    const { engine, store } = setupTeam(server, { agents })
    await engine.prompt({
      parts: [
        { type: 'text', text: 'have it done by' },
        { type: 'agent', name: 'general' },
      ],
    })
    expect(taskStates(store.messages())).toMatchObject([{ status: 'completed' }])
  })

  test('keeps to what the run as a whole allows, whatever the agent’s rules say and whoever the person named', async () => {
    const agents = { build: { permission: { '*': 'allow', task: 'allow' } } } as const
    server.queue(calls([task('general', 'x')]), text('Done'), text('Alone'))
    const some = setupTeam(server, { agents, gate: fromConfig({ '*': 'allow', task: { general: 'deny' } }) })
    await some.engine.prompt({
      parts: [
        { type: 'text', text: 'have it done by' },
        { type: 'agent', name: 'general' },
      ],
    })
    expect(server.requests[0] && String(descriptionOf(server.requests[0].body, 'task'))).not.toContain('- general')
    expect(taskStates(some.store.messages())).toMatchObject([{ status: 'error', error: expect.stringContaining('forbids `task` of `general`') }])
    expect(some.children.list).toEqual([])

    await setupTeam(server, { agents, gate: fromConfig({ '*': 'allow', task: 'deny' }) }).ask()
    expect(server.requests[2] && toolNames(server.requests[2].body)).toEqual(['read'])
  })

  test('makes place for a tool of the repository’s own that has its name', async () => {
    server.queue(calls([{ id: 'own', name: 'task', arguments: { path: 'a' } }]), text('Done'))
    const own = tool('task')
    await setupTeam(server, { tools: [own] }).ask()
    expect(server.requests[0] && descriptionOf(server.requests[0].body, 'task')).toBe('The tool task')
    expect(own.inputs).toEqual([{ path: 'a' }])
  })

  test('an unknown agent is answered with the list', async () => {
    server.queue(calls([task('explorer', 'x')]), text('Done'))
    const { ask, store } = setupTeam(server)
    expect(textOf(await ask())).toBe('Done')
    expect(taskStates(store.messages())).toMatchObject([
      { status: 'error', error: expect.stringMatching(/no agent "explorer".*build, plan, general, explore/) },
    ])
  })

  test('several calls of one answer run side by side', async () => {
    const arrived = Promise.withResolvers<void>()
    let waiting = 0
    const together = () => {
      if (++waiting === 2) arrived.resolve()
      return arrived.promise
    }
    server.otherwise(
      bySession({
        'please fix it': [calls([task('explore', 'part one', { id: 'a' }), task('general', 'part two', { id: 'b' })]), text('Both')],
        'part one': [whenAsked(together, text('one done'))],
        'part two': [whenAsked(together, text('two done'))],
      }),
    )
    const { ask, store, children } = setupTeam(server)
    expect(textOf(await ask())).toBe('Both')
    expect(taskStates(store.messages()).map((state) => (state.status === 'completed' ? state.output : ''))).toEqual([
      expect.stringContaining('one done'),
      expect.stringContaining('two done'),
    ])
    expect(children.list).toHaveLength(2)
  })

  test('a running call shows the child’s session, its model and what it is about', async () => {
    let seen: unknown
    const { ask, store } = setupTeam(server)
    server.queue(
      calls([task('explore', 'x')]),
      whenAsked(() => {
        seen = taskStates(store.messages())[0]
      }, text('There')),
      text('Done'),
    )
    await ask()
    expect(seen).toMatchObject({
      status: 'running',
      title: 'Look around',
      metadata: { sessionId: expect.stringMatching(/^ses_/), model: { providerID: 'test', modelID: 'test-model' } },
    })
  })
})

describe('a task that is taken up again', () => {
  test('goes on in the same session', async () => {
    const { ask, store, children } = setupTeam(server)
    server.queue(
      calls([task('explore', 'first', { id: 'a' })]),
      text('one'),
      (response, request) => calls([task('explore', 'second', { id: 'b', task_id: childID(store.messages()) })])(response, request),
      text('two'),
      text('Done'),
    )
    await ask()
    expect(children.list).toHaveLength(1)
    expect(children.list[0]?.session.permission).toEqual(fromConfig({ todowrite: 'deny', task: 'deny' }))
    expect(server.requests[3]?.body.messages.slice(1)).toEqual([
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'second' },
    ])
    expect(childID(store.messages(), 1)).toBe(childID(store.messages(), 0))
  })

  test('is a new one when the id is unknown', async () => {
    server.queue(calls([task('explore', 'x', { task_id: 'ses_gone' })]), text('There'), text('Done'))
    const { ask, children, store } = setupTeam(server)
    await ask()
    expect(children.list.map(({ session: child }) => child.id)).toEqual([childID(store.messages())])
    expect(childID(store.messages())).not.toBe('ses_gone')
  })

  test('is a new one when the id is that of a session which is not under the one that asks', async () => {
    const { ask, children } = setupTeam(server, { agents: { chief: { permission: { task: 'allow' } } }, subagentDepth: 2 })
    server.queue(
      calls([task('chief', 'x')]),
      (response, request) => calls([task('explore', 'y', { task_id: String(children.list[0]?.session.id) })])(response, request),
      text('There'),
      text('Done below'),
      text('Done'),
    )
    await ask()
    expect(children.list).toHaveLength(2)
    expect(taskStates(children.list[0]?.messages() ?? [])).toMatchObject([{ status: 'completed' }])
  })

  test('is refused while it is still at work for another call', async () => {
    const { ask, store, children } = setupTeam(server)
    server.otherwise(
      bySession({
        'please fix it': [
          calls([task('explore', 'first', { id: 'a' })]),
          (response, request) => {
            const again = { task_id: childID(store.messages()) }
            return calls([task('explore', 'second', { id: 'b', ...again }), task('explore', 'third', { id: 'c', ...again })])(response, request)
          },
          text('Done'),
        ],
        first: [text('one'), text('two')],
      }),
    )
    expect(textOf(await ask())).toBe('Done')
    expect(children.list).toHaveLength(1)
    expect(taskStates(store.messages()).map(({ status }) => status)).toEqual(['completed', 'completed', 'error'])
  })
})

describe('a child that fails', () => {
  test('is a failed call that names the task, and what was shown of it stays', async () => {
    server.queue(calls([task('explore', 'x')]), http(401, { error: { message: 'bad key' } }), text('Without it then'))
    const { ask, store } = setupTeam(server)
    expect(textOf(await ask())).toBe('Without it then')
    const id = childID(store.messages())
    expect(taskStates(store.messages())).toMatchObject([
      { status: 'error', error: expect.stringMatching(new RegExp(`^Subagent failed \\(task_id: ${id}\\): .*bad key`)), metadata: { sessionId: id } },
    ])
    expect(server.requests[2]?.body.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining(`task_id: ${id}`) })
  })

  test('so is one whose last word is a failed call', async () => {
    server.queue(calls([task('helper', 'x')]), calls([read('a')]), text('Done'))
    const { ask, store } = setupTeam(server, { agents: { helper: { steps: 1 } } })
    await ask()
    expect(taskStates(store.messages())).toMatchObject([{ status: 'error', error: expect.stringMatching(/^Subagent failed \(task_id: ses_\w+\): .+/) }])
  })
})

describe('the rules of a child', () => {
  const parentRules = (config: Parameters<typeof fromConfig>[0]) => ({ permission: [...fromConfig(config)] })

  test('are its agent’s, then the denials and the outside folders of its parent, then no todo list and no subtasks', async () => {
    server.queue(calls([task('general', 'x')]), text('There'), text('Done'))
    const { ask, store, children } = setupTeam(server)
    store.update(parentRules({ bash: 'deny', grep: 'allow', external_directory: { '/data/*': 'allow', '/data/keys/*': 'ask' }, edit: { 'vendor/*': 'deny' } }))
    await ask()
    expect(children.list[0]?.session.permission).toEqual(
      fromConfig({ bash: 'deny', external_directory: { '/data/*': 'allow', '/data/keys/*': 'ask' }, edit: { 'vendor/*': 'deny' }, task: 'deny' }),
    )
  })

  test('hide what the parent’s session forbids', async () => {
    server.queue(calls([task('general', 'x')]), text('There'), text('Done'))
    const { ask, store } = setupTeam(server, { tools: [tool('bash'), tool('read'), tool('todowrite')] })
    store.update(parentRules({ bash: 'deny' }))
    await ask()
    expect(server.requests.map(({ body }) => toolNames(body))).toEqual([['read', 'task', 'todowrite'], ['read'], ['read', 'task', 'todowrite']])
  })

  test('let it have what its own agent’s rules speak of', async () => {
    server.queue(calls([task('chief', 'x')]), text('There'), text('Done'))
    const { ask } = setupTeam(server, {
      agents: { chief: { permission: { task: 'allow', todowrite: 'allow' } } },
      tools: [tool('todowrite')],
      subagentDepth: 2,
    })
    await ask()
    expect(server.requests[1] && toolNames(server.requests[1].body)).toEqual(['task', 'todowrite'])
  })

  test('keep an agent that may not edit from having others edit for it', async () => {
    server.queue(calls([task('helper', 'x')]), calls([{ id: 'w', name: 'write', arguments: { path: 'a' } }]), text('No'), text('Done'))
    const write = tool('write')
    const { ask } = setupTeam(server, { leader: 'plan', agents: { helper: {} }, tools: [tool('read'), write] })
    await ask()
    expect(write.inputs).toEqual([])
    expect(server.requests[1] && toolNames(server.requests[1].body)).toEqual(['read'])
  })
})

describe('nesting', () => {
  const chief = { permission: { task: 'allow' } } as const

  test('a child may give nothing away by default, and the error names the setting', async () => {
    server.queue(calls([task('chief', 'x')]), calls([task('explore', 'y')]), text('Alone then'), text('Done'))
    const { ask, children } = setupTeam(server, { agents: { chief } })
    await ask()
    expect(taskStates(children.list[0]?.messages() ?? [])).toMatchObject([{ status: 'error', error: expect.stringMatching(/1 deep.*`subagent_depth`/) }])
    expect(children.list).toHaveLength(1)
  })

  test('goes as deep as the setting says', async () => {
    server.queue(calls([task('chief', 'x')]), calls([task('chief', 'y')]), calls([task('chief', 'z')]), text('bottom'), text('middle'), text('Done'))
    const { ask, children, store } = setupTeam(server, { agents: { chief }, subagentDepth: 2 })
    expect(textOf(await ask())).toBe('Done')
    expect(children.list.map(({ session: child }) => child.parentID)).toEqual([session.id, children.list[0]?.session.id])
    expect(taskStates(children.list[1]?.messages() ?? [])).toMatchObject([{ status: 'error', error: expect.stringContaining('`subagent_depth`') }])
    expect(store.session.usage.steps).toBe(6)
  })

  test('a child’s prompt does not lift rules by naming an agent', async () => {
    server.queue(calls([task('chief', 'ask @general')]), calls([task('general', 'y')]), text('No'), text('Done'))
    const { ask, children } = setupTeam(server, { agents: { chief: { permission: { task: { general: 'deny' } } } }, subagentDepth: 2 })
    await ask()
    expect(taskStates(children.list[0]?.messages() ?? [])).toMatchObject([{ status: 'error', error: expect.stringContaining('forbids `task` of `general`') }])
  })
})

describe('the model of a child', () => {
  const opened = (log: string[]) => (ref: { modelID: string }) => {
    log.push(ref.modelID)
    return Promise.resolve(server.model({ modelID: ref.modelID }))
  }
  const modelOf = (index: number) => server.requests[index]?.body.model

  test('is the parent’s', async () => {
    server.queue(calls([task('explore', 'x')]), text('There'), text('Done'))
    await setupTeam(server).ask()
    expect([modelOf(0), modelOf(1), modelOf(2)]).toEqual(['test-model', 'test-model', 'test-model'])
  })

  test('is its agent’s, where that has one', async () => {
    server.queue(calls([task('explore', 'x')]), text('There'), text('Done'))
    const log: string[] = []
    const { ask, children } = setupTeam(server, { agents: { explore: { model: 'test/small' } }, openModel: opened(log) })
    await ask()
    expect([modelOf(0), modelOf(1), modelOf(2)]).toEqual(['test-model', 'small', 'test-model'])
    expect(children.list[0]?.session.model).toEqual({ providerID: 'test', modelID: 'small' })
    expect(log).toEqual(['small'])
  })

  test('that cannot be opened fails the call and not the run', async () => {
    server.queue(calls([task('explore', 'x')]), text('Done'))
    const { ask, store } = setupTeam(server, { agents: { explore: { model: 'test/gone' } }, openModel: () => Promise.reject(new Error('no such model')) })
    expect(textOf(await ask())).toBe('Done')
    expect(taskStates(store.messages())).toMatchObject([{ status: 'error', error: expect.stringContaining('no such model') }])
  })
})

describe('what a child uses', () => {
  test('counts in the parent’s session, in steps, tokens and cost', async () => {
    server.queue(calls([task('explore', 'x')], 'tool_calls', usage(100, 10)), text('There', 'stop', usage(1_000, 20)), text('Done', 'stop', usage(200, 30)))
    const { ask, store, children } = setupTeam(server, { model: server.model({ price: { input: 1, output: 1 } }) })
    await ask()
    expect(children.list[0]?.session.usage).toMatchObject({ steps: 1, tokens: { input: 1_000, output: 20 }, cost: 1_020 / 1e6 })
    expect(store.session.usage).toMatchObject({ steps: 3, tokens: { input: 1_300, output: 60 } })
    expect(store.session.usage.cost).toBeCloseTo(1_360 / 1e6, 12)
  })

  test('is under the caps of the run: what it spent ends the parent’s work too', async () => {
    server.queue(calls([task('explore', 'x')]), calls([read('a')], 'tool_calls', usage(5_000, 10)), text('as far as I got'), text('Summed up'))
    const { ask, engine } = setupTeam(server, { caps: { maxTokens: 4_000 } })
    expect(textOf(await ask())).toBe('Summed up')
    expect(server.requests.map(({ body }) => body.tool_choice)).toEqual(['auto', 'auto', 'none', 'none'])
    expect(engine.account().ending).toMatchObject({ cap: 'tokens' })
  })

  test('is under the step limit of the run', async () => {
    server.otherwise(
      bySession({
        'please fix it': [calls([task('explore', 'go on and on')]), text('Summed up')],
        'go on': [calls([read('1', 'a')]), calls([read('2', 'b')]), text('as far as I got')],
      }),
    )
    const { ask } = setupTeam(server, { maxSteps: 4 })
    expect(textOf(await ask())).toBe('Summed up')
    expect(server.requests.map(({ body }) => [firstWords(body), body.tool_choice])).toEqual([
      ['please fix it', 'auto'],
      ['go on and on', 'auto'],
      ['go on and on', 'auto'],
      ['go on and on', 'none'],
      ['please fix it', 'none'],
    ])
  })
})

describe('stopping', () => {
  test('the parent stops its children, and the call keeps what it had shown', async () => {
    const stop = new AbortController()
    server.queue(
      calls([task('explore', 'x')]),
      whenAsked(() => stop.abort(), hang()),
    )
    const { ask, store, children } = setupTeam(server, { signal: stop.signal })
    const answer = await ask()
    expect(errorOf(answer)).toMatchObject({ name: 'MessageAbortedError' })
    const [child] = children.list
    expect(assistantsOf(child?.messages() ?? []).at(-1)?.error).toMatchObject({ name: 'MessageAbortedError' })
    expect(taskStates(store.messages())).toMatchObject([{ status: 'error', metadata: { interrupted: true, sessionId: child?.session.id } }])
    expect(server.requests).toHaveLength(2)
  })

  test('a cancelled session stops its children too, and can go on afterwards', async () => {
    const { ask, engine, store, children } = setupTeam(server)
    server.queue(
      calls([task('explore', 'x')]),
      whenAsked(() => void engine.cancel(), hang()),
      text('Here again'),
    )
    await ask()
    expect(assistantsOf(children.list[0]?.messages() ?? []).at(-1)?.error).toMatchObject({ name: 'MessageAbortedError' })
    expect(taskStates(store.messages())).toMatchObject([{ status: 'error', metadata: { interrupted: true } }])
    expect(textOf(await ask('go on'))).toBe('Here again')
    expect(server.refusals).toEqual([])
  })
})

describe('the prompt of a task', () => {
  test('has its `@` references resolved like a person’s', async () => {
    server.queue(calls([task('explore', 'compare @notes.md with the code')]), text('There'), text('Done'))
    const reader = tool('read', () => result('content of the notes'))
    const { ask, children } = setupTeam(server, {
      tools: [reader],
      look: (name) => (name === 'notes.md' ? { kind: 'file', path: '/repo/notes.md' } : undefined),
    })
    await ask()
    expect(server.requests[1]?.body.messages.at(-1)?.content).toMatch(/^compare @notes\.md with the code[\s\S]*content of the notes/)
    expect(children.list[0]?.messages()[0]?.parts.map(({ type }) => type)).toContain('file')
  })
})

describe('what listeners hear', () => {
  test('is the parent’s session and nothing of the child’s, so that its words are not taken for the answer', async () => {
    server.queue(calls([task('explore', 'x')]), text('words of the child'), text('Done'))
    const { ask, events, store } = setupTeam(server)
    await ask()
    const known = new Set(store.messages().map(({ info }) => info.id))
    expect(events.filter((event) => event.type === 'message' && !known.has(event.info.id))).toEqual([])
    expect(events.filter((event) => event.type === 'part' && !known.has(event.part.messageID))).toEqual([])
    expect(events.at(-1)).toEqual({ type: 'status', status: { type: 'idle' } })
    expect(events.filter((event) => event.type === 'status' && event.status.type === 'idle')).toHaveLength(1)
  })

  test('includes that a model keeps a child waiting', async () => {
    server.queue(calls([task('explore', 'x')]), http(503, { error: { message: 'overloaded' } }), text('There'), text('Done'))
    const { ask, events } = setupTeam(server)
    await ask()
    expect(events.filter((event) => event.type === 'status' && event.status.type === 'retry')).toHaveLength(1)
  })
})
