import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { reviewPayload } from '../../src/local/github/payloads.ts'
import { play, told } from './hub.ts'
import { branches, forkPull, inFork, newPulls, personal, pushed, reply, runs } from './pulls.ts'
import { comment, expectExit, fixDate, within } from './support.ts'

/** Pull requests from forks, by the running action against real remotes. */

describe('a pull request from a fork', () => {
  test('C90 is worked on from its public ref, though its branch is not in this repository', () =>
    within({ script: runs('cat src/other.js', 'git log -1 --format=%s') }, async (world) => {
      const { number } = await forkPull(world)
      await world.checkout()
      expectExit(await comment(world, number, 'alice', '/opencode what is in src/other.js?'), 0)
      expect(told(world)).toContain('export const other = 1')
      expect(told(world)).toContain('Work of somebody else')
      expect(pushed(world)).toEqual([])
      expect(reply(world, number)).toContain('Done as asked.')
    }))

  test('C92 whose head is called main goes back to the main of the fork, and ours stays as it is', () =>
    within({ script: fixDate, ...personal }, async (world) => {
      const { number, fork } = await forkPull(world, { branch: 'main' })
      const before = await world.remote('rev-parse', 'main')
      await world.checkout()
      const done = await comment(world, number, 'alice', '/opencode fix the dates')
      expectExit(done, 0)
      expect(await inFork(world, fork, 'show', 'main:src/date.js')).toContain('Date.parse(text)')
      expect(await inFork(world, fork, 'show', 'main:src/other.js')).toContain('other = 1')
      expect(await world.remote('rev-parse', 'main')).toBe(before)
      expect(await branches(world)).toEqual(['main'])
      expect(done.outputs).toMatchObject({ branch: 'main', 'pull-request-number': String(number), 'pull-request-operation': 'updated' })
      expect(reply(world, number)).toContain(`${world.github.url}/mallory/demo/commit/${done.outputs['commit-sha']}`)
      expect(newPulls(world)).toEqual([])
    }))

  test('C93 whose author lets nobody push is answered with the patch, and nothing is tried', () =>
    within({ script: fixDate, ...personal }, async (world) => {
      const { number } = await forkPull(world, { maintainerCanModify: false })
      const done = await comment(world, number, 'alice', '/opencode fix the dates')
      expect(pushed(world)).toEqual([])
      expect(await branches(world)).toEqual(['main'])
      expect(reply(world, number)).toContain('does not allow edits by maintainers')
      expect(reply(world, number)).toContain('Dates are parsed in UTC now.')
      expect(reply(world, number)).toContain('+export const parse = (text) => new Date(Date.parse(text))')
      expect(await readFile(done.outputs['patch-path'] ?? '', 'utf8')).toContain('Date.parse(text)')
      expect(done.outputs['changed-files']).toBe('src/date.js')
      expectExit(done, 0)
    }))

  test('C93 that refuses the workflow’s token gets the patch, the remote’s own words and what to do, and the run has failed', () =>
    within({ script: fixDate }, async (world) => {
      const { number, fork } = await forkPull(world)
      const before = await inFork(world, fork, 'rev-parse', 'feat')
      const done = await comment(world, number, 'alice', '/opencode fix the dates')
      expectExit(done, 1)
      expect(await inFork(world, fork, 'rev-parse', 'feat')).toBe(before)
      expect(await branches(world)).toEqual(['main'])
      const text = reply(world, number)
      expect(text).toContain('Dates are parsed in UTC now.')
      expect(text).toContain('`mallory/demo`')
      expect(text).toMatch(/403|denied/)
      expect(text).toContain('`github-token`')
      expect(text).toContain('+export const parse = (text) => new Date(Date.parse(text))')
      expect(await readFile(done.outputs['patch-path'] ?? '', 'utf8')).toContain('Date.parse(text)')
      expect(done.outputs).toMatchObject({ conclusion: 'failure', 'changed-files': 'src/date.js' })
      // One attempt: it stays refused.
      expect(world.github.journal.filter(({ kind, path, status }) => kind === 'git' && path.includes('mallory') && status === 403)).toHaveLength(1)
    }))

  test('C93 that takes the pack and refuses the branch ends the same way', () =>
    within({ script: fixDate, ...personal }, async (world) => {
      const { number, fork } = await forkPull(world)
      world.github.refusePush({ repository: fork }, 'permission')
      const done = await comment(world, number, 'alice', '/opencode fix the dates')
      expectExit(done, 1)
      expect(reply(world, number)).toContain('permission denied')
      expect(reply(world, number)).toContain('Date.parse(text)')
      expect(done.outputs['patch-path']).toBeDefined()
      expect(await branches(world)).toEqual(['main'])
    }))

  test('C90 gets the next turn on top of the first, though its commits are in the fork alone', () =>
    within({ script: runs('date > a.txt; echo >> b.txt'), ...personal }, async (world) => {
      const { number, fork } = await forkPull(world)
      expectExit(await comment(world, number, 'alice', '/opencode write a.txt'), 0)
      await world.checkout()
      const next = await comment(world, number, 'alice', '/opencode and again', { env: {} })
      expectExit(next, 0)
      expect((await inFork(world, fork, 'log', '--format=%s', 'main..feat')).trim().split('\n')).toEqual(['Write a.txt', 'Work of somebody else'])
    }))
})

describe('a fork that was deleted', () => {
  test('C91 leaves its pull request answerable: by its diff, and from the public ref where the request names its commit', () =>
    within({ script: runs('cat src/other.js') }, async (world) => {
      const { number, fork } = await forkPull(world)
      await world.github.deleteFork(fork)
      expectExit(await comment(world, number, 'alice', '/opencode what is in src/other.js?'), 0)
      // With the fork went the record of its pushes, so nothing of it is run; a review names the commit it is about.
      expect(told(world)).toContain('+export const other = 1')
      expect(reply(world, number)).toContain('the fork was deleted')
      const { id } = await world.github.review(number, { author: 'alice', body: '/opencode and what is in it now?', state: 'COMMENTED' })
      await world.checkout()
      expectExit(await play(world, 'pull_request_review', await reviewPayload(world.github, id)), 0)
      expect(await readFile(`${world.workspace}/src/other.js`, 'utf8')).toContain('other = 1')
      expect(pushed(world)).toEqual([])
    }))

  test('C91 has nowhere to push to: the reply says so, and holds the patch', () =>
    within({ script: fixDate }, async (world) => {
      const { number, fork } = await forkPull(world)
      const { id } = await world.github.review(number, { author: 'alice', body: '/opencode fix the dates', state: 'COMMENTED' })
      await world.github.deleteFork(fork)
      const done = await play(world, 'pull_request_review', await reviewPayload(world.github, id))
      expectExit(done, 0)
      expect(reply(world, number)).toContain('was deleted, so there is nowhere to push to')
      expect(reply(world, number)).toContain('Date.parse(text)')
      expect(done.outputs['patch-path']).toBeDefined()
      expect(await branches(world)).toEqual(['main'])
    }))
})

test.each(['feature/AB#12-x', 'a@b', 'feat(x)', 'a,b', 'x\u00a0', 'ünï/✓', "it's-`$(id)`;x", '-x/é%20+&?'.slice(1).replace('?', '=')])(
  'C94 the branch %j is worked on, shown and linked like any other',
  (branch) =>
    within({ script: fixDate }, async (world) => {
      await world.push(branch, { 'src/other.js': '1\n' }, 'main')
      const { number } = await world.github.openPull({ title: 'Feature', author: 'alice', head: branch })
      const done = await comment(world, number, 'alice', '/opencode fix the dates')
      expectExit(done, 0)
      expect(done.outputs).toMatchObject({ branch, 'pull-request-operation': 'updated' })
      expect(await world.remote('show', `refs/heads/${branch}:src/date.js`)).toContain('Date.parse(text)')
      expect(await branches(world)).toEqual([branch, 'main'].toSorted())
    }),
)

test('C94 a base with a # in its name is started from, and its compare link leads there', () =>
  within({ script: fixDate }, async (world) => {
    await world.push('release/1.x#2', { VERSION: '1\n' }, 'main')
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs: { 'base-branch': 'release/1.x#2', 'pull-request': 'link' } })
    expectExit(done, 0)
    expect(await world.remote('show', `${done.outputs.branch}:VERSION`)).toBe('1\n')
    expect(reply(world, number)).toContain(`/octo/demo/compare/release/1.x%232...${done.outputs.branch}?expand=1`)
  }))
