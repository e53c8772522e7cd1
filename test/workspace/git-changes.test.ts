import { chmod, chown, readFile, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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

/** Starts work, after a step before ours has left `dirt`. */
async function begin(dirt: () => Promise<unknown> = async () => {}) {
  await dirt()
  workspace = await world.open(root)
  start = await workspace.start('main')
}

async function committedText(tree: string, path: string): Promise<string> {
  return git(root, 'cat-file', 'blob', `${tree}:${path}`)
}

async function committedPaths(tree: string): Promise<string[]> {
  return (await git(root, 'ls-tree', '-r', '-z', '--name-only', tree)).split('\0').filter(Boolean)
}

describe('from a clean checkout', () => {
  test('edits, new files, deletions, modes and links are the changes, ignored files are not', async () => {
    await world.push('main', { '.gitignore': 'ignored.txt\n', 'run.sh': 'true\n' })
    await begin()
    await write(root, 'a.txt', 'changed\n')
    await write(root, 'deep/new.txt', 'new\n')
    await write(root, 'ignored.txt', 'x\n')
    await rm(join(root, 'b.txt'))
    await chmod(join(root, 'run.sh'), 0o755)
    await symlink('a.txt', join(root, 'link'))
    const changes = await workspace.changes(start)
    expect(changes.files).toEqual([
      { path: 'a.txt', status: 'modified' },
      { path: 'b.txt', status: 'deleted' },
      { path: 'deep/new.txt', status: 'added' },
      { path: 'link', status: 'added' },
      { path: 'run.sh', status: 'modified' },
    ])
    expect(await git(root, 'ls-tree', changes.tree, 'run.sh', 'link')).toMatch(/^120000 .*link\n100755 .*run\.sh$/)
    expect(changes).toMatchObject({ none: false, warnings: [], parent: start.commit })
  })

  test('C127 an edit that was taken back is no change', async () => {
    await begin()
    const text = await readFile(join(root, 'a.txt'))
    await write(root, 'a.txt', 'other\n')
    await write(root, 'a.txt', text)
    const changes = await workspace.changes(start)
    expect(changes).toEqual({ files: [], parent: start.commit, tree: start.tree, none: true, warnings: [] })
    expect(await workspace.commit(changes, 'nothing')).toBe(start.commit)
  })

  test('C117 only line ends changed under text=auto is no change', async () => {
    await world.push('main', { '.gitattributes': '* text=auto\n' })
    await begin()
    await write(root, 'a.txt', (await readFile(join(root, 'a.txt'), 'utf8')).replaceAll('\n', '\r\n'))
    expect(await workspace.changes(start)).toMatchObject({ none: true, files: [] })
  })

  test('C116 names git would quote are committed and listed as people read them', async () => {
    await world.push('main', { x: 'x\n' })
    await begin()
    const names = ['-dash.txt', 'a b.txt', 'café.txt', 'n\nl.txt', 'q"q.txt']
    for (const name of names) await write(root, name, name)
    await rename(join(root, 'x'), join(root, ' -> y.txt'))
    const changes = await workspace.changes(start)
    expect(changes.files.map(({ path }) => path)).toEqual([' -> y.txt', '-dash.txt', 'a b.txt', 'café.txt', 'n\nl.txt', 'q"q.txt', 'x'])
    expect(await committedPaths(await workspace.commit(changes, 'names'))).toEqual(expect.arrayContaining(names))
  })

  test("the person's index stays as it is", async () => {
    await begin()
    await write(root, 'staged.txt', 'staged\n')
    await git(root, 'add', 'staged.txt')
    await write(root, 'loose.txt', 'loose\n')
    const before = await readFile(join(root, '.git/index'))
    await workspace.commit(await workspace.changes(start), 'both')
    expect((await readFile(join(root, '.git/index'))).equals(before)).toBe(true)
    expect(await git(root, 'rev-parse', 'HEAD')).toBe(start.commit)
  })
})

test('what a sparse checkout leaves away is not deleted', async () => {
  await git(root, 'sparse-checkout', 'set', 'docs')
  await git(root, 'sparse-checkout', 'reapply')
  await world.push('main', { 'docs/guide.md': '# New guide\n', 'other/o.txt': 'o\n' })
  await begin()
  await write(root, 'docs/new.md', 'new\n')
  const changes = await workspace.changes(start)
  expect(changes.files).toEqual([{ path: 'docs/new.md', status: 'added' }])
  expect(await committedPaths(changes.tree)).toContain('other/o.txt')
  await expect(readFile(join(root, 'other/o.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a linked work tree is a workspace like any other', async () => {
  const linked = join(world.folder, 'linked')
  await git(root, 'worktree', 'add', '--quiet', '--detach', linked)
  root = linked
  await begin()
  await write(root, 'a.txt', 'changed\n')
  const changes = await workspace.changes(start)
  expect(changes.files).toEqual([{ path: 'a.txt', status: 'modified' }])
  expect(await workspace.push(await workspace.commit(changes, 'x'), { branch: 'opencode/x' }, 'absent')).toEqual({ kind: 'pushed' })
})

describe('the model commits by itself', () => {
  test('C98 its commit and what it left uncommitted are both kept', async () => {
    await begin()
    await write(root, 'a.txt', 'first\n')
    await git(root, 'commit', '--quiet', '--all', '--message', 'mine')
    const own = await git(root, 'rev-parse', 'HEAD')
    expect(await workspace.changes(start)).toMatchObject({ none: false, parent: own, tree: await git(root, 'rev-parse', 'HEAD^{tree}') })
    expect(await workspace.commit(await workspace.changes(start), 'unused')).toBe(own)
    await write(root, 'c.txt', 'second\n')
    const changes = await workspace.changes(start)
    expect(changes.files.map(({ path }) => path)).toEqual(['a.txt', 'c.txt'])
    const commit = await workspace.commit(changes, 'rest')
    expect(await git(root, 'log', '--format=%s', '-2', commit)).toBe('rest\nmine')
  })

  test('C99 on a branch of its own it is still the work that counts', async () => {
    await begin()
    await git(root, 'checkout', '--quiet', '-b', 'fix/x')
    await write(root, 'a.txt', 'fixed\n')
    await git(root, 'commit', '--quiet', '--all', '--message', 'mine')
    expect(await workspace.changes(start)).toMatchObject({ parent: await git(root, 'rev-parse', 'fix/x'), files: [{ path: 'a.txt', status: 'modified' }] })
  })

  test('a deletion after its own commit is not overlooked', async () => {
    await begin()
    await write(root, 'c.txt', 'c\n')
    await git(root, 'add', '--all')
    await git(root, 'commit', '--quiet', '--message', 'mine')
    await rm(join(root, 'c.txt'))
    const changes = await workspace.changes(start)
    expect(await committedPaths(changes.tree)).not.toContain('c.txt')
    expect(changes).toMatchObject({ files: [], none: false })
  })

  test('C99 a history that no longer contains the start is brought back onto it, with a warning', async () => {
    await begin()
    await write(root, 'a.txt', 'amended\n')
    await git(root, 'commit', '--quiet', '--all', '--amend', '--message', 'rewritten')
    const changes = await workspace.changes(start)
    expect(changes).toMatchObject({
      parent: start.commit,
      files: [{ path: 'a.txt', status: 'modified' }],
      warnings: [expect.stringContaining('does not contain')],
    })
  })
})

describe('what was dirty before', () => {
  test('stays out when the agent did not touch it', async () => {
    await begin(async () => {
      await write(root, 'a.txt', 'dirt\n')
      await write(root, 'build.log', 'dirt\n')
      await rm(join(root, 'b.txt'))
    })
    expect(await workspace.changes(start)).toMatchObject({ none: true, files: [], warnings: [] })
    await write(root, 'c.txt', 'mine\n')
    const changes = await workspace.changes(start)
    expect(changes.files).toEqual([{ path: 'c.txt', status: 'added' }])
    expect(await committedPaths(changes.tree)).toEqual(['a.txt', 'b.txt', 'c.txt', 'docs/guide.md'])
  })

  test('is separated from an edit elsewhere in the same file', async () => {
    await begin(() => write(root, 'a.txt', 'DIRT\ntwo\nthree\nfour\nfive\nsix\nseven\n'))
    await write(root, 'a.txt', 'DIRT\ntwo\nthree\nfour\nfive\nsix\nEDIT\n')
    const changes = await workspace.changes(start)
    expect(await committedText(changes.tree, 'a.txt')).toBe('one\ntwo\nthree\nfour\nfive\nsix\nEDIT')
    expect(changes.warnings).toEqual([])
  })

  test('is included with a warning when it cannot be separated', async () => {
    await begin(async () => {
      await write(root, 'a.txt', 'DIRT\ntwo\n')
      await write(root, 'notes.txt', 'dirt\n')
    })
    await write(root, 'a.txt', 'EDIT\ntwo\n')
    await write(root, 'notes.txt', 'dirt\nedit\n')
    const changes = await workspace.changes(start)
    expect(await committedText(changes.tree, 'a.txt')).toBe('EDIT\ntwo')
    expect(changes.warnings).toEqual([expect.stringContaining('a.txt had been changed before'), expect.stringContaining('notes.txt had been changed before')])
  })

  test('goes along when the model committed it', async () => {
    await begin(() => write(root, 'a.txt', 'dirt\n'))
    await git(root, 'commit', '--quiet', '--all', '--message', 'mine')
    await write(root, 'a.txt', 'dirt\nand edit\n')
    const changes = await workspace.changes(start)
    expect(await committedText(changes.tree, 'a.txt')).toBe('dirt\nand edit')
    expect(changes.warnings).toEqual([])
  })
})

describe('repositories inside the repository', () => {
  test('C102 a nested repository is left out with a warning, the rest is kept', async () => {
    await begin()
    await git(root, 'init', '--quiet', 'vendored')
    await write(root, 'vendored/v.txt', 'v\n')
    await git(join(root, 'vendored'), 'add', '--all')
    await git(join(root, 'vendored'), 'commit', '--quiet', '--message', 'nested')
    await git(root, 'init', '--quiet', 'without-commit')
    await write(root, 'a.txt', 'changed\n')
    const changes = await workspace.changes(start)
    expect(changes.files).toEqual([{ path: 'a.txt', status: 'modified' }])
    expect(await git(root, 'ls-tree', '-r', changes.tree)).not.toContain('160000')
    expect(changes.warnings.join('\n')).toMatch(/without-commit[\s\S]*vendored is a git repository/)
  })

  describe('C101 a submodule', () => {
    let first: string
    let second: string
    beforeEach(async () => {
      const sub = join(root, 'sub')
      await git(root, 'init', '--quiet', sub)
      await git(sub, 'commit', '--quiet', '--allow-empty', '--message', 'first')
      first = await git(sub, 'rev-parse', 'HEAD')
      await git(sub, 'commit', '--quiet', '--allow-empty', '--message', 'second')
      second = await git(sub, 'rev-parse', 'HEAD')
      await git(sub, 'checkout', '--quiet', first)
      for (const [branch, commit] of [
        ['main', first],
        ['feature', second],
      ] as const) {
        await git(world.seed, 'checkout', '--quiet', '-B', branch, 'main')
        await git(world.seed, 'update-index', '--add', '--cacheinfo', `160000,${commit},sub`)
        await git(world.seed, 'commit', '--quiet', '--message', 'submodule')
        await git(world.seed, 'push', '--quiet', world.server.folder('demo'), `HEAD:refs/heads/${branch}`)
      }
      await git(root, 'fetch', '--quiet', 'origin', 'main')
      await git(root, 'reset', '--quiet', '--hard', 'FETCH_HEAD')
      workspace = await world.open(root)
      start = await workspace.start('feature')
    })

    test('that stayed behind when the branch changed is not committed', async () => {
      expect(await git(root, 'status', '--porcelain')).toBe(' M sub')
      expect(await workspace.changes(start)).toMatchObject({ none: true, files: [] })
    })

    test('that the agent moved is committed', async () => {
      await git(join(root, 'sub'), 'commit', '--quiet', '--allow-empty', '--message', 'third')
      const changes = await workspace.changes(start)
      expect(changes.files).toEqual([{ path: 'sub', status: 'modified' }])
      expect(await git(root, 'ls-tree', changes.tree, 'sub')).toContain(await git(join(root, 'sub'), 'rev-parse', 'HEAD'))
    })
  })
})

describe('the commit', () => {
  test('C114 carries our identity, with no identity configured anywhere', async () => {
    await git(root, 'config', 'user.useConfigOnly', 'true')
    await begin()
    await write(root, 'a.txt', 'changed\n')
    const commit = await workspace.commit(await workspace.changes(start), 'Fix it')
    const who = 'github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>'
    expect(await git(root, 'log', '-1', '--format=%an <%ae>%n%cn <%ce>%n%P', commit)).toBe(`${who}\n${who}\n${start.commit}`)
  })

  test('C119 stores its message literally and executes none of it', async () => {
    await begin()
    await write(root, 'a.txt', 'changed\n')
    const commit = await workspace.commit(await workspace.changes(start), '-n `id` "quotes" $(touch pwned) \'x\'\n\n# not a comment\n\0--amend ✓\n')
    expect(await git(root, 'log', '-1', '--format=%B', commit)).toBe('-n `id` "quotes" $(touch pwned) \'x\'\n\n# not a comment\n--amend ✓')
    expect(await git(root, 'status', '--porcelain')).toBe(' M a.txt')
  })
})

describe('the patch', () => {
  test('holds binary files and gives the same tree when applied', async () => {
    await begin()
    await write(root, 'image', Buffer.from([0, 255, 254, 10, 13, 0, 128]))
    await write(root, 'a.txt', 'changed\n')
    const changes = await workspace.changes(start)
    const file = join(world.folder, 'work.patch')
    const { text, bytes } = await workspace.patch(start, changes, file, 10_000)
    expect(Buffer.byteLength(text ?? '')).toBe(bytes)
    await git(world.seed, 'checkout', '--quiet', start.commit)
    await git(world.seed, 'apply', '--index', file)
    expect(await git(world.seed, 'write-tree')).toBe(changes.tree)
  })

  test('comes back as text only when it is small enough', async () => {
    await begin()
    await write(root, 'a.txt', 'é'.repeat(3_000))
    const changes = await workspace.changes(start)
    const patch = await workspace.patch(start, changes, join(world.folder, 'work.patch'), 3_000)
    expect(patch.text).toBeUndefined()
    expect(patch.bytes).toBeGreaterThan(6_000)
  })
})

test('C115 a workspace that belongs to somebody else works all the same', async (context) => {
  if (process.getuid?.() !== 0) return context.skip('only root can give files away')
  for (const path of ['.', '.git']) await chown(join(root, path), 4_242, 4_242)
  await expect(git(root, 'status')).rejects.toThrow('dubious ownership')
  await begin()
  await write(root, 'a.txt', 'changed\n')
  expect((await workspace.changes(start)).files).toEqual([{ path: 'a.txt', status: 'modified' }])
})
