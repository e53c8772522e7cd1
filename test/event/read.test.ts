import { describe, expect, test } from 'vitest'
import { EventError } from '../../src/event/errors.ts'
import { type ReadingSettings, readEvent } from '../../src/event/read.ts'
import { defaultRequests } from '../../src/event/verb.ts'
import { payloadViolations } from '../support/validate.ts'
import { issueComment, issues, user, workflowDispatch } from './payloads.ts'

const settings: ReadingSettings = { triggers: ['/opencode', '/oc'], repository: { owner: 'octo', name: 'demo' } }
const withPrompt = { ...settings, prompt: 'Answer in French.' }
const comment = (body: unknown, options = {}) => readEvent('issue_comment', issueComment({ body }, options), settings)

function failureOf(name: string, payload: unknown, given = settings): EventError {
  try {
    readEvent(name, payload, given)
  } catch (error) {
    if (error instanceof EventError) return error
    throw error
  }
  throw new Error(`${name} was read without an error`)
}

test.each([
  ['issue_comment$created', issueComment({ body: '/opencode fix it' })],
  ['issue_comment$created', issueComment({ body: '/opencode fix it', user: user('helper[bot]', 'Bot') }, { pull: true })],
  ['issues$opened', issues('opened', { title: 'x', body: null })],
  ['issues$labeled', issues('labeled', { title: 'x' })],
  ['workflow_dispatch$event', workflowDispatch()],
])('the payloads these tests use are what GitHub sends: %s', (definition, payload) => {
  expect(payloadViolations(definition, payload)).toEqual([])
})

describe('a new comment', () => {
  test('that calls us becomes a trigger with everything the run needs to know', () => {
    const payload = issueComment(
      {
        id: 4711,
        body: '/opencode fix the date parsing',
        html_url: 'https://github.com/octo/demo/issues/12#issuecomment-4711',
        created_at: '2026-01-02T03:04:05Z',
      },
      { issue: { title: 'Dates', body: 'They are wrong', state: 'open', locked: false, user: user('bob') } },
    )
    expect(readEvent('issue_comment', payload, settings)).toEqual({
      kind: 'trigger',
      trigger: {
        event: 'issue_comment',
        repository: { owner: 'Codertocat', name: 'Hello-World', defaultBranch: 'master', private: false },
        actor: { login: 'alice', id: 7, type: 'User' },
        verb: { type: 'prompt', text: 'fix the date parsing' },
        subject: { number: 12, isPull: false, title: 'Dates', body: 'They are wrong', author: 'bob', locked: false, state: 'open' },
        comment: {
          id: 4711,
          url: 'https://github.com/octo/demo/issues/12#issuecomment-4711',
          body: '/opencode fix the date parsing',
          createdAt: '2026-01-02T03:04:05Z',
        },
      },
    })
  })

  test('on a pull request is told apart from one on an issue (C09)', () => {
    expect(comment('/oc fix it', { pull: true })).toMatchObject({ trigger: { event: 'issue_comment', subject: { isPull: true } } })
  })

  test('with nothing but the trigger word asks for the default: work on the issue, review the pull request', () => {
    expect(comment('/oc')).toMatchObject({ trigger: { verb: { text: defaultRequests.issue } } })
    expect(comment('/oc', { pull: true })).toMatchObject({ trigger: { verb: { text: defaultRequests.pull } } })
  })

  test('has the input prompt put in front of what the person wrote', () => {
    const read = (body: string) => readEvent('issue_comment', issueComment({ body }), withPrompt)
    expect(read('/oc fix it')).toMatchObject({ trigger: { verb: { text: 'Answer in French.\n\nfix it' } } })
    expect(read('/oc')).toMatchObject({ trigger: { verb: { text: 'Answer in French.' } } })
    expect(read('/oc !npm test')).toMatchObject({ trigger: { verb: { type: 'shell', command: 'npm test' } } })
    expect(read('fix it')).toMatchObject({ kind: 'nothing' })
  })

  test.each([
    ['does not call us (C01)', 'See https://example.org/docs/opencode/setup for details'],
    ['calls us in code only (C03)', 'write `/opencode deploy`'],
    ['is null (C08)', null],
    ['is missing', undefined],
  ])('whose text %s is nothing to do, and the reason names the trigger words', (_, body) => {
    const reading = comment(body)
    expect(reading.kind).toBe('nothing')
    expect(reading).toMatchObject({ reason: expect.stringContaining('/opencode or /oc') })
  })

  test('that carries our hidden marker is our own, whoever the token makes us (C15)', () => {
    const body = 'Done. Reply /opencode to continue\n\n<!-- opencode:session:v1 {"session":"ses_1"} abc -->'
    for (const author of [user('alice'), user('github-actions[bot]', 'Bot')])
      expect(readEvent('issue_comment', issueComment({ body, user: author }), settings)).toMatchObject({
        kind: 'nothing',
        reason: expect.stringContaining('our own'),
      })
  })

  test('by a deleted account is by ghost, and so is an issue without an author (C24)', () => {
    const reading = readEvent('issue_comment', issueComment({ body: '/oc x', user: null }, { issue: { user: null, body: null } }), settings)
    expect(reading).toMatchObject({ trigger: { actor: { login: 'ghost', type: 'Unknown' }, subject: { author: 'ghost', body: '' } } })
  })

  test('is by its author, even when the payload names another sender', () => {
    const payload = { ...issueComment({ body: '/oc x' }), sender: user('mallory') }
    expect(readEvent('issue_comment', payload, settings)).toMatchObject({ trigger: { actor: { login: 'alice' } } })
  })
})

test.each(['edited', 'deleted'])('a comment that was %s starts nothing, though its text calls us (C07)', (action) => {
  expect(comment('/opencode fix it', { action })).toEqual({ kind: 'nothing', reason: `The comment was ${action}, and only new comments are acted on.` })
})

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

describe('events in which nobody says anything', () => {
  test('a schedule does what the input says, and may name no repository and no sender', () => {
    expect(readEvent('schedule', { schedule: '0 3 * * *' }, withPrompt)).toEqual({
      kind: 'trigger',
      trigger: {
        event: 'schedule',
        cron: '0 3 * * *',
        repository: { owner: 'octo', name: 'demo' },
        actor: { login: 'ghost', type: 'Unknown' },
        verb: { type: 'prompt', text: 'Answer in French.' },
      },
    })
  })

  test('a dispatched workflow does what the input says', () => {
    expect(readEvent('workflow_dispatch', workflowDispatch(), withPrompt)).toMatchObject({
      trigger: { event: 'workflow_dispatch', actor: { login: 'Codertocat', type: 'User' }, verb: { text: 'Answer in French.' } },
    })
  })

  test.each([
    ['schedule', { schedule: '0 3 * * *' }],
    ['workflow_dispatch', workflowDispatch()],
  ])('%s without the input fails and names it (C10)', (name, payload) => {
    const error = failureOf(name, payload)
    expect(error.message).toContain(`"${name}"`)
    expect(error.hint).toContain('`prompt`')
  })
})

describe('events nobody can act on', () => {
  const works = 'issue_comment, issues, schedule, workflow_dispatch'

  test.each(['push', 'discussion_comment', 'constructor', ''])('"%s" is one clear error with the events that work (C13)', (name) => {
    const error = failureOf(name, {})
    expect(error.message).toBe(`The event "${name}" is not supported.`)
    expect(error.hint).toContain(works)
  })

  test.each(['pull_request_review_comment', 'pull_request_review', 'pull_request', 'pull_request_target', 'repository_dispatch', 'workflow_run'])(
    '%s is not available yet',
    (name) => {
      const error = failureOf(name, {})
      expect(error.message).toBe(`The event "${name}" is not available yet.`)
      expect(error.hint).toContain(works)
    },
  )

  test.each([
    [{}, 'action'],
    [{ ...issueComment({ body: '/oc x' }), comment: { id: 'x', body: '/oc x' } }, 'comment.id'],
    [{ ...issueComment({ body: '/oc x' }), issue: undefined }, 'issue'],
  ])('a payload that GitHub would not send is an error that names the field', (payload, field) => {
    expect(failureOf('issue_comment', payload).message).toContain(field)
  })
})
