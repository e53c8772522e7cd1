import { chmod, readFile, rm, stat, symlink, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { salvage } from '../../src/workspace/edits.ts'
import type { Start, Workspace } from '../../src/workspace/types.ts'
import { git } from '../support/git-server.ts'
import { makeWorld, type World, write } from './git-world.ts'

let world: World
let root: string
let workspace: Workspace
let start: Start
beforeEach(async () => {
  world = await makeWorld()
  root = await world.checkout()
})
afterEach(() => world.close())

async function begin() {
  workspace = await world.open(root)
  start = await workspace.start('main')
}

/** Edits of every kind. */
async function work() {
  await write(root, 'a.txt', 'ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n')
  await write(root, 'deep/new.txt', 'new\n')
  await write(root, 'latin1.txt', Buffer.from('caf\xe9\n', 'latin1'))
  await write(root, 'image', Buffer.from([0, 255, 254, 10, 13, 0, 128]))
  await write(root, 'run.sh', 'true\n')
  await chmod(join(root, 'run.sh'), 0o755)
  await symlink('a.txt', join(root, 'link'))
  await rm(join(root, 'b.txt'))
}

async function stored(limit = 100_000) {
  const edits = await workspace.edits(start, limit)
  if (edits?.patch === undefined) throw new Error('there is no patch')
  return { commit: edits.commit, patch: edits.patch }
}

describe('edits as text', () => {
  test('come back in another checkout exactly, whatever they hold', async () => {
    await begin()
    await work()
    const { tree } = await workspace.changes(start)
    const patch = await stored()
    root = await world.checkout()
    await begin()
    const applied = await workspace.apply(patch)
    expect(applied.failed).toEqual([])
    expect(applied.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt', 'deep/new.txt', 'image', 'latin1.txt', 'link', 'run.sh'])
    expect((await workspace.changes(start)).tree).toBe(tree)
    expect((await stat(join(root, 'run.sh'))).mode & 0o111).toBe(0o111)
  })

  test('are merged with what was pushed since', async () => {
    await begin()
    await work()
    const patch = await stored()
    await world.push('main', { 'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n' })
    root = await world.checkout()
    await begin()
    expect(await workspace.apply(patch)).toMatchObject({ failed: [] })
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n')
  })

  test('that do not fit any more are named, and the rest is applied', async () => {
    await begin()
    await work()
    const patch = await stored()
    await world.push('main', { 'a.txt': 'other\n' })
    root = await world.checkout()
    await begin()
    expect((await workspace.apply(patch)).failed).toEqual(['a.txt'])
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('other\n')
    expect(await readFile(join(root, 'deep/new.txt'), 'utf8')).toBe('new\n')
  })

  test('leave what the work tree holds besides alone', async () => {
    await begin()
    await write(root, 'deep/new.txt', 'new\n')
    const patch = await stored()
    root = await world.checkout()
    await write(root, 'dirt.txt', 'dirt\n')
    await write(root, 'deep/other.txt', 'other\n')
    await begin()
    expect(await workspace.apply(patch)).toEqual({ files: [{ path: 'deep/new.txt', status: 'added' }], failed: [] })
    expect(await readFile(join(root, 'dirt.txt'), 'utf8')).toBe('dirt\n')
    expect((await workspace.changes(start)).files).toEqual([{ path: 'deep/new.txt', status: 'added' }])
  })

  test('of a commit that is gone, or damaged on the way, are named as not applied', async () => {
    await begin()
    await write(root, 'a.txt', 'changed\n')
    const patch = await stored()
    expect(await workspace.apply({ ...patch, commit: '1'.repeat(40) })).toEqual({ files: [], failed: ['a.txt'] })
    expect(await workspace.apply({ ...patch, patch: patch.patch.replace('-two', '-[redacted]') })).toEqual({ files: [], failed: ['a.txt'] })
  })

  test('are undefined when there are none, and without text when they are long', async () => {
    await begin()
    expect(await workspace.edits(start, 1_000)).toBeUndefined()
    await write(root, 'a.txt', 'x'.repeat(2_000))
    expect(await workspace.edits(start, 1_000)).toMatchObject({ patch: undefined, files: [{ path: 'a.txt', status: 'modified' }] })
    expect((await workspace.edits(start, 100_000))?.patch).toContain('xxx')
  })

  test('can be asked for while other work goes on', async () => {
    await begin()
    await work()
    const [edits, changes, again] = await Promise.all([workspace.edits(start, 9_000), workspace.changes(start), workspace.edits(start, 9_000)])
    expect(edits?.files).toEqual(changes.files)
    expect(again).toEqual(edits)
  })
})

describe('after a run was killed', () => {
  const wreck = () => ({ root, start, temp: join(world.folder, 'temp'), env: { PATH: process.env.PATH } })

  test('its edits are found without a word to the remote', async () => {
    await begin()
    await work()
    const { patch } = await stored()
    const before = world.server.requests.length
    expect(await salvage(wreck(), 100_000)).toMatchObject({ commit: start.commit, patch })
    expect(world.server.requests).toHaveLength(before)
  })

  test('C146 no program that the agent configured is run', async () => {
    await begin()
    await git(root, 'config', 'filter.evil.clean', `touch '${join(world.folder, 'pwned')}'; cat`)
    await write(root, '.gitattributes', '* filter=evil\n')
    await write(root, 'a.txt', 'changed\n')
    expect((await salvage(wreck(), 1_000))?.files.map(({ path }) => path)).toEqual(['.gitattributes', 'a.txt'])
    await expect(stat(join(world.folder, 'pwned'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('a work tree without edits gives none', async () => {
    await begin()
    expect(await salvage(wreck(), 1_000)).toBeUndefined()
  })
})

describe('what GitHub does not take', () => {
  /** A file of that size without that many bytes on the disk. */
  async function large(path: string) {
    await write(root, path, '')
    await truncate(join(root, path), 120 * 1024 * 1024)
  }

  test('C112 a file that is too large is left out with a warning, the rest is kept', async () => {
    await begin()
    await large('cache.bin')
    await write(root, 'a.txt', 'changed\n')
    const changes = await workspace.changes(start)
    expect(changes.files).toEqual([{ path: 'a.txt', status: 'modified' }])
    expect(changes.warnings).toEqual(['cache.bin has 120 MB and was left out: GitHub takes files of at most 100 MB.'])
  })

  test('C112 a large file that the model committed is not in the history that is pushed', async () => {
    await begin()
    await large('cache.bin')
    await write(root, 'a.txt', 'changed\n')
    await git(root, 'add', '--all')
    await git(root, 'commit', '--quiet', '--message', 'all')
    const changes = await workspace.changes(start)
    expect(changes).toMatchObject({ parent: start.commit, files: [{ path: 'a.txt' }] })
  })

  test('a large binary that belongs into LFS is committed with a warning; pointers stay pointers', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'
    await world.push('main', { '.gitattributes': '*.psd filter=lfs diff=lfs merge=lfs -text\n', 'old.psd': pointer, 'new.psd': pointer })
    root = await world.checkout()
    await begin()
    await write(root, 'new.psd', Buffer.alloc(5_000, 7))
    await write(root, 'old.psd', pointer.replace('size 1', 'size 2'))
    const changes = await workspace.changes(start)
    expect(changes.files.map(({ path }) => path)).toEqual(['new.psd', 'old.psd'])
    expect(changes.warnings).toEqual([expect.stringMatching(/^new\.psd belongs into Git LFS .* ordinary file/)])
  })

  test('a file whose content LFS would have to upload is left out with a warning', async () => {
    await world.push('main', { '.gitattributes': '*.psd filter=lfs -text\n' })
    root = await world.checkout()
    await git(root, 'config', 'filter.lfs.clean', "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:0\\nsize 1\\n'")
    await begin()
    await write(root, 'new.psd', Buffer.alloc(5_000, 7))
    const changes = await workspace.changes(start)
    expect(changes).toMatchObject({ none: true, warnings: [expect.stringContaining('new.psd belongs into Git LFS and was left out')] })
  })
})

test('squashed changes are one step from the start, without what is unwanted', async () => {
  await begin()
  await write(root, '.github/workflows/ci.yml', 'on: push\n')
  await git(root, 'add', '--all')
  await git(root, 'commit', '--quiet', '--message', 'mine')
  await write(root, 'a.txt', 'changed\n')
  const changes = await workspace.changes(start)
  const rest = await workspace.squash(start, changes, (path) => path.startsWith('.github/'))
  expect(rest).toMatchObject({ parent: start.commit, files: [{ path: 'a.txt', status: 'modified' }], none: false })
  expect(await workspace.squash(start, changes)).toMatchObject({ parent: start.commit, tree: changes.tree, files: changes.files })
})
