import { describe, expect, test } from 'vitest'
import { askingOf } from '../../src/event/asking.ts'
import { readEvent } from '../../src/event/read.ts'
import { payloadViolations } from '../support/validate.ts'
import { issueComment, issues, pullRequest, pushToPull, repositoryDispatch, review, reviewComment, user, workflowDispatch, workflowRun } from './payloads.ts'
import { failureOf, settings } from './reading.ts'

test.each([
  ['issue_comment$created', issueComment({ body: '/opencode fix it' })],
  ['issue_comment$created', issueComment({ body: '/opencode fix it', user: user('helper[bot]', 'Bot') }, { pull: true })],
  ['issues$opened', issues('opened', { title: 'x', body: null })],
  ['issues$labeled', issues('labeled', { title: 'x' })],
  ['pull_request_review_comment$created', reviewComment({ body: '/oc x', in_reply_to_id: 4, line: null, start_line: null })],
  ['pull_request_review_comment$created', reviewComment({ body: '/oc x', subject_type: 'file', line: null })],
  ['pull_request_review$submitted', review({ body: null, state: 'commented' })],
  ['pull_request$opened', pullRequest('opened', { title: 'x', body: null })],
  ['pull_request$labeled', pullRequest('labeled', { title: 'x' })],
  ['pull_request$closed', pullRequest('closed', { title: 'x' })],
  ['pull_request$synchronize', pushToPull()],
  ['workflow_dispatch$event', workflowDispatch()],
  ['repository_dispatch$event', repositoryDispatch('nightly', { issue: 12 })],
  ['workflow_run$completed', workflowRun({}, [{ number: 12 }, { number: 2, base: 1 }])],
])('the payloads these tests use are what GitHub sends: %s', (definition, payload) => {
  expect(payloadViolations(definition, payload)).toEqual([])
})

describe('two webhooks for one thing somebody did (C14)', () => {
  const keys = (...events: readonly (readonly [string, unknown])[]) =>
    events.map(([name, payload]) => {
      const reading = readEvent(name, payload, settings)
      return reading.kind === 'trigger' ? askingOf(reading.trigger)?.key : 'nothing'
    })

  test('the same comment delivered twice is one request by its key', () => {
    const twice = ['issue_comment', issueComment({ id: 5, body: '/oc fix' })] as const
    expect(keys(twice, twice)).toEqual(['comment:5', 'comment:5'])
  })

  test('closing with a comment asks once: by the comment', () => {
    const closed = { ...issues('edited', { title: 'x', body: '/oc fix' }), action: 'closed' }
    expect(keys(['issue_comment', issueComment({ id: 5, body: '/oc fix' })], ['issues', closed])).toEqual(['comment:5', 'nothing'])
  })

  test('a review with remarks asks once for each text that calls us', () => {
    const remark = ['pull_request_review_comment', reviewComment({ id: 8, body: '/oc why?' })] as const
    expect(keys(remark, ['pull_request_review', review({ id: 9, body: null })])).toEqual(['review-comment:8', 'nothing'])
    expect(keys(remark, ['pull_request_review', review({ id: 9, body: '/oc all of it' })])).toEqual(['review-comment:8', 'review:9'])
  })

  test('a new issue that is labelled at once asks once', () => {
    const issue = { title: 'x', body: '/oc fix', number: 3 }
    expect(keys(['issues', issues('opened', issue)], ['issues', issues('labeled', issue)])).toEqual(['subject:3', 'nothing'])
  })
})

describe('events nobody can act on', () => {
  const works =
    'issue_comment, pull_request_review_comment, pull_request_review, issues, pull_request, pull_request_target, schedule, workflow_dispatch, repository_dispatch, workflow_run'

  test.each(['push', 'discussion_comment', 'constructor', ''])('"%s" is one clear error with the events that work (C13)', (name) => {
    const error = failureOf(name, {})
    expect(error.message).toBe(`The event "${name}" is not supported.`)
    expect(error.hint).toContain(works)
  })

  test.each([
    [{}, 'action'],
    [{ ...issueComment({ body: '/oc x' }), comment: { id: 'x', body: '/oc x' } }, 'comment.id'],
    [{ ...issueComment({ body: '/oc x' }), issue: undefined }, 'issue'],
  ])('a payload that GitHub would not send is an error that names the field', (payload, field) => {
    expect(failureOf('issue_comment', payload).message).toContain(field)
  })

  test.each([...works.split(', ')].filter((name) => !name.includes('dispatch') && name !== 'schedule'))(
    'an empty payload of %s is an error that names the event',
    (name) => {
      expect(failureOf(name, {}).message).toContain(`"${name}"`)
    },
  )
})
