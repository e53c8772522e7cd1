import { expect, test } from 'vitest'
import { errorOf, refused, type Seen, start } from './server.ts'

const sha = 'a'.repeat(40)
const ref = { status: 200, json: { ref: 'refs/heads/x', object: { sha, type: 'commit' } } }
const sent = ({ method, path, body }: Seen) => [method, path, ...(body === '' ? [] : [JSON.parse(body)])]

test.each([
  ['main', 'heads%2Fmain'],
  ['opencode/issue1-20260101', 'heads%2Fopencode%2Fissue1-20260101'],
  ['fix/#12 50%?ü', 'heads%2Ffix%2F%2312%2050%25%3F%C3%BC'],
  ['a&b=c+d', 'heads%2Fa%26b%3Dc%2Bd'],
])('the branch %s is one segment of the address, and comes out as it was', async (branch, segment) => {
  const server = await start(() => ref)
  const github = server.connect()
  expect(await github.branchTip(branch)).toBe(sha)
  await github.moveBranch(branch, sha)
  await github.createBranch(branch, sha)
  expect(server.seen.map(sent)).toEqual([
    ['GET', `/repos/octo/demo/git/ref/${segment}`],
    ['PATCH', `/repos/octo/demo/git/refs/${segment}`, { sha, force: false }],
    ['POST', '/repos/octo/demo/git/refs', { ref: `refs/heads/${branch}`, sha }],
  ])
  expect(decodeURIComponent(segment)).toBe(`heads/${branch}`)
})

test('a branch that is not there has no tip', async () => {
  const server = await start(() => refused(404, 'Not Found'))
  expect(await server.connect().branchTip('gone')).toBeUndefined()
})

test('a commit is made of blobs and a tree over the base, and signed by GitHub as it names no author', async () => {
  const server = await start(() => ({ status: 201, json: { sha } }))
  const github = server.connect()
  expect(await github.createBlob(Buffer.from([0, 255, 128, 10]))).toBe(sha)
  const entries = [
    { path: 'bin/run', mode: '100755' as const, sha },
    { path: 'gone.txt', mode: '100644' as const, sha: null },
    { path: 'link', mode: '120000' as const, sha },
    { path: 'vendor/lib', mode: '160000' as const, sha },
  ]
  expect(await github.createTree('b'.repeat(40), entries)).toBe(sha)
  expect(await github.createCommit({ message: 'Fix\n\nCo-authored-by: a <a@x>', tree: sha, parents: ['b'.repeat(40)] })).toBe(sha)
  expect(server.seen.map(sent)).toEqual([
    ['POST', '/repos/octo/demo/git/blobs', { content: 'AP+ACg==', encoding: 'base64' }],
    [
      'POST',
      '/repos/octo/demo/git/trees',
      {
        base_tree: 'b'.repeat(40),
        tree: [
          { path: 'bin/run', mode: '100755', type: 'blob', sha },
          { path: 'gone.txt', mode: '100644', type: 'blob', sha: null },
          { path: 'link', mode: '120000', type: 'blob', sha },
          { path: 'vendor/lib', mode: '160000', type: 'commit', sha },
        ],
      },
    ],
    ['POST', '/repos/octo/demo/git/commits', { message: 'Fix\n\nCo-authored-by: a <a@x>', tree: sha, parents: ['b'.repeat(40)] }],
  ])
})

test('C125 a branch whose making got no answer is found, not made twice', async () => {
  const server = await start((request) => (request.method === 'POST' ? 'cut' : ref))
  await server.connect().createBranch('x', sha)
  expect(server.seen.map((request) => request.method)).toEqual(['POST', 'GET'])
})

test('a branch of that name with another commit is not taken for ours', async () => {
  const other = { status: 200, json: { object: { sha: 'c'.repeat(40) } } }
  const server = await start((request, earlier) => (request.method === 'GET' ? other : earlier === 0 ? 'cut' : refused(422, 'Reference already exists')))
  expect(await errorOf(server.connect().createBranch('x', sha))).toMatchObject({ kind: 'invalid', said: 'Reference already exists' })
})

test('a branch that went on is not overwritten: one request, and GitHub’s words', async () => {
  const server = await start(() => refused(422, 'Update is not a fast forward'))
  expect(await errorOf(server.connect().moveBranch('x', sha))).toMatchObject({ kind: 'invalid', said: 'Update is not a fast forward' })
  expect(server.seen).toHaveLength(1)
})

test('C23 a ref that is refused in passing moves at the next try', async () => {
  const server = await start((_, earlier) => (earlier === 0 ? refused(403, 'Resource not accessible by integration') : ref))
  await server.connect().moveBranch('x', sha)
  expect(server.seen).toHaveLength(2)
})

test('a token that may not write is told what it needs, workflow files included', async () => {
  const server = await start(() => refused(403, 'Forbidden'))
  const { hint } = await errorOf(server.connect().createTree(sha, []))
  expect(hint).toContain('`contents: write`')
  expect(hint).toContain('`workflows: write`')
})

const activity = (activity_type: string, login: string | null, minute: number) => ({
  activity_type,
  actor: login === null ? null : { login },
  timestamp: `2026-01-01T00:0${minute}:00Z`,
  before: 'b'.repeat(40),
  after: sha,
})

test('whoever moved a branch is told, newest first; its removal moved it nowhere', async () => {
  const all = [activity('force_push', 'mallory', 4), activity('branch_creation', null, 3), activity('branch_deletion', 'bob', 2), activity('push', 'alice', 1)]
  const server = await start(() => ({ status: 200, json: all }))
  const moved = { before: 'b'.repeat(40), after: sha }
  expect(await server.connect().pushes('fork/demo', 'fix/a b')).toEqual([
    { actor: 'mallory', at: '2026-01-01T00:04:00Z', ...moved },
    { actor: 'ghost', at: '2026-01-01T00:03:00Z', ...moved },
    { actor: 'alice', at: '2026-01-01T00:01:00Z', ...moved },
  ])
  const { pathname, searchParams } = new URL(server.seen[0]?.path ?? '', server.origin)
  expect([pathname, searchParams.get('ref'), searchParams.get('per_page')]).toEqual(['/repos/fork/demo/activity', 'refs/heads/fix/a b', '100'])
})

test.each([403, 404])('a list of pushes that answers %i is not known, by one request', async (status) => {
  const server = await start(() => refused(status, 'Resource not accessible by integration'))
  expect(await server.connect().pushes('fork/demo', 'main')).toBeUndefined()
  expect(server.seen).toHaveLength(1)
})
