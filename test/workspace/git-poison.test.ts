import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Start, Workspace } from '../../src/workspace/types.ts'
import { git, startGitServer } from '../support/git-server.ts'
import { makeWorld, publish, type World, write } from './git-world.ts'

let world: World
let root: string
let workspace: Workspace
let start: Start
beforeEach(async () => {
  world = await makeWorld()
  root = await world.checkout()
  workspace = await world.open(root)
  start = await workspace.start('main')
  await world.push('other', { 'o.txt': 'o\n' })
  await write(root, 'a.txt', 'fixed\n')
})
afterEach(() => world.close())

/** A program the agent leaves behind; tells when it was run by making the file `pwned`. */
async function trap(path: string): Promise<string> {
  await write(root, path, `#!/bin/sh\nenv >> '${join(world.folder, 'pwned')}'\ncat\nexit 2\n`)
  await chmod(join(root, path), 0o755)
  return join(root, path)
}

async function sprung(): Promise<boolean> {
  return stat(join(world.folder, 'pwned')).then(
    () => true,
    () => false,
  )
}

/** Everything the action does with git after the agent. */
async function allOfIt() {
  const result = await publish(workspace, start)
  await workspace.patch(start, result.changes, join(world.folder, 'work.patch'), 1_000)
  await workspace.recentFiles(5)
  expect((await workspace.start('other')).commit).toBe(await git(root, 'rev-parse', 'HEAD'))
  return result
}

test.each(['.git/hooks', '.husky'])('C113 C146 hooks of the repository in %s do not run', async (folder) => {
  const hooks = ['pre-commit', 'commit-msg', 'post-commit', 'pre-push', 'post-checkout', 'reference-transaction', 'post-index-change']
  for (const hook of hooks) await trap(`${folder}/${hook}`)
  if (folder === '.husky') await git(root, 'config', 'core.hooksPath', folder)
  expect((await allOfIt()).pushed).toEqual({ kind: 'pushed' })
  expect(await sprung()).toBe(false)
})

test('C146 programs the agent configured do not run', async () => {
  const program = await trap('.git/program')
  const settings = [
    'core.fsmonitor',
    'core.sshCommand',
    'core.askPass',
    'core.pager',
    'core.editor',
    'diff.external',
    'gpg.program',
    'credential.helper',
    'alias.push',
    'core.alternateRefsCommand',
    'uploadpack.packObjectsHook',
  ]
  for (const setting of settings) await git(root, 'config', setting, setting === 'alias.push' ? `!${program}` : program)
  for (const setting of ['filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process', 'diff.evil.textconv', 'merge.evil.driver'])
    await git(root, 'config', setting, program)
  for (const setting of ['commit.gpgSign', 'log.showSignature', 'push.gpgSign']) await git(root, 'config', setting, 'true')
  await write(root, '.gitattributes', '* filter=evil diff=evil merge=evil\n')
  const { changes, pushed } = await allOfIt()
  expect(pushed).toEqual({ kind: 'pushed' })
  expect(changes.files.map(({ path }) => path)).toEqual(['.gitattributes', 'a.txt'])
  expect(await sprung()).toBe(false)
})

test('C146 settings of the agent do not send the credentials elsewhere', async () => {
  const thief = await startGitServer({ token: 'unknown' })
  try {
    const { origin } = new URL(thief.url('demo'))
    await git(root, 'config', `url.${origin}/.insteadOf`, `${new URL(world.server.url('demo')).origin}/`)
    await git(root, 'config', `url.${origin}/.pushInsteadOf`, `${new URL(world.server.url('demo')).origin}/`)
    await git(root, 'config', 'http.proxy', origin)
    await git(root, 'config', `http.${world.server.url('demo')}.proxy`, origin)
    await write(root, '.git/more', `[http]\n\tproxy = ${origin}\n`)
    await git(root, 'config', 'include.path', 'more')
    const temp = join(world.folder, 'temp')
    const ours = (await readdir(temp, { recursive: true })).filter((name) => name.endsWith('git/config'))
    expect(ours).toHaveLength(1)
    for (const name of ours) await git(root, 'config', '--file', join(temp, name), `url.${origin}/.insteadOf`, `${new URL(world.server.url('demo')).origin}/`)
    expect((await allOfIt()).pushed).toEqual({ kind: 'pushed' })
    expect(thief.requests).toEqual([])
  } finally {
    await thief.close()
  }
})

test('replaced objects and hidden files do not change what is published', async () => {
  await git(root, 'replace', await git(root, 'rev-parse', 'HEAD:b.txt'), await git(root, 'hash-object', '-w', 'a.txt'))
  const { commit } = await publish(workspace, start)
  expect(await git(world.server.folder('demo'), 'cat-file', 'blob', `${commit}:b.txt`)).toBe('b')
})

test('a content filter configured before the run is applied', async () => {
  const other = await world.checkout()
  await world.push('filtered', { '.gitattributes': '*.up filter=up\n' })
  await git(other, 'config', 'filter.up.clean', 'tr a-z A-Z')
  const filtered = await world.open(other)
  const from = await filtered.start('filtered')
  await write(other, 'x.up', 'loud\n')
  const changes = await filtered.changes(from)
  expect(await git(other, 'cat-file', 'blob', `${changes.tree}:x.up`)).toBe('LOUD')
})
