import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGit } from '../../src/workspace/git.ts'
import { startGitServer } from '../support/git-server.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'git-runner-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function runner(options: { readonly env?: Record<string, string>; readonly secrets?: string[]; readonly timeout?: number } = {}) {
  const { env = {}, secrets = [], timeout } = options
  const identity = { name: 'bot', email: 'bot@example.com' }
  return createGit({
    cwd: folder,
    home: folder,
    env: { PATH: process.env.PATH, ...env },
    identity: () => identity,
    secrets,
    ...(timeout === undefined ? {} : { timeout }),
  })
}

test('C120 only a few variables of the environment reach git', async () => {
  const git = runner({ env: { EDITOR: 'vi', PAGER: 'less', GIT_ASKPASS: '/bin/true', GITHUB_TOKEN: 'secret', https_proxy: 'http://proxy.example' } })
  await git(['init', '--quiet', '.'])
  const { stdout } = await git(['-c', 'alias.env=!env', 'env'])
  const seen = stdout.toString()
  expect(seen).toContain('https_proxy=http://proxy.example')
  expect(seen).not.toMatch(/^(EDITOR|PAGER|GIT_ASKPASS|GITHUB_TOKEN)=/m)
})

test('C118 a server that never answers is given up after the time limit', async () => {
  const server = await startGitServer({ token: 'x' })
  try {
    server.answer(/./, 'never')
    await expect(runner({ timeout: 300 })(['ls-remote', '--', server.url('demo')])).rejects.toThrow('did not end within 0.3 seconds')
  } finally {
    await server.close()
  }
})

test('C118 nobody is asked for a password', async () => {
  const server = await startGitServer({ token: 'x', private: true })
  try {
    await expect(runner()(['ls-remote', '--', server.url('demo')])).rejects.toThrow(/could not read Username|terminal prompts disabled/)
  } finally {
    await server.close()
  }
})

test('a failure says what git said, without secrets', async () => {
  const failed = runner({ secrets: ['hunter2'] })(['rev-parse', '--verify', 'hunter2'])
  await expect(failed).rejects.toMatchObject({ name: 'WorkspaceError', message: expect.stringMatching(/^git rev-parse failed with exit code 128: fatal: /) })
  await expect(failed).rejects.not.toThrow('hunter2')
})

test('an exit code that is an answer is handed back', async () => {
  await runner()(['init', '--quiet', '.'])
  expect((await runner()(['config', '--get', 'no.such'], { accept: [0, 1] })).code).toBe(1)
})

test('a machine without git is told to install it', async () => {
  await expect(runner({ env: { PATH: folder } })(['version'])).rejects.toThrow('git could not be started')
})

test('a repository address that looks like a dangerous setting is no obstacle', async () => {
  const { stdout } = await runner()(['version'], { config: [['http.https://example.com/octo/core.pager-alias.git.extraHeader', 'X: y']] })
  expect(stdout.toString()).toContain('git version')
})
