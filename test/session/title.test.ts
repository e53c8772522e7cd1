import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { cleanTitle } from '../../src/session/title.ts'
import { delta, hang, http, type Recorded, type Reply, type SseModel, sseModel, text, usage } from '../support/sse-model.ts'
import { type Setup, type session, setup as setupEngine, textOf } from './harness.ts'
import { steppedClock } from './stepped-clock.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const isTitle = ({ body }: Recorded) => JSON.stringify(body.messages.at(-1)).includes('<request>')
const titleRequests = () => server.requests.filter(isTitle)

/** Answers title requests by turns, the last one again and again, and everything else with "Done". */
function script(...titles: Reply[]) {
  let asked = 0
  server.otherwise((response: ServerResponse, request: Recorded) => {
    const reply = isTitle(request) ? titles[Math.min(asked++, titles.length - 1)] : text('Done')
    return (reply ?? text('Done'))(response, request)
  })
}

/** An engine that names its session, which has no title yet. */
function setup(options: Setup = {}, change: Partial<typeof session> = { title: '' }) {
  const clock = steppedClock()
  const made = setupEngine(server, { title: true, clock, ...options })
  made.store.update(change)
  return { ...made, clock }
}

describe('a title', () => {
  test('is asked for beside the first step, without tools, and kept in the session', async () => {
    script(text('Fix the date parser'))
    const { ask, engine, store } = setup()
    expect(textOf(await ask('please fix the date parser'))).toBe('Done')
    expect(await engine.title()).toBe('Fix the date parser')
    expect(store.session.title).toBe('Fix the date parser')
    expect(titleRequests()).toHaveLength(1)
    expect(titleRequests()[0]?.body.tools).toBeUndefined()
    expect(JSON.stringify(titleRequests()[0]?.body.messages)).toContain('please fix the date parser')
    expect(store.messages()).toHaveLength(2)
  })

  test('does not hold the answer up', async () => {
    const gate = Promise.withResolvers<void>()
    script(async (response, request) => {
      await gate.promise
      await text('Late title')(response, request)
    })
    const { ask, engine } = setup()
    expect(textOf(await ask())).toBe('Done')
    gate.resolve()
    expect(await engine.title()).toBe('Late title')
  })

  test('is not asked for unless it was wished for', async () => {
    script(text('Unwanted'))
    const { ask, engine } = setup({ title: false })
    await ask('fix the parser\nand more')
    expect(await engine.title()).toBe('fix the parser')
    expect(server.requests).toHaveLength(1)
  })

  test('is asked for where the title is only a placeholder', async () => {
    script(text('A name'))
    const { ask, engine } = setup({}, { title: 'New session - 2026-09-15T12:00:00Z' })
    await ask()
    expect(await engine.title()).toBe('A name')
  })

  test.each([
    ['that has a title', { title: 'Its own name' }, 'Its own name'],
    ['of a subtask', { title: '', parentID: 'ses_parent' }, 'please fix it'],
  ])('is not asked for in a session %s', async (_, change, title) => {
    script(text('Another'))
    const { ask, engine } = setup({}, change)
    await ask()
    expect(await engine.title()).toBe(title)
    expect(titleRequests()).toHaveLength(0)
  })

  test('is asked for with the first message of a person only, and only once', async () => {
    script(text(''))
    const { ask, engine } = setup()
    await ask('one')
    await engine.title()
    await ask('two')
    expect(await engine.title()).toBe('one')
    expect(titleRequests()).toHaveLength(1)
  })

  test('does not count messages by the harness', async () => {
    script(text('A name'))
    const { ask, engine } = setup()
    await engine.prompt({ parts: [{ type: 'text', text: 'context', synthetic: true }], noReply: true })
    await ask('the request')
    expect(await engine.title()).toBe('A name')
    expect(JSON.stringify(titleRequests()[0]?.body.messages)).not.toContain('context')
  })

  test('comes from the small model and the title agent where there are any', async () => {
    script(text('A name'))
    const { ask, engine } = setup({
      smallModel: async () => server.model({ modelID: 'small' }),
      agents: [{ name: 'build' }, { name: 'title', hidden: true, prompt: 'Name it in Latin.', temperature: 0.5 }],
    })
    await ask()
    await engine.title()
    expect(titleRequests()[0]?.body).toMatchObject({ model: 'small', temperature: 0.5, messages: [{ role: 'system', content: 'Name it in Latin.' }, {}] })
  })

  test('counts in the session’s usage, but not as a step', async () => {
    script(text('A name', 'stop', usage(100, 7)))
    const { ask, engine, store } = setup()
    await ask()
    await engine.title()
    expect(store.session.usage).toMatchObject({ steps: 1, tokens: { input: 110, output: 12 } })
  })
})

describe('when asking for it goes wrong', () => {
  test('it is tried again twice, and then the first line of the request is the title', async () => {
    script(http(500, { error: { message: 'broken' } }))
    const { ask, engine, events, store, clock } = setup()
    expect(textOf(await ask('\n  Fix the "parser"  \nIt fails.'))).toBe('Done')
    for (const wait of [2000, 4000]) {
      await vi.waitUntil(() => clock.sleepers === 1)
      await clock.move(wait)
    }
    expect(await engine.title()).toBe('Fix the "parser')
    expect(titleRequests()).toHaveLength(3)
    expect(events.filter(({ type }) => type === 'error')).toEqual([])
    expect(store.session.title).toBe('')
  })

  test('a failure that will not pass is not tried again', async () => {
    script(http(401, { error: { message: 'bad key' } }))
    const { ask, engine } = setup()
    await ask('fix it')
    expect(await engine.title()).toBe('fix it')
    expect(titleRequests()).toHaveLength(1)
  })

  test('a small model that can’t be opened is no reason to fail', async () => {
    script()
    const { ask, engine } = setup({ smallModel: () => Promise.reject(new Error('no such model')) })
    expect(textOf(await ask('fix it'))).toBe('Done')
    expect(await engine.title()).toBe('fix it')
  })

  test.each([
    ['a model that never answers', hang()],
    ['a model that stops in the middle of its answer', hang(delta({ content: 'Half a ti' }))],
    ['a long wait before the next try', http(429, { error: { message: 'busy' } }, { 'retry-after': '100' })],
  ])('%s holds nothing up that waits for the title', async (_, reply) => {
    script(reply)
    const { ask, engine, clock } = setup()
    await ask('fix it')
    const title = engine.title()
    await vi.waitUntil(() => titleRequests().length === 1 && clock.sleepers > 0)
    await clock.move(10_000)
    expect(await title).toBe('fix it')
    expect(clock.sleepers).toBe(0)
    expect(titleRequests()).toHaveLength(1)
  })

  test('it passes after a retry', async () => {
    script(http(503, { error: { message: 'busy' } }), text('Second try'))
    const { ask, engine, clock } = setup()
    await ask()
    await vi.waitUntil(() => clock.sleepers === 1)
    await clock.move(2000)
    expect(await engine.title()).toBe('Second try')
  })
})

describe('what a model answers', () => {
  test.each([
    ['Fix the parser', 'Fix the parser'],
    ['<think>What is it?\nHm.</think>\n\nFix the parser\nmore', 'Fix the parser'],
    ['Hm, let me see.</think>Fix the parser', 'Fix the parser'],
    ['<think>never ends', ''],
    ['\n \n"Fix the parser"\n', 'Fix the parser'],
    ['```\nFix the parser\n```', 'Fix the parser'],
    ['**Fix the parser**', 'Fix the parser'],
    ['# Fix the parser', 'Fix the parser'],
    ['“Fix the parser”', 'Fix the parser'],
    ['', ''],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['x'.repeat(101), `${'x'.repeat(97)}...`],
    [`${'x'.repeat(96)}😀${'x'.repeat(10)}`, `${'x'.repeat(96)}...`],
  ])('%j becomes %j', (answered, title) => {
    expect(cleanTitle(answered)).toBe(title)
  })
})
