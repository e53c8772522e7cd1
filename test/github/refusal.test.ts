import { expect, test } from 'vitest'
import { GitHubError, type GitHubErrorKind } from '../../src/github/errors.ts'
import { refusalOf, waitAfter } from '../../src/github/refusal.ts'

const purpose = { action: 'do it', permission: 'issues: write' }
const now = Date.UTC(2026, 0, 1)
const thrown = (status: number, message: string, headers: Record<string, string> = {}) => ({ status, message, response: { headers, data: { message } } })
const failure = (kind: GitHubErrorKind, facts: { status?: number; said?: string; retryAfter?: number } = {}) => new GitHubError('m', 'h', { kind, ...facts })

test.each([
  ['seconds', { 'retry-after': '7' }, 7],
  ['a date', { 'retry-after': new Date(now + 5000).toUTCString() }, 6],
  ['the time of the reset when nothing is left', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 30) }, 31],
  ['no word of it, which means a minute', { 'x-ratelimit-remaining': '9', 'x-ratelimit-reset': String(now / 1000 + 30) }, 60],
])('C125 the wait of a rate limit is read from %s', (_, headers, seconds) => {
  expect(refusalOf(thrown(403, 'secondary rate limit', headers), purpose, now)).toMatchObject({ kind: 'rate', retryAfter: seconds })
})

test('what is no answer of GitHub stays what it was', () => {
  const bug = new TypeError('x is undefined')
  expect(refusalOf(bug, purpose)).toBe(bug)
})

test('a page of a proxy is a fault with its status, not its HTML', () => {
  const page = { status: 503, message: '<html>', response: { headers: {}, data: '<html>' } }
  expect(refusalOf(page, purpose)).toMatchObject({ kind: 'server', message: 'GitHub failed when asked to do it: an answer without a message (503)' })
})

const any = {}
const once = { once: true }
const refusable = { refusable: true }

test.each<[string, GitHubError, { once?: boolean; refusable?: boolean }, (number | undefined)[]]>([
  ['a fault is tried again three times', failure('server', { status: 502 }), any, [1, 4, 9, undefined]],
  ['a fault asks for its own time', failure('server', { status: 503, retryAfter: 20 }), any, [20, 20, 20, undefined]],
  ['a fault of a call that must not be made twice is not', failure('network'), once, [undefined]],
  ['a rate limit is tried again even then', failure('rate', { retryAfter: 120 }), once, [120, 120, 120, undefined]],
  ['a rate limit above two minutes is not', failure('rate', { retryAfter: 121 }), any, [undefined]],
  ['a 403 that may pass is tried again twice', failure('forbidden', { status: 403, said: 'Resource not accessible by integration' }), once, [1, 2, undefined]],
  [
    'a 403 is an answer to a call that asks whether it may',
    failure('forbidden', { status: 403, said: 'Resource not accessible by integration' }),
    refusable,
    [undefined],
  ],
  [
    'C129 what was made a moment ago is tried again',
    failure('invalid', { status: 422, said: 'Could not resolve to a node with the global id of' }),
    once,
    [1, 2, 3, undefined],
  ],
  ['any other 403 is final', failure('forbidden', { status: 403, said: 'Forbidden' }), any, [undefined]],
  ['401 is final', failure('auth', { status: 401 }), any, [undefined]],
  ['404 is final', failure('missing', { status: 404 }), any, [undefined]],
  ['422 is final', failure('invalid', { status: 422 }), any, [undefined]],
])('C23 %s', (_, error, call, waits) => {
  expect(waits.map((_, index) => waitAfter(error, index + 1, call))).toEqual(waits)
})
