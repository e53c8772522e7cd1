import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainWords } from '../../src/github/triage.ts'
import type { GitHub } from '../../src/github/types.ts'
import { errorOf, refused, start } from './server.ts'

test('C25 all labels of the repository are read', async () => {
  const server = await start((request) => {
    const isFirst = request.path.includes('page=1&')
    return {
      status: 200,
      json: (isFirst ? ['bug', 'good first issue'] : ['wontfix']).map((name) => ({ name })),
      headers: isFirst ? { link: '<https://x/labels?page=2>; rel="next"' } : {},
    }
  })
  expect(await server.connect().labels()).toEqual(['bug', 'good first issue', 'wontfix'])
  expect(server.seen.map((request) => request.path)).toEqual(['/repos/octo/demo/labels?page=1&per_page=100', '/repos/octo/demo/labels?page=2&per_page=100'])
})

test('an issue is labelled, assigned and closed', async () => {
  const server = await start(() => ({ status: 200, json: {} }))
  const github = server.connect()
  await github.addLabels(3, ['bug', 'p1'])
  await github.removeLabel(3, 'needs: triage / ä?')
  await github.assign(3, ['alice'])
  await github.close(3, 'not_planned')
  expect(server.seen.map(({ method, path, body }) => [method, path, body === '' ? undefined : JSON.parse(body)])).toEqual([
    ['POST', '/repos/octo/demo/issues/3/labels', { labels: ['bug', 'p1'] }],
    ['DELETE', '/repos/octo/demo/issues/3/labels/needs%3A%20triage%20%2F%20%C3%A4%3F', undefined],
    ['POST', '/repos/octo/demo/issues/3/assignees', { assignees: ['alice'] }],
    ['PATCH', '/repos/octo/demo/issues/3', { state: 'closed', state_reason: 'not_planned' }],
  ])
})

test('a label that is gone needs no removing', async () => {
  const server = await start(() => refused(404, 'Label does not exist'))
  await server.connect().removeLabel(3, 'bug')
  expect(server.seen).toHaveLength(1)
})

test('C129 a pull request made a moment ago is labelled once GitHub knows it', async () => {
  const unknown = refused(422, 'Validation Failed', { errors: ['Could not resolve to a node with the global id of PR_1'] })
  const server = await start((_, earlier) => (earlier === 0 ? unknown : { status: 200, json: [] }))
  await server.connect().addLabels(3, ['bug'])
  expect(server.seen).toHaveLength(2)
})

test.each<[string, (github: GitHub) => Promise<void>]>([
  ['addLabels', (github) => github.addLabels(3, ['bug'])],
  ['assign', (github) => github.assign(3, ['alice'])],
  ['close', (github) => github.close(3, 'completed')],
])('a token that may not %s is told which permissions it needs', async (_, act) => {
  const server = await start(() => refused(403, 'Forbidden'))
  const { hint } = await errorOf(act(server.connect()))
  expect(hint).toContain('`issues: write`')
  expect(hint).toContain('`pull-requests: write`')
})

test('a search stays in the repository, whatever it is asked for', async () => {
  const items = [
    { number: 1, title: 'Dates', state: 'open', html_url: 'https://x/1' },
    { number: 2, title: 'Fix dates', state: 'closed', html_url: 'https://x/2', pull_request: { url: 'https://x/2' } },
  ]
  const server = await start(() => ({ status: 200, json: { total_count: 2, items } }))
  expect(await server.connect().search('wrong dates repo:evil/secrets "is:open OR', 5)).toEqual([
    { number: 1, title: 'Dates', state: 'open', isPull: false, url: 'https://x/1' },
    { number: 2, title: 'Fix dates', state: 'closed', isPull: true, url: 'https://x/2' },
  ])
  const { pathname, searchParams } = new URL(server.seen[0]?.path ?? '', server.origin)
  expect([pathname, searchParams.get('q'), searchParams.get('per_page')]).toEqual(['/search/issues', 'wrong dates repo:octo/demo', '5'])
})

test('a search for nothing but qualifiers finds nothing and asks nobody', async () => {
  const server = await start(() => refused(422, 'Validation Failed'))
  expect(await server.connect().search('repo:evil/secrets -label:bug', 5)).toEqual([])
  expect(server.seen).toEqual([])
})

test.each([
  ['TypeError: x is undefined', 'TypeError x is undefined'],
  ['std::vector overflow', 'std vector overflow'],
  ['author:@me in:title login', 'login'],
  ['-org:evil --user:"a b" crash', 'user a b crash'],
  ['(a OR b) AND NOT c', 'a b c'],
  ['-crash', 'crash'],
  ['repo: evil/x', 'repo evil/x'],
])('the words of %j are %j', (words, expected) => {
  expect(plainWords(words)).toBe(expected)
})

test('no words hold an operator, a quote or a qualifier, and all that are kept were said', () => {
  const piece = fc.oneof(fc.constantFrom('repo:a/b', '-', '"', '(', ')', ':', ' ', 'OR', 'not', 'NOT', 'org:x', '::', '+', '`'), fc.string())
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
      const said = pieces.join('')
      const plain = plainWords(said)
      expect(plain).not.toMatch(/["'`():]|(?<!\S)(?:AND|OR|NOT|-\S*)(?!\S)/i)
      expect(plain.length).toBeLessThanOrEqual(256)
      for (const word of plain.split(' ')) expect(said).toContain(word)
    }),
  )
})
