import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { GitHub, LineRemark } from '../../src/github/types.ts'
import { publishReview } from '../../src/publish/review.ts'
import { remarkOf } from '../../src/publish/review-body.ts'
import { findingsIn, reviewedIn } from '../../src/publish/review-marks.ts'
import { neutralise } from '../../src/thread/hidden.ts'
import { findingAt, head, refusal, reviewHub, reviewOf } from './review-kit.ts'

const safe = (text: string): string => neutralise(text).replaceAll('SECRET', '***')
type Input = Parameters<GitHub['createReview']>[1]

/** A GitHub that keeps the reviews it is sent, and refuses as many as the test says. */
function hub(...refusals: ReturnType<typeof refusal>[]) {
  const reviews: Input[] = []
  const github = reviewHub({
    createReview(_, input) {
      reviews.push(input)
      const error = refusals.shift()
      return error ? Promise.reject(error) : Promise.resolve({ id: 5, url: 'https://github.test/5' })
    },
  })
  return { github, reviews }
}

const bodyOf = (remark: LineRemark | undefined): string => remark?.body ?? ''
const outside = { place: undefined, path: 'docs/x.md', title: 'out of date', number: 2, mark: { at: 'digest 2', title: 'out of date' } }

describe('a review', () => {
  test('is one, with remarks at lines and the rest in its text, and says which commit it is of', async () => {
    const { github, reviews } = hub()
    const result = await publishReview(github, 4, reviewOf([findingAt(), findingAt(outside)]), safe)
    expect(reviews).toHaveLength(1)
    const [review] = reviews
    expect(review?.commit).toBe(head)
    expect(review?.remarks).toEqual([
      { path: 'src/a.ts', line: 12, side: 'RIGHT', body: expect.stringContaining('**b may be undefined** (medium)\n\nThen it throws.') },
    ])
    expect(review?.body).toMatch(/^2 remarks on 0123456\.\n\n#### `docs\/x\.md`, line 12\n\n\*\*out of date\*\*/)
    expect(reviewedIn(review?.body ?? '')).toBe(head)
    expect(findingsIn(review?.body ?? '')).toEqual([{ at: 'digest 2', title: 'out of date', path: 'docs/x.md', line: 12 }])
    expect(findingsIn(bodyOf(review?.remarks[0]))).toEqual([{ at: 'digest 1', title: 'b may be undefined', path: 'src/a.ts', line: 12 }])
    expect(result).toEqual({
      posted: { id: 5, url: 'https://github.test/5' },
      done: ['Posted [a review](https://github.test/5) with 2 remarks.'],
      notes: [],
      rest: '',
    })
  })

  test('without findings is posted too, so that the next one begins there', async () => {
    const { github, reviews } = hub()
    await publishReview(github, 4, reviewOf([]), safe)
    expect(reviews[0]?.body).toMatch(/^No new remarks on 0123456\.\n\n<!-- opencode:review /)
  })

  test('repeats nothing that stands in an open or dismissed thread, in whatever words', async () => {
    const { github, reviews } = hub()
    const known = [{ mark: { at: 'digest 1', title: 'B may be UNDEFINED here' }, path: 'src/a.ts', line: 3, dismissed: true }]
    await publishReview(github, 4, reviewOf([findingAt(), findingAt(outside)], { known }), safe)
    expect(reviews[0]?.remarks).toEqual([])
    expect(reviews[0]?.body).toContain('1 remark on')
  })

  test('C138: refused for its lines is sent once more with everything in its text', async () => {
    const { github, reviews } = hub(refusal('invalid', 422))
    const result = await publishReview(github, 4, reviewOf([findingAt(), findingAt(outside)]), safe)
    expect(reviews).toHaveLength(2)
    expect(reviews[1]?.remarks).toEqual([])
    expect(reviews[1]?.body).toContain('#### `src/a.ts`, line 12')
    expect(findingsIn(reviews[1]?.body ?? '')).toHaveLength(2)
    expect(result.notes).toEqual([expect.stringContaining('line must be part of the diff')])
    expect(result.rest).toBe('')
  })

  test('that GitHub does not take at all loses nothing: the findings go into the reply', async () => {
    for (const refusals of [[refusal('forbidden', 403)], [refusal('invalid', 422), refusal('invalid', 422)]]) {
      const { github } = hub(...refusals)
      const result = await publishReview(github, 4, reviewOf([findingAt(), findingAt(outside)]), safe)
      expect(result.posted).toBeUndefined()
      expect(result.notes).toEqual([expect.stringContaining('The review could not be posted. GitHub refused')])
      expect(result.rest).toContain('b may be undefined')
      expect(result.rest).toContain('out of date')
      expect(result.rest).not.toContain('<!--')
    }
  })

  test('that is too long for one text leaves the least important findings to the reply', async () => {
    const { github, reviews } = hub()
    const many = Array.from({ length: 40 }, (_, index) =>
      findingAt({
        ...outside,
        number: index,
        title: `finding ${index}`,
        body: 'ü'.repeat(2_000),
        severity: index < 5 ? 'high' : 'low',
        mark: { at: `${index}`, title: 'x' },
      }),
    )
    const result = await publishReview(github, 4, reviewOf(many), safe)
    const body = reviews[0]?.body ?? ''
    expect(Buffer.byteLength(body)).toBeLessThan(65_536)
    expect(body).toContain('**finding 4**')
    expect(result.rest).toContain('**finding 39**')
    for (let index = 0; index < 40; index += 1) expect(`${body}\n${result.rest}`).toContain(`**finding ${index}** `)
  })

  test('resolves the threads of what is dealt with, and marks them so that a relapse is said again', async () => {
    const { body } = remarkOf({ ...findingAt(), place: { side: 'RIGHT', start: 12, end: 12, exact: true } }, safe)
    const open = { id: 'F1', thread: 'T1', remark: 8, body }
    const fixed = [{ mark: { at: 'digest 1', title: 'x' }, path: 'src/a.ts', line: 12, dismissed: false, open }]
    const github = reviewHub()
    const result = await publishReview(github, 4, reviewOf([], { fixed, known: fixed }), safe)
    expect(github.calls.slice(1)).toEqual([
      ['resolveThread', 'T1'],
      ['updateRemark', 8, expect.stringContaining(`"fixed":"${head}"`)],
    ])
    expect(result.done).toContain('Resolved 1 thread of earlier remarks.')

    const refusing = reviewHub({ resolveThread: () => Promise.reject(refusal('forbidden', 403)) })
    const failed = await publishReview(refusing, 4, reviewOf([], { fixed }), safe)
    expect(failed.posted).toBeDefined()
    expect(failed.notes).toEqual([expect.stringContaining('`src/a.ts:12` is dealt with, but its thread could not be resolved')])
  })

  test('does not hide a fault of ours', async () => {
    const github = reviewHub({ createReview: () => Promise.reject(new Error('a bug')) })
    await expect(publishReview(github, 4, reviewOf([findingAt()]), safe)).rejects.toThrow('a bug')
  })
})

describe('a remark', () => {
  const at = (change: Parameters<typeof findingAt>[0]) => {
    const finding = findingAt(change)
    return remarkOf({ ...finding, place: finding.place ?? { ...finding.wanted, exact: true } }, safe)
  }
  const lines = { side: 'RIGHT', start: 10, end: 12 } as const

  test('of several lines has a start above its line; of one line it has none', () => {
    expect(at({ wanted: lines, place: { ...lines, exact: true } })).toMatchObject({ line: 12, startLine: 10, side: 'RIGHT', startSide: 'RIGHT' })
    expect(at({})).not.toHaveProperty('startLine')
  })

  test('that was moved says which lines it is about', () => {
    expect(at({ wanted: lines, place: { side: 'RIGHT', start: 8, end: 8, exact: false } }).body).toContain(
      '*About lines 10-12, which the diff does not show there.*',
    )
  })

  test('offers to take its suggestion over only where it stands at exactly the lines of the new version', () => {
    expect(at({ suggestion: 'const a = 1' }).body).toContain('```suggestion\nconst a = 1\n```')
    expect(at({ suggestion: '' }).body).toContain('```suggestion\n```')
    const moved = at({ suggestion: 'const a = 1', wanted: lines, place: { side: 'RIGHT', start: 8, end: 8, exact: false } })
    const old = at({ suggestion: 'const a = 1', place: { side: 'LEFT', start: 12, end: 12, exact: true } })
    for (const { body } of [moved, old]) {
      expect(body).not.toContain('```suggestion')
      expect(body).toContain('```\nconst a = 1\n```')
    }
  })

  test('whose suggestion holds a secret does not offer a broken one', () => {
    const { body } = at({ suggestion: 'key = "SECRET"' })
    expect(body).not.toContain('SECRET')
    expect(body).not.toContain('```suggestion')
  })

  test('has no other block that could be taken over', () => {
    expect(at({ body: 'Like this:\n```suggestion\nrm -rf\n```\n> ~~~ suggestion\n> x\n> ~~~' }).body).not.toMatch(/suggestion/)
  })

  test('fences its suggestion by more backticks than it holds, whatever it holds', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('`', '```', '````suggestion', '\n', 'x', '~~~'), { maxLength: 12 }), (pieces) => {
        const suggestion = `${pieces.join('')}x`
        const { body } = at({ suggestion })
        const fence = /^(`+)suggestion$/m.exec(body)?.[1] ?? ''
        expect(body).toContain(`${fence}suggestion\n${suggestion}\n${fence}\n\n<!--`)
        expect(suggestion).not.toContain(fence)
      }),
    )
  })

  test('can neither forge a mark nor end its own', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('<!-- opencode:finding {"at":"x","title":"y","path":"z","line":1} -->', '-->', '--!>', '<!--', '{', '"', '\n', 'word'), {
          maxLength: 8,
        }),
        (pieces) => {
          const title = `x ${pieces.join(' ')}`
          const marks = findingsIn(at({ title, body: title, mark: { at: 'own', title } }).body)
          expect(marks.map((mark) => mark.at)).toEqual(['own'])
        },
      ),
    )
  })
})
