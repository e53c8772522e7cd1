import { describe, expect, test } from 'vitest'
import { decideRetry, retryDelay } from '../../src/session/retry.ts'

const now = Date.UTC(2026, 0, 1)
const passing = { error: { name: 'APIError' as const, message: 'slow down', retryable: true } }

describe('the wait before a retry', () => {
  test('doubles from two seconds up to thirty', () => {
    expect([1, 2, 3, 4, 5, 6].map((attempt) => retryDelay(attempt, undefined, now))).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000])
  })

  test.each([
    ['retry-after-ms', '1500', 1500],
    ['Retry-After-Ms', '0', 0],
    ['retry-after', '30', 30_000],
    ['retry-after', '0.5', 500],
    ['retry-after', new Date(now + 20_000).toUTCString(), 20_000],
    ['retry-after', 'Thu, 01 Jan 2026 00:00:20 GMT', 20_000],
    ['retry-after', 'Thursday, 01-Jan-26 00:00:20 GMT', 20_000],
    ['retry-after', 'Thu Jan  1 00:00:20 2026', 20_000],
    ['retry-after', '700', 700_000],
    ['retry-after-ms', '1500.5', 1500.5],
  ])('%s: %s is obeyed, even when the doubled value is larger', (name, value, expected) => {
    expect(retryDelay(5, { [name]: value }, now)).toBe(expected)
  })

  test.each([
    ['retry-after', 'soon'],
    ['retry-after', ''],
    ['retry-after', '-5'],
    ['retry-after-ms', 'x'],
    ['retry-after', new Date(now - 20_000).toUTCString()],
  ])('%s: %j makes no sense and is ignored', (name, value) => {
    expect(retryDelay(1, { [name]: value }, now)).toBe(2000)
  })
})

describe('whether to try again', () => {
  test('a fault that passes is tried again five times', () => {
    expect(decideRetry(5, passing, now)).toEqual({ wait: 30_000 })
    expect(decideRetry(6, passing, now)).toEqual({ give: expect.objectContaining({ message: 'slow down (tried 6 times)' }) })
  })

  test('an overflow never is', () => {
    expect(decideRetry(1, { error: { name: 'ContextOverflowError', message: 'too long', retryable: false } }, now)).toHaveProperty('give')
  })

  test('what no timer could wait for is not tried', () => {
    expect(decideRetry(1, { ...passing, headers: { 'retry-after-ms': String(2 ** 40) } }, now)).toHaveProperty('give')
  })

  test('a wait past the end of the run is not begun', () => {
    expect(decideRetry(1, passing, now, 1999)).toEqual({ give: expect.objectContaining({ message: expect.stringContaining('past the end of the run') }) })
    expect(decideRetry(1, passing, now, 2000)).toEqual({ wait: 2000 })
  })

  test('two minutes are waited for, more is not', () => {
    expect(decideRetry(1, { ...passing, headers: { 'retry-after': '120' } }, now)).toEqual({ wait: 120_000 })
    expect(decideRetry(1, { ...passing, headers: { 'retry-after': '121' } }, now)).toEqual({
      give: expect.objectContaining({ message: expect.stringContaining('3 minutes') }),
    })
  })
})
