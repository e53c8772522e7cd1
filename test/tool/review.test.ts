import { describe, expect, test } from 'vitest'
import type { ReviewSetting } from '../../src/tool/review.ts'
import { markOf } from '../../src/tool/review-finding.ts'
import { desk } from './review-kit.ts'
import { patchOf } from './review-patches.ts'

const kept = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => [' ', `line ${from + index}`] as const)
/** Lines 17 to 24 of the new file are in the diff, 20 and 21 being new. */
const patch = patchOf([...kept(1, 19), ['-', 'old'], ['+', 'const a = b()'], ['+', 'a.c()'], ...kept(22, 60)])
const file = { path: 'src/a.ts', previousPath: undefined, status: 'modified', patch }
const setting: ReviewSetting = { head: 'abc', files: () => Promise.resolve([file, { ...file, path: 'logo.png', patch: undefined }]), known: [] }
const finding = { path: 'src/a.ts', line: 20, severity: 'high', title: 'b may be undefined', body: 'Then it throws.' }
const open = (review: Partial<ReviewSetting> = {}) => desk({ review: { ...setting, ...review } })

describe('a finding', () => {
  test('is taken where it is in the diff, and nothing is posted yet', async () => {
    const { call, intents } = open()
    expect(intents().review).toBeUndefined()
    expect(await call('review', { findings: [finding, { ...finding, line: '21', start_line: 20, title: 'no test' }] })).toContain(
      '1. src/a.ts:20.\n2. src/a.ts:20-21.',
    )
    expect(intents().review?.findings.map(({ place }) => place)).toEqual([
      { side: 'RIGHT', start: 20, end: 20, exact: true },
      { side: 'RIGHT', start: 20, end: 21, exact: true },
    ])
  })

  test('C138: outside the diff is moved to the nearest line, or into the text, and the model is told', async () => {
    const { call } = open()
    const output = await call('review', {
      findings: [
        { ...finding, line: 27 },
        { ...finding, line: 50 },
        { ...finding, path: 'logo.png', line: 1 },
        { ...finding, path: 'src/other.ts', line: 3 },
        { ...finding, line: 30, start_line: 20 },
      ],
    })
    expect(output.split('\n').slice(0, 5)).toEqual([
      '1. src/a.ts: 27 is not in the diff, so it will stand at 24.',
      "2. src/a.ts has no line near 50 in the diff, so it will stand in the review's text.",
      "3. logo.png has no lines in the diff, so it will stand in the review's text.",
      "4. src/other.ts is not in the diff, so it will stand in the review's text.",
      '5. src/a.ts: 20-30 are not all in the diff, so it will stand at 20-24.',
    ])
  })

  test('with its lines the wrong way round, or a deleted line, is understood', async () => {
    const { call } = open()
    expect(await call('review', { findings: [{ ...finding, line: 20, start_line: 22 }] })).toContain('src/a.ts:20-22.')
    expect(await call('review', { findings: [{ ...finding, line: 20, side: 'LEFT', title: 'this was needed' }] })).toContain('src/a.ts:20.')
  })

  test('offers its suggestion only for exactly these lines of the new version', async () => {
    const { call } = open()
    expect(await call('review', { findings: [{ ...finding, suggestion: 'const a = b?.()\n' }] })).toMatch(/^1\. src\/a\.ts:20\.$/m)
    expect(await call('review', { findings: [{ ...finding, line: 27, suggestion: 'x' }] })).toContain('shown as code only')
    expect(await call('review', { findings: [{ ...finding, side: 'LEFT', suggestion: 'x' }] })).toContain('shown as code only')
    expect(await call('review', { findings: [{ ...finding, title: 'the same', suggestion: 'const a = b()' }] })).toContain('stands there already')
  })

  test('is not taken twice, but may stand beside others at the same line', async () => {
    const { call, intents } = open()
    await call('review', { findings: [finding] })
    expect(await call('review', { findings: [{ ...finding, title: 'B may be  undefined.' }] })).toContain('it says what finding 1 says')
    await call('review', { findings: [{ ...finding, title: 'c may be undefined' }] })
    expect(intents().review?.findings).toHaveLength(2)
  })

  test('that was moved beside another one is not taken for it', async () => {
    const { call, intents } = open()
    await call('review', { findings: [24, 26, 28].map((line) => ({ ...finding, line })) })
    expect(intents().review?.findings.map(({ place }) => place?.end)).toEqual([24, 24, 24])
  })

  test('can be taken back by its number and then said otherwise', async () => {
    const { call, failure, intents } = open()
    await call('review', { findings: [finding] })
    expect(await failure('review', { remove: [4] })).toContain('no finding 4. It holds: 1.')
    expect(await call('review', { remove: [1], findings: [{ ...finding, severity: 'low' }] })).toContain('2. src/a.ts:20.')
    expect(intents().review?.findings.map(({ number, severity }) => [number, severity])).toEqual([[2, 'low']])
  })

  test('is one of fifty at the most, of a bounded length', async () => {
    const { call, failure, intents } = open()
    const many = Array.from({ length: 50 }, (_, index) => ({ ...finding, path: `x${index}.ts` }))
    await call('review', { findings: many })
    expect(await call('review', { findings: [finding] })).toContain('Not taken: a review holds 50 findings')
    expect(intents().review?.findings).toHaveLength(50)
    expect(await failure('review', { findings: [{ ...finding, body: 'x'.repeat(5_000) }] })).toContain('findings.0.body')
  })
})

describe('what earlier reviews said', () => {
  const mark = markOf('src/a.ts', ['line 19', 'const a = b()', 'a.c()'], 'b may be undefined')
  const thread = { id: 'F1', thread: 'T', remark: 5, body: '' }

  test('is not said again, be it open or dismissed', async () => {
    const first = open({ known: [{ mark, path: 'src/a.ts', line: 20, dismissed: false, open: thread }] })
    expect(await first.call('review', { findings: [finding] })).toContain('an earlier review said this (F1)')
    const second = open({ known: [{ mark, path: 'src/a.ts', line: 20, dismissed: true }] })
    expect(await second.call('review', { findings: [finding] })).toContain('it was dismissed')
    expect(second.intents().review?.findings).toEqual([])
  })

  test('can be named as dealt with, by its id alone', async () => {
    const known = [{ mark, path: 'src/a.ts', line: 20, dismissed: false, open: thread }]
    const { call, failure, intents } = open({ known })
    expect(await failure('review', { fixed: ['F2'] })).toContain('no open finding F2. Open are: F1.')
    expect(intents().review).toBeUndefined()
    expect(await call('review', { fixed: ['f1'] })).toContain('0 findings, 1 earlier dealt with')
    expect(intents().review?.fixed).toEqual(known)
  })
})

test('a review without findings counts as one once the tool was called', async () => {
  const { call, intents } = open()
  await call('review', {})
  expect(intents().review).toMatchObject({ head: 'abc', findings: [], fixed: [] })
})

test('a diff that can not be had is said, the finding goes into the text, and the next call asks again', async () => {
  let asked = 0
  const { call, intents } = open({ files: () => (++asked === 1 ? Promise.reject(new Error('GitHub is down')) : setting.files()) })
  expect(await call('review', { findings: [finding] })).toContain("GitHub did not show the diff (GitHub is down), so these stand in the review's text.")
  expect(intents().review?.findings).toMatchObject([{ path: 'src/a.ts', place: undefined }])
  expect(await call('review', { findings: [{ ...finding, title: 'another' }] })).toContain('2. src/a.ts:20.')
})
