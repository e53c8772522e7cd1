import type { Octokit } from '@octokit/rest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { World } from '../../src/local/world.ts'
import { octokitOf, refusal } from '../support/local.ts'
import { openWorld } from '../support/world.ts'

let world: World
let octokit: Octokit
let base: string
const repo = { owner: 'octo', repo: 'demo' }
beforeEach(async () => {
  world = await openWorld({ seed: { files: { 'a.txt': 'a\n', 'src/b.txt': 'b\n', 'src/c.txt': 'c\n' } } })
  octokit = octokitOf(world)
  base = (await world.remote('rev-parse', 'main')).trim()
})
afterEach(() => world.close())

const blob = async (content: Buffer) => (await octokit.git.createBlob({ ...repo, content: content.toString('base64'), encoding: 'base64' })).data.sha
async function commit(parents: string[] = [base], message = 'Change it\n\nCo-authored-by: alice <a@example.com>') {
  const tree = await octokit.git.createTree({
    ...repo,
    base_tree: base,
    tree: [
      { path: 'bin/tool', mode: '100755', type: 'blob', sha: await blob(Buffer.from('#!/bin/sh\n')) },
      { path: 'link', mode: '120000', type: 'blob', sha: await blob(Buffer.from('a.txt')) },
      { path: 'ü.bin', mode: '100644', type: 'blob', sha: await blob(Buffer.from([0, 255, 1])) },
      { path: 'src/b.txt', mode: '100644', type: 'blob', sha: null },
    ],
  })
  return (await octokit.git.createCommit({ ...repo, message, tree: tree.data.sha, parents })).data
}

test('makes real objects: modes, links, bytes and deletions, in a commit that GitHub signed for the app', async () => {
  const made = await commit()
  expect(made).toMatchObject({ verification: { verified: true }, author: { name: 'github-actions[bot]' }, parents: [{ sha: base }] })
  await octokit.git.createRef({ ...repo, ref: 'refs/heads/opencode/new', sha: made.sha })
  expect((await world.remote('-c', 'core.quotePath=off', 'ls-tree', '-r', 'opencode/new')).replaceAll(/\b[0-9a-f]{40}\b/g, '').split('\n')).toEqual([
    '100644 blob \ta.txt',
    '100755 blob \tbin/tool',
    '120000 blob \tlink',
    '100644 blob \tsrc/c.txt',
    '100644 blob \tü.bin',
    '',
  ])
  expect(await world.remote('show', '-s', '--format=%B', made.sha)).toContain('Co-authored-by: alice <a@example.com>')
  expect((await octokit.repos.getCommit({ ...repo, ref: made.sha })).data.commit.verification?.verified).toBe(true)
  expect((await octokit.git.getRef({ ...repo, ref: 'heads/opencode/new' })).data.object.sha).toBe(made.sha)
  expect(world.github.state.activity.at(-1)).toMatchObject({ type: 'branch_creation', actor: 'github-actions[bot]', ref: 'refs/heads/opencode/new' })
})

test('does not sign for somebody who is named, nor for a person', async () => {
  const { tree } = (await octokit.git.getCommit({ ...repo, commit_sha: base })).data
  const author = { name: 'Alice', email: 'a@example.com' }
  const { data } = await octokit.git.createCommit({ ...repo, message: 'x', tree: tree.sha, parents: [base], author })
  expect(data).toMatchObject({ author, verification: { verified: false, reason: 'unsigned' } })
})

test('moves a branch forward and never otherwise without force', async () => {
  const first = await commit()
  await octokit.git.createRef({ ...repo, ref: 'refs/heads/topic', sha: base })
  const move = (sha: string, force = false) => octokit.git.updateRef({ ...repo, ref: 'heads/topic', sha, force })
  expect((await move(first.sha)).data.object.sha).toBe(first.sha)
  const other = await commit([base], 'Another')
  expect(await refusal(move(other.sha))).toMatchObject({ status: 422, text: expect.stringContaining('Update is not a fast forward') })
  expect((await move(other.sha, true)).status).toBe(200)
  expect((await world.remote('rev-parse', 'topic')).trim()).toBe(other.sha)
  expect(world.github.state.activity.map(({ type }) => type)).toEqual(['branch_creation', 'push', 'force_push'])
  await octokit.git.deleteRef({ ...repo, ref: 'heads/topic' })
  expect((await refusal(octokit.git.getRef({ ...repo, ref: 'heads/topic' }))).status).toBe(404)
})

test('a pull request follows a branch moved this way', async () => {
  await world.push('fix', { 'a.txt': 'fixed\n' }, 'main')
  const { number } = await world.github.openPull({ title: 'Fix', author: 'alice', head: 'fix' })
  const made = await commit([(await world.remote('rev-parse', 'fix')).trim()])
  await octokit.git.updateRef({ ...repo, ref: 'heads/fix', sha: made.sha })
  expect((await world.remote('rev-parse', `refs/pull/${number}/head`)).trim()).toBe(made.sha)
})

test.each<[string, () => Promise<unknown>, string]>([
  ['a branch that is there', () => octokit.git.createRef({ ...repo, ref: 'refs/heads/main', sha: base }), 'Reference already exists'],
  ['a branch on nothing', () => octokit.git.createRef({ ...repo, ref: 'refs/heads/x', sha: '1'.repeat(40) }), 'Object does not exist'],
  ['a move of what is not there', () => octokit.git.updateRef({ ...repo, ref: 'heads/x', sha: base }), 'Reference does not exist'],
  ['a commit of no tree', () => octokit.git.createCommit({ ...repo, message: 'x', tree: '1'.repeat(40) }), 'Tree SHA does not exist'],
  [
    'a tree of no blob',
    () => octokit.git.createTree({ ...repo, tree: [{ path: 'x', mode: '100644', type: 'blob', sha: '1'.repeat(40) }] }),
    'not a valid blob',
  ],
  [
    'a deletion of what is not there',
    () => octokit.git.createTree({ ...repo, base_tree: base, tree: [{ path: 'x', mode: '100644', type: 'blob', sha: null }] }),
    'BadObjectState',
  ],
])('refuses %s', async (_, request, message) => {
  expect(await refusal(request())).toMatchObject({ status: 422, text: expect.stringContaining(message) })
})

test('rules for pushes hold here too', async () => {
  const made = await commit()
  world.github.refusePush({ branch: 'main' }, 'rules')
  world.github.refusePush({ path: 'link' }, 'workflows')
  expect(await refusal(octokit.git.updateRef({ ...repo, ref: 'heads/main', sha: made.sha }))).toMatchObject({
    status: 422,
    text: expect.stringContaining('Commits must have verified signatures.'),
  })
  expect((await refusal(octokit.git.createRef({ ...repo, ref: 'refs/heads/new', sha: made.sha }))).status).toBe(403)
})
