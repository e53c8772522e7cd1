import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WatchedComment } from '../../src/github/types.ts'
import { limits } from '../../src/limits.ts'
import { type Claim, claimBlock, liveClaims, postedClaims, readClaim, requestsOf } from '../../src/thread/claim.ts'
import { isOurs, neutralise, stripHidden } from '../../src/thread/hidden.ts'
import { answeredKeys, withAnswered } from '../../src/thread/keys.ts'

const viewer = 'opencode[bot]'
const claim: Claim = { run: '123', attempt: 1, id: 'nonce', request: 'comment:456' }
const start = Date.parse('2026-01-01T00:00:00Z')

function working(id: number, changes: Partial<Claim> = {}, { login = viewer, minute = 0, kind = 'comment' as WatchedComment['kind'] } = {}): WatchedComment {
  const time = new Date(start + minute * 60_000).toISOString()
  return { kind, id, author: { login, isBot: true }, body: `Working.\n\n${claimBlock({ ...claim, ...changes })}`, createdAt: time, updatedAt: time, url: '' }
}

const live = (comments: readonly WatchedComment[], { minute = 0, ended = [] }: { minute?: number; ended?: readonly string[] } = {}) =>
  liveClaims(comments, { viewer, now: start + minute * 60_000, ended: new Set(ended) }).map(({ comment }) => comment)

test('a claim is read as it was written, and no reader sees it', () => {
  const body = `Working.\n\n${claimBlock({ ...claim, taken: ['comment:456', 'review-comment:7'], ended: true })}`
  expect(readClaim(body)).toEqual({ ...claim, taken: ['review-comment:7'], ended: true })
  expect(requestsOf(readClaim(body) ?? claim)).toEqual(['comment:456', 'review-comment:7'])
  expect(stripHidden(body)).toBe('Working.')
  expect(isOurs(body)).toBe(true)
  expect(readClaim(neutralise(body))).toBeUndefined()
})

test('a claim in a form that could end the HTML comment is a fault, and nothing else is read as one', () => {
  expect(() => claimBlock({ ...claim, run: '1 --> x' })).toThrow()
  expect(() => claimBlock({ ...claim, request: 'comment:1 -->' })).toThrow()
  for (const body of ['', 'Hello', '<!-- opencode:run', '<!-- opencode:run {} -->', '<!-- opencode:run {"run":"1"} -->', '<!-- opencode:run [1 -->']) {
    expect(readClaim(body)).toBeUndefined()
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(readClaim(`<!-- opencode:run ${text} -->`)).toBeUndefined()
    }),
  )
})

test('a claim names no more requests than it may', () => {
  const taken = Array.from({ length: 500 }, (_, index) => `comment:${index}`)
  expect(readClaim(claimBlock({ ...claim, taken }))?.taken).toHaveLength(100)
})

test('of living claims the one in the oldest comment leads', () => {
  expect(live([working(9, { run: '2' }), working(8, { run: '1' })])).toEqual([8, 9])
})

test.each([
  ['of somebody else', [working(8, {}, { login: 'mallory' })], {}],
  ['whose run has ended', [working(8)], { ended: ['123'] }],
  ['that says itself it has ended', [working(8, { ended: true })], {}],
  ['in a comment not edited for more than three minutes', [working(8)], { minute: limits.claimSilence / 60_000 + 1 }],
  ['outside of the conversation, whose row of numbers alone gives an order', [working(8, {}, { kind: 'review-comment' })], {}],
] as const)('a claim %s does not count', (_, comments, standing) => {
  expect(live(comments, { minute: 0, ended: [], ...standing })).toEqual([])
})

test('a run that was started again has died before', () => {
  expect(live([working(8, { attempt: 1 }), working(9, { attempt: 2 })])).toEqual([9])
  expect(live([working(8, { id: 'one' }), working(9, { id: 'two' })])).toEqual([8, 9])
})

test('a comment edited two minutes ago is that of a living run', () => {
  expect(live([working(8)], { minute: 2 })).toEqual([8])
})

test('only the bot is believed to claim, in whatever letter case its name is written', () => {
  expect(postedClaims([working(8, {}, { login: 'OpenCode[bot]' }), working(9, {}, { login: 'x' })], viewer).map(({ comment }) => comment)).toEqual([8])
})

test('what was answered is kept by kind, once each, and an event is over with its run', () => {
  const session = withAnswered({ handled: [1], answered: ['review:2'] }, ['comment:3', 'comment:1', 'review-comment:4', 'subject:5', 'event:6', 'review:2'])
  expect(session).toEqual({ handled: [1, 3], answered: ['review:2', 'review-comment:4', 'subject:5'] })
  expect(answeredKeys(session)).toEqual(['comment:1', 'comment:3', 'review:2', 'review-comment:4', 'subject:5'])
  expect(withAnswered({ handled: [] }, ['comment:3'])).toEqual({ handled: [3] })
})
