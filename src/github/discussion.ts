import { z } from 'zod'
import type { Gateway } from './gateway.ts'
import { Actor, authorOf, CommentNode, commentOf, listOf, Older, present, sameText, ViewerNode, viewerOf } from './nodes.ts'
import { PullNode, pullFacts } from './pull-facts.ts'
import { commentsQuery, discussionQuery, repositoryQuery } from './queries.ts'
import type { Comment, Connection, Discussion, Viewer } from './types.ts'

const CommentPage = z.object({ pageInfo: Older, nodes: listOf(CommentNode) })
type CommentPage = z.infer<typeof CommentPage>

const subject = {
  number: z.number(),
  url: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  createdAt: z.string(),
  closed: z.boolean(),
  locked: z.boolean(),
  author: Actor,
  labels: z.object({ nodes: listOf(z.object({ name: z.string() })) }).nullable(),
  comments: CommentPage,
}
const SubjectNode = z.discriminatedUnion('__typename', [
  z.object({ __typename: z.literal('Issue'), ...subject }),
  z.object({ __typename: z.literal('PullRequest'), ...subject, ...PullNode.shape }),
])

const branch = { defaultBranchRef: z.object({ name: z.string() }) }
const repositoryAnswer = () => z.object({ data: z.object({ viewer: ViewerNode, repository: z.object(branch) }) })
const DiscussionAnswer = z.object({ data: z.object({ viewer: ViewerNode, repository: z.object({ ...branch, issueOrPullRequest: SubjectNode }) }) })
const commentsAnswer = () =>
  z.object({
    data: z.object({ viewer: ViewerNode, repository: z.object({ issueOrPullRequest: z.object({ comments: CommentPage }) }) }),
  })

const readable = { permission: 'issues: read` and `pull-requests: read' }

/** Whom the token acts as, and the default branch. Throws `GitHubError`, also for a repository without a commit. */
export async function readRepository(gateway: Gateway, { owner, repo, token }: Connection): Promise<{ viewer: Viewer; defaultBranch: string }> {
  const call = { action: `read the repository ${owner}/${repo}`, permission: 'contents: read', shape: repositoryAnswer() }
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
    node.__typename === 'PullRequest' ? pullFacts(gateway, connection, number, node) : undefined,
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
  const call = { action: `read the comments of #${number}`, ...readable, shape: commentsAnswer() }
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
    const call = { action: `read the older comments of #${number}`, ...readable, shape: commentsAnswer() }
    const { data } = await gateway.graphql(call, commentsQuery, { owner, repo, number, before: page.pageInfo.startCursor })
    page = data.repository.issueOrPullRequest.comments
    pages.unshift(commentsOf(page))
  }
  return pages.flat()
}

const commentsOf = (page: CommentPage): Comment[] => present(page.nodes).map(commentOf)
