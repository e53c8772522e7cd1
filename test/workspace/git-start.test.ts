import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { git } from '../support/git-server.ts'
import { makeWorld, publish, token, type World, write } from './git-world.ts'

let world: World
beforeEach(async () => {
  world = await makeWorld()
})
afterEach(() => world.close())

describe.each([{ full: false }, { full: true }])('starting from a checkout with full=$full', ({ full }) => {
  test('touches nothing when the branch is checked out already', async () => {
    const root = await world.checkout({ full })
    const before = await stat(join(root, '.git/index'))
    const start = await (await world.open(root)).start('main')
    expect(start).toEqual({ commit: await git(root, 'rev-parse', 'HEAD'), tree: await git(root, 'rev-parse', 'HEAD^{tree}') })
    expect(await git(root, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
    expect((await stat(join(root, '.git/index'))).mtimeMs).toBe(before.mtimeMs)
  })

  test('puts the newest commit of another branch into the work tree, detached', async () => {
    const root = await world.checkout({ full })
    const tip = await world.push('feature', { 'new/file.txt': 'new\n', 'b.txt': null })
    const start = await (await world.open(root)).start('feature')
    expect(start.commit).toBe(tip)
    expect(await git(root, 'rev-parse', 'HEAD')).toBe(tip)
    expect(await readFile(join(root, 'new/file.txt'), 'utf8')).toBe('new\n')
    expect(await git(root, 'status', '--porcelain', '--branch')).toBe('## HEAD (no branch)')
  })

  test('C104 leaves the history as deep as it was', async () => {
    const root = await world.checkout({ full })
    const base = await git(root, 'rev-parse', 'HEAD')
    await world.push('feature', { 'c.txt': 'c\n' })
    await world.push('feature', { 'd.txt': 'd\n' })
    await (await world.open(root)).start('feature')
    expect(await git(root, 'rev-parse', '--is-shallow-repository')).toBe(String(!full))
    expect(await git(root, 'rev-list', '--count', 'HEAD')).toBe(full ? '4' : '1')
    if (full) expect(await git(root, 'merge-base', 'HEAD', 'main')).toBe(base)
  })

  test('says when the branch does not exist on the remote', async () => {
    const workspace = await world.open(await world.checkout({ full }))
    await expect(workspace.start('gone')).rejects.toMatchObject({ kind: 'missing-branch', message: expect.stringContaining('gone does not exist') })
  })

  test('asks again where the server failed once', async () => {
    const workspace = await world.open(await world.checkout({ full }))
    const tip = await world.push('feature', { 'c.txt': 'c\n' })
    world.server.answer(/info\/refs/, 502, 'Bad Gateway', 1)
    expect(await workspace.start('feature')).toMatchObject({ commit: tip })
  })

  test('does not take a branch for gone because the answer was cut off after its beginning', async () => {
    const workspace = await world.open(await world.checkout({ full }))
    await world.push('feature', { 'c.txt': 'c\n' })
    world.server.answer(/HEAD$/, 404)
    world.server.answer(/info\/refs/, 200)
    const error: unknown = await workspace.start('feature').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ message: expect.stringContaining('could not be fetched') })
    expect(error).not.toMatchObject({ kind: 'missing-branch' })
  })
})

describe('a later turn of the same run', () => {
  test('goes on with what the earlier one has pushed, which is in the work tree already', async () => {
    const root = await world.checkout()
    const workspace = await world.open(root)
    const start = await workspace.start('main')
    await write(root, 'a.txt', 'changed\n')
    await write(root, 'new file.txt', 'new\n')
    await rm(join(root, 'b.txt'))
    const { commit } = await publish(workspace, start, 'opencode/first')
    expect(await workspace.start('opencode/first')).toMatchObject({ commit })
    expect(await git(root, 'status', '--porcelain')).toBe('')
  })

  test('does not take other edits for what was pushed', async () => {
    const root = await world.checkout()
    const workspace = await world.open(root)
    const start = await workspace.start('main')
    await write(root, 'a.txt', 'changed\n')
    await publish(workspace, start, 'opencode/first')
    await write(root, 'a.txt', 'changed again\n')
    await expect(workspace.start('opencode/first')).rejects.toMatchObject({ kind: 'local-edits' })
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('changed again\n')
  })
})

describe('the head of a pull request', () => {
  beforeEach(async () => {
    await git(world.seed, 'checkout', '--quiet', '-b', 'theirs', 'main')
    await write(world.seed, 'fork.txt', 'fork\n')
    await git(world.seed, 'add', '--all')
    await git(world.seed, 'commit', '--quiet', '--message', 'fork')
    await git(world.seed, 'push', '--quiet', world.server.folder('demo'), 'HEAD:refs/pull/7/head')
  })

  test.each([{ full: false }, { full: true }])('C90 C92 is found by its number, whatever its branch is called, with full=$full', async ({ full }) => {
    const root = await world.checkout({ full })
    const start = await (await world.open(root)).start({ pull: 7 })
    expect(start.commit).toBe(await git(world.seed, 'rev-parse', 'HEAD'))
    expect(await readFile(join(root, 'fork.txt'), 'utf8')).toBe('fork\n')
    expect(await git(root, 'rev-parse', 'main')).not.toBe(start.commit)
  })

  test('that does not exist is said so', async () => {
    const workspace = await world.open(await world.checkout())
    await expect(workspace.start({ pull: 8 })).rejects.toMatchObject({ kind: 'missing-branch', message: expect.stringContaining('pull request #8') })
  })
})

describe.each([{ full: false }, { full: true }])('a start that is bound to a commit, from a checkout with full=$full', ({ full }) => {
  test('is at that commit, though the branch has moved on', async () => {
    const bound = await world.push('feature', { 'c.txt': 'seen\n' })
    for (const text of ['later\n', 'latest\n']) await world.push('feature', { 'c.txt': text })
    const root = await world.checkout({ full })
    expect(await (await world.open(root)).start('feature', { at: bound })).toMatchObject({ commit: bound })
    expect(await readFile(join(root, 'c.txt'), 'utf8')).toBe('seen\n')
  })

  test('is refused when the branch does not contain it any more', async () => {
    const bound = await world.push('feature', { 'c.txt': 'seen\n' })
    await git(world.seed, 'commit', '--quiet', '--amend', '--message', 'other')
    await git(world.seed, 'push', '--quiet', '--force', world.server.folder('demo'), 'HEAD:refs/heads/feature')
    const workspace = await world.open(await world.checkout({ full }))
    await expect(workspace.start('feature', { at: bound })).rejects.toMatchObject({ kind: 'rewritten', message: expect.stringContaining(bound.slice(0, 7)) })
  })
})

test('C96 a branch named like a folder is the branch', async () => {
  const root = await world.checkout()
  const tip = await world.push('docs', { 'docs/guide.md': '# Other\n' })
  expect((await (await world.open(root)).start('docs')).commit).toBe(tip)
  expect(await readFile(join(root, 'docs/guide.md'), 'utf8')).toBe('# Other\n')
})

test('C97 work starts from the wanted base, not from what happened to be checked out', async () => {
  const root = await world.checkout()
  const tip = await world.push('release/2', { 'r.txt': 'r\n' })
  await git(root, 'tag', 'v1')
  await git(root, 'checkout', '--quiet', 'v1')
  const workspace = await world.open(root)
  const start = await workspace.start('release/2')
  await write(root, 'r.txt', 'changed\n')
  expect(await workspace.changes(start)).toMatchObject({ parent: tip, files: [{ path: 'r.txt', status: 'modified' }] })
})

test('local edits that are in the way are named and kept', async () => {
  const root = await world.checkout()
  await world.push('feature', { 'a.txt': 'theirs\n', 'u.txt': 'theirs\n' })
  const before = await git(root, 'rev-parse', 'HEAD')
  await write(root, 'a.txt', 'mine\n')
  await write(root, 'u.txt', 'mine\n')
  const workspace = await world.open(root)
  await expect(workspace.start('feature')).rejects.toThrow(/a\.txt/)
  await expect(workspace.start('feature')).rejects.toMatchObject({ kind: 'local-edits', hint: expect.stringContaining('.gitignore') })
  expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('mine\n')
  expect(await git(root, 'rev-parse', 'HEAD')).toBe(before)
})

test('local edits that are not in the way survive the change of branch', async () => {
  const root = await world.checkout()
  await world.push('feature', { 'new.txt': 'new\n' })
  await write(root, 'a.txt', 'mine\n')
  const workspace = await world.open(root)
  const start = await workspace.start('feature')
  expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('mine\n')
  expect(await workspace.changes(start)).toMatchObject({ none: true, files: [] })
})

test('a folder without a repository is refused with what to do', async () => {
  await write(world.folder, 'empty/file', '')
  await expect(world.open(join(world.folder, 'empty'))).rejects.toMatchObject({ hint: expect.stringContaining('actions/checkout') })
})

test('C118 a fetch does not follow the submodules of the branch', async () => {
  const root = await world.checkout({ full: true })
  const commit = await world.push('main', {})
  await git(world.seed, 'checkout', '--quiet', '-b', 'sub')
  await git(world.seed, 'update-index', '--add', '--cacheinfo', `160000,${commit},sub`)
  await write(world.seed, '.gitmodules', `[submodule "sub"]\n\tpath = sub\n\turl = ${world.server.url('private')}\n`)
  await git(world.seed, 'add', '.gitmodules')
  await git(world.seed, 'commit', '--quiet', '-m', 'submodule')
  await git(world.seed, 'push', '--quiet', world.server.folder('demo'), 'HEAD:refs/heads/sub')
  await git(root, 'config', 'fetch.recurseSubmodules', 'true')
  await git(root, 'config', 'submodule.recurse', 'true')
  await (await world.open(root)).start('sub')
  expect(world.server.requests.map(({ path }) => path).filter((path) => path.includes('private'))).toEqual([])
})

test('the word of a remote that refuses reaches the reader, the token does not', async () => {
  const root = await world.checkout()
  world.server.answer(/demo/, 403, `no access for ${token}`)
  const error: unknown = await (await world.open(root)).start('main').catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'WorkspaceError', message: expect.stringContaining('403') })
  expect(String(error)).not.toContain(token)
})

test('C120 settings of the machine for editors, pagers and prompts are ignored', async () => {
  const root = await world.checkout()
  const env = { EDITOR: 'vi', PAGER: 'less', GIT_ASKPASS: '/bin/true', GIT_SSH_COMMAND: 'false', GIT_DIR: '/nowhere', GIT_CONFIG_COUNT: '1' }
  expect((await (await world.open(root, env)).start('main')).commit).toBe(await git(root, 'rev-parse', 'HEAD'))
})

test('recently changed files are listed newest first, without the deleted ones', async () => {
  await world.push('main', { 'c.txt': 'c\n', 'gone.txt': 'x\n' })
  await world.push('main', { 'é "quoted".txt': 'e\n', 'gone.txt': null })
  const workspace = await world.open(await world.checkout({ full: true }))
  await workspace.start('main')
  expect(await workspace.recentFiles(20)).toEqual(['é "quoted".txt', 'c.txt', 'b.txt'])
  expect(await workspace.recentFiles(1)).toEqual(['é "quoted".txt'])
})

test('a shallow history of one commit names no recent files', async () => {
  const workspace = await world.open(await world.checkout())
  await workspace.start('main')
  expect(await workspace.recentFiles(20)).toEqual([])
})
