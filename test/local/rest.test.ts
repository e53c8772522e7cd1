import { Octokit } from '@octokit/rest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { World } from '../../src/local/world.ts'
import { octokitOf, refusal } from '../support/local.ts'
import { openWorld } from '../support/world.ts'

let world: World
let octokit: Octokit
const repo = { owner: 'octo', repo: 'demo' }
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

beforeEach(async () => {
  world = await openWorld({ users: { alice: 'write', rita: 'read', max: 'maintain', ada: 'admin' } })
  octokit = octokitOf(world)
})
afterEach(() => world.close())

test('answers 401 without a token and with a wrong one', async () => {
  const without = new Octokit({ baseUrl: world.github.apiUrl, log })
  const wrong = new Octokit({ auth: 'ghs_wrong', baseUrl: world.github.apiUrl, log })
  expect(await refusal(without.repos.get(repo))).toMatchObject({ status: 401, text: expect.stringContaining('Requires authentication') })
  expect(await refusal(wrong.repos.get(repo))).toMatchObject({ status: 401, text: expect.stringContaining('Bad credentials') })
})

test('knows its repository in any spelling (C133) and no other', async () => {
  expect((await octokit.repos.get({ owner: 'Octo', repo: 'DEMO' })).data.full_name).toBe('octo/demo')
  expect((await refusal(octokit.repos.get({ owner: 'octo', repo: 'other' }))).status).toBe(404)
  expect((await refusal(octokit.issues.get({ ...repo, issue_number: 99 }))).status).toBe(404)
})

test('answers permissions as GitHub folds roles, and 404 for what is not a user (C18)', async () => {
  const roles = []
  for (const username of ['ada', 'max', 'alice', 'rita', 'github-actions[bot]']) {
    const { data } = await octokit.repos.getCollaboratorPermissionLevel({ ...repo, username })
    roles.push([username, data.permission, data.role_name])
  }
  expect(roles).toEqual([
    ['ada', 'admin', 'admin'],
    ['max', 'write', 'maintain'],
    ['alice', 'write', 'write'],
    ['rita', 'read', 'read'],
    ['github-actions[bot]', 'read', 'read'],
  ])
  const stranger = await refusal(octokit.repos.getCollaboratorPermissionLevel({ ...repo, username: 'Copilot' }))
  expect(stranger).toMatchObject({ status: 404, text: expect.stringContaining('Copilot is not a user') })
})

test('creates, lists, edits and deletes comments', async () => {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice', labels: ['bug'] })
  world.github.comment(number, 'alice', 'first')
  world.github.comment(number, null, 'by somebody gone')
  const target = { ...repo, issue_number: number }
  const { data: made } = await octokit.issues.createComment({ ...target, body: 'working' })
  await octokit.issues.updateComment({ ...repo, comment_id: made.id, body: 'done' })
  expect((await octokit.issues.getComment({ ...repo, comment_id: made.id })).data.body).toBe('done')
  const { data } = await octokit.issues.listComments(target)
  expect(data.map(({ user, body, author_association: who }) => [user?.login, body, who])).toEqual([
    ['alice', 'first', 'COLLABORATOR'],
    [undefined, 'by somebody gone', 'NONE'],
    ['github-actions[bot]', 'done', 'NONE'],
  ])
  expect(world.github.thread(number).comments.at(-1)?.lastEditedAt).not.toBeNull()
  await octokit.issues.deleteComment({ ...repo, comment_id: made.id })
  expect((await refusal(octokit.issues.getComment({ ...repo, comment_id: made.id }))).status).toBe(404)
  expect((await octokit.issues.listLabelsForRepo(repo)).data.map(({ name }) => name)).toEqual(['bug'])
  expect((await octokit.issues.get(target)).data).toMatchObject({ comments: 2, user: { login: 'alice' }, labels: [{ name: 'bug' }] })
})

test.each([
  ['an empty body (C123)', '', 'body cannot be blank'],
  ['a blank body (C123)', ' \n\t', 'body cannot be blank'],
  ['65,537 characters (C122)', 'ä'.repeat(65_537), 'body is too long (maximum is 65536 characters)'],
])('refuses %s', async (_, body, message) => {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice' })
  expect(await refusal(octokit.issues.createComment({ ...repo, issue_number: number, body }))).toMatchObject({
    status: 422,
    text: expect.stringContaining(message),
  })
  expect(world.github.thread(number).comments).toEqual([])
})

test('takes 65,536 characters (C122)', async () => {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice' })
  const { status } = await octokit.issues.createComment({ ...repo, issue_number: number, body: 'ä'.repeat(65_536) })
  expect(status).toBe(201)
})

test('refuses comments and reactions in a locked conversation (C124)', async () => {
  const { number } = world.github.openIssue({ title: 'Heated', author: 'alice' })
  const target = { ...repo, issue_number: number }
  world.github.lock(number)
  expect(await refusal(octokit.issues.createComment({ ...target, body: 'hello' }))).toMatchObject({
    status: 403,
    text: expect.stringContaining('Unable to create comment because issue is locked'),
  })
  expect((await refusal(octokit.reactions.createForIssue({ ...target, content: 'eyes' }))).status).toBe(403)
})

test('lets nobody but author and admin change a comment (C139)', async () => {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice' })
  const { id } = world.github.comment(number, 'alice', 'mine')
  expect((await refusal(octokit.issues.updateComment({ ...repo, comment_id: id, body: 'yours' }))).status).toBe(403)
  expect((await refusal(octokit.issues.deleteComment({ ...repo, comment_id: id }))).status).toBe(403)
  world.github.state.roles.set('github-actions[bot]', 'admin')
  expect((await octokit.issues.updateComment({ ...repo, comment_id: id, body: 'yours' })).status).toBe(200)
})

test('sets a reaction once: 201, then 200 with the same id, and removes it by id', async () => {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice' })
  const { id } = world.github.comment(number, 'alice', 'hello')
  const onComment = { ...repo, comment_id: id }
  const first = await octokit.reactions.createForIssueComment({ ...onComment, content: 'eyes' })
  const again = await octokit.reactions.createForIssueComment({ ...onComment, content: 'eyes' })
  expect([first.status, again.status, again.data.id]).toEqual([201, 200, first.data.id])
  await octokit.reactions.deleteForIssueComment({ ...onComment, reaction_id: first.data.id })
  expect((await octokit.reactions.listForIssueComment(onComment)).data).toEqual([])
  expect((await refusal(octokit.reactions.deleteForIssueComment({ ...onComment, reaction_id: first.data.id }))).status).toBe(404)

  const onIssue = { ...repo, issue_number: number }
  const eyes = await octokit.reactions.createForIssue({ ...onIssue, content: 'eyes' })
  expect((await octokit.reactions.listForIssue(onIssue)).data.map(({ content }) => content)).toEqual(['eyes'])
  expect((await octokit.reactions.deleteForIssue({ ...onIssue, reaction_id: eyes.data.id })).status).toBe(204)
})

test('pages lists by Link headers, at most 100 a page (C25)', async () => {
  const { number } = world.github.openIssue({ title: 'Long', author: 'alice' })
  for (let index = 1; index <= 230; index++) world.github.comment(number, 'alice', `comment ${index}`)
  const target = { ...repo, issue_number: number }
  const { data, headers } = await octokit.issues.listComments({ ...target, per_page: 200 })
  expect([data.length, headers.link?.match(/rel="\w+"/g)]).toEqual([100, ['rel="next"', 'rel="last"']])
  const all = await octokit.paginate(octokit.issues.listComments, { ...target, per_page: 100 })
  expect(all.map(({ body }) => body)).toEqual(Array.from({ length: 230 }, (_, index) => `comment ${index + 1}`))
  expect((await octokit.issues.listComments({ ...target, per_page: 100, page: 9 })).data).toEqual([])
})

test('answers 304 to a request that names the current ETag, and 200 once a comment came', async () => {
  const { number } = world.github.openIssue({ title: 'Quiet', author: 'alice' })
  const target = { ...repo, issue_number: number }
  const { headers } = await octokit.issues.listComments(target)
  const conditional = () => octokit.issues.listComments({ ...target, headers: { 'if-none-match': headers.etag ?? '' } })
  expect((await refusal(conditional())).status).toBe(304)
  world.github.comment(number, 'alice', 'news')
  expect((await conditional()).data.map(({ body }) => body)).toEqual(['news'])
})

test('opens a pull request with what the real repository holds, and finds it by owner and branch (C126)', async () => {
  const sha = await world.push('fix', { 'README.md': '# Demo\n\nmore\n', 'new.txt': 'a\nb\n' }, 'main')
  const input = { ...repo, title: 'Fix', head: 'fix', base: 'main', body: 'Closes #1' }
  const { data } = await octokit.pulls.create(input)
  expect(data).toMatchObject({
    head: { sha, label: 'octo:fix' },
    additions: 4,
    deletions: 0,
    changed_files: 2,
    commits: 1,
    user: { login: 'github-actions[bot]' },
  })
  expect((await octokit.pulls.list({ ...repo, head: 'octo:fix', base: 'main' })).data.map(({ number }) => number)).toEqual([data.number])
  expect((await octokit.pulls.list({ ...repo, head: 'fix' })).data).toEqual([])
  expect(await refusal(octokit.pulls.create(input))).toMatchObject({
    status: 422,
    text: expect.stringContaining('A pull request already exists for octo:fix.'),
  })
  const later = await world.push('fix', { 'new.txt': 'a\n' })
  const { data: now } = await octokit.pulls.get({ ...repo, pull_number: data.number })
  expect(now).toMatchObject({ head: { sha: later }, commits: 2, additions: 3 })
  expect((await octokit.issues.get({ ...repo, issue_number: data.number })).data.pull_request?.html_url).toBe(data.html_url)
})

test.each([
  ['no commits between base and head (C127)', { head: 'same' }, 'No commits between main and same'],
  ['an unknown head', { head: 'nowhere' }, '"field":"head"'],
  ['an unknown base', { head: 'fix', base: 'nowhere' }, '"field":"base"'],
  ['a title of 257 characters', { head: 'fix', title: 'x'.repeat(257) }, 'title is too long'],
  ['a blank title', { head: 'fix', title: ' ' }, '"field":"title"'],
  ['a body of 65,537 characters (C122)', { head: 'fix', body: 'x'.repeat(65_537) }, 'body is too long'],
])('refuses a pull request with %s', async (_, change, message) => {
  await world.push('fix', { 'new.txt': 'new\n' }, 'main')
  await world.remote('branch', 'same', 'main')
  const request = octokit.pulls.create({ ...repo, title: 'Fix', base: 'main', ...change })
  expect(await refusal(request)).toMatchObject({ status: 422, text: expect.stringContaining(message) })
  expect(world.github.state.threads.size).toBe(0)
})

test('serves set faults for as many requests as asked, then answers by itself (C21, C125)', async () => {
  const target = { ...repo, username: 'alice' }
  world.github.fault({ path: /permission$/ }, { status: 500, body: { message: 'Server Error' } }, 2)
  const ask = () => octokit.repos.getCollaboratorPermissionLevel(target)
  expect([(await refusal(ask())).status, (await refusal(ask())).status, (await ask()).status]).toEqual([500, 500, 200])
  world.github.fault({ method: 'POST', path: /comments$/ }, { status: 429, headers: { 'retry-after': '1' }, body: { message: 'secondary rate limit' } })
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice' })
  const request = octokit.issues.createComment({ ...repo, issue_number: number, body: 'hello' })
  await expect(request).rejects.toMatchObject({ status: 429, response: { headers: { 'retry-after': '1' } } })
  expect(world.github.journal.filter(({ injected }) => injected)).toHaveLength(3)
})

test('cuts connections before or after the work is done', async () => {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice' })
  const write = () => octokit.issues.createComment({ ...repo, issue_number: number, body: 'hello' })
  world.github.fault({ method: 'POST' }, { reset: 'before' })
  await expect(write()).rejects.toThrow()
  expect(world.github.thread(number).comments).toHaveLength(0)
  world.github.fault({ method: 'POST' }, { reset: 'after' })
  await expect(write()).rejects.toThrow()
  expect(world.github.thread(number).comments).toHaveLength(1)
})

test('runs a hook before the request it waits for', async () => {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice' })
  world.github.before({ method: 'GET', path: /comments$/ }, () => void world.github.comment(number, 'alice', 'just in time'), 1)
  const list = async () => (await octokit.issues.listComments({ ...repo, issue_number: number })).data.length
  expect([await list(), await list()]).toEqual([1, 1])
})
