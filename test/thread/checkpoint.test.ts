import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Comment } from '../../src/github/types.ts'
import { limits } from '../../src/limits.ts'
import { checkpointBody, closedBody } from '../../src/thread/checkpoint.ts'
import { type Claim, readClaim } from '../../src/thread/claim.ts'
import { encode, sessionKey } from '../../src/thread/codec.ts'
import { stripHidden } from '../../src/thread/hidden.ts'
import { loadThread } from '../../src/thread/load.ts'
import { assistant, noise, session, tool, turn, user } from './turns.ts'

const viewer = 'opencode[bot]'
const claim: Claim = { run: '123', attempt: 1, id: 'nonce', request: 'comment:456' }
const base = { comment: 8, visible: '**Working** on it.', claim, seq: 2 }

function comment(id: number, body: string): Comment {
  return { id, author: { login: viewer, isBot: true }, body, createdAt: '2026-01-01T00:00:00Z', lastEditedAt: null, minimized: false, url: '' }
}
const finished = comment(2, `One.\n\n${encode(turn(1), { seq: 1 }, [{ comment: 2, chars: 60_000 }]).join('')}`)
const load = (body: string, key?: Parameters<typeof checkpointBody>[0]['key']) => loadThread([finished, comment(8, body)], { viewer, mode: 'thread', key })

/** A turn with much that can be left out, and edits that don't compress. */
const heavy = (outputs: number, patch: number) => {
  const parts = Array.from({ length: outputs }, (_, index) => tool(`prt_${index}`, 'msg_b', noise(5000, index + 1)))
  return turn(2, { messages: [user('msg_a', 'question'), assistant('msg_b', 'msg_a', 'answer', parts)], work: { commit: 'abc', patch: noise(patch) } })
}

test('the comment of a run at work shows its text, and holds its claim and what it has done so far', () => {
  const work = { commit: 'abc', patch: 'diff --git a/a b/a\n' }
  const { body, kept, left } = checkpointBody({ ...base, turn: turn(2, { taken: ['comment:456'], work }) })
  expect({ kept, left }).toEqual({ kept: true, left: [] })
  expect(stripHidden(body)).toBe('**Working** on it.')
  expect(readClaim(body)).toEqual(claim)
  expect(load(body).checkpoint).toMatchObject({ comment: 8, seq: 2, messages: { length: 4 }, turn: { taken: ['comment:456'], work } })
})

test('before there are messages it is the claim alone, and afterwards a failure keeps what was done without a claim to be at work', () => {
  expect(load(checkpointBody(base).body)).toMatchObject({ seq: 1, warnings: [] })
  const { body } = checkpointBody({ ...base, visible: 'The model is down.', claim: { ...claim, ended: true }, turn: turn(2) })
  expect(readClaim(body)?.ended).toBe(true)
  expect(load(body).checkpoint?.messages).toHaveLength(4)
})

test('the comment of a killed run tells of its end and keeps what was done, also when it was full; an answer is left alone', () => {
  for (const full of [turn(2), heavy(40, 30_000)]) {
    const closed = closedBody(checkpointBody({ ...base, turn: full }).body, `The job ended. ${'x'.repeat(1_500)}`) ?? ''
    expect(stripHidden(closed)).toMatch(/^The job ended\. x+$/)
    expect(readClaim(closed)).toEqual({ ...claim, ended: true })
    expect(Buffer.byteLength(closed)).toBeLessThanOrEqual(limits.commentChars)
    expect(load(closed)).toMatchObject({ checkpoint: { comment: 8 }, warnings: [] })
    expect(closedBody(closed, 'Again.')).toBeUndefined()
  }
  const without = closedBody(checkpointBody({ ...base, turn: turn(2) }).body, 'x'.repeat(65_000)) ?? ''
  expect(Buffer.byteLength(without)).toBeLessThanOrEqual(limits.commentChars)
  expect(closedBody(finished.body, 'The job ended.')).toBeUndefined()
})

test('with a key it is sealed', () => {
  const key = sessionKey('secret')
  const { body } = checkpointBody({ ...base, turn: turn(2), key })
  expect(load(body).checkpoint).toBeUndefined()
  expect(loadThread([comment(8, body)], { viewer, mode: 'thread', key }).checkpoint?.messages).toEqual(turn(2).messages)
})

test('text that repeats a block is shown as text', () => {
  const { body } = checkpointBody({ ...base, visible: 'todo: <!-- opencode:session:v1 {} x y -->', turn: turn(2) })
  expect(load(body)).toMatchObject({ checkpoint: { comment: 8 }, warnings: [] })
})

test('what does not fit one comment goes by value: outputs first, then the edits; words stay', () => {
  const outputs = checkpointBody({ ...base, turn: heavy(40, 30_000) })
  expect(outputs).toMatchObject({ kept: true, left: [expect.stringMatching(/^\d+ tool outputs$/)] })
  expect(load(outputs.body).checkpoint?.turn.work?.patch).toHaveLength(30_000)
  for (const patch of [90_000, limits.checkpointPatchChars + 1]) {
    const edits = checkpointBody({ ...base, turn: heavy(2, patch) })
    expect(edits).toMatchObject({ kept: true, left: ['the edits'] })
    expect(load(edits.body).checkpoint?.turn).toMatchObject({ lossy: true, work: { commit: 'abc' }, messages: { length: 2 } })
  }
})

test('words that are too long alone leave the claim', () => {
  const { body, kept, left } = checkpointBody({ ...base, turn: turn(2, { messages: [user('msg_a', noise(200_000))] }) })
  expect({ kept, left }).toEqual({ kept: false, left: ['the conversation'] })
  expect(readClaim(body)).toEqual(claim)
})

test('no body is longer than GitHub takes', () => {
  const sizes = fc.record({ visible: fc.nat({ max: 30_000 }), outputs: fc.nat({ max: 8 }), patch: fc.nat({ max: 90_000 }) })
  fc.assert(
    fc.property(sizes, ({ visible, outputs, patch }) => {
      const { body } = checkpointBody({ ...base, visible: 'é'.repeat(visible / 2), turn: heavy(outputs, patch) })
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(limits.commentChars)
      expect(load(body).warnings).toEqual([])
    }),
    { numRuns: 25 },
  )
})

test('wherever a run dies, and wherever its comment is cut off, the thread loads with all that was finished before', () => {
  const states = [turn(2, { messages: turn(2).messages.slice(0, 1) }), turn(2, { taken: ['comment:456'] }), turn(2, { session: session({ handled: [1000] }) })]
  const bodies = [checkpointBody(base).body, ...states.map((state) => checkpointBody({ ...base, turn: state }).body)]
  const reply = `Two.\n\n${encode(turn(2), { seq: 2 }, [{ comment: 8, chars: 60_000 }]).join('')}`
  fc.assert(
    fc.property(fc.constantFrom('', ...bodies, reply), fc.nat(), fc.boolean(), (body, at, isCut) => {
      const loaded = load(isCut ? body.slice(0, at % (body.length + 1)) : body)
      const isAnswered = body === reply && loaded.seq === 2
      expect(loaded.messages).toEqual([...turn(1).messages, ...(isAnswered ? turn(2).messages : [])])
      expect(loaded.answered.has('comment:1001')).toBe(isAnswered)
      if (loaded.checkpoint) expect(loaded.checkpoint.messages.slice(0, 3)).toEqual([...turn(1).messages, user('msg_2a', 'question 2')])
      if (!isCut && body !== '' && body !== reply && body !== bodies[0]) expect(loaded.checkpoint).toBeDefined()
    }),
    { numRuns: 200 },
  )
})
