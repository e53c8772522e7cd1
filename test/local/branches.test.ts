import type { Octokit } from '@octokit/rest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { discussionQuery } from '../../src/github/queries.ts'
import type { World } from '../../src/local/world.ts'
import { cloneWith, git, octokitOf, refusal, withToken } from '../support/local.ts'
import { openWorld } from '../support/world.ts'

let world: World
let octokit: Octokit
const repo = { owner: 'octo', repo: 'demo' }
beforeEach(async () => {
  world = await openWorld({ seed: { files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } }, users: { alice: 'write', rita: 'read' } })
  octokit = octokitOf(world)
})
afterEach(() => world.close())

async function discussion(number: number) {
  const response = await fetch(world.github.graphqlUrl, {
    method: 'POST',
    headers: { authorization: `bearer ${world.github.state.token}` },
    body: JSON.stringify({ query: discussionQuery, variables: { owner: 'octo', repo: 'demo', number } }),
  })
  return JSON.parse(await response.text()).data.repository.issueOrPullRequest
}

test('tells who moved a branch when: pushes over the wire and by others, new, forced and deleted branches', async () => {
  const first = await world.push('topic', { 'a.txt': '1\n' }, 'main', { actor: 'mallory' })
  const forced = await world.push('topic', { 'a.txt': '2\n' }, 'main', { actor: 'rita', force: true })
  const clone = await cloneWith(world, { 'a.txt': '3\n' }, 'octo/demo', 'topic')
  await git(clone, ...withToken(world.github.state.token), 'push', '--quiet', 'origin', 'HEAD:refs/heads/topic')
  const own = (await git(clone, 'rev-parse', 'HEAD')).trim()
  await world.github.deleteBranch('topic', { by: 'alice' })
  const { data } = await octokit.repos.listActivities({ ...repo, ref: 'refs/heads/topic' })
  const zero = '0'.repeat(40)
  expect(data.map(({ actor, activity_type: type, before, after }) => [actor?.login, type, before, after])).toEqual([
    ['alice', 'branch_deletion', own, zero],
    ['github-actions[bot]', 'push', forced, own],
    ['rita', 'force_push', first, forced],
    ['mallory', 'branch_creation', zero, first],
  ])
  expect((await octokit.repos.listActivities({ ...repo, ref: 'topic', actor: 'rita', per_page: 1 })).data).toHaveLength(1)
  expect((await octokit.repos.listActivities({ ...repo, ref: 'main' })).data).toEqual([])
})

test('a fork has its branches, its activity and its head published in the base repository', async () => {
  const fork = await world.github.fork('mallory')
  const head = await world.push('patch', { 'a.txt': 'theirs\n' }, 'main', { repository: fork, actor: 'mallory' })
  const { number } = await world.github.openPull({ title: 'Patch', author: 'mallory', head: 'patch', headRepository: fork })
  const later = await world.push('patch', { 'b.txt': 'theirs\n' }, 'patch', { repository: fork, actor: 'mallory' })
  expect((await world.remote('rev-parse', `refs/pull/${number}/head`)).trim()).toBe(later)
  expect((await world.remote('rev-list', '--parents', '-1', `refs/pull/${number}/merge`)).trim().split(' ').at(-1)).toBe(later)
  expect(await discussion(number)).toMatchObject({ isCrossRepository: true, headRefOid: later, headRepository: { nameWithOwner: 'mallory/demo' } })
  const { data } = await octokit.repos.listActivities({ owner: 'mallory', repo: 'demo', ref: 'patch' })
  expect(data.map(({ after }) => after)).toEqual([later, head])
  expect((await octokit.repos.get({ owner: 'mallory', repo: 'demo' })).data).toMatchObject({ full_name: 'mallory/demo', fork: true })
  expect((await refusal(octokit.issues.get({ owner: 'mallory', repo: 'demo', issue_number: number }))).status).toBe(404)
})

test('a deleted fork leaves a pull request without a head repository, whose commits are still there (C91)', async () => {
  const fork = await world.github.fork('mallory')
  const head = await world.push('patch', { 'a.txt': 'theirs\n' }, 'main', { repository: fork })
  const { number } = await world.github.openPull({ title: 'Patch', author: 'mallory', head: 'patch', headRepository: fork })
  await world.github.deleteFork(fork)
  expect(await discussion(number)).toMatchObject({ headRepository: null, isCrossRepository: true, headRefOid: head })
  expect((await octokit.pulls.get({ ...repo, pull_number: number })).data.head.repo).toBeNull()
  expect((await world.remote('rev-parse', `refs/pull/${number}/head`)).trim()).toBe(head)
  await expect(git(world.folder, 'ls-remote', `${world.github.url}/${fork}`)).rejects.toThrow('not found')
})

test.each(['merge', 'squash'] as const)('a %s moves the base, closes what the pull request names and keeps its diff', async (method) => {
  const issue = world.github.openIssue({ title: 'Broken', author: 'rita' })
  await world.push('fix', { 'a.txt': 'fixed\n' }, 'main')
  const { number } = await world.github.openPull({ title: 'Fix', body: `Closes #${issue.number}`, author: 'alice', head: 'fix' })
  await world.push('main', { 'c.txt': 'c\n' })
  await world.github.merge(number, { by: 'alice', method, deleteBranch: true })
  expect(await world.remote('show', 'main:a.txt')).toBe('fixed\n')
  expect(await world.remote('show', 'main:c.txt')).toBe('c\n')
  expect((await world.remote('rev-list', '--parents', '-1', 'main')).trim().split(' ')).toHaveLength(method === 'merge' ? 3 : 2)
  expect(await world.remote('branch', '--list', 'fix')).toBe('')
  const { data } = await octokit.pulls.get({ ...repo, pull_number: number })
  expect(data).toMatchObject({ state: 'closed', merged: true, changed_files: 1, merge_commit_sha: (await world.remote('rev-parse', 'main')).trim() })
  expect(await discussion(number)).toMatchObject({ merged: true, closed: true, files: { nodes: [{ path: 'a.txt' }] } })
  expect(world.github.thread(issue.number).stateReason).toBe('completed')
  const { data: moves } = await octokit.repos.listActivities({ ...repo, ref: 'main' })
  expect(moves[0]).toMatchObject({ activity_type: 'pr_merge', actor: { login: 'alice' } })
})

test('a closed pull request no longer follows its branch, and does so again once it is reopened', async () => {
  const head = await world.push('fix', { 'a.txt': 'fixed\n' }, 'main')
  const { number } = await world.github.openPull({ title: 'Fix', author: 'alice', head: 'fix' })
  await octokit.pulls.update({ ...repo, pull_number: number, state: 'closed' })
  const later = await world.push('fix', { 'a.txt': 'more\n' })
  expect((await octokit.pulls.get({ ...repo, pull_number: number })).data).toMatchObject({ state: 'closed', head: { sha: head } })
  world.github.reopen(number)
  expect((await octokit.pulls.get({ ...repo, pull_number: number })).data).toMatchObject({ state: 'open', head: { sha: later } })
})

test('shows the files of a pull request with real patches: renamed, deleted, binary ones too', async () => {
  await world.push('main', { 'long.txt': 'one\ntwo\nthree\nfour\n', 'gone.txt': 'gone\n' })
  await world.push(
    'fix',
    { 'a.txt': 'a\nmore\n', 'long.txt': null, 'moved/läng.txt': 'one\ntwo\nthree\n4\n', 'gone.txt': null, bin: Buffer.from([0, 1, 2]) },
    'main',
  )
  const { number } = await world.github.openPull({ title: 'Fix', author: 'alice', head: 'fix' })
  const { data } = await octokit.pulls.listFiles({ ...repo, pull_number: number })
  expect(data.map((file) => [file.filename, file.status, file.previous_filename, file.patch])).toEqual([
    ['a.txt', 'modified', undefined, '@@ -1 +1,2 @@\n a\n+more'],
    ['bin', 'added', undefined, undefined],
    ['gone.txt', 'removed', undefined, '@@ -1 +0,0 @@\n-gone'],
    ['moved/läng.txt', 'renamed', 'long.txt', '@@ -1,4 +1,4 @@\n one\n two\n three\n-four\n+4'],
  ])
})

test('compares commits, and knows nothing of one that is not there', async () => {
  const base = (await world.remote('rev-parse', 'main')).trim()
  const head = await world.push('fix', { 'a.txt': 'fixed\n' }, 'main')
  const { data } = await octokit.repos.compareCommitsWithBasehead({ ...repo, basehead: `${base}...${head}` })
  expect(data).toMatchObject({ status: 'ahead', ahead_by: 1, behind_by: 0, files: [{ filename: 'a.txt', patch: '@@ -1 +1 @@\n-a\n+fixed' }] })
  const unknown = octokit.repos.compareCommitsWithBasehead({ ...repo, basehead: `${'1'.repeat(40)}...${head}` })
  expect((await refusal(unknown)).status).toBe(404)
  expect((await octokit.repos.getBranch({ ...repo, branch: 'fix' })).data.commit.sha).toBe(head)
  expect((await refusal(octokit.repos.getBranch({ ...repo, branch: 'none' }))).status).toBe(404)
})
