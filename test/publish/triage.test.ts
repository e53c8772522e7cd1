import { expect, test } from 'vitest'
import { publishIntents } from '../../src/publish/intents.ts'
import { plannedTriage, publishTriage } from '../../src/publish/triage.ts'
import { findingAt, refusal, reviewHub, reviewOf } from './review-kit.ts'

const all = { add: ['bug', 'area/api'], remove: ['triage', 'old'], assign: ['ann'], close: 'not_planned' } as const
const nothing = { add: [], remove: [], assign: [], close: undefined }
const safe = (text: string) => text

test('what the model wanted is done to the issue of the run, closing last', async () => {
  const github = reviewHub()
  expect(await publishTriage(github, 7, all)).toEqual({
    done: ['Set the labels `bug`, `area/api`.', 'Took away the label `triage`.', 'Took away the label `old`.', 'Assigned `ann`.', 'Closed it as not planned.'],
    notes: [],
  })
  expect(github.calls).toEqual([
    ['addLabels', 7, ['bug', 'area/api']],
    ['removeLabel', 7, 'triage'],
    ['removeLabel', 7, 'old'],
    ['assign', 7, ['ann']],
    ['close', 7, 'not_planned'],
  ])
})

test('what GitHub refuses is told, and keeps nothing else from being done', async () => {
  const github = reviewHub({ addLabels: () => Promise.reject(refusal('forbidden', 403)), removeLabel: () => Promise.reject(refusal('missing', 404)) })
  const { done, notes } = await publishTriage(github, 7, { ...all, remove: ['old'] })
  expect(done).toEqual(['Assigned `ann`.', 'Closed it as not planned.'])
  expect(notes).toEqual([
    'This could not be done: Set the labels `bug`, `area/api`. GitHub refused (403). Do something about it.',
    'This could not be done: Take away the label `old`. GitHub refused (404). Do something about it.',
  ])
})

test('nothing wanted, nothing done', async () => {
  const github = reviewHub()
  expect(await publishIntents(github, 7, { triage: nothing }, safe)).toEqual({ review: undefined, done: [], notes: [], findings: '' })
  expect(github.calls).toEqual([])
  expect(plannedTriage(nothing)).toEqual([])
})

test('a review and labels are published together, and each tells of itself', async () => {
  const github = reviewHub({ createReview: () => Promise.reject(refusal('forbidden', 403)) })
  const { done, notes, findings } = await publishIntents(github, 7, { triage: { ...nothing, add: ['bug'] }, review: reviewOf([findingAt()]) }, safe)
  expect(done).toEqual(['Set the label `bug`.'])
  expect(notes).toHaveLength(1)
  expect(findings).toContain('b may be undefined')
})
