import { expect, test } from 'vitest'
import { page } from './nodes.ts'
import { type Answer, errorOf, refused, type Seen, start } from './server.ts'

const posted = { status: 200, json: { id: 7, html_url: 'https://x/7' } }
const bot = 'github-actions[bot]'
const now = () => new Date().toISOString()
const bodyOf = (request: Seen | undefined): unknown => JSON.parse(request?.body ?? 'null')
const sent = (request: Seen | undefined) => `${request?.method} ${request?.path}`

const input = {
  commit: 'a'.repeat(40),
  body: 'Two remarks.',
  remarks: [
    { path: 'a.ts', body: 'here', line: 3, side: 'RIGHT' as const },
    { path: 'a.ts', body: 'and there', line: 9, side: 'RIGHT' as const, startLine: 7 },
    { path: 'b.ts', body: 'moved', line: 2, side: 'RIGHT' as const, startLine: 1, startSide: 'LEFT' as const },
  ],
}

test('a review is one request of event COMMENT with all its remarks', async () => {
  const server = await start(() => posted)
  expect(await server.connect().createReview(5, input)).toEqual({ id: 7, url: 'https://x/7' })
  expect(server.seen.map(sent)).toEqual(['POST /repos/octo/demo/pulls/5/reviews'])
  expect(bodyOf(server.seen[0])).toEqual({
    commit_id: 'a'.repeat(40),
    body: 'Two remarks.',
    event: 'COMMENT',
    comments: [
      { path: 'a.ts', body: 'here', line: 3, side: 'RIGHT' },
      { path: 'a.ts', body: 'and there', line: 9, side: 'RIGHT', start_line: 7, start_side: 'RIGHT' },
      { path: 'b.ts', body: 'moved', line: 2, side: 'RIGHT', start_line: 1, start_side: 'LEFT' },
    ],
  })
})

test('C138 a remark outside of the diff is one refusal in GitHub’s words', async () => {
  const server = await start(() => refused(422, 'Unprocessable Entity', { errors: ['Pull request review thread line must be part of the diff'] }))
  expect(await errorOf(server.connect().createReview(5, input))).toMatchObject({ kind: 'invalid', said: expect.stringContaining('must be part of the diff') })
  expect(server.seen).toHaveLength(1)
})

const review = (id: number, login: string, body: string, submittedAt = now()) => ({
  fullDatabaseId: String(id),
  url: `https://x/${id}`,
  body,
  state: 'COMMENTED',
  submittedAt,
  lastEditedAt: null,
  isMinimized: false,
  author: { __typename: login === bot ? 'Bot' : 'User', login: login.replace('[bot]', '') },
  commit: null,
})
const viewer = { login: bot, databaseId: 41898282 }
const graphql = (request: Seen, reviews: readonly unknown[]): Answer => ({
  status: 200,
  json: {
    data: /Reviews/.test(request.body)
      ? { repository: { pullRequest: { reviews: page(reviews) } } }
      : { viewer, repository: { defaultBranchRef: { name: 'main' } } },
  },
})

test('C125 a review whose answer got lost is found instead of posted twice', async () => {
  const reviews = [
    review(1, bot, input.body, '2020-01-01T00:00:00Z'),
    review(2, bot, 'Two  remarks.'),
    review(3, bot, 'Two remarks.\r\n'),
    review(4, 'alice', input.body),
  ]
  const server = await start((request) => (request.path === '/graphql' ? graphql(request, reviews) : 'cut'))
  expect(await server.connect().createReview(5, input)).toMatchObject({ id: 3, url: 'https://x/3' })
  expect(server.seen.filter((request) => request.path !== '/graphql')).toHaveLength(1)
})

test('C125 a review that did not arrive is posted again', async () => {
  const server = await start((request, earlier) =>
    request.path === '/graphql' ? graphql(request, [review(4, 'alice', input.body)]) : earlier === 0 ? 'cut' : posted,
  )
  expect(await server.connect().createReview(5, input)).toEqual({ id: 7, url: 'https://x/7' })
})

test('a remark is answered in its thread', async () => {
  const server = await start(() => posted)
  expect(await server.connect().replyToRemark(5, 31, 'Done.')).toEqual({ id: 7, url: 'https://x/7' })
  expect(server.seen.map(sent)).toEqual(['POST /repos/octo/demo/pulls/5/comments/31/replies'])
  expect(bodyOf(server.seen[0])).toEqual({ body: 'Done.' })
})

test('C125 a reply whose answer got lost is found by its text among our own newest remarks', async () => {
  const remark = (id: number, login: string | null, body: string, created_at = now()) => ({
    id,
    html_url: `https://x/${id}`,
    body,
    created_at,
    user: login === null ? null : { login },
  })
  const remarks = [
    remark(9, null, 'Done.'),
    remark(8, 'alice', 'Done.'),
    remark(7, bot, 'Done. '),
    remark(6, bot, 'Other'),
    remark(5, bot, 'Done.', '2020-01-01T00:00:00Z'),
  ]
  const server = await start((request) =>
    request.path === '/graphql' ? graphql(request, []) : request.method === 'POST' ? 'cut' : { status: 200, json: remarks },
  )
  expect(await server.connect().replyToRemark(5, 31, 'Done.')).toEqual({ id: 7, url: 'https://x/7' })
  expect(server.seen.filter((request) => request.method === 'POST' && request.path !== '/graphql')).toHaveLength(1)
  expect(server.seen.map(sent)).toContain('GET /repos/octo/demo/pulls/5/comments?sort=created&direction=desc&per_page=100')
})

test('remarks are edited and removed; one that is gone needs no removing', async () => {
  const server = await start((request) => (request.method === 'DELETE' ? refused(404, 'Not Found') : posted))
  const github = server.connect()
  expect(await github.updateRemark(31, 'Better.')).toEqual({ id: 7, url: 'https://x/7' })
  await github.deleteRemark(31)
  expect(server.seen.map(sent)).toEqual(['PATCH /repos/octo/demo/pulls/comments/31', 'DELETE /repos/octo/demo/pulls/comments/31'])
  expect(bodyOf(server.seen[0])).toEqual({ body: 'Better.' })
})

test('a thread is resolved by its id', async () => {
  const server = await start(() => ({ status: 200, json: { data: { resolveReviewThread: { thread: { id: 'PRRT_1', isResolved: true } } } } }))
  await server.connect().resolveThread('PRRT_1')
  expect(bodyOf(server.seen[0])).toMatchObject({ query: expect.stringContaining('resolveReviewThread'), variables: { thread: 'PRRT_1' } })
})

test('a token that may not resolve threads is told what it needs', async () => {
  const errors = [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }]
  const server = await start(() => ({ status: 200, json: { data: { resolveReviewThread: null }, errors } }))
  expect(await errorOf(server.connect().resolveThread('PRRT_1'))).toMatchObject({ kind: 'forbidden', hint: expect.stringContaining('`contents: write`') })
})
