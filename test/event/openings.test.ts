import { describe, expect, test } from 'vitest'
import { readEvent } from '../../src/event/read.ts'
import { defaultRequests } from '../../src/event/verb.ts'
import { issues, pullRequest, pushToPull, user } from './payloads.ts'
import { settings, withPrompt } from './reading.ts'

describe('issues', () => {
  const read = (payload: unknown, given = settings) => readEvent('issues', payload, given)

  test('a new issue that calls us in its text or its title is worked on', () => {
    expect(read(issues('opened', { title: 'Dates', body: 'They are wrong.\n\n/oc fix them' }))).toMatchObject({
      trigger: { event: 'issues', action: 'opened', actor: { login: 'alice' }, verb: { text: 'They are wrong.\n\nfix them' }, subject: { number: 12 } },
    })
    expect(read(issues('opened', { title: '/opencode fix the dates', body: null }))).toMatchObject({ trigger: { verb: { text: 'fix the dates' } } })
    expect(read(issues('opened', { title: 'Dates', body: '/opencode' }))).toMatchObject({ trigger: { verb: { text: defaultRequests.issue } } })
  })

  test('with the input prompt, any event of an issue is worked on (C10)', () => {
    expect(read(issues('labeled', { title: 'Dates', body: null }), withPrompt)).toMatchObject({
      trigger: { action: 'labeled', verb: { text: 'Answer in French.' } },
    })
    expect(read(issues('opened', { title: 'Dates', body: null }), withPrompt)).toMatchObject({ trigger: { verb: { text: 'Answer in French.' } } })
    expect(read(issues('opened', { title: 'Dates', body: '/oc fix' }), withPrompt)).toMatchObject({ trigger: { verb: { text: 'Answer in French.\n\nfix' } } })
  })

  test.each(['opened', 'edited', 'labeled'] as const)(
    'without a call in a new issue and without the input, %s is nothing to do, and the reason names the input (C10, C08)',
    (action) => {
      const body = action === 'opened' ? null : '/opencode fix it'
      expect(read(issues(action, { title: 'Dates', body }))).toMatchObject({ kind: 'nothing', reason: expect.stringContaining('input prompt') })
    },
  )

  test.each(['deleted', 'transferred'] as const)('an issue that was %s is left alone even with the input', (action) => {
    expect(read(issues(action, { title: 'Dates' }), withPrompt)).toMatchObject({ kind: 'nothing' })
  })

  test('a request in an issue that somebody else moved here does not run with that person’s rights', () => {
    const moved = issues('opened', { title: 'Dates', body: '/oc fix', user: user('mallory') })
    expect(read(moved)).toMatchObject({ kind: 'nothing', reason: expect.stringContaining('mallory') })
    expect(read(moved, withPrompt)).toMatchObject({ trigger: { actor: { login: 'alice' }, verb: { text: 'Answer in French.' } } })
  })
})

describe.each(['pull_request', 'pull_request_target'])('%s', (event) => {
  const read = (payload: unknown, given = settings) => readEvent(event, payload, given)

  test('a new pull request that calls us in its text or its title is worked on, on the head it was opened with', () => {
    expect(read(pullRequest('opened', { title: 'Dates', body: 'They were wrong.\n\n/oc add a test', created_at: '2026-01-01T00:00:00Z' }))).toMatchObject({
      trigger: {
        event,
        action: 'opened',
        actor: { login: 'bob' },
        verb: { text: 'They were wrong.\n\nadd a test' },
        asks: true,
        subject: { number: 12, isPull: true, author: 'bob', createdAt: '2026-01-01T00:00:00Z' },
        head: { sha: 'a'.repeat(40), ref: 'feature/x', repository: 'Codertocat/Hello-World' },
      },
    })
    expect(read(pullRequest('opened', { title: '/oc', body: null }))).toMatchObject({ trigger: { verb: { text: defaultRequests.pull }, asks: true } })
  })

  test.each([
    ['opened', pullRequest('opened', { title: 'Dates', body: null })],
    ['labeled', pullRequest('labeled', { title: 'Dates', body: '/oc fix' })],
    ['closed', pullRequest('closed', { title: 'Dates', body: null })],
    ['synchronize', pushToPull({ title: 'Dates', body: null })],
  ])('with the input prompt, %s is worked on, and nobody has asked in writing (C10)', (action, payload) => {
    const reading = read(payload, withPrompt)
    expect(reading).toMatchObject({ trigger: { event, action, verb: { type: 'prompt', text: 'Answer in French.' } } })
    expect(reading).not.toHaveProperty('trigger.asks')
  })

  test.each([
    ['opened', pullRequest('opened', { title: 'Dates', body: null })],
    ['labeled', pullRequest('labeled', { title: 'Dates', body: '/oc fix' })],
    ['synchronize', pushToPull({ title: 'Dates', body: '/oc fix' })],
  ])('without a call in a new one and without the input, %s is nothing to do, and the reason names the input (C07, C08, C10)', (_, payload) => {
    expect(read(payload)).toMatchObject({ kind: 'nothing', reason: expect.stringContaining('input prompt') })
  })

  test('one of our own descriptions calls nobody (C15)', () => {
    expect(read(pullRequest('opened', { title: 'Dates', body: 'As /oc was asked\n<!-- opencode:pull -->' }))).toMatchObject({ kind: 'nothing' })
  })

  test('the actor is who caused the event, not who wrote the pull request', () => {
    expect(read(pullRequest('labeled', { title: 'Dates' }, user('rita')), withPrompt)).toMatchObject({
      trigger: { actor: { login: 'rita' }, subject: { author: 'bob' } },
    })
  })

  test('a deleted author is ghost (C24) and a deleted fork is known as gone (C91)', () => {
    expect(read(pullRequest('labeled', { user: null, head: { repo: null } }, user('rita')), withPrompt)).toMatchObject({
      trigger: { subject: { author: 'ghost' }, head: { ref: 'feature/x', repository: null } },
    })
  })
})

test('pull_request_target is given nothing that pull_request is not', () => {
  const payload = pullRequest('opened', { title: 'Dates', body: '/oc review' })
  const [plain, target] = (['pull_request', 'pull_request_target'] as const).map((event) => readEvent(event, payload, settings))
  expect({ ...target, trigger: { ...(target?.kind === 'trigger' && target.trigger), event: 'pull_request' } }).toEqual(plain)
})
