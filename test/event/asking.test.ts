import { expect, test } from 'vitest'
import { askingOf, numberOf } from '../../src/event/asking.ts'
import { readEvent } from '../../src/event/read.ts'
import type { Trigger } from '../../src/event/trigger.ts'
import { issueComment, issues, pullRequest, repositoryDispatch, review, reviewComment, workflowDispatch, workflowRun } from './payloads.ts'
import { settings, withPrompt } from './reading.ts'

function triggerOf(name: string, payload: unknown, given = settings): Trigger {
  const reading = readEvent(name, payload, given)
  if (reading.kind === 'trigger') return reading.trigger
  throw new Error(reading.reason)
}

const at = '2026-01-02T03:04:05Z'
const subject = { number: 12, title: 'Dates', body: '/oc fix', created_at: at }

test.each([
  ['a comment', triggerOf('issue_comment', issueComment({ id: 5, body: '/oc fix', created_at: at })), 'comment:5'],
  ['a remark', triggerOf('pull_request_review_comment', reviewComment({ id: 5, body: '/oc fix', created_at: at })), 'review-comment:5'],
  ['a review', triggerOf('pull_request_review', review({ id: 5, body: '/oc fix', submitted_at: at })), 'review:5'],
])('%s is known by its kind and id, so that ids of different rows never meet', (_, trigger, key) => {
  expect(askingOf(trigger)).toMatchObject({ key, at, asking: { id: 5, body: '/oc fix' } })
})

test('an issue or pull request that asks itself is known by its number, with or without the input prompt', () => {
  for (const given of [settings, withPrompt]) {
    expect(askingOf(triggerOf('issues', issues('opened', subject), given))).toEqual({ key: 'subject:12', at })
    expect(askingOf(triggerOf('pull_request', pullRequest('opened', subject), given))).toEqual({ key: 'subject:12', at })
  }
})

test.each([
  ['a labelled issue', triggerOf('issues', issues('labeled', subject), withPrompt)],
  ['a new issue that does not call us', triggerOf('issues', issues('opened', { title: 'Dates', body: null }), withPrompt)],
  ['a labelled pull request', triggerOf('pull_request_target', pullRequest('labeled', subject), withPrompt)],
  ['a schedule', triggerOf('schedule', { schedule: '0 3 * * *' }, withPrompt)],
  ['a dispatched workflow', triggerOf('workflow_dispatch', workflowDispatch(), withPrompt)],
  ['a dispatch from outside', triggerOf('repository_dispatch', repositoryDispatch('x', {}), withPrompt)],
  ['a failed run', triggerOf('workflow_run', workflowRun({}, [{ number: 12 }]))],
])('%s was asked for by nobody in writing, and may ask again and again', (_, trigger) => {
  expect(askingOf(trigger)).toBeUndefined()
})

test('a run speaks to what its event is about, else to the target of the settings', () => {
  const target = { target: 7 }
  expect(numberOf(triggerOf('issue_comment', issueComment({ body: '/oc x' })), target)).toBe(12)
  expect(numberOf(triggerOf('workflow_run', workflowRun({}, [{ number: 9 }])), target)).toBe(9)
  expect(numberOf(triggerOf('workflow_run', workflowRun({})), target)).toBe(7)
  expect(numberOf(triggerOf('schedule', { schedule: '' }, withPrompt), target)).toBe(7)
  expect(numberOf(triggerOf('schedule', { schedule: '' }, withPrompt), {})).toBeUndefined()
})
