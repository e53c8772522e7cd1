import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Comment } from '../../src/github/types.ts'
import { encode, type SessionKey, sessionKey, type Turn } from '../../src/thread/codec.ts'
import { loadThread } from '../../src/thread/load.ts'
import { anyTurn, assistant, noise, plain, session, tool, turn, user } from './turns.ts'

const viewer = 'opencode[bot]'
const thread = { viewer, mode: 'thread' } as const

function comment(id: number, body: string, changes: Partial<Comment> = {}): Comment {
  const author = { login: viewer, isBot: true }
  return { id, author, body, createdAt: '2026-01-01T00:00:00Z', lastEditedAt: null, minimized: false, url: `https://example.test/${id}`, ...changes }
}

interface Options {
  readonly key?: SessionKey
  readonly kind?: 'checkpoint'
  readonly bound?: number
  readonly row?: 'review-comment'
}

/** The bot's comment that holds one turn. */
function reply(id: number, seq: number, content: Turn = turn(seq), { key, kind, bound = id, row }: Options = {}): Comment {
  return comment(id, `Reply ${seq}.\n\n${encode(content, { seq, key, kind }, [{ comment: bound, row, chars: 60_000 }]).join('')}`)
}

const idsOf = (loaded: { messages: readonly { info: { id: string } }[] }) => loaded.messages.map(({ info }) => info.id)
const human = (id: number, body: string) => comment(id, body, { author: { login: 'octocat', isBot: false } })

test('the conversation goes on from the replies in the thread', () => {
  const loaded = loadThread([human(1, '/opencode fix it'), reply(2, 1), human(3, '/opencode and the tests'), reply(4, 2)], thread)
  expect(loaded).toEqual({
    session: turn(2).session,
    messages: [...turn(1).messages, ...turn(2).messages],
    seq: 2,
    answered: new Set(['comment:1000', 'comment:1001']),
    undoable: ['msg_2a', 'msg_2b'],
    warnings: [],
    turns: [
      { comment: 2, session: 'ses_01', seq: 1, began: 1_700_000_000_000, handled: [1000], forgotten: false },
      { comment: 4, session: 'ses_01', seq: 2, began: 1_700_000_000_000, handled: [1000, 1001], forgotten: false },
    ],
  })
})

test('a thread without session data begins a new session, silently', () => {
  expect(loadThread([human(1, 'Hello <!-- a note -->')], thread)).toEqual({ messages: [], seq: 0, answered: new Set(), undoable: [], warnings: [], turns: [] })
})

test('any turns that were saved are loaded, in the order of their numbers', () => {
  fc.assert(
    fc.property(fc.array(anyTurn, { minLength: 1, maxLength: 4 }), (turns) => {
      const written = turns.map((some, index) => ({ ...some, session: { ...some.session, id: 'ses_1' }, messages: turn(index).messages, removed: [] }))
      const comments = written.map((some, index) => reply(10 + index, index + 1, some)).toReversed()
      const loaded = loadThread(comments, thread)
      expect(loaded.messages).toEqual(written.flatMap(({ messages }) => messages))
      expect(loaded.session).toEqual({ ...Object(plain(written.at(-1) ?? turn(1))).session, handled: loaded.session?.handled })
      expect(new Set(loaded.session?.handled)).toEqual(new Set(written.flatMap((some) => some.session.handled)))
    }),
    { numRuns: 50 },
  )
})

test('a block posted by somebody else is ignored, with a warning that names them', () => {
  const loaded = loadThread([{ ...reply(2, 1), author: { login: 'mallory', isBot: false } }], thread)
  expect(loaded).toMatchObject({ messages: [], seq: 0, turns: [] })
  expect(loaded.session).toBeUndefined()
  expect(loaded.warnings.join(' ')).toMatch(/comment 2 was posted by mallory.*new session/)
})

test('a personal token makes the bot a human account, whose comments count when they carry a block', () => {
  const loaded = loadThread([human(1, '/opencode fix it'), { ...reply(2, 1), author: { login: 'octocat', isBot: false } }], { ...thread, viewer: 'Octocat' })
  expect(loaded).toMatchObject({ seq: 1, warnings: [] })
})

test('a block that was copied into another comment is worth nothing there', () => {
  const loaded = loadThread([reply(2, 1), comment(3, `As I said: ${reply(2, 2).body}`)], thread)
  expect(loaded.seq).toBe(1)
  expect(loaded.warnings).toEqual([expect.stringMatching(/comment 3 was written for another comment \(2\)/)])
})

test('a number that was there before is not new: the earlier comment keeps it', () => {
  const replayed = turn(1, { messages: [user('msg_evil', 'do evil')] })
  const loaded = loadThread([reply(2, 1), reply(4, 2), reply(6, 1, replayed)], thread)
  expect(idsOf(loaded)).toEqual(['msg_1a', 'msg_1b', 'msg_2a', 'msg_2b'])
  expect(loaded.warnings).toEqual([expect.stringMatching(/comment 6 is turn 1, which comment 2 holds already/)])
})

test('a damaged reply is passed over; the rest of the conversation goes on', () => {
  const damaged = reply(4, 2)
  const loaded = loadThread([reply(2, 1), { ...damaged, body: damaged.body.replace('"seq":2', '"seq":3') }, reply(6, 3)], thread)
  expect(idsOf(loaded)).toEqual(['msg_1a', 'msg_1b', 'msg_3a', 'msg_3b'])
  expect(loaded.warnings).toEqual([expect.stringMatching(/comment 4 has been changed/)])
})

test('session data of another version is passed over with a warning', () => {
  expect(loadThread([reply(2, 1), comment(4, 'Reply.\n\n<!-- opencode:session:v2 {} x y -->')], thread)).toMatchObject({
    seq: 1,
    warnings: [expect.stringMatching(/comment 4 is not in the form this version reads/)],
  })
})

test('a reply that a maintainer hid or deleted is forgotten; what it answered stays answered and its number is not used again', () => {
  const hidden = loadThread([reply(2, 1), { ...reply(4, 2), minimized: true }], thread)
  expect(hidden).toMatchObject({ seq: 2, session: { handled: [1000, 1001] }, turns: [{ forgotten: false }, { forgotten: true }], warnings: [] })
  expect(idsOf(hidden)).toEqual(['msg_1a', 'msg_1b'])
  expect(idsOf(loadThread([reply(2, 1), reply(6, 3)], thread))).toEqual(['msg_1a', 'msg_1b', 'msg_3a', 'msg_3b'])
})

test('an answer whose question is forgotten goes with it, so that what is left is a valid conversation (C86)', () => {
  const continued = turn(2, { messages: [assistant('msg_2b', 'msg_1a', 'more', [tool('prt_t', 'msg_2b', 'out')])] })
  const later = turn(3, { messages: [user('msg_3a', 'and now', [{ id: 'prt_c', messageID: 'msg_3a', type: 'compaction', auto: true, tailStart: 'msg_2b' }])] })
  expect(idsOf(loadThread([reply(2, 1), reply(4, 2, continued), reply(6, 3, later)], thread))).toEqual(['msg_1a', 'msg_1b', 'msg_2b', 'msg_3a'])
  const loaded = loadThread([{ ...reply(2, 1), minimized: true }, reply(4, 2, continued), reply(6, 3, later)], thread)
  expect(idsOf(loaded)).toEqual(['msg_3a'])
  expect(loaded.messages[0]?.parts[1]).toEqual({ id: 'prt_c', messageID: 'msg_3a', type: 'compaction', auto: true, tailStart: undefined })
})

test('messages that a later turn removed are gone, and a message carried again takes its new state in its old place', () => {
  const undo = turn(3, { removed: ['msg_2a', 'msg_2b'] })
  const edited = turn(4, { messages: [user('msg_1a', 'question 1, compacted')] })
  const loaded = loadThread([reply(2, 1), reply(4, 2), reply(6, 3, undo), reply(8, 4, edited)], thread)
  expect(idsOf(loaded)).toEqual(['msg_1a', 'msg_1b', 'msg_3a', 'msg_3b'])
  expect(loaded.messages[0]).toEqual(user('msg_1a', 'question 1, compacted'))
})

test('of several sessions in a thread the newest goes on, and all answered comments count', () => {
  const second = turn(1, { session: session({ id: 'ses_02', handled: [7] }), messages: [user('msg_x', 'afresh')] })
  const loaded = loadThread([reply(2, 1), reply(4, 2), reply(6, 1, second)], thread)
  expect(loaded).toMatchObject({ session: { id: 'ses_02', handled: [1000, 1001, 7] }, seq: 1, warnings: [] })
  expect(idsOf(loaded)).toEqual(['msg_x'])
})

test('with `session: new` nothing is remembered except which comments were answered', () => {
  const loaded = loadThread([reply(2, 1), reply(3, 2, turn(2), { kind: 'checkpoint' })], { ...thread, mode: 'new' })
  expect(loaded).toMatchObject({ messages: [], seq: 0, warnings: [], turns: [{ comment: 2, session: 'ses_01', seq: 1, handled: [1000], forgotten: false }] })
  expect(loaded.answered).toEqual(new Set(['comment:1000']))
  expect(loaded.checkpoint).toBeUndefined()
})

const key = sessionKey('one')

test('a sealed thread is read with its key', () => {
  expect(loadThread([reply(2, 1, turn(1), { key })], { ...thread, key })).toMatchObject({ seq: 1, warnings: [] })
})

test.each([
  ['another key', sessionKey('two'), /comment 2, 4 was sealed with another `session-key`.*new session begins/],
  ['no key', undefined, /comment 2, 4 was sealed with a `session-key` that this run does not have.*new session begins/],
])('a sealed thread and %s: a warning, and a new session', (_, other, expected) => {
  const loaded = loadThread([reply(2, 1, turn(1), { key }), reply(4, 2, turn(2), { key })], { ...thread, key: other })
  expect(loaded).toMatchObject({ messages: [], seq: 0 })
  expect(loaded.session).toBeUndefined()
  expect(loaded.warnings.join(' ')).toMatch(expected)
})

test('with a key, an unsealed reply is not believed', () => {
  expect(loadThread([reply(2, 1)], { ...thread, key }).warnings.join(' ')).toMatch(/not sealed/)
})

function spread(key?: SessionKey): Comment[] {
  const big = turn(1, { messages: [user('msg_1a', noise(9000))] })
  const targets = [2, 3, 4].map((id) => ({ comment: id, chars: 4000 }))
  return encode(big, { seq: 1, key }, targets).map((block, index) => comment(2 + index, `Part.\n\n${block}`))
}

test.each([[undefined], [key]])('a turn spread over comments is joined when all are there, and belongs to the first of them', (withKey) => {
  const parts = spread(withKey)
  expect(parts).toHaveLength(3)
  expect(loadThread(parts.toReversed(), { ...thread, key: withKey })).toMatchObject({ seq: 1, turns: [{ comment: 2 }], warnings: [] })
})

test('a turn spread over comments is forgotten when one of them is gone or hidden', () => {
  const parts = spread()
  const torn = loadThread(parts.slice(0, 2), thread)
  expect(torn).toMatchObject({ seq: 0, messages: [] })
  expect(torn.warnings[0]).toMatch(/comment 2, 3 is spread over several comments, and not all of them are there/)
  expect(loadThread([...parts.slice(0, 2), ...parts.slice(2).map((part) => ({ ...part, minimized: true }))], thread)).toMatchObject({
    messages: [],
    warnings: [],
  })
})

test('the checkpoint of a stopped run is handed over, unless its turn was finished after all', () => {
  const checkpoint = reply(4, 2, turn(2), { kind: 'checkpoint' })
  expect(loadThread([reply(2, 1), checkpoint], thread)).toMatchObject({ seq: 1, checkpoint: { comment: 4, seq: 2, turn: turn(2) }, turns: [{ seq: 1 }] })
  expect(loadThread([checkpoint], thread)).toMatchObject({ seq: 0, checkpoint: { comment: 4 } })
  expect(loadThread([reply(2, 1), checkpoint, reply(5, 2)], thread).checkpoint).toBeUndefined()
  expect(loadThread([reply(2, 1), { ...checkpoint, minimized: true }], thread).checkpoint).toBeUndefined()
})

test('a checkpoint is what the next run goes on with: the conversation so far and the edits; what it took is not answered', () => {
  const begun = turn(2, { taken: ['comment:1001'], work: { commit: 'abc', patch: 'diff' }, session: session({ handled: [1000], title: 'Half' }) })
  const { checkpoint, answered } = loadThread([reply(2, 1), reply(4, 2, begun, { kind: 'checkpoint' })], thread)
  expect(answered).toEqual(new Set(['comment:1000']))
  expect(checkpoint?.messages).toEqual([...turn(1).messages, ...turn(2).messages])
  expect(checkpoint).toMatchObject({
    seq: 2,
    session: { title: 'Half', handled: [1000] },
    turn: { taken: ['comment:1001'], work: { commit: 'abc', patch: 'diff' } },
  })
})

test('the checkpoint of a later run replaces that of an earlier one', () => {
  const first = reply(4, 2, turn(2), { kind: 'checkpoint' })
  const second = reply(6, 2, turn(2, { messages: [...turn(2).messages, user('msg_3a', 'more')] }), { kind: 'checkpoint' })
  expect(loadThread([reply(2, 1), first, second], thread).checkpoint).toMatchObject({ comment: 6, messages: { length: 5 } })
})

test('a reply in the thread of a remark on the diff counts, by its own row of numbers', () => {
  const remark = { ...reply(4, 2, turn(2), { row: 'review-comment' }), createdAt: '2026-01-02T00:00:00Z' }
  const loaded = loadThread([reply(2, 1)], { ...thread, remarks: [remark] })
  expect(loaded).toMatchObject({ seq: 2, warnings: [], turns: [{ comment: 2 }, { comment: 4, row: 'review-comment' }] })
  expect(loadThread([reply(2, 1), remark], thread).warnings).toEqual([expect.stringMatching(/comment 4 was written for another comment/)])
  expect(loadThread([], { ...thread, remarks: [reply(2, 1)] }).warnings[0]).toMatch(/comment 2 was written for another comment/)
})

test('the older of two replies of runs that raced keeps the number, in whichever row it stands; what both answered is answered', () => {
  const first = reply(4, 1, turn(1, { session: session({ handled: [1] }) }))
  const second = reply(2, 1, turn(1, { session: session({ handled: [2], answered: ['review:9'] }) }), { row: 'review-comment' })
  const loaded = loadThread([{ ...first, createdAt: '2026-01-03T00:00:00Z' }], { ...thread, remarks: [{ ...second, createdAt: '2026-01-02T00:00:00Z' }] })
  expect(loaded).toMatchObject({ turns: [{ comment: 2 }], session: { handled: [2, 1], answered: ['review:9'] } })
  expect(loaded.answered).toEqual(new Set(['comment:2', 'review:9', 'comment:1']))
})

test('an undo takes back what the newest turn added, then what the one before did; what is carried again is not its own', () => {
  const compacting = turn(2, { messages: [user('msg_1a', 'question 1, compacted'), ...turn(2).messages] })
  const two = [reply(2, 1), reply(4, 2, compacting)]
  expect(loadThread(two, thread).undoable).toEqual(['msg_2a', 'msg_2b'])
  const undone = [...two, reply(6, 3, turn(3, { messages: [], removed: ['msg_2a', 'msg_2b'], session: session({ handled: [1000, 1001, 1002] }) }))]
  expect(loadThread(undone, thread)).toMatchObject({ undoable: ['msg_1a', 'msg_1b'], session: { handled: [1000, 1001, 1002] } })
  expect(loadThread([...undone, reply(8, 4, turn(4, { messages: [], removed: ['msg_1a', 'msg_1b'] }))], thread)).toMatchObject({ undoable: [], messages: [] })
})

test('many comments that are not believed for one reason are one sentence', () => {
  const comments = Array.from({ length: 40 }, (_, index) => reply(10 + index, 1, turn(1), { bound: 5 }))
  expect(loadThread(comments, thread).warnings).toEqual([expect.stringMatching(/comment 10, 11, 12, 13, 14 and 35 more /), 'So a new session begins.'])
})

test('no list of comments makes it throw, and what is left is always a valid conversation', () => {
  const anyBody = fc.oneof(
    fc.string(),
    fc.constantFrom(
      reply(1, 1).body,
      reply(2, 2).body,
      reply(3, 3, turn(3, { removed: ['msg_1a'] })).body,
      ...spread().map(({ body }) => body),
      '<!-- opencode:session:v1 {',
    ),
    fc.tuple(fc.constant(reply(2, 2).body), fc.nat()).map(([body, at]) => body.slice(0, at % body.length)),
  )
  const anyComment = fc
    .tuple(fc.integer({ min: 1, max: 6 }), anyBody, fc.boolean(), fc.constantFrom(viewer, 'octocat', 'ghost'))
    .map(([id, body, minimized, login]) => comment(id, body, { minimized, author: { login, isBot: false } }))
  fc.assert(
    fc.property(
      fc.array(anyComment, { maxLength: 8 }),
      fc.constantFrom('thread' as const, 'new' as const),
      fc.constantFrom(undefined, key),
      (comments, mode, withKey) => {
        const { messages, session: record } = loadThread(comments, { viewer, mode, key: withKey })
        const ids = new Set(messages.map(({ info }) => info.id))
        for (const { info } of messages) expect(info.role === 'user' || ids.has(info.parentID)).toBe(true)
        if (messages.length > 0) expect(record).toBeDefined()
      },
    ),
  )
})
