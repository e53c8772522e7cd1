import { afterEach, beforeEach, expect, test } from 'vitest'
import { calls, type SseModel, sseModel, text } from '../support/sse-model.ts'
import { setup, textOf } from './harness.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const agents = [{ name: 'build' }, { name: 'plan' }, { name: 'review' }]
const say = (words: string) => [{ type: 'text', text: words }] as const
const usersOf = (index: number) => server.requests[index]?.body.messages.filter(({ role }) => role === 'user').map(({ content }) => String(content)) ?? []

test('in plan mode every request ends the newest message with the reminder, and nothing of it is stored', async () => {
  server.queue(calls([{ name: 'read', arguments: { path: 'a' } }]), text('The plan'))
  const { engine, store } = setup(server, { agents })
  await engine.prompt({ parts: say('plan it'), agent: 'plan' })
  for (const index of [0, 1]) expect(usersOf(index)).toEqual([expect.stringMatching(/^plan it\n\n<system-reminder>[\s\S]*plan mode/)])
  expect(store.messages().map(textOf).join()).not.toContain('<system-reminder>')
})

test('after plan mode the agent build is told that it is over, on its newest message only', async () => {
  server.otherwise(text('Fine'))
  const { engine } = setup(server, { agents })
  await engine.prompt({ parts: say('plan it'), agent: 'plan' })
  await engine.prompt({ parts: say('do it'), agent: 'build' })
  expect(usersOf(1)).toEqual(['plan it', expect.stringMatching(/^do it\n\n<system-reminder>[\s\S]*Plan mode is over/)])
  await engine.prompt({ parts: say('review it'), agent: 'review' })
  expect(usersOf(2)).toEqual(['plan it', 'do it', 'review it'])
})

test('without plan mode nobody is reminded of it', async () => {
  server.otherwise(text('Fine'))
  const { engine } = setup(server, { agents })
  await engine.prompt({ parts: say('do it') })
  await engine.prompt({ parts: say('and that') })
  expect(usersOf(1)).toEqual(['do it', 'and that'])
})
