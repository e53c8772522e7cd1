import { afterEach, expect, test } from 'vitest'
import type { World } from '../../src/local/world.ts'
import { cloneWith, git, withToken } from '../support/local.ts'
import { openWorld } from '../support/world.ts'

let world: World
afterEach(() => world.close())

const push = (clone: string, branch = 'topic') => git(clone, ...withToken(world.github.state.token), 'push', 'origin', `HEAD:refs/heads/${branch}`)

test.each([
  [
    'workflow files (C110)',
    {},
    'workflows',
    '! [remote rejected] HEAD -> topic (refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission)',
  ],
  ['large files (C112)', { largerThan: 1024 * 1024 }, 'large-file', 'remote: error: File big.bin is 2.00 MB; this exceeds GitHub'],
  ['a protected branch (C111)', { branch: 'topic' }, 'protected-branch', 'remote: error: GH006: Protected branch update failed for refs/heads/topic.'],
  ['what rules forbid (C111)', { branch: /^top/ }, 'rules', 'remote: - Commits must have verified signatures.'],
  ['in words of a test', { path: 'src/a.ts' }, { reason: 'hook declined', remote: ['No, thanks.'] }, 'remote: No, thanks.'],
] as const)('refuses a push of %s in GitHub’s words', async (_, match, words, said) => {
  world = await openWorld()
  const clone = await cloneWith(world, { '.github/workflows/ci.yml': 'on: push\n', 'big.bin': 'x'.repeat(2 * 1024 * 1024), 'src/a.ts': 'a\n' })
  world.github.refusePush(match, words, 1)
  await expect(push(clone)).rejects.toThrow(said)
  expect(await world.remote('branch', '--list', 'topic')).toBe('')
  // The rule was for one push only.
  await push(clone)
  expect(world.github.state.pushes).toMatchObject([
    { repository: 'octo/demo', refs: [{ ref: 'refs/heads/topic' }], refused: expect.any(String) },
    { repository: 'octo/demo', refused: undefined },
  ])
})

test('lets a push pass that a rule is not about, on a branch that is there already too', async () => {
  world = await openWorld()
  world.github.refusePush({}, 'workflows')
  world.github.refusePush({ branch: 'main' }, 'protected-branch')
  await world.push('topic', { 'src/b.ts': 'b\n' }, 'main')
  await push(await cloneWith(world, { 'src/a.ts': 'a\n' }, 'octo/demo', 'topic'))
  expect(await world.remote('show', 'topic:src/a.ts')).toBe('a\n')
  await expect(push(await cloneWith(world, { '.github/workflows/ci.yml': 'x\n' }, 'octo/demo', 'topic'))).rejects.toThrow('workflows')
  await expect(push(await cloneWith(world, { 'src/c.ts': 'c\n' }), 'main')).rejects.toThrow('protected branch hook declined')
})

test('a test may push in between: before git asks what is there, or before it sends', async () => {
  world = await openWorld()
  const clone = await cloneWith(world, { 'src/a.ts': 'a\n' })
  world.github.before({ path: /git-receive-pack$/ }, async () => void (await world.push('main', { 'other.txt': 'x\n' })), 1)
  await expect(push(clone, 'main')).rejects.toThrow(/remote rejected|failed to update ref/)
  const second = await cloneWith(world, { 'src/b.ts': 'b\n' })
  world.github.before(
    ({ query }) => query.get('service') === 'git-receive-pack',
    async () => void (await world.push('main', { 'more.txt': 'x\n' })),
    1,
  )
  await expect(push(second, 'main')).rejects.toThrow('fetch first')
})

test.each(['before', 'during', 'after'] as const)('cuts the network %s a push', async (reset) => {
  world = await openWorld()
  const clone = await cloneWith(world, { 'src/a.ts': 'a\n' })
  world.github.fault({ path: /git-receive-pack$/ }, { reset })
  await expect(push(clone)).rejects.toThrow()
  expect(await world.remote('branch', '--list', 'topic')).toBe(reset === 'before' ? '' : '  topic\n')
  expect(world.github.state.activity.some(({ ref }) => ref === 'refs/heads/topic')).toBe(reset !== 'before')
})

test('answers 5xx to git as often as told', async () => {
  world = await openWorld()
  const clone = await cloneWith(world, { 'src/a.ts': 'a\n' })
  world.github.fault(({ query }) => query.get('service') === 'git-receive-pack', { status: 502, body: 'Bad Gateway' }, 2)
  await expect(push(clone)).rejects.toThrow('502')
  await expect(push(clone)).rejects.toThrow('502')
  await push(clone)
})

const toFork = async (options: { viewer?: string; token?: string; maintainerCanModify: boolean }) => {
  world = await openWorld({ users: { alice: 'write' }, ...options })
  const fork = await world.github.fork('mallory')
  await world.push('patch', { 'a.txt': 'theirs\n' }, 'main', { repository: fork })
  await world.github.openPull({ title: 'Patch', author: 'mallory', head: 'patch', headRepository: fork, maintainerCanModify: options.maintainerCanModify })
  return cloneWith(world, { 'b.txt': 'ours\n' }, fork, 'patch')
}

test('denies the workflow’s token a fork at the door (C93)', async () => {
  const clone = await toFork({ maintainerCanModify: true })
  await expect(push(clone, 'patch')).rejects.toThrow(/403/)
  await expect(push(clone, 'patch')).rejects.toThrow('Permission to mallory/demo.git denied to github-actions[bot].')
})

test('lets a maintainer push to the pull request’s branch of a fork, and to no other', async () => {
  const clone = await toFork({ viewer: 'alice', token: 'ghp_alice', maintainerCanModify: true })
  await push(clone, 'patch')
  expect((await world.remote('log', '-1', '--format=%s', 'refs/pull/1/head')).trim()).toBe('New')
  await expect(push(clone, 'main')).rejects.toThrow('(permission denied)')
})

test('denies a maintainer the branch whose author does not allow it (C93)', async () => {
  const clone = await toFork({ viewer: 'alice', token: 'ghp_alice', maintainerCanModify: false })
  await expect(push(clone, 'patch')).rejects.toThrow('! [remote rejected] HEAD -> patch (permission denied)')
})
