import { describe, expect, test } from 'vitest'
import { findingMark, markedFixed, reviewMark } from '../../src/publish/review-marks.ts'
import { reviewScope } from '../../src/publish/review-scope.ts'
import { isSame, markOf, markOutside } from '../../src/tool/review-finding.ts'
import { head, submitted, threadOf } from './review-kit.ts'

const bot = 'bot[bot]'
const person = { login: 'ann', isBot: false }
const mark = { at: 'aa', title: 'b may be undefined', path: 'src/a.ts', line: 12 }
const remark = `**b may be undefined**\n\n${findingMark(mark)}`
const scopeOf = (threads: Parameters<typeof reviewScope>[0]['threads'], reviews: Parameters<typeof reviewScope>[0]['reviews'] = []) =>
  reviewScope({ threads, reviews }, bot)

describe('of earlier reviews', () => {
  test('open findings have ids, counted through; resolved and hidden ones are dismissed', () => {
    const { known } = scopeOf([
      threadOf(remark, { id: 'T1', resolved: true }),
      threadOf(remark, { id: 'T2' }, { id: 22 }),
      threadOf(remark, { id: 'T3' }, { minimized: true }),
      threadOf(remark, { id: 'T4', line: null, outdated: true }, { id: 44 }),
    ])
    expect(known.map(({ dismissed, open, line }) => [dismissed, line, open?.id, open?.thread, open?.remark])).toEqual([
      [true, 12, undefined, undefined, undefined],
      [false, 12, 'F1', 'T2', 22],
      [true, 12, undefined, undefined, undefined],
      [false, null, 'F2', 'T4', 44],
    ])
  })

  test('only our own count, whatever marks others write', () => {
    const scope = scopeOf([threadOf(remark, {}, { author: person })], [submitted(`${reviewMark(head)}\n${findingMark(mark)}`, { author: person })])
    expect(scope).toEqual({ last: undefined, known: [] })
  })

  test('what stood in a text is known, what was found dealt with is not', () => {
    const { known } = scopeOf([threadOf(markedFixed(remark, head), { resolved: true })], [submitted(`x\n${findingMark({ ...mark, at: 'bb' })}`)])
    expect(known.map(({ mark: { at }, dismissed }) => [at, dismissed])).toEqual([['bb', false]])
  })

  test('the newest that nobody hid says where the next one begins', () => {
    const at = (commit: string, submittedAt: string, minimized = false) => submitted(`x\n${reviewMark(commit)}`, { submittedAt, minimized })
    const reviews = [at('bbbbbbb', '2026-03-01T00:00:00Z'), at('aaaaaaa', '2026-02-01T00:00:00Z'), at('ccccccc', '2026-04-01T00:00:00Z', true)]
    expect(scopeOf([], reviews).last).toBe('bbbbbbb')
    expect(scopeOf([], [submitted('a review by hand')]).last).toBeUndefined()
  })

  test('marks that are broken or of another form are left out', () => {
    expect(
      scopeOf(
        [threadOf('<!-- opencode:finding {"at":1} -->'), threadOf('<!-- opencode:finding {oops} -->')],
        [submitted('<!-- opencode:review {"head":"../x"} -->')],
      ),
    ).toEqual({
      last: undefined,
      known: [],
    })
  })
})

describe('a finding', () => {
  test('is known again when its lines moved, were indented anew, or its words are others', () => {
    const before = markOf('a.ts', ['if (x) {', '  y()'], 'x is never null')
    expect(isSame(before, markOf('a.ts', ['  if (x) {', '\ty()'], 'X is never null here'))).toBe(true)
  })

  test('is another one at other lines, in another file, or about something else', () => {
    const before = markOf('a.ts', ['if (x) {'], 'x is never null')
    expect(isSame(before, markOf('a.ts', ['if (y) {'], 'x is never null'))).toBe(false)
    expect(isSame(before, markOf('b.ts', ['if (x) {'], 'x is never null'))).toBe(false)
    expect(isSame(before, markOf('a.ts', ['if (x) {'], 'this needs a test'))).toBe(false)
  })

  test('outside the diff is the same only in the same words at the same line', () => {
    const range = { side: 'RIGHT', start: 4, end: 4 } as const
    const before = markOutside('a.ts', range, 'Unused import')
    expect(isSame(before, markOutside('a.ts', range, 'unused  import.'))).toBe(true)
    expect(isSame(before, markOutside('a.ts', { ...range, start: 5, end: 5 }, 'Unused import'))).toBe(false)
    expect(isSame(before, markOutside('a.ts', range, 'Unused import of b'))).toBe(false)
  })
})
