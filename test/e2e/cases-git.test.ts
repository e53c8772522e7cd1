import { mkdir, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/local/model.ts'
import { git } from '../../src/local/process.ts'
import type { World } from '../../src/local/world.ts'
import { comments } from '../support/world.ts'
import { comment, expectExit, files, fixDate, says, within, writes } from './support.ts'

/** Public cases of git, by the built bundle against a real remote. */

/** A model that runs some commands one after another, then answers. */
const runs =
  (...commands: string[]): Script =>
  ({ result, mayCall }) => {
    const next = commands.findIndex((_, index) => result(`bash_${index}`) === undefined)
    return mayCall && next >= 0 ? { calls: [{ id: `bash_${next}`, name: 'bash', arguments: { command: commands[next] } }] } : { text: 'Done as asked.' }
  }

const identity = '-c user.name=Agent -c user.email=agent@example.com'
const issue = (world: World) => world.github.openIssue({ title: 'Fix the dates', author: 'rita' }).number
const reply = (world: World, number: number) => comments(world, number).at(-1)?.body ?? ''
const branches = async (world: World) => (await world.remote('branch', '--format=%(refname:short)')).trim().split('\n').toSorted()
const newPulls = (world: World) => writes(world).filter((write) => write.startsWith('POST') && write.endsWith('/pulls'))
const subjects = async (world: World, range: string) => (await world.remote('log', '--format=%s', range)).trim().split('\n')

describe('where the work goes', () => {
  test('C09 a comment on a pull request works on its head, and no other pull request is opened', () =>
    within({ script: fixDate }, async (world) => {
      await world.push('feature/x', { 'src/other.js': 'export const other = 1\n' }, 'main')
      const { number } = await world.github.openPull({ title: 'Feature', author: 'alice', head: 'feature/x' })
      // As actions/checkout leaves it for this event: on the default branch.
      await world.checkout()
      const done = await comment(world, number, 'alice', '/opencode fix the dates')
      expectExit(done, 0)
      expect(done.outputs).toMatchObject({ branch: 'feature/x', 'pull-request-number': String(number), 'pull-request-operation': 'updated' })
      expect(await subjects(world, 'main..feature/x')).toEqual(['Fix the dates', 'Work of somebody else'])
      expect(await world.remote('show', 'feature/x:src/date.js')).toContain('Date.parse(text)')
      expect(await branches(world)).toEqual(['feature/x', 'main'])
      expect(newPulls(world)).toEqual([])
    }))

  test('C39 C103 a file that is on the pull request’s branch already is modified, and nothing but the agent’s edits is in the commit', () =>
    within({ script: runs('echo more >> docs/findings.md') }, async (world) => {
      await world.push('feature/x', { 'docs/findings.md': 'first\n' }, 'main')
      const { number } = await world.github.openPull({ title: 'Findings', author: 'alice', head: 'feature/x' })
      await world.checkout()
      expectExit(await comment(world, number, 'alice', '/opencode add to the findings'), 0)
      expect((await world.remote('show', '--format=', '--name-status', 'feature/x')).trim()).toBe('M\tdocs/findings.md')
      expect(await world.remote('show', 'feature/x:docs/findings.md')).toBe('first\nmore\n')
    }))

  test('C108 a change asked for in a closed pull request becomes a new branch and pull request, and the old branch is not made again', () =>
    within({ script: fixDate }, async (world) => {
      await world.push('feature/x', { 'src/other.js': '1\n' }, 'main')
      const { number } = await world.github.openPull({ title: 'Feature', author: 'alice', head: 'feature/x' })
      world.github.closeThread(number)
      await world.remote('branch', '-D', 'feature/x')
      const done = await comment(world, number, 'alice', '/opencode fix the dates')
      expectExit(done, 0)
      expect(done.outputs['pull-request-operation']).toBe('created')
      expect(await branches(world)).toEqual(['main', done.outputs.branch])
    }))

  test('C96 a head that is named like a folder is the branch', () =>
    within({ script: fixDate, seed: { files: { ...files, 'docs/a.md': 'a\n' } } }, async (world) => {
      await world.push('docs', { 'src/other.js': '1\n' }, 'main')
      const { number } = await world.github.openPull({ title: 'Docs', author: 'alice', head: 'docs' })
      const done = await comment(world, number, 'alice', '/opencode fix the dates')
      expectExit(done, 0)
      expect(done.outputs.branch).toBe('docs')
      expect(await world.remote('show', 'docs:src/date.js')).toContain('Date.parse(text)')
      expect(await world.remote('show', 'docs:src/other.js')).toBe('1\n')
    }))

  test('C97 a new branch grows from the wanted base and its pull request goes there, whatever was checked out', () =>
    within({ script: fixDate, defaultBranch: 'develop' }, async (world) => {
      await world.push('release/2', { VERSION: '2\n' }, 'develop')
      await world.push('elsewhere', { VERSION: '3\n' }, 'develop')
      const number = issue(world)
      await world.checkout({ ref: await world.remote('rev-parse', 'elsewhere').then((sha) => sha.trim()) })
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs: { 'base-branch': 'release/2' } })
      expectExit(done, 0)
      const branch = done.outputs.branch ?? ''
      expect(await world.remote('show', `${branch}:VERSION`)).toBe('2\n')
      expect(world.github.thread(Number(done.outputs['pull-request-number'])).pull?.base).toBe('release/2')

      // Without the input: the repository's default branch, which is not called main.
      await world.checkout({ ref: 'elsewhere' })
      const other = await comment(world, issue(world), 'alice', '/opencode fix the dates')
      expectExit(other, 0)
      expect(world.github.thread(Number(other.outputs['pull-request-number'])).pull?.base).toBe('develop')
      expect(await subjects(world, `develop..${other.outputs.branch}`)).toHaveLength(1)
    }))
})

describe('a model that uses git by itself', () => {
  test('C45 an identity it configures does not become the author', () =>
    within({ script: runs('git config user.email stranger@users.noreply.github.com && git config user.name Stranger', 'echo 1 > a.txt') }, async (world) => {
      const done = await comment(world, issue(world), 'alice', '/opencode write a.txt')
      expectExit(done, 0)
      expect(await world.remote('log', '-1', '--format=%an %ae %cn %ce', done.outputs.branch ?? '')).toMatch(
        /^github-actions\[bot\] 41898282\+[^ ]+ github-actions\[bot\] [^ ]+\n$/,
      )
      expect(await world.remote('log', '-1', '--format=%B', done.outputs.branch ?? '')).not.toContain('Stranger')
      // It is told that git is done for it.
      expect(JSON.stringify(world.model?.requests()[0]?.messages[0])).toMatch(/commit/i)
    }))

  test('C98 its own commit, and what it left uncommitted, both arrive once', () =>
    within({ script: runs(`echo 1 > a.txt && git add -A && git ${identity} commit -qm own`, 'echo 2 > b.txt') }, async (world) => {
      const done = await comment(world, issue(world), 'alice', '/opencode write files')
      expectExit(done, 0)
      expect(done.outputs['changed-files']?.split('\n').toSorted()).toEqual(['a.txt', 'b.txt'])
      expect(await subjects(world, `main..${done.outputs.branch}`)).toEqual(['Write files', 'own'])
    }))

  test('C98 a clean work tree with a commit of its own is not "nothing to do"', () =>
    within({ script: runs(`echo 1 > a.txt && git add -A && git ${identity} commit -qm own`) }, async (world) => {
      const done = await comment(world, issue(world), 'alice', '/opencode write files')
      expectExit(done, 0)
      expect(await subjects(world, `main..${done.outputs.branch}`)).toEqual(['own'])
      expect(done.outputs['pull-request-operation']).toBe('created')
    }))

  test('C98 what it pushed by itself is not pushed twice, and the answer is posted', () =>
    within(
      { script: runs(`echo 1 > a.txt && git add -A && git ${identity} commit -qm own && git push -q origin HEAD:refs/heads/feature/x`) },
      async (world) => {
        await world.push('feature/x', { 'src/other.js': '1\n' }, 'main')
        const { number } = await world.github.openPull({ title: 'Feature', author: 'alice', head: 'feature/x' })
        await world.checkout({ ref: 'feature/x', persistCredentials: true })
        const done = await comment(world, number, 'alice', '/opencode write and push')
        expectExit(done, 0)
        expect(await subjects(world, 'main..feature/x')).toEqual(['own', 'Work of somebody else'])
        expect(reply(world, number)).toContain('Done as asked.')
      },
    ))

  test.each([
    ['a branch of its own', 'git checkout -qb fix/x'],
    ['a detached HEAD', 'git checkout -q --detach'],
  ])('C99 work on %s is published once, and no empty branch is left', (_, move) =>
    within({ script: runs(`${move} && echo 1 > a.txt && git add -A && git ${identity} commit -qm own`) }, async (world) => {
      const done = await comment(world, issue(world), 'alice', '/opencode write a.txt')
      expectExit(done, 0)
      const branch = done.outputs.branch ?? ''
      expect(await world.remote('show', `${branch}:a.txt`)).toBe('1\n')
      expect(await branches(world)).toEqual(['main', branch])
      expect(newPulls(world)).toHaveLength(1)
    }),
  )

  test('C127 an edit that was taken back pushes nothing, opens nothing, and is answered', () =>
    within({ script: runs('echo 1 > a.txt', 'rm a.txt') }, async (world) => {
      const number = issue(world)
      const done = await comment(world, number, 'alice', '/opencode try something')
      expectExit(done, 0)
      expect(await branches(world)).toEqual(['main'])
      expect(newPulls(world)).toEqual([])
      expect(reply(world, number)).toContain('Done as asked.')
    }))
})

describe('the repository', () => {
  test('C104 a full clone stays full', () =>
    within({ script: fixDate }, async (world) => {
      await world.push('feature/x', { 'src/other.js': '1\n' }, 'main')
      await world.push('main', { NEWS: '1\n' })
      const { number } = await world.github.openPull({ title: 'Feature', author: 'alice', head: 'feature/x' })
      await world.checkout({ depth: 'full' })
      const done = await comment(world, number, 'alice', '/opencode what is the merge base?')
      expectExit(done, 0)
      expect((await git(world.workspace, world.env, ['rev-parse', '--is-shallow-repository'])).trim()).toBe('false')
      const base = (await world.remote('merge-base', 'main', 'feature/x')).trim()
      expect((await git(world.workspace, world.env, ['merge-base', 'HEAD', 'origin/main'])).trim()).toBe(base)
    }))

  test('C113 hooks of the project do not run on our commit and push', () =>
    within({ script: fixDate }, async (world) => {
      const workspace = await world.checkout()
      await mkdir(`${workspace}/.git/husky`, { recursive: true })
      for (const folder of ['husky', 'hooks'])
        for (const hook of ['pre-commit', 'commit-msg', 'pre-push'])
          await writeFile(`${workspace}/.git/${folder}/${hook}`, '#!/bin/sh\nexit 2\n', { mode: 0o755 })
      await git(workspace, world.env, ['config', 'core.hooksPath', '.git/husky'])
      const done = await comment(world, issue(world), 'alice', '/opencode fix the dates')
      expectExit(done, 0)
      expect(done.outputs['pull-request-operation']).toBe('created')
    }))

  test('C133 a repository in other letter case is the same, not a fork', () =>
    within({ script: fixDate }, async (world) => {
      await world.push('feature/x', { 'src/other.js': '1\n' }, 'main')
      const { number } = await world.github.openPull({ title: 'Feature', author: 'alice', head: 'feature/x' })
      const done = await comment(world, number, 'alice', '/opencode fix the dates', {
        env: { GITHUB_REPOSITORY: 'Octo/Demo', GITHUB_REPOSITORY_OWNER: 'Octo' },
      })
      expectExit(done, 0)
      expect(done.outputs).toMatchObject({ branch: 'feature/x', 'pull-request-operation': 'updated' })
    }))

  test('C166 every address is the host’s own: nothing a person sees or git stores names another', () =>
    within({ script: fixDate }, async (world) => {
      const number = issue(world)
      const done = await comment(world, number, 'alice', '/opencode fix the dates')
      expectExit(done, 0)
      const pull = world.github.thread(Number(done.outputs['pull-request-number']))
      const commit = await world.remote('log', '-1', '--format=%an %ae %cn %ce %B', done.outputs.branch ?? '')
      const seen = [reply(world, number), pull.body, commit, done.summary, JSON.stringify(done.outputs), done.stdout].join('\n')
      expect(seen).not.toContain('github.com')
      expect(reply(world, number)).toContain(`${world.github.url}/octo/demo/`)
      expect(world.github.journal.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['rest', 'graphql', 'git']))
    }))
})

test('C24 deleted accounts are called ghost and stop nothing', () =>
  within({ script: says('Hello.') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: null })
    world.github.comment(number, 'rita', 'First.')
    world.github.comment(number, null, 'Written by nobody.')
    const done = await comment(world, number, 'alice', '/opencode what was said?')
    expectExit(done, 0)
    const told = JSON.stringify(world.model?.requests()[0]?.messages)
    expect(told).toContain('ghost')
    expect(told).toContain('Written by nobody.')
  }))

test('C25 of a long thread the newest comments are read, and of a large pull request all files are counted', () =>
  within({ script: says('Hello.') }, async (world) => {
    const number = issue(world)
    for (let index = 1; index < 129; index++) world.github.comment(number, 'rita', `Remark ${index}.`)
    world.github.comment(number, 'rita', 'Use port 8081.')
    expectExit(await comment(world, number, 'alice', '/opencode which port?'), 0)
    expect(JSON.stringify(world.model?.requests()[0]?.messages)).toContain('Use port 8081.')

    await world.push('big', Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`many/${index}.txt`, `${index}\n`])), 'main')
    const pull = await world.github.openPull({ title: 'Big', author: 'alice', head: 'big' })
    expectExit(await comment(world, pull.number, 'alice', '/opencode how many?'), 0)
    expect(JSON.stringify(world.model?.requests()[1]?.messages)).toContain('120')
  }))
