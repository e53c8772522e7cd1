import type { Answer, Seen } from './server.ts'

/** What GitHub's GraphQL answers, for the tests. */

interface CommentFacts {
  id: number
  body?: string
  author?: { __typename: string; login: string } | null
}
export const comment = ({ id, body = `text ${id}`, author = { __typename: 'User', login: 'alice' } }: CommentFacts) => ({
  fullDatabaseId: String(id),
  url: `https://x/issues/1#issuecomment-${id}`,
  body,
  createdAt: '2026-01-01T00:00:00Z',
  lastEditedAt: null,
  isMinimized: false,
  author,
})
export const page = (nodes: readonly unknown[], startCursor: string | null = null) => ({
  pageInfo: { hasPreviousPage: startCursor !== null, startCursor },
  nodes,
})
/** A page that is read forwards. */
export const list = (nodes: readonly unknown[], endCursor: string | null = null) => ({ pageInfo: { hasNextPage: endCursor !== null, endCursor }, nodes })
export const issue = {
  __typename: 'Issue',
  number: 1,
  url: 'https://x/issues/1',
  title: 'Dates are wrong',
  body: 'They are.',
  createdAt: '2026-01-01T00:00:00Z',
  closed: false,
  locked: false,
  author: { __typename: 'User', login: 'bob' },
  labels: { nodes: [{ name: 'bug' }] },
  comments: page([]),
}
export const pull = {
  ...issue,
  __typename: 'PullRequest',
  baseRefName: 'main',
  baseRefOid: 'b'.repeat(40),
  headRefName: 'topic',
  headRefOid: 'a'.repeat(40),
  headRepository: { nameWithOwner: 'octo/demo' },
  isCrossRepository: false,
  merged: false,
  isDraft: true,
  maintainerCanModify: false,
  additions: 3,
  deletions: 2,
  changedFiles: 1,
  commits: { totalCount: 2 },
  files: { pageInfo: { hasNextPage: false, endCursor: null }, nodes: [{ path: 'a.ts', changeType: 'MODIFIED', additions: 3, deletions: 2 }] },
  reviews: page([]),
  reviewThreads: list([]),
  closingIssuesReferences: { nodes: [] },
  statusCheckRollup: null,
}
export const answered = (node: unknown, viewer = { login: 'github-actions[bot]', databaseId: 41898282 }): Answer => ({
  status: 200,
  json: { data: { viewer, repository: { defaultBranchRef: { name: 'trunk' }, issueOrPullRequest: node } } },
})
export const variablesOf = (request: Seen): Record<string, unknown> => JSON.parse(request.body).variables
