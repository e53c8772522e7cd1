import { afterEach, beforeEach, expect, test } from 'vitest'
import { noHooks } from '../../src/session/hooks.ts'
import { fromConfig } from '../../src/tool/permission.ts'
import { calls, type SseModel, sseModel, text } from '../support/sse-model.ts'
import { setup, textOf, tool, toolsOf } from './harness.ts'
import { toolNames } from './subtasks.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

/** A tool that needs its path allowed. */
const guarded = (id: string, permission = id) => ({
  ...tool(id),
  permission: (input: unknown) => [{ permission, patterns: [typeof input === 'object' && input !== null && 'path' in input ? String(input.path) : '*'] }],
})
const call = (name: string, path: string, id = `call_${path}`) => ({ id, name, arguments: { path } })

test('a call the agent’s rules deny is not carried out; the model reads why and goes on', async () => {
  server.queue(calls([call('read', 'src/a'), call('read', 'secret/b')]), text('Without b then'))
  const read = guarded('read')
  const permission = fromConfig({ '*': 'allow', read: { 'secret/*': 'deny' } })
  const { ask, store } = setup(server, { tools: [read], agent: { name: 'build', permission } })
  expect(textOf(await ask())).toBe('Without b then')
  expect(read.inputs).toEqual([{ path: 'src/a' }])
  expect(toolsOf(store.messages()).map(({ state }) => state.status)).toEqual(['completed', 'error'])
  expect(server.requests[1]?.body.messages.at(-1)?.content).toMatch(/^Not carried out: the rule `read: secret\/\*`.*forbids `read` of `secret\/b`/)
})

test('C55: a call that would have to be asked about is denied at once, and the run ends normally', async () => {
  server.queue(calls([call('bash', 'ls')]), text('I could not'))
  const bash = guarded('bash')
  const { ask } = setup(server, { tools: [bash], agent: { name: 'build', permission: fromConfig({ '*': 'allow', bash: 'ask' }) } })
  expect(textOf(await ask())).toBe('I could not')
  expect(bash.inputs).toEqual([])
  expect(server.requests[0] && toolNames(server.requests[0].body)).toEqual(['bash'])
  expect(server.requests[1]?.body.messages.at(-1)?.content).toMatch(/nobody can be asked/)
})

test('rules of the session win over those of the agent', async () => {
  server.queue(calls([call('read', 'a')]), text('Done'))
  const read = guarded('read')
  const { ask, store } = setup(server, { tools: [read, guarded('bash')], agent: { name: 'build', permission: fromConfig({ '*': 'deny', bash: 'allow' }) } })
  store.update({ permission: [...fromConfig({ read: 'allow', bash: 'deny' })] })
  await ask()
  expect(read.inputs).toEqual([{ path: 'a' }])
  expect(server.requests[0] && toolNames(server.requests[0].body)).toEqual(['read'])
})

test('tools that may do nothing are not offered, and calling them says what there is', async () => {
  server.queue(calls([call('write', 'a')]), text('Done'))
  const write = guarded('write', 'edit')
  const { ask } = setup(server, { tools: [guarded('read'), write], agent: { name: 'build', permission: fromConfig({ '*': 'allow', edit: 'deny' }) } })
  await ask()
  expect(write.inputs).toEqual([])
  expect(server.requests[0] && toolNames(server.requests[0].body)).toEqual(['read'])
  expect(server.requests[1]?.body.messages.at(-1)?.content).toMatch(/The tools are: read/)
})

test('what a plugin makes of the arguments is what is judged', async () => {
  server.queue(calls([call('read', 'a')]), text('Done'))
  const read = guarded('read')
  const { ask } = setup(server, {
    tools: [read],
    agent: { name: 'build', permission: fromConfig({ '*': 'allow', read: { 'secret/*': 'deny' } }) },
    hooks: {
      trigger(name, input, output) {
        if (name === 'tool.execute.before') Object.assign(output, { args: { path: 'secret/x' } })
        return noHooks.trigger(name, input, output)
      },
    },
  })
  await ask()
  expect(read.inputs).toEqual([])
})

test('a tool that does not know what it needs is judged by its name', async () => {
  server.queue(calls([call('github_search', 'a')]), text('Done'))
  const search = tool('github_search')
  const { ask } = setup(server, { tools: [search], agent: { name: 'build', permission: fromConfig({ '*': 'allow', 'github_*': 'ask' }) } })
  await ask()
  expect(search.inputs).toEqual([])
})

test('without rules everything is allowed', async () => {
  server.queue(calls([call('anything', 'a')]), text('Done'))
  const anything = guarded('anything')
  await setup(server, { tools: [anything] }).ask()
  expect(anything.inputs).toEqual([{ path: 'a' }])
})
