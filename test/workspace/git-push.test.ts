import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusalKind } from '../../src/publish/refusal.ts'
import type { Workspace } from '../../src/workspace/types.ts'
import { git } from '../support/git-server.ts'
import { bot, makeWorld, publish, token, type World, write } from './git-world.ts'

let world: World
let root: string
let workspace: Workspace
beforeEach(async () => {
  world = await makeWorld()
})
afterEach(() => world.close())

/** A checkout in which the agent has changed one file. */
async function edited(options: { readonly full?: boolean } = {}) {
  root = await world.checkout(options)
  workspace = await world.open(root)
  const start = await workspace.start('main')
  await write(root, 'a.txt', 'fixed\n')
  return start
}

const main = { branch: 'main' }
const onServer = (ref: string) => git(world.server.folder('demo'), 'rev-parse', '--verify', '--quiet', ref)

describe.each([{ full: false }, { full: true }])('from a checkout with full=$full', ({ full }) => {
  test('a new branch arrives with exactly one commit more', async () => {
    const start = await edited({ full })
    const { commit, pushed } = await publish(workspace, start)
    expect(pushed).toEqual({ kind: 'pushed' })
    expect(await onServer('refs/heads/opencode/issue12')).toBe(commit)
    expect(await git(world.server.folder('demo'), 'rev-list', '--count', `${start.commit}..${commit}`)).toBe('1')
    await git(world.server.folder('demo'), 'fsck', '--connectivity-only')
  })

  test('a later commit moves the branch on', async () => {
    const start = await edited({ full })
    const { commit } = await publish(workspace, start)
    const next = await world.open(await world.checkout({ full }))
    const again = await next.start('opencode/issue12')
    expect(again.commit).toBe(commit)
    await write(next.root, 'b.txt', 'more\n')
    const second = await next.commit(await next.changes(again), 'More')
    expect(await next.push(second, { branch: 'opencode/issue12' }, { tip: commit })).toEqual({ kind: 'pushed' })
    expect(await onServer('refs/heads/opencode/issue12')).toBe(second)
  })
})

test('C98 what the model committed and pushed by itself is not refused', async () => {
  const start = await edited()
  await git(root, 'commit', '--quiet', '--all', '--message', 'mine')
  await git(root, 'push', '--quiet', world.server.folder('demo'), 'HEAD:refs/heads/main')
  await write(root, 'b.txt', 'left over\n')
  const commit = await workspace.commit(await workspace.changes(start), 'rest')
  expect(await workspace.push(commit, main, { tip: start.commit })).toEqual({ kind: 'taken' })
  const tip = await git(root, 'rev-parse', 'HEAD')
  expect(await workspace.replay({ base: start.commit, commit }, main)).toEqual({ kind: 'replayed', commit, tip })
  expect(await workspace.push(commit, main, { tip })).toEqual({ kind: 'pushed' })
  expect(await workspace.push(commit, main, { tip })).toEqual({ kind: 'pushed' })
  expect(await git(world.server.folder('demo'), 'log', '--format=%s', '-2', 'main')).toBe('rest\nmine')
})

test('C109 a branch that exists is taken, even when the push would fit on it', async () => {
  const start = await edited()
  await git(world.seed, 'push', '--quiet', world.server.folder('demo'), `${start.commit}:refs/heads/opencode/issue12`)
  expect((await publish(workspace, start)).pushed).toEqual({ kind: 'taken' })
  expect(await onServer('refs/heads/opencode/issue12')).toBe(start.commit)
})

test('C109 a branch created while the push is under way is taken', async () => {
  const start = await edited()
  await world.server.onPush('demo', `env -u GIT_QUARANTINE_PATH git update-ref refs/heads/opencode/issue12 ${start.commit}`)
  expect((await publish(workspace, start)).pushed).toEqual({ kind: 'taken' })
  expect(await onServer('refs/heads/opencode/issue12')).toBe(start.commit)
})

test('a branch that moved on meanwhile is taken and not overwritten', async () => {
  const start = await edited()
  const theirs = await world.push('main', { 'c.txt': 'theirs\n' })
  const commit = await workspace.commit(await workspace.changes(start), 'mine')
  expect(await workspace.push(commit, main, { tip: start.commit })).toEqual({ kind: 'taken' })
  expect(await workspace.push(commit, main, { tip: theirs })).toEqual({ kind: 'taken' })
  expect(await onServer('refs/heads/main')).toBe(theirs)
})

test('C108 a branch that was deleted meanwhile is not brought back', async () => {
  await world.push('feature', { 'c.txt': 'c\n' })
  root = await world.checkout()
  workspace = await world.open(root)
  const start = await workspace.start('feature')
  await write(root, 'c.txt', 'changed\n')
  const commit = await workspace.commit(await workspace.changes(start), 'mine')
  await git(world.server.folder('demo'), 'update-ref', '-d', 'refs/heads/feature')
  expect(await workspace.push(commit, { branch: 'feature' }, { tip: start.commit })).toEqual({ kind: 'taken' })
  expect(await workspace.replay({ base: start.commit, commit }, { branch: 'feature' })).toEqual({ kind: 'gone' })
  await expect(onServer('refs/heads/feature')).rejects.toThrow()
})

test('C108 a branch that is deleted while the push is under way is not brought back', async () => {
  const start = await edited()
  await world.server.onPush('demo', 'env -u GIT_QUARANTINE_PATH git update-ref -d refs/heads/main')
  const commit = await workspace.commit(await workspace.changes(start), 'mine')
  expect(await workspace.push(commit, main, { tip: start.commit })).toEqual({ kind: 'taken' })
  await expect(onServer('refs/heads/main')).rejects.toThrow()
})

test('a branch is dropped only while it is where we left it', async () => {
  const start = await edited()
  const { commit } = await publish(workspace, start)
  expect(await workspace.drop(start.commit, 'opencode/issue12')).toEqual({ kind: 'taken' })
  expect(await workspace.drop(commit, 'opencode/issue12')).toEqual({ kind: 'pushed' })
  await expect(onServer('refs/heads/opencode/issue12')).rejects.toThrow()
})

test('C110 a refusal to touch workflow files comes back in the words of the remote', async () => {
  const words = 'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission'
  await world.server.onPush('demo', `echo '${words}' >&2; exit 1`)
  const start = await edited()
  const { pushed } = await publish(workspace, start)
  expect(pushed).toEqual({ kind: 'refused', reason: `${words}\npre-receive hook declined` })
})

test('C111 rules of the repository refuse once, with their reasons', async () => {
  await world.server.onPush('demo', "printf 'error: GH013: Repository rule violations found.\\n\\n- Commits must have verified signatures.\\n' >&2; exit 1")
  const start = await edited()
  const before = world.server.requests.length
  const { pushed } = await publish(workspace, start)
  expect(pushed).toEqual({
    kind: 'refused',
    reason: 'error: GH013: Repository rule violations found.\n- Commits must have verified signatures.\npre-receive hook declined',
  })
  expect(world.server.requests.slice(before).filter(({ path }) => path.endsWith('/git-receive-pack'))).toHaveLength(1)
})

test('a token without the right to push is refused, and is not in the reason', async () => {
  const start = await edited()
  world.server.answer(/receive-pack/, 403, `Permission to demo denied to ${token} ${Buffer.from(`x-access-token:${token}`).toString('base64')}`)
  const { pushed } = await publish(workspace, start)
  expect(pushed).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/^Permission to demo denied to .* 403$/s) })
  expect(JSON.stringify(pushed)).not.toMatch(new RegExp(`${token}|${Buffer.from(token).toString('base64').slice(4, 12)}`))
})

test.each([401, 404, 200])(
  'an answer that was cut off after its beginning is no refusal, though git takes it for another kind of server (%i)',
  async (status) => {
    const start = await edited()
    world.server.answer(/HEAD$/, status)
    world.server.answer(/info\/refs\?service=git-receive-pack/, 200)
    const { pushed } = await publish(workspace, start)
    expect(pushed).toEqual({ kind: 'refused', reason: 'The remote end hung up in the middle of its answer.' })
  },
)

test('a token that is good for nothing any more is refused', async () => {
  const start = await edited()
  world.server.answer(/info\/refs/, 401)
  const { pushed } = await publish(workspace, start)
  expect(pushed).toEqual({ kind: 'refused', reason: expect.stringContaining('could not read Username') })
  expect(pushed.kind === 'refused' && refusalKind(pushed.reason)).toBe('forbidden')
})

test('C119 a branch whose name looks like a command is pushed by that name', async () => {
  const start = await edited()
  const branch = 'feat/$(touch\x24{IFS}pwned)`x`;#@(é)'
  expect((await publish(workspace, start, branch)).pushed).toEqual({ kind: 'pushed' })
  expect(await git(world.server.folder('demo'), 'branch', '--list', '--format=%(refname:short)', 'feat/*')).toBe(branch)
})

test('a name that git does not allow is refused before anything is sent', async () => {
  const start = await edited()
  const before = world.server.requests.length
  expect(() => workspace.push(start.commit, { branch: 'a..b' }, 'absent')).toThrow('a..b')
  expect(world.server.requests).toHaveLength(before)
})

test('C88 exactly one Authorization header arrives, whatever the checkout step persisted', async () => {
  await world.close()
  world = await makeWorld({ private: true })
  const start = await edited()
  const host = new URL(world.server.url('demo')).origin
  await git(root, 'config', `http.${host}/.extraheader`, 'AUTHORIZATION: basic c3RhbGU6c3RhbGU=')
  await git(root, 'config', '--add', 'http.extraHeader', 'Authorization: Basic b3RoZXI6b3RoZXI=')
  const before = await git(root, 'config', '--list', '--local')
  const again = await world.open(root)
  expect((await again.start('main')).commit).toBe(start.commit)
  expect((await publish(again, start)).pushed).toEqual({ kind: 'pushed' })
  const ours = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
  expect(new Set(world.server.requests.map(({ authorization }) => authorization.join()))).toEqual(new Set([ours]))
  expect(await git(root, 'config', '--list', '--local')).toBe(before)
})

test('the commit on the server is by the bot and not by whoever owns the machine', async () => {
  const start = await edited()
  const { commit } = await publish(workspace, start)
  expect(await git(world.server.folder('demo'), 'log', '-1', '--format=%an <%ae>', commit)).toBe(`${bot.name} <${bot.email}>`)
})

test('the token is in no file of the repository or of ours', async () => {
  const start = await edited()
  await publish(workspace, start)
  const secrets = [token, Buffer.from(`x-access-token:${token}`).toString('base64')]
  for (const folder of [root, join(world.folder, 'temp')]) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    expect(files.length).toBeGreaterThan(3)
    const texts = await Promise.all(files.map((file) => readFile(file, 'latin1')))
    expect(files.filter((_, index) => secrets.some((secret) => texts[index]?.includes(secret)))).toEqual([])
  }
})

test('C105 work that stands on a rewritten branch brings the history along that the remote has dropped, from a shallow clone too', async () => {
  await world.push('feature', { 'f.txt': 'one\n' })
  root = await world.checkout()
  workspace = await world.open(root)
  const start = await workspace.start('feature')
  await write(root, 'f.txt', 'two\n')
  const commit = await workspace.commit(await workspace.changes(start), 'Ours')
  await git(world.server.folder('demo'), 'update-ref', 'refs/heads/feature', 'main')
  expect(await workspace.push(commit, { branch: 'opencode/aside' }, 'absent')).toEqual({ kind: 'pushed' })
  expect(await onServer('refs/heads/opencode/aside')).toBe(commit)
  await git(world.server.folder('demo'), 'fsck', '--connectivity-only')
})
