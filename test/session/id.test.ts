import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ascending } from '../../src/session/id.ts'

test('an id holds the time it was made at, not a later one', () => {
  const now = Date.UTC(2027, 0, 1)
  expect(Number.parseInt(ascending('msg', now).slice(4, 16), 16)).toBe(now)
})

test('ids sort in the order they were made, also within a millisecond and when the clock goes back', () => {
  const start = Date.UTC(2027, 0, 2)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 50 }), (steps) => {
      const ids = steps.map((step) => ascending('prt', start + step))
      expect(ids.toSorted()).toEqual(ids)
      expect(new Set(ids).size).toBe(ids.length)
    }),
  )
})
