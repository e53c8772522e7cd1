import { describe, expect, test } from 'vitest'
import { reviewCommentPayload, reviewPayload } from '../../src/local/github/payloads.ts'
import { comments } from '../support/world.ts'
import { changed, changes, openChange, play, reply, threads, told } from './hub.ts'
import { expectExit, fixDate, says, within } from './support.ts'

/** Remarks on a diff and reviews that ask, by the bundle: what the model is told of them, and where work and reply go. */

describe('a remark on the diff', () => {
  test('C29 is told with its file, line, hunk and the remarks before it, and answered in its thread', () =>
    within({ script: says('Because of the tests.') }, async (world) => {
      const number = await openChange(world)
      const first = await world.github.remark(number, 'rita', { path: 'src/date.js', line: 2, body: 'Is this needed?' })
      world.github.reply(first.id, 'bob', 'I think so.')
      const { id } = world.github.reply(first.id, 'alice', '/opencode why both?')
      const done = await play(world, 'pull_request_review_comment', await reviewCommentPayload(world.github, id))
      expectExit(done, 0)
      const text = told(world)
      expect(text).toMatch(/<github_place_of_request[^>]*path="src\/date\.js"[^>]*line="2"/)
      expect(text).toContain('+export const both = [parse, parse]')
      const place = text.slice(text.indexOf('<github_place_of_request'), text.indexOf('</github_place_of_request>'))
      expect(place.indexOf('Is this needed?')).toBeGreaterThan(0)
      expect(place.indexOf('I think so.')).toBeGreaterThan(place.indexOf('Is this needed?'))
      expect(text).toContain('why both?')
      expect(threads(world, number).map(({ said }) => said.map(({ author }) => author))).toEqual([['rita', 'bob', 'alice', 'github-actions[bot]']])
      expect(threads(world, number)[0]?.said.at(-1)?.body).toContain('Because of the tests.')
      expect(comments(world, number)).toEqual([])
      expect(done.outputs['comment-url']).toContain('#discussion_r')
    }))

  test('a second one in the same thread goes on with the session, and what the first changed is on the branch', () =>
    within({ script: fixDate }, async (world) => {
      const number = await openChange(world)
      const first = await world.github.remark(number, 'alice', { path: 'src/date.js', line: 1, body: '/opencode fix this' })
      expectExit(await play(world, 'pull_request_review_comment', await reviewCommentPayload(world.github, first.id)), 0)
      expect(await world.remote('show', 'topic:src/date.js')).toContain('Date.parse(text)')
      expect(threads(world, number)[0]?.said.at(-1)?.body).toMatch(/Dates are parsed in UTC now\.[\s\S]*Pushed/)
      const second = world.github.reply(first.id, 'alice', '/opencode are you sure?')
      const done = await play(world, 'pull_request_review_comment', await reviewCommentPayload(world.github, second.id))
      expectExit(done, 0)
      expect(told(world)).toMatch(/fix this[\s\S]*Dates are parsed in UTC now\.[\s\S]*are you sure\?/)
    }))

  test('C12 on an outdated line is told with the line it stood at, marked as outdated', () =>
    within({ script: says('It was needed.') }, async (world) => {
      const number = await openChange(world)
      const { id } = await world.github.remark(number, 'alice', { path: 'src/date.js', line: 2, body: '/opencode what was this?' })
      await world.push('topic', { 'src/date.js': 'export const parse = (text) => new Date(text)\n' })
      const payload = await reviewCommentPayload(world.github, id)
      expect(payload).toMatchObject({ comment: { line: null, original_line: 2 } })
      expectExit(await play(world, 'pull_request_review_comment', payload), 0)
      const [place] = /<github_place_of_request[^>]*>/.exec(told(world)) ?? []
      expect(place).toContain('2')
      expect(place).toMatch(/outdated/)
      expect(told(world)).not.toMatch(/\b(?:null|undefined)\b/)
      expect(threads(world, number)[0]?.said.at(-1)?.body).toContain('It was needed.')
    }))

  test('C12 on a whole file is told with the file alone', () =>
    within({ script: says('It is a file.') }, async (world) => {
      const number = await openChange(world)
      const { id } = await world.github.remark(number, 'alice', { path: 'head.txt', line: 1, body: '/opencode is this file needed?' })
      const onFile = { subject_type: 'file', line: null, original_line: null, start_line: null, diff_hunk: '' }
      expectExit(await play(world, 'pull_request_review_comment', changed(await reviewCommentPayload(world.github, id), 'comment', onFile)), 0)
      const [place] = /<github_place_of_request[^>]*>/.exec(told(world)) ?? []
      expect(place).toContain('path="head.txt"')
      expect(place).not.toMatch(/line=/)
      expect(told(world)).not.toMatch(/\b(?:null|undefined)\b/)
    }))

  test('on a fork’s pull request is answered in its thread, and the work goes to the fork only as a patch where the token may not push there', () =>
    within({ script: fixDate }, async (world) => {
      const fork = await world.github.fork('mallory')
      const number = await openChange(world, fork)
      const { id } = await world.github.remark(number, 'alice', { path: 'src/date.js', line: 2, body: '/opencode fix this' })
      const done = await play(world, 'pull_request_review_comment', await reviewCommentPayload(world.github, id))
      expect(done.outputs['patch-path']).toBeDefined()
      const said = threads(world, number)[0]?.said.at(-1)
      expect(said?.author).toBe('github-actions[bot]')
      expect(said?.body).toContain('Dates are parsed in UTC now.')
      expect(said?.body).toContain('Date.parse(text)')
      expect(await world.remote('log', '--format=%s', 'main')).not.toContain('Fix')
    }))

  test.each(['edited', 'deleted'] as const)('C07 that was %s starts nothing', (action) =>
    within({ script: says('Never.') }, async (world) => {
      const number = await openChange(world)
      const { id } = await world.github.remark(number, 'alice', { path: 'src/date.js', line: 2, body: '/opencode fix this' })
      const done = await play(world, 'pull_request_review_comment', await reviewCommentPayload(world.github, id, action))
      expectExit(done, 0)
      expect(done.outputs.conclusion).toBe('skipped')
      expect(changes(world)).toEqual([])
      expect(world.model?.requests()).toEqual([])
    }),
  )
})

describe('a review', () => {
  test('that calls us is worked on with its remarks, on the pull request’s branch, and answered under it', () =>
    within({ script: fixDate }, async (world) => {
      const number = await openChange(world)
      const remarks = [{ path: 'src/date.js', line: 1, body: 'This depends on the time zone.' }]
      const review = await world.github.review(number, { author: 'alice', body: '/opencode do what I ask for below', state: 'CHANGES_REQUESTED', remarks })
      const done = await play(world, 'pull_request_review', await reviewPayload(world.github, review.id))
      expectExit(done, 0)
      expect(told(world, 0)).toContain('do what I ask for below')
      expect(told(world, 0)).toContain('This depends on the time zone.')
      expect(done.outputs).toMatchObject({ branch: 'topic', 'pull-request-number': String(number), 'pull-request-operation': 'updated' })
      expect(reply(world, number)).toContain('Dates are parsed in UTC now.')
      // The same review delivered once more (C14).
      const again = await play(world, 'pull_request_review', await reviewPayload(world.github, review.id))
      expect(again.outputs).toMatchObject({ conclusion: 'skipped', reason: expect.stringContaining('answered already') })
    }))

  test('C08 without a word of its own, its body null, starts nothing', () =>
    within({ script: says('Never.') }, async (world) => {
      const number = await openChange(world)
      const review = await world.github.review(number, { author: 'alice', body: '', state: 'APPROVED', remarks: [] })
      const payload = await reviewPayload(world.github, review.id)
      expect(payload).toMatchObject({ review: { body: null } })
      const done = await play(world, 'pull_request_review', payload)
      expectExit(done, 0)
      expect(done.outputs.conclusion).toBe('skipped')
      expect(changes(world)).toEqual([])
    }))

  test('C07 that was edited, and one that was dismissed, starts nothing', () =>
    within({ script: says('Never.') }, async (world) => {
      const number = await openChange(world)
      const review = await world.github.review(number, { author: 'alice', body: '/opencode go', remarks: [] })
      const edited = await reviewPayload(world.github, review.id, 'edited')
      expect((await play(world, 'pull_request_review', edited)).outputs.conclusion).toBe('skipped')
      const dismissed = { ...(await reviewPayload(world.github, review.id)), action: 'dismissed' }
      expect((await play(world, 'pull_request_review', dismissed)).outputs.conclusion).toBe('skipped')
      expect(changes(world)).toEqual([])
    }))
})
