import { expect, test } from 'vitest'
import type { Comment } from '../../src/github/types.ts'
import { createRedactor } from '../../src/report/redact.ts'
import { beforeOf } from '../../src/run/account.ts'
import { newClaim, openCheckpoints, resumedMessages, type Standing } from '../../src/run/checkpoint.ts'
import { memoryStore } from '../../src/session/store.ts'
import { readClaim } from '../../src/thread/claim.ts'
import { stripHidden } from '../../src/thread/hidden.ts'
import { loadThread } from '../../src/thread/load.ts'
import { assistant, session, turn, user } from '../thread/turns.ts'

const viewer = 'opencode[bot]'
const secret = 'correct-horse-battery'
const clock = { now: () => 99, sleep: () => Promise.resolve() }

/** A run that has begun its second turn. */
function begun() {
  const record = session()
  const store = memoryStore(record, turn(1).messages)
  const claim = newClaim({ runId: '123', attempt: 2 }, 'comment:9')
  const write = openCheckpoints({ claim, seq: 2, redactor: createRedactor([secret]), before: beforeOf(turn(1).messages, record) })
  const body = (visible: string, standing: Standing) => write(8, visible, standing)
  const put = ({ info, parts }: ReturnType<typeof user>) => {
    store.putMessage(info)
    for (const part of parts) store.putPart(part)
  }
  return { store, body, put }
}

function load(body: string) {
  const comment: Comment = {
    id: 8,
    author: { login: viewer, isBot: true },
    body,
    createdAt: '2026-01-01T00:00:00Z',
    lastEditedAt: null,
    minimized: false,
    url: '',
  }
  return loadThread([comment], { viewer, mode: 'thread' })
}

test('before anything was said the working comment holds the claim alone', () => {
  const { body, store } = begun()
  const { body: text } = body('Working.', { store, taken: ['comment:9'], promised: ['comment:9', 'comment:10'] })
  expect(readClaim(text)).toMatchObject({ run: '123', attempt: 2, request: 'comment:9', taken: ['comment:10'] })
  expect(load(text).checkpoint).toBeUndefined()
})

test('a checkpoint holds what this run added and changed, and the edits, without secrets', () => {
  const { body, store, put } = begun()
  put(user('msg_2a', `the key is ${secret}`))
  put(user('msg_1a', 'question 1, compacted'))
  const work = { commit: 'abc', patch: `+key = "${secret}"` }
  const { body: text } = body('Working.', { store, taken: ['comment:9'], promised: ['comment:9'], work })
  const { checkpoint } = load(text)
  expect(checkpoint?.turn.messages.map(({ info }) => info.id)).toEqual(['msg_1a', 'msg_2a'])
  expect(checkpoint?.turn).toMatchObject({ taken: ['comment:9'], work: { commit: 'abc' } })
  expect(JSON.stringify(checkpoint)).not.toContain(secret)
})

test('a run that ends without an answer says why, keeps what it did, and claims nothing any more', () => {
  const { body, store, put } = begun()
  put(user('msg_2a', 'go'))
  const { body: text } = body('The model is down.', { store, taken: ['comment:9'], promised: ['comment:9'], ended: true })
  expect(stripHidden(text)).toBe('The model is down.')
  expect(readClaim(text)?.ended).toBe(true)
  expect(load(text).checkpoint?.messages).toHaveLength(1)
})

test('what was half-made when the run died is complete in the next one: the call is marked as cut off, the answer as stopped', () => {
  const { body, store, put } = begun()
  put(user('msg_2a', 'go'))
  const call = {
    id: 'prt_c',
    messageID: 'msg_2b',
    type: 'tool' as const,
    callID: 'c',
    tool: 'bash',
    state: { status: 'running' as const, input: {}, time: { start: 5 } },
  }
  const { info, parts } = assistant('msg_2b', 'msg_2a', 'I look', [call])
  if (info.role === 'user') throw new Error('an answer is no question')
  put({ info: { ...info, finish: undefined, time: { created: 1 } }, parts })
  const { checkpoint } = load(body('Working.', { store, taken: [], promised: [] }).body)
  if (!checkpoint) throw new Error('there is a checkpoint')
  const answer = resumedMessages(checkpoint, clock).at(-1)
  expect(answer?.info).toMatchObject({ id: 'msg_2b', time: { completed: 99 }, error: { name: 'MessageAbortedError' } })
  expect(answer?.parts[0]).toMatchObject({ state: { status: 'error', metadata: { interrupted: true } } })
  expect(resumedMessages(checkpoint, clock).slice(0, -1)).toEqual(checkpoint.messages.slice(0, -1))
})
