import { expect, test } from 'vitest'
import { NoCommitsError } from '../../src/github/errors.ts'
import { type Answer, errorOf, refused, start } from './server.ts'

const posted = { status: 201, json: { id: 7, html_url: 'https://x/7' } }
const level = { status: 200, json: { permission: 'write', role_name: 'maintain' } }
test('C21 a permission answer that fails twice with 500 is asked for again', async () => {
  const server = await start((_, earlier) => (earlier < 2 ? refused(500, 'oops') : level))
  const github = server.connect()
  expect(await github.permission('alice')).toEqual({ kind: 'known', permission: 'write', role: 'maintain' })
  expect(github.requests).toBe(3)
  expect(server.seen[0]).toMatchObject({ method: 'GET', path: '/repos/octo/demo/collaborators/alice/permission' })
  expect(server.said).toHaveLength(2)
})

test.each([
  ['the token may not ask', refused(403, 'Must have push access'), 'forbidden', 1],
  ['the token is not valid', refused(401, 'Bad credentials'), 'auth', 1],
  ['GitHub is down', refused(500, 'oops'), 'server', 4],
])('C21 a permission that cannot be read because %s is an error, not a word about the person', async (_, reply, kind, requests) => {
  const server = await start(() => reply)
  const github = server.connect()
  expect((await errorOf(github.permission('alice'))).kind).toBe(kind)
  expect(github.requests).toBe(requests)
})

test('what GitHub says about somebody is asked for once; a question that failed is asked again', async () => {
  const server = await start((_, earlier) => (earlier === 0 ? refused(403, 'Must have push access') : level))
  const github = server.connect()
  await errorOf(github.permission('alice'))
  expect(await Promise.all([github.permission('alice'), github.permission('Alice')])).toMatchObject([{ permission: 'write' }, { permission: 'write' }])
  expect(server.seen).toHaveLength(2)
})

test('C20 a stranger is unknown by one answer of the permission endpoint', async () => {
  const server = await start(() => refused(404, 'Not Found'))
  expect(await server.connect().permission('dependabot[bot]')).toEqual({ kind: 'unknown', reason: 'dependabot[bot] is no collaborator of octo/demo' })
  expect(server.seen.map((request) => request.path)).toEqual(['/repos/octo/demo/collaborators/dependabot%5Bbot%5D/permission'])
})

test.each([
  ['401', refused(401, 'Bad credentials'), 'auth', 'github-token'],
  ['404', refused(404, 'Not Found'), 'missing', 'issues: write'],
  ['410', refused(410, 'This issue was deleted'), 'missing', 'issues: write'],
  [
    '422',
    refused(422, 'Validation Failed', { errors: [{ resource: 'IssueComment', code: 'unprocessable', field: 'data', message: 'Body is too long' }] }),
    'invalid',
    'message',
  ],
  ['403', refused(403, 'Must have admin rights'), 'forbidden', 'issues: write'],
  ['C124 403', refused(403, 'Unable to create comment because issue is locked.'), 'locked', 'Unlock'],
])('C23 %s is final: one request, its kind and a hint', async (_, answer, kind, hint) => {
  const server = await start(() => answer)
  const error = await errorOf(server.connect().createComment(1, 'hello'))
  expect(error.kind).toBe(kind)
  expect(error.hint).toContain(hint)
  expect(error.message).toContain('post a comment on #1')
  expect(server.seen).toHaveLength(1)
})

test('a refusal carries what GitHub said, field by field', async () => {
  const server = await start(() =>
    refused(422, 'Validation Failed', { errors: [{ field: 'body', code: 'missing' }, 'other', { message: 'Body is too long' }] }),
  )
  const error = await errorOf(server.connect().updateComment(3, 'x'))
  expect(error).toMatchObject({ status: 422, said: 'Validation Failed: body missing: other: Body is too long' })
})

test('C23 "Resource not accessible by integration" may pass, so it is tried twice more', async () => {
  const text = 'Resource not accessible by integration'
  const passing = await start((_, earlier) => (earlier === 0 ? refused(403, text) : posted))
  expect(await passing.connect().createComment(1, 'x')).toEqual({ id: 7, url: 'https://x/7' })
  const final = await start(() => refused(403, text))
  const error = await errorOf(final.connect().createComment(1, 'x'))
  expect(error).toMatchObject({ kind: 'forbidden', hint: expect.stringContaining('`issues: write`') })
  expect(final.seen).toHaveLength(3)
})

test.each([
  ["403 in today's words, no header", refused(403, 'You have exceeded a secondary rate limit. Please wait')],
  ['403 in older words', refused(403, 'You have triggered an abuse detection mechanism.')],
  ['403 with nothing left', refused(403, 'API rate limit exceeded', { headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' } })],
  ['422 with code abuse', refused(422, 'Validation Failed', { errors: [{ code: 'abuse' }] })],
  ['429 with a time', refused(429, 'Too Many Requests', { headers: { 'retry-after': '2' } })],
])('C125 a rate limit is waited for and the comment is posted once: %s', async (_, limit) => {
  const server = await start((_, earlier) => (earlier === 0 ? limit : posted))
  expect(await server.connect().createComment(1, 'x')).toEqual({ id: 7, url: 'https://x/7' })
  expect(server.seen).toHaveLength(2)
})

test('C125 a rate limit of more than two minutes is not waited for', async () => {
  const server = await start(() => refused(429, 'slow down', { headers: { 'retry-after': '121' } }))
  expect(await errorOf(server.connect().createComment(1, 'x'))).toMatchObject({ kind: 'rate', retryAfter: 121 })
  expect(server.seen).toHaveLength(1)
})

test('C125 a rate limit that never ends is an error after four tries', async () => {
  const server = await start(() => refused(403, 'secondary rate limit'))
  expect((await errorOf(server.connect().updateComment(1, 'x'))).kind).toBe('rate')
  expect(server.seen).toHaveLength(4)
})

const comments = (bodies: readonly string[]): Answer => ({
  status: 200,
  json: {
    data: {
      viewer: { login: 'github-actions[bot]', databaseId: 41898282 },
      repository: {
        issueOrPullRequest: {
          comments: {
            pageInfo: { hasPreviousPage: false, startCursor: null },
            nodes: bodies.map((body, index) => ({
              fullDatabaseId: String(3_000_000_000 + index),
              url: `https://x/1#issuecomment-${index}`,
              body,
              createdAt: new Date().toISOString(),
              lastEditedAt: null,
              isMinimized: false,
              author: { __typename: 'Bot', login: 'github-actions' },
            })),
          },
        },
      },
    },
  },
})

test.each([
  ['a reset connection', 'cut' as const],
  ['a 502', { status: 502, text: '<html>Bad gateway</html>' }],
  ['an empty answer', { status: 201, text: '', headers: { 'content-type': 'application/json' } }],
])('C125 a comment whose answer got lost by %s is found instead of posted twice', async (_, lost) => {
  const server = await start((request) => (request.path === '/graphql' ? comments(['other', 'hello\r\nworld']) : lost))
  expect(await server.connect().createComment(1, 'hello\nworld\n')).toMatchObject({ id: 3_000_000_001 })
  expect(server.seen.filter((request) => request.method === 'POST' && request.path !== '/graphql')).toHaveLength(1)
})

test('a comment that did not arrive is posted again, and given up after four tries', async () => {
  const arrives = await start((request, earlier) => (request.path === '/graphql' ? comments(['other']) : earlier < 2 ? 'cut' : posted))
  expect(await arrives.connect().createComment(1, 'hello')).toEqual({ id: 7, url: 'https://x/7' })
  const never = await start((request) => (request.path === '/graphql' ? comments([]) : 'cut'))
  expect(await errorOf(never.connect().createComment(1, 'hello'))).toMatchObject({ kind: 'network', status: undefined })
  expect(never.seen.filter((request) => request.path !== '/graphql')).toHaveLength(4)
})

test('a server that nobody answers at is a network error with a hint', async () => {
  const server = await start(() => posted)
  const github = server.connect()
  await server.stop()
  const error = await errorOf(github.updateComment(1, 'x'))
  expect(error).toMatchObject({ kind: 'network', hint: expect.stringContaining('proxy') })
  expect(error.message).toMatch(/^GitHub could not be reached to edit comment 1: /)
})

const newPull = { title: 'Fix', body: 'b', head: 'opencode/issue1', base: 'main', draft: false }

test('C126 a pull request that exists is found by owner and branch', async () => {
  const server = await start((request) =>
    request.method === 'POST'
      ? refused(422, 'Validation Failed', {
          errors: [{ resource: 'PullRequest', code: 'custom', message: 'A pull request already exists for octo:opencode/issue1.' }],
        })
      : { status: 200, json: [{ number: 4, html_url: 'https://x/4' }] },
  )
  expect(await server.connect().createPull(newPull)).toEqual({ number: 4, url: 'https://x/4' })
  const query = new URL(server.seen[1]?.path ?? '', server.origin).searchParams
  expect(Object.fromEntries(query)).toEqual({ head: 'octo:opencode/issue1', base: 'main', state: 'open' })
})

test('C127 a branch without commits of its own is a typed refusal', async () => {
  const server = await start(() => refused(422, 'Validation Failed', { errors: [{ code: 'custom', message: 'No commits between main and opencode/issue1' }] }))
  const error = await errorOf(server.connect().createPull(newPull))
  expect(error).toBeInstanceOf(NoCommitsError)
  expect(error.hint).toContain('opencode/issue1')
})

test('the setting that keeps actions from opening pull requests is named', async () => {
  const server = await start(() => refused(403, 'GitHub Actions is not permitted to create or approve pull requests.'))
  expect((await errorOf(server.connect().createPull(newPull))).hint).toContain('Allow GitHub Actions to create and approve pull requests')
})

test('a pull request whose answer got lost is found', async () => {
  const server = await start((request) => (request.method === 'POST' ? 'cut' : { status: 200, json: [{ number: 4, html_url: 'https://x/4' }] }))
  expect(await server.connect().createPull(newPull)).toEqual({ number: 4, url: 'https://x/4' })
  expect(server.seen.map((request) => request.method)).toEqual(['POST', 'GET'])
})

test('no open pull request of a branch is no error', async () => {
  const server = await start(() => ({ status: 200, json: [] }))
  expect(await server.connect().findPull('topic')).toBeUndefined()
})

test('C131 reactions are set on comments, remarks and issues and removed by id; what is gone needs no removing', async () => {
  const server = await start((request) => (request.method === 'POST' ? { status: 201, json: { id: 5 } } : refused(404, 'Not Found')))
  const github = server.connect()
  expect(await github.react({ comment: 9 })).toBe(5)
  expect(await github.react({ reviewComment: 9 })).toBe(5)
  expect(await github.react({ issue: 2 })).toBe(5)
  await github.unreact({ comment: 9 }, 5)
  await github.unreact({ reviewComment: 9 }, 5)
  await github.unreact({ issue: 2 }, 5)
  await github.deleteComment(9)
  expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /repos/octo/demo/issues/comments/9/reactions',
    'POST /repos/octo/demo/pulls/comments/9/reactions',
    'POST /repos/octo/demo/issues/2/reactions',
    'DELETE /repos/octo/demo/issues/comments/9/reactions/5',
    'DELETE /repos/octo/demo/pulls/comments/9/reactions/5',
    'DELETE /repos/octo/demo/issues/2/reactions/5',
    'DELETE /repos/octo/demo/issues/comments/9',
  ])
  expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({ content: 'eyes' })
})

test('C41 comments, remarks and descriptions are read as HTML', async () => {
  const server = await start((_, earlier) => ({ status: 200, json: { body_html: earlier === 0 ? '<p>Hi</p>' : null } }))
  const github = server.connect()
  for (const target of [{ comment: 9 }, { reviewComment: 9 }, { issue: 2 }]) expect(await github.bodyHtml(target)).toBe('<p>Hi</p>')
  expect(await github.bodyHtml({ issue: 2 })).toBe('')
  expect(server.seen.slice(0, 3).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /repos/octo/demo/issues/comments/9',
    'GET /repos/octo/demo/pulls/comments/9',
    'GET /repos/octo/demo/issues/2',
  ])
  expect(new Set(server.seen.map((request) => request.headers.accept))).toEqual(new Set(['application/vnd.github.html+json']))
})

test('C139 an edit that is refused is an error of its kind', async () => {
  const server = await start(() => refused(403, 'Must be the author'))
  expect((await errorOf(server.connect().updateComment(9, 'x'))).kind).toBe('forbidden')
})

test('C166 the API address is taken as it is given, path prefix included, and the token goes along', async () => {
  const server = await start(() => level)
  await server.connect({ api: '/ghes/api/v3/', token: 'secret', userAgent: 'opencode-action/1' }).permission('alice')
  expect(server.seen[0]?.path).toBe('/ghes/api/v3/repos/octo/demo/collaborators/alice/permission')
  expect(server.seen[0]?.headers.authorization).toBe('token secret')
  expect(server.seen[0]?.headers['user-agent']).toContain('opencode-action/1')
})

test('the first twenty writes of a run are not spaced, later ones are', async () => {
  const server = await start(({ method }) => (method === 'GET' ? level : posted))
  const github = server.connect({ second: 300_000 })
  for (let n = 0; n < 21; n++) await github.updateComment(1, 'x')
  const waits = github.updateComment(1, 'x').then(() => 'sent')
  expect(await Promise.race([waits, github.permission('alice').then(() => 'waiting')])).toBe('waiting')
  expect(server.seen.filter((request) => request.method === 'PATCH')).toHaveLength(21)
})
