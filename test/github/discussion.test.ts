import { schema as published } from '@octokit/graphql-schema'
import { buildSchema, NoDeprecatedCustomRule, parse, specifiedRules, validate, visit } from 'graphql'
import { describe, expect, test } from 'vitest'
import { GitHubError } from '../../src/github/errors.ts'
import * as queries from '../../src/github/queries.ts'
import { answered, comment, issue, page, pull, variablesOf } from './nodes.ts'
import { type Answer, start } from './server.ts'

test('an issue comes with its facts, by one request to the GraphQL address of the host', async () => {
  const server = await start(() => answered({ ...issue, comments: page([comment({ id: 5 })]) }))
  const github = server.connect({ api: '/api/v3', graphql: '/api/graphql' })
  expect(await github.discussion(1)).toEqual({
    viewer: { login: 'github-actions[bot]', id: 41898282 },
    defaultBranch: 'trunk',
    number: 1,
    url: 'https://x/issues/1',
    title: 'Dates are wrong',
    body: 'They are.',
    author: { login: 'bob', isBot: false },
    createdAt: '2026-01-01T00:00:00Z',
    state: 'OPEN',
    locked: false,
    labels: ['bug'],
    comments: [
      {
        id: 5,
        author: { login: 'alice', isBot: false },
        body: 'text 5',
        createdAt: '2026-01-01T00:00:00Z',
        lastEditedAt: null,
        minimized: false,
        url: 'https://x/issues/1#issuecomment-5',
      },
    ],
  })
  expect(server.seen.map((request) => request.path)).toEqual(['/api/graphql'])
  expect(variablesOf(server.seen[0] ?? fail())).toEqual({ owner: 'octo', repo: 'demo', number: 1 })
})

test('C25 all pages of comments are read, backwards, and come oldest first', async () => {
  const ids = Array.from({ length: 250 }, (_, index) => index + 1)
  const server = await start((request) => {
    const { before } = variablesOf(request)
    const end = before === undefined ? 250 : Number(before)
    const from = Math.max(0, end - 100)
    const comments = page(
      ids.slice(from, end).map((id) => comment({ id })),
      from > 0 ? String(from) : null,
    )
    return answered({ ...issue, comments })
  })
  const { comments } = await server.connect().discussion(1)
  expect(comments.map((item) => item.id)).toEqual(ids)
  expect(server.seen).toHaveLength(3)
})

test('C24 deleted accounts are ghost, who is no bot', async () => {
  const server = await start(() => answered({ ...issue, author: null, comments: page([comment({ id: 1, author: null })]) }))
  const found = await server.connect().discussion(1)
  expect(found.author).toEqual({ login: 'ghost', isBot: false })
  expect(found.comments[0]?.author).toEqual({ login: 'ghost', isBot: false })
})

test.each([
  ['token', 'github-actions[bot]', 'github-actions[bot]'],
  ['ghs_abc', 'my-app', 'my-app[bot]'],
  ['ghp_abc', 'alice', 'alice'],
])('C28 a bot has one name: with the token %s the viewer %s is %s', async (token, login, expected) => {
  const node = { ...issue, comments: page([comment({ id: 1, author: { __typename: 'Bot', login: 'github-actions' } })]) }
  const server = await start(() => answered(node, { login, databaseId: 3 }))
  const found = await server.connect({ token }).discussion(1)
  expect(found.viewer.login).toBe(expected)
  expect(found.comments[0]?.author).toEqual({ login: 'github-actions[bot]', isBot: true })
})

test('a comment id above 32 bits is kept whole, and taken from the address where the field is not known', async () => {
  const nodes = [comment({ id: 3_456_789_012 }), { ...comment({ id: 7 }), fullDatabaseId: null }]
  const server = await start(() => answered({ ...issue, comments: page(nodes) }))
  expect((await server.connect().discussion(1)).comments.map((item) => item.id)).toEqual([3_456_789_012, 7])
})

test('a pull request brings base, head, counts and files', async () => {
  const server = await start(() => answered(pull))
  expect((await server.connect().discussion(1)).pull).toEqual({
    baseRef: 'main',
    baseSha: 'b'.repeat(40),
    headRef: 'topic',
    headSha: 'a'.repeat(40),
    headRepository: 'octo/demo',
    isFork: false,
    merged: false,
    draft: true,
    maintainerCanModify: false,
    additions: 3,
    deletions: 2,
    commits: 2,
    changedFiles: 1,
    files: [{ path: 'a.ts', change: 'MODIFIED', additions: 3, deletions: 2 }],
    reviews: [],
    threads: [],
    closes: [],
    checks: [],
  })
})

test.each([
  [{ closed: true, merged: true }, 'MERGED'],
  [{ closed: true, merged: false }, 'CLOSED'],
])('a pull request with %j is %s', async (facts, state) => {
  const server = await start(() => answered({ ...pull, ...facts }))
  expect((await server.connect().discussion(1)).state).toBe(state)
})

test('C91 a pull request whose fork is gone has no head repository', async () => {
  const server = await start(() => answered({ ...pull, headRepository: null, isCrossRepository: true, body: null, labels: null, files: null }))
  const found = await server.connect().discussion(1)
  expect(found.pull).toMatchObject({ headRepository: null, isFork: true, files: [] })
  expect(found).toMatchObject({ body: '', labels: [] })
})

test('C25 changed files are paged up to 300, and the true number is kept', async () => {
  const server = await start((request) => {
    const from = Number(variablesOf(request).after ?? 0)
    const nodes = Array.from({ length: 100 }, (_, index) => ({ path: `f${from + index}`, changeType: 'ADDED', additions: 1, deletions: 0 }))
    const files = { pageInfo: { hasNextPage: true, endCursor: String(from + 100) }, nodes }
    if (from === 0) return answered({ ...pull, changedFiles: 1000, files })
    return { status: 200, json: { data: { repository: { pullRequest: { files } } } } }
  })
  const found = await server.connect().discussion(1)
  expect(found.pull?.changedFiles).toBe(1000)
  expect(found.pull?.files.map((file) => file.path)).toEqual(Array.from({ length: 300 }, (_, index) => `f${index}`))
  expect(server.seen).toHaveLength(3)
})

const graphqlErrors = (...errors: unknown[]): Answer => ({ status: 200, json: { data: { repository: null }, errors } })

test.each([
  ['NOT_FOUND', 'missing', 1],
  ['FORBIDDEN', 'forbidden', 1],
  ['RATE_LIMITED', 'rate', 4],
  [undefined, 'invalid', 1],
])('a GraphQL error of type %s is %s after %i requests', async (type, kind, requests) => {
  const server = await start(() => graphqlErrors({ ...(type ? { type } : {}), message: 'no such thing' }))
  const error = await server
    .connect()
    .discussion(99)
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(GitHubError)
  expect(error).toMatchObject({ kind, said: 'no such thing', message: expect.stringContaining('read #99') })
  expect(server.seen).toHaveLength(requests)
})

test('a GraphQL fault of the moment is tried again', async () => {
  const fault = graphqlErrors({ message: 'Something went wrong while executing your query. Please include `ABC`' })
  const server = await start((_, earlier) => (earlier === 0 ? fault : answered(issue)))
  expect((await server.connect().discussion(1)).title).toBe('Dates are wrong')
})

test('an answer with an error about something not needed is used, and the log says so', async () => {
  const whole = answered({ ...pull, headRepository: null })
  const json = whole === 'cut' ? {} : whole.json
  const server = await start(() => ({ status: 200, json: { ...Object(json), errors: [{ type: 'FORBIDDEN', message: 'SAML' }] } }))
  expect((await server.connect().discussion(1)).pull?.headRef).toBe('topic')
  expect(server.said).toEqual([expect.stringContaining('SAML')])
})

test('an answer in another form than GitHub documents is an error that says so, not a crash', async () => {
  const server = await start(() => answered({ ...issue, title: 7 }))
  await expect(server.connect().discussion(1)).rejects.toThrow('GitHub refused to read #1: the answer has an unexpected form')
})

test('the repository answers who we are and where work starts', async () => {
  const server = await start(() => answered(null))
  expect(await server.connect().repository()).toEqual({ viewer: { login: 'github-actions[bot]', id: 41898282 }, defaultBranch: 'trunk' })
})

describe("GitHub's schema", () => {
  const schema = buildSchema(published.idl, { assumeValidSDL: true })
  test.each(Object.entries(queries))('knows every field of %s, none deprecated or under an alias', (_, query) => {
    const document = parse(query)
    expect(validate(schema, document, [...specifiedRules, NoDeprecatedCustomRule])).toEqual([])
    const aliases: string[] = []
    visit(document, { Field: (field) => void (field.alias && aliases.push(field.alias.value)) })
    expect(aliases).toEqual([])
  })
})

function fail(): never {
  throw new Error('no request was made')
}
