import { describe, expect, test } from 'vitest'
import { readEvent } from '../../src/event/read.ts'
import { defaultRequests } from '../../src/event/verb.ts'
import { issueComment, review, reviewComment, user } from './payloads.ts'
import { settings, withPrompt } from './reading.ts'

const comment = (body: unknown, options = {}) => readEvent('issue_comment', issueComment({ body }, options), settings)
const remark = (given: Parameters<typeof reviewComment>[0], options = {}) => readEvent('pull_request_review_comment', reviewComment(given, options), settings)
const reviewed = (given: Parameters<typeof review>[0], options = {}) => readEvent('pull_request_review', review(given, options), settings)

describe('a new comment', () => {
  test('that calls us becomes a trigger with everything the run needs to know', () => {
    const payload = issueComment(
      {
        id: 4711,
        body: '/opencode fix the date parsing',
        html_url: 'https://github.com/octo/demo/issues/12#issuecomment-4711',
        created_at: '2026-01-02T03:04:05Z',
      },
      { issue: { title: 'Dates', body: 'They are wrong', state: 'open', locked: false, created_at: '2026-01-01T00:00:00Z', user: user('bob') } },
    )
    expect(readEvent('issue_comment', payload, settings)).toEqual({
      kind: 'trigger',
      trigger: {
        event: 'issue_comment',
        repository: { owner: 'Codertocat', name: 'Hello-World', defaultBranch: 'master', private: false },
        actor: { login: 'alice', id: 7, type: 'User' },
        verb: { type: 'prompt', text: 'fix the date parsing' },
        subject: {
          number: 12,
          isPull: false,
          title: 'Dates',
          body: 'They are wrong',
          author: 'bob',
          locked: false,
          state: 'open',
          createdAt: '2026-01-01T00:00:00Z',
        },
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

describe('a remark on the diff', () => {
  test('that calls us becomes a trigger that knows where it stands and on which head', () => {
    const payload = reviewComment(
      {
        id: 501,
        body: '/oc why both?',
        html_url: 'https://github.com/octo/demo/pull/12#discussion_r501',
        created_at: '2026-01-02T03:04:05Z',
        path: 'src/date.ts',
        line: 8,
        start_line: 6,
        original_line: 7,
        side: 'LEFT',
        diff_hunk: '@@ -1,3 +1,4 @@\n-old',
        commit_id: 'c'.repeat(40),
        original_commit_id: 'd'.repeat(40),
      },
      { pull: { title: 'Dates', body: null, created_at: '2026-01-01T00:00:00Z' } },
    )
    expect(readEvent('pull_request_review_comment', payload, settings)).toEqual({
      kind: 'trigger',
      trigger: {
        event: 'pull_request_review_comment',
        repository: { owner: 'Codertocat', name: 'Hello-World', defaultBranch: 'master', private: false },
        actor: { login: 'alice', id: 7, type: 'User' },
        verb: { type: 'prompt', text: 'why both?' },
        subject: { number: 12, isPull: true, title: 'Dates', body: '', author: 'bob', locked: false, state: 'open', createdAt: '2026-01-01T00:00:00Z' },
        comment: { id: 501, url: 'https://github.com/octo/demo/pull/12#discussion_r501', body: '/oc why both?', createdAt: '2026-01-02T03:04:05Z' },
        spot: {
          path: 'src/date.ts',
          line: 8,
          startLine: 6,
          originalLine: 7,
          side: 'LEFT',
          hunk: '@@ -1,3 +1,4 @@\n-old',
          commit: 'd'.repeat(40),
          thread: 501,
        },
        head: { sha: 'a'.repeat(40), ref: 'feature/x', repository: 'Codertocat/Hello-World' },
      },
    })
  })

  test('that answers another belongs to the thread that one began', () => {
    expect(remark({ body: '/oc x', in_reply_to_id: 400 })).toMatchObject({ trigger: { comment: { id: 99 }, spot: { thread: 400 } } })
  })

  test('on an outdated line keeps the line it was written for (C12)', () => {
    const reading = remark({ body: '/oc x', line: null, start_line: null, original_line: 42, diff_hunk: '@@ …' })
    expect(reading).toMatchObject({ trigger: { spot: { line: null, startLine: null, originalLine: 42, hunk: '@@ …' } } })
  })

  test.each([
    ['no lines and no hunk', { line: null, original_line: undefined, diff_hunk: undefined }],
    ['nulls', { line: null, original_line: null, diff_hunk: null }],
    ['the number 1 for want of a line', { line: 1, original_line: 1, diff_hunk: '' }],
  ])('on a whole file that comes with %s names the file only (C12)', (_, lines) => {
    const reading = remark({ body: '/oc x', path: 'README.md', subject_type: 'file', ...lines })
    expect(reading).toMatchObject({ trigger: { spot: { path: 'README.md', line: null, startLine: null, originalLine: null, hunk: '' } } })
  })

  test('with nothing but the trigger word asks about its lines', () => {
    expect(remark({ body: '/oc' })).toMatchObject({ trigger: { verb: { type: 'prompt', text: defaultRequests.remark } } })
  })

  test('asks for everything a comment may ask for', () => {
    const verbs = ['/oc cancel', '/oc undo', '/oc help', '/oc continue', '/oc !npm test', '/oc /review all'].map((body) => remark({ body }))
    expect(verbs.map((reading) => reading.kind === 'trigger' && reading.trigger.verb.type)).toEqual(['cancel', 'undo', 'help', 'continue', 'shell', 'command'])
    expect(readEvent('pull_request_review_comment', reviewComment({ body: '/oc fix' }), withPrompt)).toMatchObject({
      trigger: { verb: { text: 'Answer in French.\n\nfix' } },
    })
  })

  test.each(['edited', 'deleted'])('that was %s starts nothing (C07)', (action) => {
    expect(remark({ body: '/oc x' }, { action })).toEqual({ kind: 'nothing', reason: `The comment was ${action}, and only new comments are acted on.` })
  })

  test.each([
    ['does not call us', 'Nice.', '/opencode or /oc'],
    ['is null (C08)', null, '/opencode or /oc'],
    ['is our own (C15)', 'See /oc\n<!-- opencode:finding {} -->', 'our own'],
  ])('whose text %s is nothing to do', (_, body, reason) => {
    expect(remark({ body })).toEqual({ kind: 'nothing', reason: expect.stringContaining(reason) })
  })

  test('is by ghost when its author is gone (C24), and knows when the fork is gone (C91)', () => {
    expect(remark({ body: '/oc x', user: null }, { pull: { user: null, head: { repo: null } } })).toMatchObject({
      trigger: { actor: { login: 'ghost', type: 'Unknown' }, subject: { author: 'ghost' }, head: { sha: 'a'.repeat(40), repository: null } },
    })
  })
})

describe('a review', () => {
  test('that calls us in its text becomes a trigger with its state and the commit it was made for', () => {
    const payload = review(
      {
        body: 'Nearly there.\n\n/oc rename the helper',
        state: 'changes_requested',
        submitted_at: '2026-01-02T03:04:05Z',
        commit_id: 'c'.repeat(40),
        html_url: 'https://github.com/octo/demo/pull/12#pullrequestreview-77',
      },
      { pull: { head: { repo: null } } },
    )
    expect(readEvent('pull_request_review', payload, settings)).toMatchObject({
      kind: 'trigger',
      trigger: {
        event: 'pull_request_review',
        actor: { login: 'alice' },
        verb: { type: 'prompt', text: 'Nearly there.\n\nrename the helper' },
        subject: { number: 12, isPull: true },
        review: {
          id: 77,
          url: 'https://github.com/octo/demo/pull/12#pullrequestreview-77',
          createdAt: '2026-01-02T03:04:05Z',
          state: 'changes_requested',
          commit: 'c'.repeat(40),
        },
        head: { sha: 'a'.repeat(40), ref: 'feature/x', repository: null },
      },
    })
  })

  test('with nothing but the trigger word asks to work on the review', () => {
    expect(reviewed({ body: '/opencode', state: 'commented' })).toMatchObject({ trigger: { verb: { text: defaultRequests.review } } })
  })

  test.each([
    ['null, as where only lines were remarked on (C08, C14)', null],
    ['empty', ''],
    ['no call', 'Looks good to me'],
  ])('whose text is %s is nothing to do, even with the input prompt', (_, body) => {
    for (const given of [settings, withPrompt])
      expect(readEvent('pull_request_review', review({ body, state: 'approved' }), given)).toEqual({
        kind: 'nothing',
        reason: 'The review does not call /opencode or /oc outside of code, quotes and links.',
      })
  })

  test.each(['edited', 'dismissed'] as const)('that was %s starts nothing (C07)', (action) => {
    expect(reviewed({ body: '/oc x' }, { action })).toEqual({ kind: 'nothing', reason: `The review was ${action}, and only new reviews are acted on.` })
  })

  test('of our own starts nothing (C15)', () => {
    expect(reviewed({ body: 'Two things, see /oc\n\n<!-- opencode:review:v1 {} -->' })).toMatchObject({ reason: 'The review is one of our own replies.' })
  })
})

test('who somebody is to the repository by `author_association` changes nothing', () => {
  for (const association of ['OWNER', 'NONE', 'FIRST_TIMER']) {
    const given = { body: '/oc x', author_association: association }
    expect(readEvent('issue_comment', issueComment(given), settings)).toEqual(comment('/oc x'))
    expect(remark(given)).toEqual(remark({ body: '/oc x' }))
    expect(reviewed(given)).toEqual(reviewed({ body: '/oc x' }))
  }
})
