import type { Octokit } from '@octokit/rest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { discussionQuery, remarksQuery, resolveMutation } from '../../src/github/queries.ts'
import type { World } from '../../src/local/world.ts'
import { octokitOf, refusal } from '../support/local.ts'
import { openWorld } from '../support/world.ts'

let world: World
let octokit: Octokit
let number: number
let head: string
const repo = { owner: 'octo', repo: 'demo' }
const lines = (from: number, to: number, change: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${change[from + index] ?? `line ${from + index}`}\n`).join('')

beforeEach(async () => {
  world = await openWorld({ seed: { files: { 'a.txt': lines(1, 40), 'b.txt': 'b\n' } } })
  octokit = octokitOf(world)
  head = await world.push('fix', { 'a.txt': lines(1, 40, { 20: 'twenty' }), 'new.txt': 'n1\nn2\n' }, 'main')
  number = (await world.github.openPull({ title: 'Fix', author: 'alice', head: 'fix' })).number
})
afterEach(() => world.close())

async function graphql(query: string, variables: Record<string, unknown>) {
  const response = await fetch(world.github.graphqlUrl, {
    method: 'POST',
    headers: { authorization: `bearer ${world.github.state.token}` },
    body: JSON.stringify({ query, variables }),
  })
  return JSON.parse(await response.text())
}
const threads = async () => (await graphql(discussionQuery, { owner: 'octo', repo: 'demo', number })).data.repository.issueOrPullRequest.reviewThreads.nodes

const target = () => ({ ...repo, pull_number: number })

test('posts one review with several remarks on lines of the diff, context lines and deleted ones among them', async () => {
  const comments = [
    { path: 'a.txt', body: 'why?', line: 20 },
    { path: 'a.txt', body: 'context', line: 23 },
    { path: 'a.txt', body: 'gone', line: 20, side: 'LEFT' as const },
    { path: 'new.txt', body: 'both', start_line: 1, start_side: 'RIGHT' as const, line: 2 },
  ]
  const { data } = await octokit.pulls.createReview({ ...target(), commit_id: head, event: 'COMMENT', body: 'Looked at it.', comments })
  expect(data).toMatchObject({ state: 'COMMENTED', commit_id: head, user: { login: 'github-actions[bot]' } })
  const { data: remarks } = await octokit.pulls.listReviewComments(target())
  expect(remarks.map((item) => [item.path, item.side, item.line, item.start_line, item.pull_request_review_id])).toEqual([
    ['a.txt', 'RIGHT', 20, null, data.id],
    ['a.txt', 'RIGHT', 23, null, data.id],
    ['a.txt', 'LEFT', 20, null, data.id],
    ['new.txt', 'RIGHT', 2, 1, data.id],
  ])
  expect(remarks[0]?.diff_hunk).toBe('@@ -17,7 +17,7 @@ line 16\n line 17\n line 18\n line 19\n-line 20\n+twenty')
  expect((await octokit.pulls.listReviews(target())).data.map(({ body }) => body)).toEqual(['Looked at it.'])
  expect((await octokit.pulls.listCommentsForReview({ ...target(), review_id: data.id })).data).toHaveLength(4)
})

test.each([
  ['a line outside the hunks (C138)', { path: 'a.txt', line: 2 }, 'Line could not be resolved'],
  ['an added line on the left', { path: 'new.txt', line: 1, side: 'LEFT' }, 'Line could not be resolved'],
  ['a file that was not changed', { path: 'b.txt', line: 1 }, 'Path could not be resolved'],
  ['a beginning outside the hunk', { path: 'a.txt', start_line: 2, line: 20 }, 'Start line could not be resolved'],
  ['a beginning below the end', { path: 'a.txt', start_line: 22, line: 20 }, 'Start line must precede the end line.'],
])('refuses the whole review for a remark on %s', async (_, spot, message) => {
  const comments = [
    { path: 'a.txt', body: 'good', line: 20 },
    { body: 'bad', ...spot },
  ]
  const refused = await refusal(octokit.pulls.createReview({ ...target(), event: 'COMMENT', body: 'x', comments }))
  expect(refused).toMatchObject({ status: 422, text: expect.stringContaining(message) })
  expect((await octokit.pulls.listReviewComments(target())).data).toEqual([])
  expect((await octokit.pulls.listReviews(target())).data).toEqual([])
})

test('refuses an empty review, a commit it does not know, and everything in a locked conversation', async () => {
  const review = (more: object) => refusal(octokit.pulls.createReview({ ...target(), event: 'COMMENT', ...more }))
  expect((await review({})).status).toBe(422)
  expect((await review({ body: 'x', commit_id: '1'.repeat(40) })).text).toContain('No commit found')
  world.github.lock(number)
  expect((await review({ body: 'x' })).status).toBe(403)
})

test('answers, edits, deletes and reacts to remarks, whose ids are a row of their own', async () => {
  const first = await world.github.remark(number, 'rita', { path: 'a.txt', line: 20, body: '/opencode why?' })
  const comment = world.github.comment(number, 'rita', 'elsewhere')
  expect(first.id).toBeLessThan(comment.id)
  const { data: reply } = await octokit.pulls.createReplyForReviewComment({ ...target(), comment_id: first.id, body: 'because' })
  expect(reply).toMatchObject({ in_reply_to_id: first.id, path: 'a.txt', line: 20 })
  // Only the first remark of a thread can be answered.
  expect((await refusal(octokit.pulls.createReplyForReviewComment({ ...target(), comment_id: reply.id, body: 'more' }))).status).toBe(422)
  const { data: edited } = await octokit.pulls.updateReviewComment({ ...repo, comment_id: reply.id, body: 'because of that' })
  expect(edited.body).toBe('because of that')
  expect((await refusal(octokit.pulls.updateReviewComment({ ...repo, comment_id: first.id, body: 'mine' }))).status).toBe(403)

  const eyes = await octokit.reactions.createForPullRequestReviewComment({ ...repo, comment_id: first.id, content: 'eyes' })
  expect((await octokit.reactions.listForPullRequestReviewComment({ ...repo, comment_id: first.id })).data).toHaveLength(1)
  expect((await octokit.reactions.deleteForPullRequestComment({ ...repo, comment_id: first.id, reaction_id: eyes.data.id })).status).toBe(204)

  await octokit.pulls.deleteReviewComment({ ...repo, comment_id: reply.id })
  expect((await octokit.pulls.listReviewComments(target())).data.map(({ id }) => id)).toEqual([first.id])
})

test('lists remarks since a time, newest first if asked, and says 304 while nothing changed', async () => {
  const first = await world.github.remark(number, 'rita', { path: 'a.txt', line: 20, body: 'one' })
  world.github.reply(first.id, 'alice', 'two')
  const { headers, data } = await octokit.pulls.listReviewComments({ ...target(), sort: 'created', direction: 'desc' })
  expect(data.map(({ body }) => body)).toEqual(['two', 'one'])
  const again = () => octokit.pulls.listReviewComments({ ...target(), sort: 'created', direction: 'desc', headers: { 'if-none-match': headers.etag ?? '' } })
  expect((await refusal(again())).status).toBe(304)
  world.github.editRemark(first.id, 'one, changed')
  expect((await again()).data).toHaveLength(2)
  const later = new Date(Date.now() + 60_000).toISOString()
  expect((await octokit.pulls.listReviewComments({ ...target(), since: later })).data).toEqual([])
})

test('follows a remark through later commits until its line is changed: then it is outdated (C12)', async () => {
  const onChange = await world.github.remark(number, 'rita', { path: 'a.txt', line: 20, body: 'this' })
  await world.github.remark(number, 'rita', { path: 'a.txt', line: 22, body: 'that' })
  await world.push('fix', { 'a.txt': `new first line\n${lines(1, 40, { 20: '20 again' })}` })
  expect((await threads()).map(({ line, isOutdated }: { line: number; isOutdated: boolean }) => [line, isOutdated])).toEqual([
    [null, true],
    [23, false],
  ])
  const { data } = await octokit.pulls.getReviewComment({ ...repo, comment_id: onChange.id })
  expect(data).toMatchObject({ line: null, original_line: 20, original_commit_id: head })
})

test('shows reviews and threads in GraphQL, reads a thread on by its id and resolves it', async () => {
  await world.github.review(number, { author: 'rita', state: 'CHANGES_REQUESTED', body: 'Please', remarks: [{ path: 'a.txt', line: 20, body: 'first' }] })
  const [thread] = await threads()
  const [remark] = thread.comments.nodes
  world.github.reply(Number(remark.fullDatabaseId), null, 'second')
  expect(thread).toMatchObject({ path: 'a.txt', diffSide: 'RIGHT', isResolved: false, comments: { nodes: [{ author: { login: 'rita' }, body: 'first' }] } })
  const more = await graphql(remarksQuery, { thread: thread.id, after: thread.comments.pageInfo.endCursor })
  expect(more.data.node.comments.nodes).toMatchObject([{ author: null, body: 'second' }])
  const resolved = await graphql(resolveMutation, { thread: thread.id })
  expect(resolved.data.resolveReviewThread.thread).toEqual({ id: thread.id, isResolved: true })
  expect((await threads())[0].isResolved).toBe(true)
  const { data } = await graphql(discussionQuery, { owner: 'octo', repo: 'demo', number })
  expect(data.repository.issueOrPullRequest.reviews.nodes).toMatchObject([
    { body: 'Please', state: 'CHANGES_REQUESTED', commit: { oid: head } },
    { author: null, body: '', state: 'COMMENTED' },
  ])
  expect((await graphql(resolveMutation, { thread: 'PRRT_0' })).errors).toMatchObject([{ type: 'NOT_FOUND' }])
})

test('shows the issues that a pull request closes, and its checks', async () => {
  const issue = world.github.openIssue({ title: 'Broken', body: 'It is.', author: 'rita' })
  world.github.editThread(number, { body: `Fixes #${issue.number}, see #${number}` })
  world.github.checks(number, [
    { name: 'unit', conclusion: 'FAILURE', summary: '3 failed', title: 'Tests' },
    { name: 'slow', conclusion: null },
    { context: 'ci/old', state: 'SUCCESS', description: 'fine', url: 'https://ci.example.com/1' },
  ])
  const { data } = await graphql(discussionQuery, { owner: 'octo', repo: 'demo', number })
  const pull = data.repository.issueOrPullRequest
  expect(pull.closingIssuesReferences.nodes).toMatchObject([{ number: issue.number, state: 'OPEN', author: { login: 'rita' } }])
  expect(pull.statusCheckRollup.contexts.nodes).toMatchObject([
    { __typename: 'CheckRun', name: 'unit', conclusion: 'FAILURE', summary: '3 failed' },
    { __typename: 'CheckRun', name: 'slow', status: 'IN_PROGRESS', conclusion: null },
    { __typename: 'StatusContext', context: 'ci/old', state: 'SUCCESS', targetUrl: 'https://ci.example.com/1' },
  ])
})
