import { afterEach, beforeEach, expect, test } from 'vitest'
import { compactedHistory } from '../../src/session/compacted-history.ts'
import type { WithParts } from '../../src/session/message.ts'
import { encode, type Turn } from '../../src/thread/codec.ts'
import { loadThread } from '../../src/thread/load.ts'
import { answered, asked, called, contents, full, stepsOf, summarising } from '../session/compacting.ts'
import { setup } from '../session/harness.ts'
import { http, type SseModel, sseModel, text } from '../support/sse-model.ts'
import { plain, session } from './turns.ts'

let server: SseModel
beforeEach(async () => {
  server = await sseModel()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

/** The messages of a thread in which each run left one reply with the messages it added. */
function restored(turns: readonly (readonly WithParts[])[]): readonly WithParts[] {
  const comments = turns.map((messages, index) => {
    const turn = { session: session(), messages: [...messages], lossy: false } satisfies Turn
    const body = encode(turn, { seq: index + 1, key: undefined, kind: undefined }, [{ comment: index + 1, chars: 60_000 }]).join('')
    const author = { login: 'bot', isBot: true }
    return { id: index + 1, author, body, createdAt: '2026-01-01T00:00:00Z', lastEditedAt: null, minimized: false, url: 'https://example.test/1' }
  })
  return loadThread(comments, { viewer: 'bot', mode: 'thread' }).messages
}

const first = [
  asked('msg_1', 'FIRST'),
  answered('msg_2', 'msg_1', [called('x'.repeat(70_000))], { finish: 'tool-calls' }),
  answered('msg_3', 'msg_1', ['ANSWER ONE'], full),
]
const asJson = (messages: readonly WithParts[]): unknown => plain({ session: session(), messages: [...messages], lossy: false })

test('a session that was compacted goes on from its thread with the same history', async () => {
  server.otherwise(summarising(text('Done')))
  const { ask, store } = setup(server, { history: first })
  await ask('SECOND')
  const thread = restored([first, store.messages().slice(first.length)])
  expect(asJson(compactedHistory(thread))).toEqual(asJson(compactedHistory(store.messages())))
  expect(compactedHistory(thread).map(({ info }) => info.id)).toContain('msg_3')
  expect(compactedHistory(thread).map(({ info }) => info.id)).not.toContain('msg_2')

  await setup(server, { history: thread }).ask('THIRD')
  const sent = contents(stepsOf(server).at(-1)?.body ?? { messages: [] })
  expect(sent.slice(2, 5)).toEqual(['assistant: SUMMARY 1', 'assistant: ANSWER ONE', 'user: SECOND'])
  expect(sent.at(-1)).toBe('user: THIRD')
})

test('a compaction that failed in one run and worked in the next leaves nothing out', async () => {
  server.queue(http(400, { error: { message: 'no' } }))
  const run = setup(server, { history: first })
  await run.ask('SECOND')
  const second = run.store.messages().slice(first.length)

  server.otherwise(summarising(text('Done')))
  const next = setup(server, { history: restored([first, second]) })
  await next.engine.loop()
  const third = next.store.messages().slice(first.length + second.length)
  const history = compactedHistory(restored([first, second, third]))
  expect(asJson(history)).toEqual(asJson(compactedHistory(next.store.messages())))
  const words = history.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
  expect(words).toEqual(expect.arrayContaining(['SUMMARY 1', 'ANSWER ONE', 'SECOND', 'Done']))
})
