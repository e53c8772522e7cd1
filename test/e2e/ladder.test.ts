import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { World } from '../../src/local/world.ts'
import { does } from './hub.ts'
import { branches, newPulls, pushed, reply, runs, subjects } from './pulls.ts'
import { comment, expectExit, fixDate, within } from './support.ts'

/** The rescue ladder: what becomes of the work when the branch moves, ends or refuses, by the running action against a real remote. */

const push = { path: /git-receive-pack$/ }
const move = { method: 'PATCH', path: /\/git\/refs\// }

/** A pull request of alice's from a branch of this repository. */
async function pull(world: World): Promise<number> {
  await world.push('feature/x', { 'src/other.js': 'export const other = 1\n' }, 'main')
  return (await world.github.openPull({ title: 'Feature', author: 'alice', head: 'feature/x' })).number
}
const issue = (world: World) => world.github.openIssue({ title: 'Fix the dates', author: 'rita' }).number
const show = (world: World, ref = '', path = 'src/date.js') => world.remote('show', `${ref}:${path}`)
const append = { name: 'bash', arguments: { command: 'echo more >> log.txt' } }
const patchOf = (path = '') => readFile(path, 'utf8')

describe.each([
  ['pushed', 'git', push],
  ['made by the API', 'api', move],
] as const)('commits that are %s', (_, method, delivery) => {
  const inputs = { 'commit-method': method }

  test('C107 are made anew on what somebody pushed meanwhile, and both are there', () =>
    within({ script: fixDate }, async (world) => {
      const number = await pull(world)
      world.github.before(delivery, async () => void (await world.push('feature/x', { 'late.txt': 'late\n' }, 'feature/x', { message: 'Late' })), 1)
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs })
      expectExit(done, 0)
      expect(await subjects(world, 'main..feature/x')).toEqual(['Fix the dates', 'Late', 'Work of somebody else'])
      expect(await show(world, 'feature/x')).toContain('Date.parse(text)')
      expect(await show(world, 'feature/x', 'late.txt')).toBe('late\n')
      expect(reply(world, number)).toContain('made anew on top of theirs')
      expect(done.outputs['commit-sha']).toBe((await world.remote('rev-parse', 'feature/x')).trim())
    }))

  test('C107 bring back nothing that a rewritten branch has dropped', () =>
    within({ script: fixDate }, async (world) => {
      const number = await pull(world)
      const amend = () => world.push('feature/x', { 'src/other.js': 'export const other = 2\n' }, 'main', { force: true, message: 'Amended' })
      world.github.before(delivery, async () => void (await amend()), 1)
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs })
      expectExit(done, 0)
      expect(await subjects(world, 'main..feature/x')).toEqual(['Fix the dates', 'Amended'])
      expect(await show(world, 'feature/x', 'src/other.js')).toContain('other = 2')
    }))

  test('C107 that do not fit on it go to a new branch, with the files and a compare link', () =>
    within({ script: fixDate }, async (world) => {
      const number = await pull(world)
      world.github.before(delivery, async () => void (await world.push('feature/x', { 'src/date.js': 'export const parse = () => null\n' })), 1)
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs })
      expectExit(done, 1)
      const branch = done.outputs.branch ?? ''
      expect(await branches(world)).toEqual(['feature/x', 'main', branch].toSorted())
      expect(await show(world, branch)).toContain('Date.parse(text)')
      expect(await show(world, 'feature/x')).toContain('null')
      const text = reply(world, number)
      expect(text).toContain('Dates are parsed in UTC now.')
      expect(text).toContain('`src/date.js`')
      expect(text).toContain(`${world.github.url}/octo/demo/compare/feature/x...${branch}?expand=1`)
      expect(newPulls(world)).toEqual([])
    }))

  test('C107 C105 that do not fit on a rewritten branch go to a new one too, though the clone knows nothing of what they stand on', () =>
    within({ script: fixDate }, async (world) => {
      await world.push('main', { NEWS: '1\n' })
      const number = await pull(world)
      const amend = () => world.push('feature/x', { 'src/date.js': 'export const parse = () => null\n' }, 'main', { force: true, message: 'Amended' })
      world.github.before(delivery, async () => void (await amend()), 1)
      await world.checkout({ ref: 'feature/x', depth: 1 })
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs })
      expectExit(done, 1)
      const branch = done.outputs.branch ?? ''
      expect(await subjects(world, `main..${branch}`)).toEqual(['Fix the dates', 'Work of somebody else'])
      expect(reply(world, number)).toContain(`/compare/feature/x...${branch}?expand=1`)
    }))

  test('C107 that lose the race twice arrive all the same, once', () =>
    within({ script: fixDate }, async (world) => {
      const number = await pull(world)
      let races = 0
      world.github.before(delivery, async () => void (await world.push('feature/x', { [`late${++races}.txt`]: 'late\n' })), 2)
      expectExit(await comment(world, number, 'alice', '/opencode fix the dates', { inputs }), 0)
      expect(await subjects(world, 'main..feature/x')).toEqual(['Fix the dates', 'Work of somebody else', 'Work of somebody else', 'Work of somebody else'])
    }))

  test('C111 that rules refuse go to a branch of their own, with the remote’s words, after one attempt', () =>
    within({ script: fixDate }, async (world) => {
      const number = await pull(world)
      world.github.refusePush({ branch: 'feature/x' }, { kind: 'rules', details: ['Changes must be made through the merge queue.'] })
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs })
      expectExit(done, 1)
      expect(await show(world, done.outputs.branch)).toContain('Date.parse(text)')
      const text = reply(world, number)
      expect(text).toContain('Changes must be made through the merge queue.')
      expect(text).toContain(`/compare/feature/x...${done.outputs.branch}?expand=1`)
      if (method === 'git') expect(pushed(world)).toEqual(['octo/demo feature/x refused', `octo/demo ${done.outputs.branch}`])
    }))

  test('C111 that rules refuse everywhere become a patch', () =>
    within({ script: fixDate }, async (world) => {
      const number = issue(world)
      world.github.refusePush({ branch: /^opencode\// }, 'rules')
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs })
      expectExit(done, 1)
      expect(reply(world, number)).toContain('Commits must have verified signatures.')
      expect(reply(world, number)).toContain('+export const parse = (text) => new Date(Date.parse(text))')
      expect(await patchOf(done.outputs['patch-path'])).toContain('Date.parse(text)')
      expect(await branches(world)).toEqual(['main'])
      expect(newPulls(world)).toEqual([])
    }))

  test('C110 that touch workflow files are pushed without these, and the patch holds all', () =>
    within({ script: runs('mkdir -p .github/workflows; echo "on: push" > .github/workflows/ci.yml; echo 1 > a.txt') }, async (world) => {
      const number = issue(world)
      world.github.refusePush({}, 'workflows')
      const done = await comment(world, number, 'alice', '/opencode set up CI', { inputs })
      const branch = done.outputs.branch ?? ''
      expect((await world.remote('diff', '--name-only', 'main', branch)).trim()).toBe('a.txt')
      const text = reply(world, number)
      expect(text).toContain('`.github/workflows/ci.yml`')
      expect(text).toContain(method === 'git' ? 'without `workflows` permission' : 'Resource not accessible by integration')
      expect(text).toContain('`workflow` scope')
      expect(await patchOf(done.outputs['patch-path'])).toContain('.github/workflows/ci.yml')
      expect(await patchOf(done.outputs['patch-path'])).toContain('a.txt')
      expect(done.outputs).toMatchObject({ 'pull-request-operation': 'created', 'changed-files': 'a.txt', conclusion: 'failure' })
      expectExit(done, 1)
    }))

  test('C108 for a branch that was deleted meanwhile go to a new one, which grows from the base', () =>
    within({ script: fixDate }, async (world) => {
      const number = await pull(world)
      world.github.before(delivery, () => world.github.deleteBranch('feature/x'), 1)
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs })
      expectExit(done, 0)
      const branch = done.outputs.branch ?? ''
      expect(await branches(world)).toEqual(['main', branch].toSorted())
      expect(await subjects(world, `main..${branch}`)).toEqual(['Fix the dates'])
      expect(done.outputs['pull-request-operation']).toBe('created')
      expect(reply(world, number)).toContain('was deleted while the agent was working')
    }))
})

describe('a pull request that ends', () => {
  test.each([
    ['merged', (world: World, number: number) => void world.github.merge(number, { deleteBranch: true })],
    ['merged by a squash', (world: World, number: number) => void world.github.merge(number, { method: 'squash' })],
    ['closed', (world: World, number: number) => world.github.closeThread(number)],
  ])('C108 while the agent works, %s, gets no push any more: a new branch and pull request do', (_, end) =>
    within({ script: fixDate }, async (world) => {
      const number = await pull(world)
      const tip = (await world.remote('rev-parse', 'feature/x')).trim()
      let isOver = false
      world.model?.watch(async () => {
        if (isOver) return
        isOver = true
        await end(world, number)
      })
      const done = await comment(world, number, 'alice', '/opencode fix the dates')
      expectExit(done, 0)
      const branch = done.outputs.branch ?? ''
      expect(branch).not.toBe('feature/x')
      expect((await world.remote('for-each-ref', '--format=%(objectname)', 'refs/heads/feature/x')).trim()).toMatch(new RegExp(`^(${tip})?$`))
      expect(await subjects(world, `main..${branch}`)).toEqual(['Fix the dates'])
      expect(done.outputs['pull-request-operation']).toBe('created')
      expect(reply(world, number)).toMatch(/was (merged|closed) while the agent was working/)
    }),
  )

  test.each([
    ['merged', (world: World, number: number) => world.github.merge(number, { deleteBranch: true })],
    ['merged by a squash, its branch left', (world: World, number: number) => world.github.merge(number, { method: 'squash' })],
    ['closed', async (world: World, number: number) => world.github.closeThread(number)],
  ])('C108 between two turns, %s, is followed by a new branch and pull request of the session', (_, end) =>
    within({ script: does({ 'the log': [append], 'it again': [append] }) }, async (world) => {
      const number = issue(world)
      const first = await comment(world, number, 'alice', '/opencode write the log')
      expectExit(first, 0)
      await end(world, Number(first.outputs['pull-request-number']))
      await world.checkout()
      const next = await comment(world, number, 'alice', '/opencode write it again')
      expectExit(next, 0)
      expect(next.outputs['pull-request-operation']).toBe('created')
      expect(next.outputs['pull-request-number']).not.toBe(first.outputs['pull-request-number'])
      // Nothing of what was merged or dropped comes along.
      expect(await subjects(world, `main..${next.outputs.branch}`)).toHaveLength(1)
    }),
  )
})
