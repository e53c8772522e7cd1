import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { dispatchPayload } from '../../src/local/github/payloads.ts'
import type { World } from '../../src/local/world.ts'
import { branches, changes, does, play, reply } from './hub.ts'
import { comment, expectExit, files, fixDate, within, writes } from './support.ts'

/** Where work goes, as the workflow asks for it: `pull-request`, `commit-method`, `base-branch`, `branch-prefix`; by the bundle. */

const issue = (world: World) => world.github.openIssue({ title: 'Fix the dates', author: 'rita' }).number
const pulls = (world: World) => writes(world).filter((write) => /^POST .*\/pulls$/.test(write))

describe('pull-request', () => {
  test('draft opens a draft', () =>
    within({ script: fixDate }, async (world) => {
      const done = await comment(world, issue(world), 'alice', '/opencode fix the dates', { inputs: { 'pull-request': 'draft' } })
      expectExit(done, 0)
      expect(done.outputs['pull-request-operation']).toBe('created')
      expect(world.github.thread(Number(done.outputs['pull-request-number'])).pull?.draft).toBe(true)
    }))

  test('link pushes a branch and shows a link to open one by hand', () =>
    within({ script: fixDate }, async (world) => {
      const number = issue(world)
      const inputs = { 'pull-request': 'link' }
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs })
      expectExit(done, 0)
      expect(pulls(world)).toEqual([])
      expect(done.outputs['pull-request-number']).toBeUndefined()
      expect(reply(world, number)).toContain(`/compare/main...${done.outputs.branch}`)
      expect(await world.remote('show', `${done.outputs.branch}:src/date.js`)).toContain('Date.parse(text)')
    }))

  test('never pushes nothing: the work is a patch in a file and under the issue', () =>
    within({ script: fixDate }, async (world) => {
      const number = issue(world)
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs: { 'pull-request': 'never' } })
      expectExit(done, 0)
      expect(await branches(world)).toEqual(['main'])
      expect(changes(world).filter((write) => write.includes('git-receive-pack'))).toEqual([])
      expect(reply(world, number)).toContain('+export const parse = (text) => new Date(Date.parse(text))')
      expect(await readFile(done.outputs['patch-path'] ?? '', 'utf8')).toContain('+export const parse')
    }))

  test.each(['draft', 'link', 'never'])('%s changes nothing about work on a pull request that is there: it goes to its branch', (mode) =>
    within({ script: fixDate }, async (world) => {
      await world.push('topic', { 'a.txt': 'a\n' }, 'main')
      const { number } = await world.github.openPull({ title: 'A', author: 'alice', head: 'topic' })
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs: { 'pull-request': mode } })
      expectExit(done, 0)
      expect(done.outputs).toMatchObject({ branch: 'topic', 'pull-request-operation': 'updated' })
      expect(pulls(world)).toEqual([])
    }),
  )
})

describe('commit-method: api', () => {
  const seed = { files: { ...files, 'old.txt': 'old\n', 'run.sh': '#!/bin/sh\n', 'dir/keep.txt': 'keep\n' } }
  const commands = [
    'rm old.txt',
    'chmod +x run.sh',
    'ln -s src/date.js link.js',
    "printf 'a\\000b' > blob.bin",
    'mv dir/keep.txt dir/moved.txt',
    'printf "grün\\n" > "dir/ü ö.txt"',
  ]
  const script = does({ 'change things': [{ name: 'bash', arguments: { command: commands.join(' && ') } }] })
  const inputs = { 'commit-method': 'api' }

  test('makes a signed commit that holds modes, links, deletions, renames and bytes as they are, without a push', () =>
    within({ seed, script }, async (world) => {
      const done = await comment(world, issue(world), 'alice', '/opencode change things', { inputs })
      expectExit(done, 0)
      const branch = done.outputs.branch ?? ''
      const commit = (await world.remote('rev-parse', branch)).trim()
      expect(done.outputs['commit-sha']).toBe(commit)
      expect(world.github.state.signed).toContain(commit)
      expect(changes(world).filter((write) => write.includes('git-receive-pack'))).toEqual([])
      expect(
        (await world.remote('diff', '--raw', '--no-renames', '--abbrev=4', `main`, branch))
          .replaceAll(/ [0-9a-f]{4} [0-9a-f]{4} /g, ' ')
          .trim()
          .split('\n')
          .toSorted(),
      ).toEqual(
        [
          ':000000 100644 A\t"dir/\\303\\274 \\303\\266.txt"',
          ':000000 100644 A\tblob.bin',
          ':000000 100644 A\tdir/moved.txt',
          ':000000 120000 A\tlink.js',
          ':100644 000000 D\tdir/keep.txt',
          ':100644 000000 D\told.txt',
          ':100644 100755 M\trun.sh',
        ].toSorted(),
      )
      expect(await world.remote('show', `${branch}:link.js`)).toBe('src/date.js')
      expect(await world.remote('show', `${branch}:blob.bin`)).toBe('a\0b')
      expect(await world.remote('log', '-1', '--format=%B', branch)).toContain('Co-authored-by: alice')
    }))

  test('goes on with a pull request that is there, and when somebody pushed meanwhile makes the work anew on top of that', () =>
    within({ script: fixDate }, async (world) => {
      await world.push('topic', { 'a.txt': 'a\n' }, 'main')
      const { number } = await world.github.openPull({ title: 'A', author: 'alice', head: 'topic' })
      world.github.before({ method: 'PATCH', path: /\/git\/refs\/heads/ }, async () => void (await world.push('topic', { 'b.txt': 'b\n' })), 1)
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs })
      expectExit(done, 0)
      expect(await world.remote('show', 'topic:b.txt')).toBe('b\n')
      expect(await world.remote('show', 'topic:src/date.js')).toContain('Date.parse(text)')
      expect(world.github.state.signed).toContain((await world.remote('rev-parse', 'topic')).trim())
      expect(reply(world, number)).toContain('made anew')
    }))

  test('a second turn and an undo are signed as well', () =>
    within({ script: fixDate }, async (world) => {
      const number = issue(world)
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs })
      expectExit(await comment(world, number, 'alice', '/opencode undo', { inputs }), 0)
      const branch = done.outputs.branch ?? ''
      expect(await world.remote('show', `${branch}:src/date.js`)).toBe(files['src/date.js'])
      const commits = (await world.remote('rev-list', `main..${branch}`)).trim().split('\n')
      expect(commits).toHaveLength(2)
      for (const commit of commits) expect(world.github.state.signed).toContain(commit)
      expect(changes(world).filter((write) => write.includes('git-receive-pack'))).toEqual([])
    }))
})

test('C132 the summary says that no checks start for what the workflow’s own token pushed, and nothing of it for another token', async () => {
  await within({ script: fixDate }, async (world) => {
    const done = await comment(world, issue(world), 'alice', '/opencode fix the dates')
    expectExit(done, 0)
    expect(done.summary).toContain('no checks start for it')
  })
  await within({ script: fixDate, viewer: 'our-app[bot]', token: 'ghs_app' }, async (world) => {
    const done = await comment(world, issue(world), 'alice', '/opencode fix the dates')
    expectExit(done, 0)
    expect(done.outputs['pull-request-operation']).toBe('created')
    expect(done.summary).not.toContain('no checks start for it')
  })
})

describe('names', () => {
  test('a branch begins with `branch-prefix`, and grows from `base-branch` for events without a thread too', () =>
    within({ script: fixDate }, async (world) => {
      await world.push('release/2', { VERSION: '2\n' }, 'main')
      const inputs = { prompt: 'Fix the dates.', 'branch-prefix': 'bot/agent-', 'base-branch': 'release/2' }
      const done = await play(world, 'workflow_dispatch', dispatchPayload(world.github, 'alice'), { inputs })
      expectExit(done, 0)
      expect(done.outputs.branch).toMatch(/^bot\/agent-/)
      expect(await world.remote('show', `${done.outputs.branch}:VERSION`)).toBe('2\n')
      expect(world.github.thread(Number(done.outputs['pull-request-number'])).pull?.base).toBe('release/2')
    }))

  test('a base that is not there is one clear error, and nobody is told to wait for long', () =>
    within({ script: fixDate }, async (world) => {
      const done = await comment(world, issue(world), 'alice', '/opencode fix the dates', { inputs: { 'base-branch': 'no-such' } })
      expectExit(done, 1)
      expect(done.outputs.reason).toContain('no-such')
      expect(world.model?.requests()).toEqual([])
    }))
})
