import { expect, test } from 'vitest'
import { answered, comment, list, page, pull, variablesOf } from './nodes.ts'
import { type Answer, start } from './server.ts'

const alice = { __typename: 'User', login: 'alice' }
const remark = (id: number, more: object = {}) => ({
  ...comment({ id }),
  url: `https://x/pull/1#discussion_r${id}`,
  diffHunk: `@@ hunk of ${id} @@`,
  ...more,
})
const thread = (id: string, comments: unknown, more: object = {}) => ({
  id,
  path: 'src/a.ts',
  line: 7,
  startLine: null,
  diffSide: 'RIGHT',
  isResolved: false,
  isOutdated: false,
  comments,
  ...more,
})
const review = (id: number, more: object = {}) => ({
  fullDatabaseId: String(id),
  url: `https://x/pull/1#pullrequestreview-${id}`,
  body: `review ${id}`,
  state: 'COMMENTED',
  submittedAt: '2026-01-02T00:00:00Z',
  lastEditedAt: null,
  isMinimized: false,
  author: alice,
  commit: { oid: 'c'.repeat(40) },
  ...more,
})
const further = (shape: object): Answer => ({ status: 200, json: { data: { repository: { pullRequest: shape } } } })
const nameOf = (query: string) => /query (\w+)/.exec(query)?.[1] ?? ''
const factsOf = async (more: object) => (await (await start(() => answered({ ...pull, ...more }))).connect().discussion(1)).pull

test('a pull request comes with reviews, threads, linked issues and checks by one request', async () => {
  const server = await start(() =>
    answered({
      ...pull,
      reviews: page([review(3_000_000_005, { isMinimized: true, lastEditedAt: '2026-01-03T00:00:00Z' })]),
      reviewThreads: list([thread('T1', list([remark(8), remark(9)]), { startLine: 5, diffSide: 'LEFT', isResolved: true, isOutdated: true })]),
      closingIssuesReferences: {
        nodes: [{ number: 4, title: 'Dates', body: 'are wrong', state: 'OPEN', author: alice, repository: { nameWithOwner: 'Octo/Demo' } }],
      },
      statusCheckRollup: {
        contexts: {
          nodes: [
            {
              __typename: 'CheckRun',
              name: 'test',
              status: 'COMPLETED',
              conclusion: 'FAILURE',
              detailsUrl: 'https://x/9',
              title: 'One failed',
              summary: 'a.ts',
            },
            { __typename: 'CheckRun', name: 'lint', status: 'IN_PROGRESS', conclusion: null, detailsUrl: null, title: null, summary: null },
            { __typename: 'StatusContext', context: 'ci/old', state: 'SUCCESS', targetUrl: 'https://ci/1', description: 'Fine' },
          ],
        },
      },
    }),
  )
  const facts = (await server.connect().discussion(1)).pull
  expect(facts).toMatchObject({
    reviews: [
      {
        id: 3_000_000_005,
        author: { login: 'alice', isBot: false },
        body: 'review 3000000005',
        state: 'COMMENTED',
        submittedAt: '2026-01-02T00:00:00Z',
        lastEditedAt: '2026-01-03T00:00:00Z',
        minimized: true,
        commit: 'c'.repeat(40),
        url: 'https://x/pull/1#pullrequestreview-3000000005',
      },
    ],
    threads: [
      {
        id: 'T1',
        path: 'src/a.ts',
        line: 7,
        startLine: 5,
        side: 'LEFT',
        resolved: true,
        outdated: true,
        hunk: '@@ hunk of 8 @@',
        comments: [
          { id: 8, body: 'text 8', url: 'https://x/pull/1#discussion_r8' },
          { id: 9, body: 'text 9' },
        ],
      },
    ],
    closes: [{ number: 4, title: 'Dates', body: 'are wrong', state: 'OPEN', author: { login: 'alice', isBot: false } }],
    checks: [
      { name: 'test', conclusion: 'FAILURE', url: 'https://x/9', summary: 'One failed\na.ts' },
      { name: 'lint', conclusion: 'IN_PROGRESS', url: null, summary: '' },
      { name: 'ci/old', conclusion: 'SUCCESS', url: 'https://ci/1', summary: 'Fine' },
    ],
  })
  expect(server.seen).toHaveLength(1)
})

test('C25 older reviews, further threads and long threads are read to their end', async () => {
  const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)
  const server = await start((request) => {
    const { before, after, thread: id } = variablesOf(request)
    switch (nameOf(JSON.parse(request.body).query)) {
      case 'Reviews':
        return further({ reviews: page(before === 'r2' ? [review(2)] : [review(1)], before === 'r2' ? 'r1' : null) })
      case 'Threads':
        return further({ reviewThreads: list([thread(`T${after}`, list([remark(500)]))]) })
      case 'Remarks':
        return {
          status: 200,
          json: {
            data: {
              node: {
                comments:
                  after === '20'
                    ? list(
                        ids(20, 120).map((n) => remark(n)),
                        '120',
                      )
                    : list([remark(120)]),
              },
            },
          },
        }
      default:
        expect(id).toBeUndefined()
        return answered({
          ...pull,
          reviews: page([review(3)], 'r2'),
          reviewThreads: list(
            [
              thread(
                'T1',
                list(
                  ids(0, 20).map((n) => remark(n + 0)),
                  '20',
                ),
              ),
            ],
            '50',
          ),
        })
    }
  })
  const facts = (await server.connect().discussion(1)).pull
  expect(facts?.reviews.map((item) => item.id)).toEqual([1, 2, 3])
  expect(facts?.threads.map((item) => item.id)).toEqual(['T1', 'T50'])
  expect(facts?.threads[0]?.comments.map((item) => item.id)).toEqual(ids(0, 121))
  expect(server.seen.map((request) => variablesOf(request)).filter((sent) => 'thread' in sent)).toEqual([
    { thread: 'T1', after: '20' },
    { thread: 'T1', after: '120' },
  ])
})

test('C25 lists that are null, or hold nulls, are empty', async () => {
  const nothing = { files: null, reviews: null, reviewThreads: { ...list([]), nodes: null }, closingIssuesReferences: null, statusCheckRollup: null }
  expect(await factsOf(nothing)).toMatchObject({ files: [], reviews: [], threads: [], closes: [], checks: [] })
  const holes = {
    reviews: page([null, review(1)]),
    reviewThreads: list([null, thread('T1', null), thread('T2', list([null, remark(4)]))]),
    closingIssuesReferences: { nodes: [null] },
    statusCheckRollup: { contexts: { nodes: [null] } },
  }
  const facts = await factsOf(holes)
  expect(facts).toMatchObject({ reviews: [{ id: 1 }], threads: [{ id: 'T2', comments: [{ id: 4 }] }], closes: [], checks: [] })
  expect(facts?.threads).toHaveLength(1)
})

test('C24 reviews, remarks and linked issues of deleted accounts are by ghost', async () => {
  const facts = await factsOf({
    reviews: page([review(1, { author: null, commit: null })]),
    reviewThreads: list([thread('T1', list([remark(2, { author: null })]), { line: null })]),
    closingIssuesReferences: { nodes: [{ number: 4, title: 't', body: null, state: 'OPEN', author: null, repository: { nameWithOwner: 'octo/demo' } }] },
  })
  const ghost = { login: 'ghost', isBot: false }
  expect(facts?.reviews[0]).toMatchObject({ author: ghost, commit: null })
  expect(facts?.threads[0]).toMatchObject({ line: null, comments: [{ author: ghost }] })
  expect(facts?.closes[0]).toMatchObject({ author: ghost, body: '' })
})

test('a review that is still being written is no review yet', async () => {
  expect((await factsOf({ reviews: page([review(1), review(2, { state: 'PENDING', submittedAt: null })]) }))?.reviews.map((item) => item.id)).toEqual([1])
})

test('an issue of another repository is not told of, since its number means another one here', async () => {
  const linked = { title: 't', body: 'b', state: 'OPEN', author: alice }
  const nodes = [
    { ...linked, number: 4, repository: { nameWithOwner: 'octo/other' } },
    { ...linked, number: 5, repository: { nameWithOwner: 'octo/demo' } },
  ]
  expect((await factsOf({ closingIssuesReferences: { nodes } }))?.closes.map((issue) => issue.number)).toEqual([5])
})

test('a token that may not read checks gets the rest, and the log says so', async () => {
  const whole = answered(pull)
  const errors = [{ type: 'FORBIDDEN', path: ['repository', 'issueOrPullRequest', 'statusCheckRollup'], message: 'Resource not accessible by integration' }]
  const server = await start(() => (whole === 'cut' ? whole : { ...whole, json: { ...Object(whole.json), errors } }))
  expect((await server.connect().discussion(1)).pull).toMatchObject({ headRef: 'topic', checks: [] })
  expect(server.seen).toHaveLength(1)
  expect(server.said).toEqual([expect.stringContaining('Resource not accessible by integration')])
})

test('the summary of a check is cut to 2,000 characters', async () => {
  const run = { __typename: 'CheckRun', name: 't', status: 'COMPLETED', conclusion: 'FAILURE', detailsUrl: null, title: null, summary: 'x'.repeat(3000) }
  expect((await factsOf({ statusCheckRollup: { contexts: { nodes: [run] } } }))?.checks[0]?.summary).toBe('x'.repeat(2000))
})
