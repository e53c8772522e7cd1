import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { World } from '../../src/local/world.ts'
import { cloneWith, git, withToken } from '../support/local.ts'
import { openWorld } from '../support/world.ts'

let world: World
afterEach(() => world.close())

const cloneAndCommit = () => cloneWith(world, { 'new.txt': 'new\n' })

test('clones a public repository without a token and takes a push with one', async () => {
  world = await openWorld()
  const clone = await cloneAndCommit()
  expect(await readFile(join(clone, 'README.md'), 'utf8')).toBe('# Demo\n')
  await git(clone, ...withToken(world.github.state.token), 'push', '--quiet', 'origin', 'HEAD:refs/heads/topic')
  expect((await world.remote('rev-parse', 'topic')).trim()).toBe((await git(clone, 'rev-parse', 'HEAD')).trim())
})

test('refuses a push without a token and with a wrong one', async () => {
  world = await openWorld()
  const clone = await cloneAndCommit()
  await expect(git(clone, 'push', 'origin', 'HEAD:refs/heads/topic')).rejects.toThrow(/could not read Username|Authentication failed/)
  await expect(git(clone, ...withToken('ghs_wrong'), 'push', 'origin', 'HEAD:refs/heads/topic')).rejects.toThrow(
    /Authentication failed|could not read Username/,
  )
  expect(await world.remote('branch', '--list', 'topic')).toBe('')
})

test('answers 400 to two Authorization headers', async () => {
  world = await openWorld()
  const clone = await cloneAndCommit()
  const twice = [...withToken(world.github.state.token), ...withToken(world.github.state.token)]
  await expect(git(clone, ...twice, 'push', 'origin', 'HEAD:refs/heads/topic')).rejects.toThrow(/400/)
})

test('shows a private repository to the token only', async () => {
  world = await openWorld({ private: true })
  const url = `${world.github.url}/octo/demo`
  const target = join(world.folder, 'clone')
  await expect(git(world.folder, 'clone', url, target)).rejects.toThrow(/could not read Username|Authentication failed/)
  await git(world.folder, ...withToken(world.github.state.token), 'clone', '--quiet', url, target)
  expect(await readFile(join(target, 'README.md'), 'utf8')).toBe('# Demo\n')
})

test('takes faults like every other request, and notes git in the journal', async () => {
  world = await openWorld()
  const clone = await cloneAndCommit()
  const push = () => git(clone, ...withToken(world.github.state.token), 'push', '--quiet', 'origin', 'HEAD:refs/heads/topic')
  world.github.fault({ path: /git-receive-pack$/ }, { status: 403, body: 'write access refused' })
  await expect(push()).rejects.toThrow(/403/)
  await push()
  expect(world.github.journal.at(-1)).toMatchObject({ kind: 'git', method: 'POST', path: '/octo/demo.git/git-receive-pack', status: 200 })
})

test('a checkout is shallow and free of credentials unless told otherwise', async () => {
  world = await openWorld()
  await world.push('main', { 'second.txt': 'x\n' })
  const header = (path: string) => git(path, 'config', '--local', '--get-all', `http.${world.github.url}/.extraheader`)
  const plain = await world.checkout()
  expect((await git(plain, 'rev-list', '--count', 'HEAD')).trim()).toBe('1')
  await expect(header(plain)).rejects.toThrow()
  expect(world.workspace).toBe(plain)

  const full = await world.checkout({ depth: 'full', persistCredentials: true })
  expect((await git(full, 'rev-list', '--count', 'HEAD')).trim()).toBe('2')
  expect(await header(full)).toContain('AUTHORIZATION: basic ')
  await git(full, 'push', '--quiet', 'origin', 'HEAD:refs/heads/by-checkout')
  expect(await world.remote('branch', '--list', 'by-checkout')).toContain('by-checkout')
})

test('publishes the heads of pull requests, a fork’s too', async () => {
  world = await openWorld()
  const fork = join(world.folder, 'remote', 'mallory', 'demo.git')
  await mkdir(fork, { recursive: true })
  await git(world.folder, 'clone', '--quiet', '--bare', world.github.bare, fork)
  const clone = await cloneAndCommit()
  await git(clone, 'push', '--quiet', fork, 'HEAD:refs/heads/patch-1')
  const { number } = await world.github.openPull({ title: 'Patch', author: 'mallory', head: 'patch-1', headRepository: 'mallory/demo' })
  const sha = (await git(clone, 'rev-parse', 'HEAD')).trim()
  expect((await git(clone, 'ls-remote', 'origin', `refs/pull/${number}/head`)).split('\t')[0]).toBe(sha)
})
