import { afterEach, beforeEach, expect, test } from 'vitest'
import { dispatchPayload, issueCommentPayload, issuesPayload, schedulePayload } from '../../src/local/github/payloads.ts'
import type { World } from '../../src/local/world.ts'
import { payloadViolations } from '../support/validate.ts'
import { openWorld } from '../support/world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

test.each(['created', 'edited', 'deleted'] as const)('a comment on an issue that was %s makes a valid payload', (action) => {
  const { number } = world.github.openIssue({ title: 'Broken', body: 'It is.', author: 'alice', labels: ['bug', 'help wanted'] })
  const { id } = world.github.comment(number, 'rita', '/opencode fix it')
  const payload = issueCommentPayload(world.github, id, action)
  expect(payloadViolations(`issue_comment$${action}`, payload)).toEqual([])
  expect(payload).toMatchObject({ action, comment: { id, body: '/opencode fix it' }, issue: { number }, sender: { login: 'rita' } })
})

test('a comment on a pull request is an issue comment whose issue points to the pull request', async () => {
  await world.push('fix', { 'new.txt': 'x\n' }, 'main')
  const { number } = await world.github.openPull({ title: 'Fix', author: 'alice', head: 'fix', draft: true })
  const { id } = world.github.comment(number, 'dependabot[bot]', '/opencode fix it')
  const payload = issueCommentPayload(world.github, id)
  expect(payloadViolations('issue_comment$created', payload)).toEqual([])
  expect(payload).toMatchObject({ issue: { pull_request: { html_url: expect.stringMatching(/\/pull\/1$/) } }, sender: { type: 'Bot' } })
})

test('an opened issue makes a valid payload', () => {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice' })
  expect(payloadViolations('issues$opened', issuesPayload(world.github, number))).toEqual([])
})

test('a dispatched workflow makes a valid payload', () => {
  expect(payloadViolations('workflow_dispatch$event', dispatchPayload(world.github, 'alice', { prompt: 'do it' }))).toEqual([])
})

test('a schedule carries its cron line', () => {
  expect(schedulePayload(world.github, '0 6 * * 1')).toMatchObject({ schedule: '0 6 * * 1', repository: { full_name: 'octo/demo' } })
})

test('the validator names what is wrong with a payload', () => {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice' })
  const { id } = world.github.comment(number, 'alice', 'hello')
  const { sender: _, ...without } = { sender: undefined, ...issueCommentPayload(world.github, id) }
  expect(payloadViolations('issue_comment$created', without).join()).toContain('sender')
  expect(payloadViolations('issue_comment$created', { ...without, sender: {}, surprise: 1 }).join()).toContain('surprise')
  expect(payloadViolations('no_such_event', {})).toEqual(['there is no schema no_such_event'])
})
