import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { place as placeByGitHub } from '../../src/local/github/patch.ts'
import { fileAt, hunksOf, placeIn, spanOf, textOf } from '../../src/tool/review-diff.ts'
import { changed } from './review-patches.ts'

const sides = fc.constantFrom('LEFT' as const, 'RIGHT' as const)
const range = fc.tuple(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 0, max: 12 })).map(([start, more]) => ({ start, end: start + more }))

describe('the lines of a patch', () => {
  test('have the numbers they have in the file before and after the change', () => {
    fc.assert(
      fc.property(changed, ({ before, after, patch }) => {
        for (const { lines } of hunksOf(patch)) {
          for (const { mark, left, right, text } of lines) {
            if (mark !== '+') expect(before[(left ?? 0) - 1]).toBe(text)
            if (mark !== '-') expect(after[(right ?? 0) - 1]).toBe(text)
          }
        }
      }),
    )
  })

  test('are all there: every changed line is in some hunk', () => {
    fc.assert(
      fc.property(changed, ({ before, after, patch }) => {
        const lines = hunksOf(patch).flatMap((hunk) => hunk.lines)
        const count = (mark: string) => lines.filter((line) => line.mark === mark).length
        expect(count('+') - count('-')).toBe(after.length - before.length)
        expect(count('+') + count('-')).toBeGreaterThan(0)
      }),
    )
  })

  test('are none where GitHub shows none', () => {
    expect(hunksOf(undefined)).toEqual([])
    expect(hunksOf('Binary files a and b differ')).toEqual([])
  })

  test('keep their numbers where an editor took the blank from an empty line', () => {
    const [hunk] = hunksOf('@@ -1,3 +1,3 @@\n a\n\n-c\n+d')
    expect(hunk?.lines.map(({ left, right }) => [left, right])).toEqual([
      [1, 1],
      [2, 2],
      [3, undefined],
      [undefined, 3],
    ])
  })
})

describe('C138: a remark', () => {
  test('stands at lines of one hunk, in order, whatever lines it was meant for', () => {
    fc.assert(
      fc.property(changed, sides, range, ({ patch }, side, wanted) => {
        const hunks = hunksOf(patch)
        const place = placeIn(hunks, { side, ...wanted })
        if (!place) return
        const home = hunks.flatMap((hunk) => spanOf(hunk, side) ?? []).filter(({ start, end }) => start <= place.start && place.end <= end)
        expect(place.side).toBe(side)
        expect(place.start).toBeLessThanOrEqual(place.end)
        expect(home).toHaveLength(1)
      }),
    )
  })

  test('is one that GitHub takes, by the rules of the emulated one', () => {
    fc.assert(
      fc.property(changed, sides, range, ({ patch }, side, wanted) => {
        const place = placeIn(hunksOf(patch), { side, ...wanted })
        if (!place) return
        const { start, end } = place
        expect(placeByGitHub(patch, { line: end, side, ...(start < end ? { startLine: start, startSide: side } : {}) })).toHaveProperty('position')
      }),
    )
  })

  test('is moved only when the lines it was meant for are not in one hunk, and never far', () => {
    fc.assert(
      fc.property(changed, sides, range, ({ patch }, side, wanted) => {
        const hunks = hunksOf(patch)
        const spans = hunks.flatMap((hunk) => spanOf(hunk, side) ?? [])
        const fits = spans.some(({ start, end }) => start <= wanted.start && wanted.end <= end)
        const place = placeIn(hunks, { side, ...wanted })
        expect(place?.exact ?? false).toBe(fits)
        if (place && !fits) {
          const away = Math.max(place.start - wanted.end, wanted.start - place.end, 0)
          expect(away).toBeLessThanOrEqual(10)
          for (const { start, end } of spans) expect(Math.max(start - wanted.end, wanted.start - end, 0)).toBeGreaterThanOrEqual(away)
        }
        if (!place) for (const { start, end } of spans) expect(Math.max(start - wanted.end, wanted.start - end)).toBeGreaterThan(10)
      }),
    )
  })

  test('on the right of a hunk that only deletes has no line there', () => {
    const hunks = hunksOf('@@ -5,2 +4,0 @@\n-a\n-b')
    expect(placeIn(hunks, { side: 'RIGHT', start: 5, end: 5 })).toBeUndefined()
    expect(placeIn(hunks, { side: 'LEFT', start: 5, end: 6 })).toEqual({ side: 'LEFT', start: 5, end: 6, exact: true })
  })
})

test('the text round a place is that of its side', () => {
  const hunks = hunksOf('@@ -1,3 +1,3 @@\n a\n-b\n+c\n d')
  expect(textOf(hunks, { side: 'RIGHT', start: 2, end: 2 })).toEqual(['c'])
  expect(textOf(hunks, { side: 'LEFT', start: 2, end: 2 }, 1)).toEqual(['a', 'b', 'd'])
})

test('a file is found by its name, its old name and, where only one ends so, its end', () => {
  const file = (path: string, previousPath?: string) => ({ path, previousPath, status: 'modified', patch: undefined })
  const files = [file('web/src/a.ts'), file('web/src/b.ts', 'src/old.ts'), file('api/src/b.ts')]
  expect(fileAt(files, './web/src/a.ts')?.path).toBe('web/src/a.ts')
  expect(fileAt(files, 'src/old.ts')?.path).toBe('web/src/b.ts')
  expect(fileAt(files, 'src/a.ts')?.path).toBe('web/src/a.ts')
  expect(fileAt(files, 'src/b.ts')).toBeUndefined()
})
