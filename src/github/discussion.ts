import { z } from 'zod'
import type { Gateway } from './gateway.ts'
import { commentsQuery, discussionQuery, filesQuery, repositoryQuery } from './queries.ts'
import type { Author, ChangedFile, Comment, Connection, Discussion, PullFacts, Viewer } from './types.ts'

/** Files listed by name at the most; `changedFiles` still tells how many there are. */
const mostFiles = 300

const Actor = z.object({ __typename: z.string(), login: z.string() }).nullable()
const ViewerShape = z.object({ login: z.string(), databaseId: z.number().nullish() })
const CommentNode = z
  .object({
    fullDatabaseId: z.union([z.string(), z.number()]).nullish(),
    url: z.string(),
    body: z.string().nullish(),
    createdAt: z.string(),
    lastEditedAt: z.string().nullish(),
    isMinimized: z.boolean(),
    author: Actor,
  })
  // GraphQL's `databaseId` ends at 32 bits, which comment ids have passed; the address carries REST's id where `fullDatabaseId` is not known.
  .transform((node) => ({ ...node, id: Number(node.fullDatabaseId ?? /(\d+)$/.exec(node.url)?.[1]) }))
  .refine((node) => Number.isSafeInteger(node.id), 'a comment without an id')
const CommentPage = z.object({
  pageInfo: z.object({ hasPreviousPage: z.boolean(), startCursor: z.string().nullish() }),
  nodes: z.array(CommentNode.nullable()).nullable(),
})
type CommentPage = z.infer<typeof CommentPage>
const FilePage = z.object({
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
  nodes: z.array(z.object({ path: z.string(), changeType: z.string(), additions: z.number(), deletions: z.number() }).nullable()).nullable(),
})
type FilePage = z.infer<typeof FilePage>

const subject = {
  number: z.number(),
  url: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  createdAt: z.string(),
  closed: z.boolean(),
  locked: z.boolean(),
  author: Actor,
  labels: z.object({ nodes: z.array(z.object({ name: z.string() }).nullable()).nullable() }).nullable(),
  comments: CommentPage,
}
const IssueNode = z.object({ __typename: z.literal('Issue'), ...subject })
const PullNode = z.object({
  __typename: z.literal('PullRequest'),
  ...subject,
  baseRefName: z.string(),
  headRefName: z.string(),
  headRefOid: z.string(),
  headRepository: z.object({ nameWithOwner: z.string() }).nullable(),
  isCrossRepository: z.boolean(),
  merged: z.boolean(),
  isDraft: z.boolean(),
  maintainerCanModify: z.boolean(),
  additions: z.number(),
  deletions: z.number(),
  commits: z.object({ totalCount: z.number() }),
  changedFiles: z.number(),
  files: FilePage.nullable(),
})
type PullNode = z.infer<typeof PullNode>

const branch = { defaultBranchRef: z.object({ name: z.string() }) }
const RepositoryAnswer = z.object({ data: z.object({ viewer: ViewerShape, repository: z.object(branch) }) })
const DiscussionAnswer = z.object({
  data: z.object({
    viewer: ViewerShape,
    repository: z.object({ ...branch, issueOrPullRequest: z.discriminatedUnion('__typename', [IssueNode, PullNode]) }),
  }),
})
const CommentsAnswer = z.object({
  data: z.object({ viewer: ViewerShape, repository: z.object({ issueOrPullRequest: z.object({ comments: CommentPage }) }) }),
})
const FilesAnswer = z.object({ data: z.object({ repository: z.object({ pullRequest: z.object({ files: FilePage.nullable() }) }) }) })

const readable = { permission: 'issues: read` and `pull-requests: read' }

/** Whom the token acts as, and the default branch. Throws `GitHubError`, also for a repository without a commit. */
export async function readRepository(gateway: Gateway, { owner, repo, token }: Connection): Promise<{ viewer: Viewer; defaultBranch: string }> {
  const call = { action: `read the repository ${owner}/${repo}`, permission: 'contents: read', shape: RepositoryAnswer }
  const { data } = await gateway.graphql(call, repositoryQuery, { owner, repo })
  return { viewer: viewerOf(data.viewer, token), defaultBranch: data.repository.defaultBranchRef.name }
}

/** An issue or PR with its whole conversation, oldest comment first, however many pages it has (C25). Throws `GitHubError`. */
export async function readDiscussion(gateway: Gateway, connection: Connection, number: number): Promise<Discussion> {
  const { owner, repo, token } = connection
  const call = { action: `read #${number}`, ...readable, shape: DiscussionAnswer }
  const { data } = await gateway.graphql(call, discussionQuery, { owner, repo, number })
  const node = data.repository.issueOrPullRequest
  const [comments, pull] = await Promise.all([
    allComments(gateway, connection, number, node.comments),
    node.__typename === 'PullRequest' ? pullFacts(gateway, connection, node) : undefined,
  ])
  return {
    viewer: viewerOf(data.viewer, token),
    defaultBranch: data.repository.defaultBranchRef.name,
    number: node.number,
    url: node.url,
    title: node.title,
    body: node.body ?? '',
    author: authorOf(node.author),
    createdAt: node.createdAt,
    state: pull?.merged ? 'MERGED' : node.closed ? 'CLOSED' : 'OPEN',
    locked: node.locked,
    labels: present(node.labels?.nodes).map((label) => label.name),
    comments,
    ...(pull ? { pull } : {}),
  }
}

/** Our own newest comment with exactly this text, posted after a time (epoch ms): tells whether a comment whose answer got lost arrived. */
export async function findOwnComment(gateway: Gateway, connection: Connection, number: number, body: string, after: number): Promise<Comment | undefined> {
  const { owner, repo, token } = connection
  const call = { action: `read the comments of #${number}`, ...readable, shape: CommentsAnswer }
  const { data } = await gateway.graphql(call, commentsQuery, { owner, repo, number })
  const { login } = viewerOf(data.viewer, token)
  return commentsOf(data.repository.issueOrPullRequest.comments).findLast(
    (comment) => comment.author.login === login && sameText(comment.body, body) && Date.parse(comment.createdAt) >= after,
  )
}

async function allComments(gateway: Gateway, { owner, repo }: Connection, number: number, newest: CommentPage): Promise<readonly Comment[]> {
  const pages = [commentsOf(newest)]
  let page = newest
  while (page.pageInfo.hasPreviousPage && page.pageInfo.startCursor) {
    const call = { action: `read the older comments of #${number}`, ...readable, shape: CommentsAnswer }
    const { data } = await gateway.graphql(call, commentsQuery, { owner, repo, number, before: page.pageInfo.startCursor })
    page = data.repository.issueOrPullRequest.comments
    pages.unshift(commentsOf(page))
  }
  return pages.flat()
}

async function pullFacts(gateway: Gateway, connection: Connection, node: PullNode): Promise<PullFacts> {
  return {
    baseRef: node.baseRefName,
    headRef: node.headRefName,
    headSha: node.headRefOid,
    headRepository: node.headRepository?.nameWithOwner ?? null,
    isFork: node.isCrossRepository,
    merged: node.merged,
    draft: node.isDraft,
    maintainerCanModify: node.maintainerCanModify,
    additions: node.additions,
    deletions: node.deletions,
    commits: node.commits.totalCount,
    changedFiles: node.changedFiles,
    files: node.files ? await allFiles(gateway, connection, node.number, node.files) : [],
  }
}

async function allFiles(gateway: Gateway, { owner, repo }: Connection, number: number, first: FilePage): Promise<readonly ChangedFile[]> {
  const files = filesOf(first)
  let page: FilePage | null = first
  while (page?.pageInfo.hasNextPage && page.pageInfo.endCursor && files.length < mostFiles) {
    const call = { action: `read the changed files of #${number}`, permission: 'pull-requests: read', shape: FilesAnswer }
    const answer: z.infer<typeof FilesAnswer> = await gateway.graphql(call, filesQuery, { owner, repo, number, after: page.pageInfo.endCursor })
    page = answer.data.repository.pullRequest.files
    if (page) files.push(...filesOf(page))
  }
  return files.slice(0, mostFiles)
}

const filesOf = (page: FilePage): ChangedFile[] => present(page.nodes).map(({ changeType, ...file }) => ({ ...file, change: changeType }))

const commentsOf = (page: CommentPage): Comment[] =>
  present(page.nodes).map((node) => ({
    id: node.id,
    author: authorOf(node.author),
    body: node.body ?? '',
    createdAt: node.createdAt,
    lastEditedAt: node.lastEditedAt ?? null,
    minimized: node.isMinimized,
    url: node.url,
  }))

/** Deleted accounts are `ghost` (C24); bots get the suffix that GraphQL leaves out and REST writes (C28). */
function authorOf(actor: z.infer<typeof Actor>): Author {
  if (!actor) return { login: 'ghost', isBot: false }
  const isBot = actor.__typename === 'Bot'
  return { login: isBot ? withSuffix(actor.login) : actor.login, isBot }
}

/** The viewer is a `User` to GraphQL even when it is an app; an installation's token says which it is. */
function viewerOf(viewer: z.infer<typeof ViewerShape>, token: string): Viewer {
  return { login: token.startsWith('ghs_') ? withSuffix(viewer.login) : viewer.login, id: viewer.databaseId ?? undefined }
}

const withSuffix = (login: string): string => (login.endsWith('[bot]') ? login : `${login}[bot]`)
const present = <T>(nodes: readonly (T | null)[] | null | undefined): T[] => (nodes ?? []).filter((node) => node !== null)
/** GitHub trims a comment and may store other line ends. */
const sameText = (a: string, b: string): boolean => a.replaceAll('\r\n', '\n').trim() === b.replaceAll('\r\n', '\n').trim()
