import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { discussionQuery } from '../../src/github/queries.ts'
import type { Exchange } from '../../src/local/github/journal.ts'
import { createWorld, type World } from '../../src/local/world.ts'
import { graphqlViolations, restViolations, violations } from '../support/validate.ts'
import { openWorld } from '../support/world.ts'

let world: World
let number: number
beforeEach(async () => {
  world = await createWorld({ env: process.env, bundle: '', seed: { files: { a: 'a\n' } } })
  number = world.github.openIssue({ title: 'Broken', author: 'alice' }).number
  world.github.comment(number, 'dependabot[bot]', 'hello')
})
afterEach(() => world.close())

async function exchange(method: string, path: string, body?: unknown): Promise<Exchange> {
  const url = path === '/graphql' ? world.github.graphqlUrl : `${world.github.apiUrl}${path}`
  const response = await fetch(url, {
    method,
    headers: { authorization: `token ${world.github.state.token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  const entry = world.github.journal.at(-1)
  if (entry === undefined) throw new Error('nothing was noted')
  return entry
}

/** The same exchange with one value replaced, or removed when `to` is undefined. */
function mutated(entry: Exchange, part: 'body' | 'response', from: string, to: string): Exchange {
  const text = JSON.stringify(entry[part])
  if (!text.includes(from)) throw new Error(`${from} is not in ${text}`)
  return { ...entry, [part]: JSON.parse(text.replace(from, to)) }
}

test('finds nothing wrong with what the emulator answers', async () => {
  await exchange('GET', `/repos/octo/demo/issues/${number}/comments?per_page=10&page=1`)
  await exchange('POST', `/repos/octo/demo/issues/${number}/comments`, { body: 'hello' })
  await exchange('POST', `/repos/octo/demo/issues/${number}/comments`, { body: '' })
  await exchange('GET', '/repos/octo/demo/issues/77')
  await exchange('POST', '/graphql', { query: discussionQuery, variables: { owner: 'octo', repo: 'demo', number } })
  expect(world.github.journal.filter(({ kind }) => kind !== 'git').map(({ status }) => status)).toEqual([200, 201, 422, 404, 200])
  expect(violations(world.github.journal)).toEqual([])
})

test.each([
  ['a route that does not exist', 'GET', '/repos/octo/demo/isues', undefined, 'no route'],
  ['a method the route does not have', 'PUT', '/repos/octo/demo/issues/1/comments', { body: 'x' }, 'no route'],
  ['a query parameter nobody knows', 'GET', '/repos/octo/demo/issues/1/comments?perpage=3', undefined, 'perpage'],
  ['a body of the wrong type', 'POST', '/repos/octo/demo/issues/1/reactions', { content: 5 }, ''],
  ['a field nobody knows', 'POST', '/repos/octo/demo/issues/1/comments', { body: 'x', text: 'y' }, 'field text'],
  ['a body where none belongs', 'DELETE', '/repos/octo/demo/issues/comments/1', { body: 'x' }, 'a body is sent'],
])('notices in a request %s', async (_, method, path, body, message) => {
  const found = restViolations({ ...(await exchange(method, path, body)), status: 200, injected: true })
  expect(found.length).toBeGreaterThan(0)
  expect(found.join('\n')).toContain(message)
})

test.each([
  ['a missing field', '"id":', '"ident":'],
  ['a wrong type', '"login":"dependabot[bot]"', '"login":7'],
  ['a date that is none', /"created_at":"[^"]+"/, '"created_at":"yesterday"'],
  ['a null where none may be', /"url":"[^"]+"/, '"url":null'],
])('notices in a REST answer %s', async (_, from, to) => {
  const entry = await exchange('GET', `/repos/octo/demo/issues/${number}/comments`)
  const found = typeof from === 'string' ? from : (from.exec(JSON.stringify(entry.response))?.[0] ?? '')
  expect(restViolations(entry)).toEqual([])
  expect(restViolations(mutated(entry, 'response', found, to))).not.toEqual([])
})

test('notices a status that GitHub does not give', async () => {
  const entry = await exchange('POST', `/repos/octo/demo/issues/${number}/comments`, { body: 'hello' })
  expect(restViolations({ ...entry, status: 200 }).join()).toContain('status 200 is not described')
})

test.each([
  ['a field that does not exist', 'databaseId }', 'databaseID }'],
  ['an argument that does not exist', 'number: $number', 'id: $number'],
  ['a variable of the wrong type', '$number: Int!', '$number: String!'],
])('notices in a GraphQL document %s', async (_, from, to) => {
  const entry = await exchange('POST', '/graphql', { query: discussionQuery, variables: { owner: 'octo', repo: 'demo', number } })
  expect(graphqlViolations(mutated(entry, 'body', from, to)).join()).toContain('document: ')
})

test.each([
  ['a null in a field that has none', '"title":"Broken"', '"title":null'],
  ['a text for a number', '"number":1', '"number":"one"'],
  ['a number for a text', '"login":"dependabot"', '"login":7'],
  ['a type that is no actor', '"__typename":"Bot"', '"__typename":"Robot"'],
  ['a value that was not asked for', '"title":"Broken"', '"title":"Broken","extra":1'],
  ['a date that is none', '"createdAt":"2', '"createdAt":"x2'],
])('notices in a GraphQL answer %s', async (_, from, to) => {
  const entry = await exchange('POST', '/graphql', { query: discussionQuery, variables: { owner: 'octo', repo: 'demo', number } })
  expect(graphqlViolations(entry)).toEqual([])
  expect(graphqlViolations(mutated(entry, 'response', from, to))).not.toEqual([])
})

test('a world with validators fails on close when the wire broke a rule', async () => {
  const strict = await openWorld()
  await fetch(`${strict.github.apiUrl}/repos/octo/demo/isues`)
  await expect(strict.close()).rejects.toThrow('GET /repos/octo/demo/isues is no route of the description')
})

test('the pruned description says where it is from and stays small', () => {
  const text = readFileSync(new URL('../schemas/github-openapi.json', import.meta.url), 'utf8')
  expect(JSON.parse(text).source).toMatch(/^@octokit\/openapi \d+\.\d+\.\d+/)
  expect(text.length).toBeLessThan(300_000)
})
