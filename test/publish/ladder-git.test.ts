import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Landing, publishChanges, type Work } from '../../src/publish/changes.ts'
import type { Start, Workspace } from '../../src/workspace/types.ts'
import { git } from '../support/git-server.ts'
import { makeWorld, type World, write } from '../workspace/git-world.ts'
import { fakeGitHub } from './fake.ts'

const name = 'opencode/pull7-fix'
let world: World
let root: string
let workspace: Workspace
let start: Start
beforeEach(async () => {
  world = await makeWorld()
  await world.push('feature', { 'f.txt': 'f\n' })
  root = await world.checkout()
  workspace = await world.open(root)
  start = await workspace.start('feature')
})
afterEach(() => world.close())

const onServer = (...args: readonly string[]) => git(world.server.folder('demo'), ...args)

/** Publishes what is in the work tree for pull request 7, whose head is `feature`. */
async function publish(more: Partial<Work> = {}): Promise<Landing | undefined> {
  return publishChanges({
    workspace,
    github: fakeGitHub(),
    start,
    changes: await workspace.changes(start),
    destination: { kind: 'existing', target: { branch: 'feature' }, base: 'main' },
    open: { number: 7, url: 'u' },
    method: 'git',
    mode: 'create',
    message: 'Ours',
    name: { prefix: 'opencode/', kind: 'pull', number: 7, title: 'fix' },
    pull: { title: 't', body: 'b' },
    repositoryUrl: 'https://github.test/octo/demo',
    patch: { file: join(world.folder, 'work.patch'), limit: 10_000 },
    signal: new AbortController().signal,
    ...more,
  })
}

test('C107 a push that loses the race is made anew on the new tip', async () => {
  await write(root, 'a.txt', 'ours\n')
  const theirs = await world.push('feature', { 'f.txt': 'theirs\n' })
  expect(await publish()).toMatchObject({ rung: 'replayed', wanted: true, from: theirs, pull: { number: 7, operation: 'updated' } })
  expect(await onServer('log', '--format=%s', '-2', 'feature')).toBe('Ours\nf.txt')
  expect(await onServer('cat-file', 'blob', 'feature:f.txt')).toBe('theirs')
})

test('a conflict leaves the branch to its author and puts the work beside it', async () => {
  await write(root, 'f.txt', 'ours\n')
  const theirs = await world.push('feature', { 'f.txt': 'theirs\n' })
  expect(await publish()).toMatchObject({ rung: 'aside', branch: name, beside: 'feature', files: [{ path: 'f.txt' }] })
  expect(await onServer('rev-parse', 'feature')).toBe(theirs)
  expect(await onServer('cat-file', 'blob', `${name}:f.txt`)).toBe('ours')
})

test('C108 a branch that was deleted stays deleted; only our own commit goes to a new branch from the base', async () => {
  await write(root, 'a.txt', 'ours\n')
  await onServer('update-ref', '-d', 'refs/heads/feature')
  expect(await publish()).toMatchObject({ rung: 'aside', branch: name, pull: { operation: 'created' } })
  await expect(onServer('rev-parse', '--verify', 'refs/heads/feature')).rejects.toThrow()
  expect(await onServer('log', '--format=%s', `main..${name}`)).toBe('Ours')
  expect(await onServer('ls-tree', '--name-only', name)).not.toContain('f.txt')
})

test('C110 what the token may push is pushed, and the patch holds the workflow too', async () => {
  await world.server.onPush(
    'demo',
    'while read old new ref; do git diff --name-only "$old" "$new" | grep -q ^.github/workflows/ && { echo "refusing to allow a GitHub App to create or update workflow \\`.github/workflows/ci.yml\\` without \\`workflows\\` permission" >&2; exit 1; }; done; exit 0',
  )
  await write(root, '.github/workflows/ci.yml', 'on: push\n')
  await git(root, 'add', '--all')
  await git(root, 'commit', '--quiet', '--message', 'by the model')
  await write(root, 'a.txt', 'ours\n')
  const landing = await publish()
  expect(landing).toMatchObject({ rung: 'branch', wanted: false, files: [{ path: 'a.txt' }], why: { said: expect.stringContaining('ci.yml') } })
  expect(await onServer('diff', '--name-only', start.commit, 'feature')).toBe('a.txt')
  expect(await readFile(landing?.patch?.path ?? '', 'utf8')).toMatch(/workflows\/ci\.yml[\s\S]*a\.txt/)
})

test('C111 a protected head keeps its commit, and the words of the server come with the branch beside it', async () => {
  await world.server.onPush(
    'demo',
    'while read old new ref; do [ "$ref" = refs/heads/feature ] && { echo "error: GH006: Protected branch update failed." >&2; exit 1; }; done; exit 0',
  )
  await write(root, 'a.txt', 'ours\n')
  expect(await publish()).toMatchObject({ rung: 'aside', branch: name, why: { said: expect.stringContaining('GH006') } })
  expect(await onServer('rev-parse', 'feature')).toBe(start.commit)
})

test('C93 a server that takes nothing leaves a patch that makes the same tree', async () => {
  world.server.answer(/receive-pack/, 403, 'Write access to repository not granted.')
  await write(root, 'a.txt', 'ours\n')
  await rm(join(root, 'b.txt'))
  const { tree } = await workspace.changes(start)
  const landing = await publish()
  expect(landing).toMatchObject({
    rung: 'patch',
    wanted: false,
    patch: { text: expect.stringContaining('+ours') },
    why: { said: expect.stringContaining('not granted') },
  })
  await git(world.seed, 'checkout', '--quiet', start.commit)
  await git(world.seed, 'apply', '--index', landing?.patch?.path ?? '')
  expect(await git(world.seed, 'write-tree')).toBe(tree)
})

test('C98 what the model pushed by itself is landed once', async () => {
  await write(root, 'a.txt', 'ours\n')
  await git(root, 'commit', '--quiet', '--all', '--message', 'by the model')
  const own = await git(root, 'rev-parse', 'HEAD')
  await git(root, 'push', '--quiet', world.server.folder('demo'), 'HEAD:refs/heads/feature')
  expect(await publish()).toMatchObject({ rung: 'branch', commit: own, from: start.commit, pull: { number: 7 } })
  expect(await onServer('rev-parse', 'feature')).toBe(own)
})

test('C105 a fork that is behind takes a commit from a history that is cut off', async () => {
  await world.server.create('fork')
  await git(world.seed, 'push', '--quiet', world.server.folder('fork'), 'feature:refs/heads/main')
  await write(root, 'a.txt', 'ours\n')
  const landing = await publish({ destination: { kind: 'existing', target: { repository: 'octo/fork', branch: 'main' }, base: 'main' } })
  expect(landing).toMatchObject({ rung: 'branch', repository: 'octo/fork', branch: 'main' })
  expect(await git(world.server.folder('fork'), 'log', '--format=%s', '-2', 'main')).toBe('Ours\nf.txt')
  await git(world.server.folder('fork'), 'fsck', '--connectivity-only')
})

test('work that a run pushed before it died is found on the branch it made, and no other is made', async () => {
  await write(root, 'a.txt', 'ours\n')
  const made = { destination: { kind: 'new', base: 'main' }, open: undefined } as const
  const died = await publish(made)
  expect(died).toMatchObject({ rung: 'branch', branch: name, pull: { operation: 'created' } })
  // The next run has the same edits, and knows nothing of the branch.
  expect(await publish({ ...made, message: 'In other words' })).toMatchObject({ rung: 'branch', branch: name, commit: died?.commit })
  expect(await onServer('branch', '--format=%(refname:short)')).not.toContain(`${name}-2`)

  await write(root, 'b.txt', 'more\n')
  expect(await publish(made)).toMatchObject({ rung: 'branch', branch: `${name}-2` })
})
