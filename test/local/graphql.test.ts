import { buildSchema, isObjectType } from 'graphql'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { commentsQuery, discussionQuery, filesQuery, repositoryQuery } from '../../src/github/queries.ts'
import { subset } from '../../src/local/github/schema.ts'
import type { World } from '../../src/local/world.ts'
import { fullSchema } from '../support/validate.ts'
import { openWorld } from '../support/world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

async function ask(query: string, variables: Record<string, unknown> = {}, token = world.github.state.token) {
  const response = await fetch(world.github.graphqlUrl, {
    method: 'POST',
    headers: { authorization: `bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { owner: 'octo', repo: 'demo', ...variables } }),
  })
  return { ...JSON.parse(await response.text()), status: response.status }
}

test('every type, field and argument of the subset is GitHub’s, nullability included', () => {
  const full = fullSchema()
  const differences: string[] = []
  for (const [name, type] of Object.entries(buildSchema(subset).getTypeMap())) {
    if (name.startsWith('__') || !isObjectType(type)) continue
    const original = full.getType(name)
    if (!isObjectType(original)) {
      differences.push(`${name} is no object type of GitHub's`)
      continue
    }
    for (const [field, own] of Object.entries(type.getFields())) {
      const theirs = original.getFields()[field]
      if (`${own.type}` !== `${theirs?.type}`) differences.push(`${name}.${field}: ${own.type}, GitHub says ${theirs?.type}`)
      for (const argument of own.args) {
        const known = theirs?.args.find((candidate) => candidate.name === argument.name)
        if (`${argument.type}` !== `${known?.type}`) differences.push(`${name}.${field}(${argument.name})`)
      }
    }
  }
  expect(differences).toEqual([])
})

test('refuses a wrong token', async () => {
  expect(await ask(repositoryQuery, {}, 'ghs_wrong')).toMatchObject({ status: 401, message: 'Bad credentials' })
})

test('says who the token is, with the suffix that only the viewer has', async () => {
  const { data } = await ask(repositoryQuery)
  expect(data).toEqual({ viewer: { login: 'github-actions[bot]', databaseId: 41_898_282 }, repository: { defaultBranchRef: { name: 'main' } } })
})

test('shows an issue with bots as Bot without suffix (C28), deleted authors as null (C24) and hidden comments marked (C27)', async () => {
  const { number } = world.github.openIssue({ title: 'Broken', body: 'It is.', author: null, labels: ['bug'] })
  world.github.comment(number, 'dependabot[bot]', 'bump')
  const spam = world.github.comment(number, 'mallory', 'buy')
  world.github.minimise(spam.id, 'SPAM')
  const { data } = await ask(discussionQuery, { number })
  const issue = data.repository.issueOrPullRequest
  expect(issue).toMatchObject({ __typename: 'Issue', author: null, closed: false, locked: false, labels: { nodes: [{ name: 'bug' }] } })
  expect(issue.comments.nodes).toMatchObject([
    { author: { __typename: 'Bot', login: 'dependabot' }, isMinimized: false, lastEditedAt: null },
    { author: { __typename: 'User', login: 'mallory' }, isMinimized: true, fullDatabaseId: `${spam.id}` },
  ])
})

test('walks all comments backwards, page by page (C25)', async () => {
  const { number } = world.github.openIssue({ title: 'Long', author: 'alice' })
  for (let index = 1; index <= 230; index++) world.github.comment(number, 'alice', `${index}`)
  const bodies: string[] = []
  let before: string | null = null
  do {
    const { data } = await ask(commentsQuery, { number, before })
    const { pageInfo, nodes } = data.repository.issueOrPullRequest.comments
    bodies.unshift(...nodes.map(({ body }: { body: string }) => body))
    before = pageInfo.hasPreviousPage ? pageInfo.startCursor : null
  } while (before !== null)
  expect(bodies).toEqual(Array.from({ length: 230 }, (_, index) => `${index + 1}`))
})

test('shows a pull request with all its files, forwards', async () => {
  const files = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`files/${String(index).padStart(3, '0')}.txt`, 'x\n']))
  const head = await world.push('fix', files, 'main')
  const { number } = await world.github.openPull({ title: 'Fix', author: 'alice', head: 'fix' })
  const { data } = await ask(discussionQuery, { number })
  const pull = data.repository.issueOrPullRequest
  expect(pull).toMatchObject({
    __typename: 'PullRequest',
    baseRefName: 'main',
    headRefName: 'fix',
    headRefOid: head,
    isCrossRepository: false,
    headRepository: { nameWithOwner: 'octo/demo' },
    changedFiles: 120,
    additions: 120,
    commits: { totalCount: 1 },
  })
  const next = await ask(filesQuery, { number, after: pull.files.pageInfo.endCursor })
  const rest = next.data.repository.pullRequest.files
  expect([pull.files.nodes.length, rest.nodes.length, rest.pageInfo.hasNextPage]).toEqual([100, 20, false])
  expect(rest.nodes.at(-1)).toEqual({ path: 'files/119.txt', changeType: 'ADDED', additions: 1, deletions: 0 })
})

test.each([
  ['more than 100', 'comments(first: 101) { totalCount }', 'EXCESSIVE_PAGINATION'],
  ['no size at all', 'comments { nodes { body } }', 'MISSING_PAGINATION_BOUNDARIES'],
  ['a made-up cursor', 'comments(first: 1, after: "abc") { totalCount }', 'INVALID_CURSOR_ARGUMENTS'],
])('refuses a page of %s', async (_, field, type) => {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice' })
  const { status, errors } = await ask(
    `query($owner: String!, $repo: String!, $number: Int!) { repository(owner: $owner, name: $repo) { issue(number: $number) { ${field} } } }`,
    { number },
  )
  expect([status, errors[0].type]).toEqual([200, type])
})

test('says NOT_FOUND for a number or repository that is not there', async () => {
  expect(await ask(discussionQuery, { number: 99 })).toMatchObject({ status: 200, errors: [{ type: 'NOT_FOUND' }] })
  expect(await ask(repositoryQuery, { repo: 'other' })).toMatchObject({ data: { repository: null }, errors: [{ type: 'NOT_FOUND' }] })
})
