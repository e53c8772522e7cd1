import { expect, test } from 'vitest'
import { type Answer, errorOf, refused, type Seen, start } from './server.ts'

interface Written {
  id: number
  created_at?: string
  body?: string
}
const written = ({ id, body = `text ${id}`, created_at = `2026-01-01T00:00:00Z` }: Written) => ({
  id,
  html_url: `https://x/${id}`,
  body,
  created_at,
  updated_at: created_at,
  user: { login: 'alice', type: 'User' },
})
const queryOf = (request: Seen | undefined) => new URL(request?.path ?? '', 'http://x').searchParams
const unchanged: Answer = { status: 304 }

/** A list as GitHub serves it: pages of a hundred, each with an ETag made of what it holds. */
function served(request: Seen, comments: readonly Written[]): Answer {
  const from = (Number(queryOf(request).get('page')) - 1) * 100
  const json = comments.slice(from, from + 100).map(written)
  const etag = `"${Buffer.from(JSON.stringify(json)).toString('base64').slice(-400)}"`
  return request.headers['if-none-match'] === etag ? unchanged : { status: 200, json, headers: { etag } }
}

test('the first look tells what there is, the next one nothing until something changes', async () => {
  let comments: Written[] = [{ id: 1 }]
  const server = await start((request) => served(request, comments))
  const github = server.connect()
  const before = Date.now()
  const watch = github.watch(3, false)
  expect(await watch.look()).toEqual([
    {
      kind: 'comment',
      id: 1,
      author: { login: 'alice', isBot: false },
      body: 'text 1',
      createdAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-01T00:00:00Z',
      url: 'https://x/1',
    },
  ])
  expect(await watch.look()).toBeUndefined()
  comments = [{ id: 1, body: 'edited' }, { id: 2 }]
  expect((await watch.look())?.map((comment) => comment.body)).toEqual(['edited', 'text 2'])
  comments = [{ id: 2 }]
  expect((await watch.look())?.map((comment) => comment.id)).toEqual([2])
  expect(github.requests).toBe(4)

  expect(new URL(server.seen[0]?.path ?? '', server.origin).pathname).toBe('/repos/octo/demo/issues/3/comments')
  const since = Date.parse(queryOf(server.seen[0]).get('since') ?? '')
  expect(since).toBeGreaterThanOrEqual(before - 300_000)
  expect(since).toBeLessThanOrEqual(Date.now() - 180_000)
  expect(new Set(server.seen.map((request) => request.path)).size).toBe(1)
  expect(server.seen[0]?.headers['if-none-match']).toBeUndefined()
})

test('a thread where nothing was written yet is an empty list at first', async () => {
  const server = await start((request) => served(request, []))
  const watch = server.connect().watch(3, false)
  expect([await watch.look(), await watch.look()]).toEqual([[], undefined])
})

test('C25 what is written after a full page is seen, though that page did not change', async () => {
  const comments: Written[] = Array.from({ length: 100 }, (_, index) => ({ id: index + 1 }))
  const server = await start((request) => served(request, comments))
  const watch = server.connect().watch(3, false)
  expect(await watch.look()).toHaveLength(100)
  expect(await watch.look()).toBeUndefined()
  comments.push({ id: 101, body: 'new' })
  const found = await watch.look()
  expect([found?.length, found?.at(-1)?.body]).toEqual([101, 'new'])
  comments.splice(0, 50)
  expect(await watch.look()).toHaveLength(51)
})

test('of a pull request the remarks on the diff are watched too, in the order of writing', async () => {
  const server = await start((request) =>
    request.path.includes('/pulls/')
      ? served(request, [{ id: 1, created_at: '2026-01-01T00:02:00Z' }])
      : served(request, [
          { id: 5, created_at: '2026-01-01T00:01:00Z' },
          { id: 6, created_at: '2026-01-01T00:03:00Z' },
        ]),
  )
  const watch = server.connect().watch(3, true)
  expect((await watch.look())?.map(({ kind, id }) => [kind, id])).toEqual([
    ['comment', 5],
    ['review-comment', 1],
    ['comment', 6],
  ])
  expect(await watch.look()).toBeUndefined()
  expect(server.seen.map((request) => new URL(request.path, server.origin).pathname).sort()).toEqual([
    '/repos/octo/demo/issues/3/comments',
    '/repos/octo/demo/issues/3/comments',
    '/repos/octo/demo/pulls/3/comments',
    '/repos/octo/demo/pulls/3/comments',
  ])
})

test('C24 bots are known as such, and deleted accounts are ghost', async () => {
  const nodes = [
    { ...written({ id: 1 }), user: null, body: null },
    { ...written({ id: 2 }), user: { login: 'dependabot[bot]', type: 'Bot' } },
  ]
  const server = await start(() => ({ status: 200, json: nodes }))
  expect(await server.connect().watch(3, false).look()).toMatchObject([
    { author: { login: 'ghost', isBot: false }, body: '' },
    { author: { login: 'dependabot[bot]', isBot: true } },
  ])
})

test('what was seen before a look failed comes with the next one', async () => {
  let isBroken = true
  const server = await start((request) => (request.path.includes('/pulls/') && isBroken ? refused(403, 'Forbidden') : served(request, [{ id: 1 }])))
  const watch = server.connect().watch(3, true)
  expect((await errorOf(watch.look())).hint).toContain('`pull-requests: read`')
  isBroken = false
  expect((await watch.look())?.map(({ kind }) => kind).sort()).toEqual(['comment', 'review-comment'])
})
