import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Start, Workspace } from '../../src/workspace/types.ts'
import { git } from '../support/git-server.ts'
import { makeWorld, type World, write } from './git-world.ts'

const feature = { branch: 'feature' }
let world: World
let root: string
let workspace: Workspace
let start: Start
beforeEach(async () => {
  world = await makeWorld()
  await world.push('feature', { 'f.txt': 'one\ntwo\nthree\nfour\nfive\nsix\n', 'g.txt': 'g\n' })
})
afterEach(() => world.close())

async function begin(options: { readonly full?: boolean } = {}) {
  root = await world.checkout(options)
  workspace = await world.open(root)
  start = await workspace.start('feature')
}

const onServer = (...args: readonly string[]) => git(world.server.folder('demo'), ...args)
const ours = async (message = 'Ours') => workspace.commit(await workspace.changes(start), message)

describe.each([{ full: false }, { full: true }])('a branch that moved, from a checkout with full=$full', ({ full }) => {
  test('gets our commit on its tip, and what others did to the same file stays', async () => {
    await begin({ full })
    await write(root, 'f.txt', 'ONE\ntwo\nthree\nfour\nfive\nsix\n')
    const commit = await ours()
    const theirs = await world.push('feature', { 'f.txt': 'one\ntwo\nthree\nfour\nfive\nSIX\n', 'new.txt': 'n\n' })
    const replayed = await workspace.replay({ base: start.commit, commit }, feature)
    if (replayed.kind !== 'replayed') throw new Error(replayed.kind)
    expect(replayed.tip).toBe(theirs)
    expect(await workspace.push(replayed.commit, feature, { tip: theirs })).toEqual({ kind: 'pushed' })
    expect(await onServer('cat-file', 'blob', 'feature:f.txt')).toBe('ONE\ntwo\nthree\nfour\nfive\nSIX')
    expect(await onServer('log', '--format=%s', '-2', 'feature')).toBe('Ours\nf.txt new.txt')
    await onServer('fsck', '--connectivity-only')
  })

  test('C107 that was rewritten does not get back what its author dropped', async () => {
    await world.push('feature', { 'dropped.txt': 'x\n' })
    await begin({ full })
    await write(root, 'f.txt', 'ours\n')
    const commit = await ours()
    await git(world.seed, 'reset', '--quiet', '--hard', 'HEAD~1')
    await git(world.seed, 'commit', '--quiet', '--amend', '--message', 'amended')
    await git(world.seed, 'push', '--quiet', '--force', world.server.folder('demo'), 'HEAD:refs/heads/feature')
    const replayed = await workspace.replay({ base: start.commit, commit }, feature)
    if (replayed.kind !== 'replayed') throw new Error(replayed.kind)
    await workspace.push(replayed.commit, feature, { tip: replayed.tip })
    expect(await onServer('log', '--format=%s', '-2', 'feature')).toBe('Ours\namended')
    expect(await onServer('ls-tree', '--name-only', 'feature')).not.toContain('dropped.txt')
  })
})

test('every commit the model made keeps its author and its words', async () => {
  await begin()
  await write(root, 'f.txt', 'first\n')
  await git(
    root,
    '-c',
    'user.name=Mo Del',
    '-c',
    'user.email=mo@example.com',
    'commit',
    '--quiet',
    '--all',
    '--message',
    'By itself\n\nBody ✓',
    '--author=Mo Del <mo@example.com>',
  )
  await write(root, 'g.txt', 'second\n')
  const commit = await ours('The rest')
  await world.push('feature', { 'new.txt': 'n\n' })
  const replayed = await workspace.replay({ base: start.commit, commit }, feature)
  expect(replayed).toMatchObject({ kind: 'replayed' })
  const made = replayed.kind === 'replayed' ? replayed.commit : ''
  expect(await git(root, 'log', '--format=%an <%ae>|%B', '-2', made)).toMatch(
    /^github-actions\[bot\] <.*>\|The rest\n\nMo Del <mo@example\.com>\|By itself\n\nBody ✓$/,
  )
})

test('edits of the same lines are a conflict that names the file', async () => {
  await begin()
  await write(root, 'f.txt', 'ours\n')
  const commit = await ours()
  await world.push('feature', { 'f.txt': 'theirs\n' })
  expect(await workspace.replay({ base: start.commit, commit }, feature)).toEqual({ kind: 'conflict', files: ['f.txt'] })
})

test('a file of ours where there is a folder now is a conflict', async () => {
  await begin()
  await write(root, 'place', 'file\n')
  const commit = await ours()
  await world.push('feature', { 'place/inner.txt': 'folder\n' })
  expect(await workspace.replay({ base: start.commit, commit }, feature)).toEqual({ kind: 'conflict', files: ['place'] })
})

test('work that somebody else has done meanwhile leaves the tip as it is', async () => {
  await begin()
  await write(root, 'f.txt', 'the same\n')
  const commit = await ours()
  const theirs = await world.push('feature', { 'f.txt': 'the same\n' })
  expect(await workspace.replay({ base: start.commit, commit }, feature)).toEqual({ kind: 'replayed', commit: theirs, tip: theirs })
})

test('a fork is fetched from and pushed to by its own address', async () => {
  await world.server.create('fork')
  await git(world.seed, 'push', '--quiet', world.server.folder('fork'), 'feature:refs/heads/main')
  await begin()
  const target = { repository: 'octo/fork', branch: 'main' }
  await write(root, 'f.txt', 'ours\n')
  const commit = await ours()
  expect(await workspace.push(commit, target, { tip: start.commit })).toEqual({ kind: 'pushed' })
  expect(await git(world.server.folder('fork'), 'rev-parse', 'main')).toBe(commit)
  expect(await onServer('rev-parse', 'main')).not.toBe(commit)
  expect(await workspace.replay({ base: start.commit, commit }, target)).toEqual({ kind: 'replayed', commit, tip: commit })
})

describe('taking back what was pushed', () => {
  async function landed() {
    await begin()
    await write(root, 'f.txt', 'ONE\ntwo\nthree\nfour\nfive\nsix\n')
    await write(root, 'made.txt', 'made\n')
    await rm(join(root, 'g.txt'))
    const to = await ours()
    await workspace.push(to, feature, { tip: start.commit })
    await git(world.seed, 'pull', '--quiet', world.server.folder('demo'), 'feature')
    return { from: start.commit, to }
  }

  test('undoes exactly that, in another run, and keeps what came after', async () => {
    const step = await landed()
    const tip = await world.push('feature', { 'f.txt': 'ONE\ntwo\nthree\nfour\nfive\nSIX\n', 'later.txt': 'l\n' })
    const later = await world.open(await world.checkout())
    const reverted = await later.revert([step], feature, 'Take back')
    if (reverted.kind !== 'replayed') throw new Error(reverted.kind)
    expect(reverted.tip).toBe(tip)
    expect(await later.push(reverted.commit, feature, { tip })).toEqual({ kind: 'pushed' })
    expect(await onServer('cat-file', 'blob', 'feature:f.txt')).toBe('one\ntwo\nthree\nfour\nfive\nSIX')
    expect(await onServer('ls-tree', '--name-only', 'feature')).toBe('a.txt\nb.txt\ndocs\nf.txt\ng.txt\nlater.txt')
    expect(await onServer('log', '-1', '--format=%s', 'feature')).toBe('Take back')
    expect(await later.revert([step], feature, 'Again')).toEqual({ kind: 'nothing' })
  })

  test('names the files that were changed on top of it', async () => {
    const step = await landed()
    await world.push('feature', { 'f.txt': 'ELEVEN\ntwo\nthree\nfour\nfive\nsix\n' })
    expect(await workspace.revert([step], feature, 'Take back')).toEqual({ kind: 'conflict', files: ['f.txt'] })
  })

  test('takes back several pushes of one turn at once', async () => {
    const first = await landed()
    const second = await world.push('feature', { 'f.txt': 'ONE\nTWO\nthree\nfour\nfive\nsix\n' })
    const reverted = await workspace.revert([first, { from: first.to, to: second }], feature, 'Take back')
    expect(reverted).toMatchObject({ kind: 'replayed', tip: second })
    expect((await workspace.delta(start.commit, reverted.kind === 'replayed' ? reverted.commit : '')).entries).toEqual([])
  })

  test('C108 does not bring a deleted branch back', async () => {
    const step = await landed()
    await onServer('update-ref', '-d', 'refs/heads/feature')
    expect(await workspace.revert([step], feature, 'Take back')).toEqual({ kind: 'gone' })
  })
})
