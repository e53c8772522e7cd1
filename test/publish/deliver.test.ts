import { randomUUID } from 'node:crypto'
import { chmod, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { GitHub, TreeEntry } from '../../src/github/types.ts'
import { byApi, byGit } from '../../src/publish/deliver.ts'
import type { Start, Workspace } from '../../src/workspace/types.ts'
import { git } from '../support/git-server.ts'
import { makeWorld, type World, write } from '../workspace/git-world.ts'
import { fakeGitHub, refusal } from './fake.ts'

let world: World
let root: string
let workspace: Workspace
let start: Start
beforeEach(async () => {
  world = await makeWorld()
  await world.push('main', { 'run.sh': 'true\n', place: 'a file\n', 'folder/inner.txt': 'x\n' })
  root = await world.checkout()
  workspace = await world.open(root)
  start = await workspace.start('main')
})
afterEach(() => world.close())

const bare = () => world.server.folder('demo')

/** A Git data API that stores into the repository behind the git server, as GitHub's does. */
function dataApi(answers: Partial<GitHub> = {}) {
  let uploading = 0
  let widest = 0
  const github = fakeGitHub({
    async createBlob(content) {
      uploading += 1
      widest = Math.max(widest, uploading)
      const file = join(world.folder, randomUUID())
      await writeFile(file, content)
      const id = await git(bare(), 'hash-object', '-w', file)
      uploading -= 1
      return id
    },
    async createTree(base, entries) {
      const folder = join(world.folder, randomUUID())
      await git(world.folder, 'init', '--quiet', folder)
      await writeFile(join(folder, '.git/objects/info/alternates'), `${join(bare(), 'objects')}\n`)
      await git(folder, 'read-tree', base)
      const lines = (list: readonly TreeEntry[]) => list.flatMap(({ path, mode, sha }) => ['--cacheinfo', `${mode},${sha},${path}`])
      const gone = entries.filter(({ sha }) => sha === null).map(({ path }) => path)
      if (gone.length > 0) await git(folder, 'update-index', '--force-remove', '--', ...gone)
      const made = lines(entries.filter(({ sha }) => sha !== null))
      if (made.length > 0) await git(folder, 'update-index', '--add', ...made)
      await git(folder, 'write-tree')
      await git(folder, 'commit', '--quiet', '--message', 'tree')
      await git(bare(), 'fetch', '--quiet', folder, 'HEAD')
      return git(folder, 'rev-parse', 'HEAD^{tree}')
    },
    createCommit: ({ message, tree, parents }) => git(bare(), 'commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message),
    async createBranch(branch, commit) {
      await git(bare(), 'update-ref', `refs/heads/${branch}`, commit, '0'.repeat(40)).catch(() =>
        Promise.reject(refusal('invalid', 'Reference already exists')),
      )
    },
    async moveBranch(branch, commit) {
      await git(bare(), 'rev-parse', '--verify', `refs/heads/${branch}`).catch(() => Promise.reject(refusal('invalid', 'Reference does not exist')))
      await git(bare(), 'merge-base', '--is-ancestor', `refs/heads/${branch}`, commit).catch(() =>
        Promise.reject(refusal('invalid', 'Update is not a fast forward')),
      )
      await git(bare(), 'update-ref', `refs/heads/${branch}`, commit)
    },
    ...answers,
  })
  return { github, widest: () => widest }
}

/** Edits of every kind, committed here. */
async function work() {
  await write(root, 'a.txt', 'changed\n')
  await write(root, 'image', Buffer.from([0, 255, 254, 10, 13, 0, 128]))
  await write(root, 'deep/é "q".txt', 'new\n')
  await chmod(join(root, 'run.sh'), 0o755)
  await symlink('a.txt', join(root, 'link'))
  await rm(join(root, 'b.txt'))
  await rm(join(root, 'place'))
  await write(root, 'place/inside.txt', 'now a folder\n')
  await rm(join(root, 'folder'), { recursive: true })
  await write(root, 'folder', 'now a file\n')
  return { base: start.commit, commit: await workspace.commit(await workspace.changes(start), 'Fix it') }
}

test('C121 a commit made by the API has the tree that git would push: modes, links, deletions, binary files', async () => {
  const piece = await work()
  const { github, widest } = dataApi()
  const delivered = await byApi(workspace, github, 'Fix it\n\nCo-authored-by: a <a@example.com>\n')(piece, { branch: 'opencode/x' }, 'absent')
  if (delivered.kind !== 'pushed') throw new Error(delivered.kind)
  expect(await git(bare(), 'rev-parse', 'opencode/x')).toBe(delivered.commit)
  expect(await git(bare(), 'rev-parse', 'opencode/x^{tree}')).toBe(await git(root, 'rev-parse', `${piece.commit}^{tree}`))
  expect(await git(bare(), 'log', '-1', '--format=%P|%B', 'opencode/x')).toBe(`${start.commit}|Fix it\n\nCo-authored-by: a <a@example.com>`)
  expect(widest()).toBeLessThanOrEqual(5)
})

test('C121 a submodule that was moved is an entry of its own, and nothing is uploaded for it', async () => {
  await git(root, 'update-index', '--add', '--cacheinfo', `160000,${start.commit},sub`)
  await git(root, 'commit', '--quiet', '--message', 'sub')
  const piece = { base: start.commit, commit: await git(root, 'rev-parse', 'HEAD') }
  const { github } = dataApi()
  await byApi(workspace, github, 'Sub')(piece, { branch: 'opencode/x' }, 'absent')
  expect(await git(bare(), 'ls-tree', 'opencode/x', 'sub')).toContain(`160000 commit ${start.commit}`)
  expect(github.calls.map(([name]) => name)).not.toContain('createBlob')
})

test('a branch that moved is taken, and what was uploaded is not sent again for its new tip', async () => {
  const piece = await work()
  const { github } = dataApi()
  const deliver = byApi(workspace, github, 'Fix it')
  await world.push('main', { 'theirs.txt': 't\n' })
  expect(await deliver(piece, { branch: 'main' }, { tip: start.commit })).toEqual({ kind: 'taken' })
  const uploads = github.calls.filter(([name]) => name === 'createBlob').length
  const replayed = await workspace.replay(piece, { branch: 'main' })
  if (replayed.kind !== 'replayed') throw new Error(replayed.kind)
  expect(await deliver({ base: replayed.tip, commit: replayed.commit }, { branch: 'main' }, { tip: replayed.tip })).toMatchObject({ kind: 'pushed' })
  expect(await git(bare(), 'log', '--format=%s', '-2', 'main')).toBe('Fix it\ntheirs.txt')
  expect(await git(bare(), 'ls-tree', '--name-only', 'main')).toMatch(/image[\s\S]*theirs\.txt/)
  expect(github.calls.filter(([name]) => name === 'createBlob')).toHaveLength(uploads)
})

test('C108 C109 a branch that is there, or is gone, is taken', async () => {
  const piece = await work()
  const deliver = byApi(workspace, dataApi().github, 'Fix it')
  expect(await deliver(piece, { branch: 'main' }, 'absent')).toEqual({ kind: 'taken' })
  expect(await deliver(piece, { branch: 'gone' }, { tip: start.commit })).toEqual({ kind: 'taken' })
})

test('a refusal of the API is an answer in its words', async () => {
  const piece = await work()
  const { github } = dataApi({ createBlob: () => Promise.reject(refusal('forbidden', 'Resource not accessible by integration')) })
  expect(await byApi(workspace, github, 'Fix it')(piece, { branch: 'x' }, 'absent')).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('not accessible'),
  })
})

test('a fork gets its commits by a push, with a word about the signature', async () => {
  await world.server.create('fork')
  await git(world.seed, 'push', '--quiet', world.server.folder('fork'), 'main:refs/heads/main')
  const piece = await work()
  const { github } = dataApi()
  const fork = { repository: 'octo/fork', branch: 'main' }
  expect(await byApi(workspace, github, 'Fix it')(piece, fork, { tip: start.commit })).toMatchObject({
    kind: 'pushed',
    commit: piece.commit,
    notes: [expect.stringContaining('not signed')],
  })
  expect(github.calls).toEqual([])
})

test('by git the commits arrive as they are', async () => {
  const piece = await work()
  expect(await byGit(workspace)(piece, { branch: 'opencode/x' }, 'absent')).toEqual({ kind: 'pushed', commit: piece.commit, notes: [] })
  expect(await git(bare(), 'rev-parse', 'opencode/x')).toBe(piece.commit)
})
