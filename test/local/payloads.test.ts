import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  dispatchPayload,
  issueCommentPayload,
  issueMarkPayload,
  issuesPayload,
  pullRequestPayload,
  repositoryDispatchPayload,
  reviewCommentPayload,
  reviewPayload,
  schedulePayload,
  workflowRunPayload,
} from '../../src/local/github/payloads.ts'
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

test('a labelled and an assigned issue make valid payloads', () => {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'rita', labels: ['bug'], assignees: ['alice'] })
  expect(payloadViolations('issues$labeled', issueMarkPayload(world.github, number, { label: 'bug' }, 'alice'))).toEqual([])
  expect(payloadViolations('issues$assigned', issueMarkPayload(world.github, number, { assignee: 'alice' }, 'alice'))).toEqual([])
})

test.each(['opened', 'reopened', 'synchronize', 'ready_for_review', 'closed'] as const)('a pull request that was %s makes a valid payload', async (action) => {
  await world.push('fix', { 'new.txt': 'x\n' }, 'main')
  const { number } = await world.github.openPull({ title: 'Fix', author: 'alice', head: 'fix' })
  if (action === 'closed') await world.github.merge(number)
  const payload = await pullRequestPayload(world.github, number, action)
  expect(payloadViolations(`pull_request$${action}`, payload)).toEqual([])
  expect(payload).toMatchObject({ number, pull_request: { head: { ref: 'fix' }, merged: action === 'closed' } })
})

test('a pull request from a fork makes a valid payload, and one whose fork is gone says so (C91)', async () => {
  const fork = await world.github.fork('mallory')
  await world.push('patch', { 'new.txt': 'x\n' }, 'main', { repository: fork })
  const { number } = await world.github.openPull({ title: 'Patch', author: 'mallory', head: 'patch', headRepository: fork })
  const payload = await pullRequestPayload(world.github, number)
  expect(payloadViolations('pull_request$opened', payload)).toEqual([])
  expect(payload).toMatchObject({ pull_request: { head: { label: 'mallory:patch', repo: { full_name: 'mallory/demo', fork: true } } } })
  await world.github.deleteFork(fork)
  expect(await pullRequestPayload(world.github, number)).toMatchObject({ pull_request: { head: { repo: null } } })
})

test('reviews and remarks on the diff make valid payloads, outdated ones too (C12)', async () => {
  await world.push('fix', { 'new.txt': 'x\n' }, 'main')
  const { number } = await world.github.openPull({ title: 'Fix', author: 'alice', head: 'fix' })
  const review = await world.github.review(number, { author: 'rita', body: '', remarks: [{ path: 'new.txt', line: 1, body: '/opencode why?' }] })
  const submitted = await reviewPayload(world.github, review.id)
  expect(payloadViolations('pull_request_review$submitted', submitted)).toEqual([])
  expect(submitted).toMatchObject({ review: { id: review.id, body: null, state: 'commented' }, sender: { login: 'rita' } })
  const remark = await world.github.remark(number, 'rita', { path: 'new.txt', line: 1, body: '/opencode fix' })
  const reply = world.github.reply(remark.id, 'alice', '/opencode now')
  expect(payloadViolations('pull_request_review_comment$created', await reviewCommentPayload(world.github, reply.id))).toEqual([])
  await world.push('fix', { 'new.txt': 'y\n' })
  const outdated = await reviewCommentPayload(world.github, remark.id)
  expect(payloadViolations('pull_request_review_comment$created', outdated)).toEqual([])
  expect(outdated).toMatchObject({ comment: { line: null, position: null, original_line: 1 } })
})

test('a dispatched repository makes a valid payload', () => {
  const payload = repositoryDispatchPayload(world.github, 'alice', 'nightly', { text: 'do it' })
  expect(payloadViolations('repository_dispatch$event', payload)).toEqual([])
})

test('a failed workflow run makes a valid payload, with the pull request whose head it tested', async () => {
  const headSha = await world.push('fix', { 'new.txt': 'x\n' }, 'main')
  const { number } = await world.github.openPull({ title: 'Fix', author: 'alice', head: 'fix' })
  world.github.run(42, { conclusion: 'failure', headBranch: 'fix', headSha })
  const payload = workflowRunPayload(world.github, 42)
  expect(payloadViolations('workflow_run$completed', payload)).toEqual([])
  expect(payload).toMatchObject({ workflow_run: { id: 42, conclusion: 'failure', pull_requests: [{ number }] } })
})

test('the validator names what is wrong with a payload', () => {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice' })
  const { id } = world.github.comment(number, 'alice', 'hello')
  const { sender: _, ...without } = { sender: undefined, ...issueCommentPayload(world.github, id) }
  expect(payloadViolations('issue_comment$created', without).join()).toContain('sender')
  expect(payloadViolations('issue_comment$created', { ...without, sender: {}, surprise: 1 }).join()).toContain('surprise')
  expect(payloadViolations('no_such_event', {})).toEqual(['there is no schema no_such_event'])
})
