import { z } from 'zod'
import { cut } from '../text.ts'
import type { Gateway } from './gateway.ts'
import { Actor, authorOf, commentOf, Further, hasId, listOf, Older, present, withId, written } from './nodes.ts'
import { filesQuery, remarksQuery, reviewsQuery, threadsQuery } from './queries.ts'
import type { ChangedFile, Check, Connection, LinkedIssue, PullFacts, Review, ReviewThread } from './types.ts'

/** Pages of a hundred files listed by name at the most; `changedFiles` still tells how many there are. */
const filePages = 3
/** Characters of a check's summary; the whole of it can be 64 kB a check. */
const summaryChars = 2000

// Lazy, so that a start on an issue does not pay for them.
const FilePage = z.lazy(() =>
  z.object({ pageInfo: Further, nodes: listOf(z.object({ path: z.string(), changeType: z.string(), additions: z.number(), deletions: z.number() })) }),
)
type FilePage = z.infer<typeof FilePage>

const ReviewNode = z.lazy(() =>
  z
    .object({ ...written, state: z.string(), submittedAt: z.string().nullish(), commit: z.object({ oid: z.string() }).nullish() })
    .transform(withId)
    .refine(hasId, 'a review without an id'),
)
const ReviewPage = z.lazy(() => z.object({ pageInfo: Older, nodes: listOf(ReviewNode) }))
type ReviewPage = z.infer<typeof ReviewPage>

const RemarkNode = z.lazy(() =>
  z
    .object({ ...written, createdAt: z.string(), diffHunk: z.string().nullish() })
    .transform(withId)
    .refine(hasId, 'a remark without an id'),
)
const RemarkPage = z.lazy(() => z.object({ pageInfo: Further, nodes: listOf(RemarkNode) }))
const ThreadNode = z.lazy(() =>
  z.object({
    id: z.string(),
    path: z.string(),
    line: z.number().nullish(),
    startLine: z.number().nullish(),
    diffSide: z.enum(['LEFT', 'RIGHT']),
    isResolved: z.boolean(),
    isOutdated: z.boolean(),
    comments: RemarkPage.nullish(),
  }),
)
type ThreadNode = z.infer<typeof ThreadNode>
const ThreadPage = z.lazy(() => z.object({ pageInfo: Further, nodes: listOf(ThreadNode) }))
type ThreadPage = z.infer<typeof ThreadPage>

const CheckNode = z.lazy(() =>
  z.discriminatedUnion('__typename', [
    z.object({
      __typename: z.literal('CheckRun'),
      name: z.string(),
      status: z.string(),
      conclusion: z.string().nullish(),
      detailsUrl: z.string().nullish(),
      title: z.string().nullish(),
      summary: z.string().nullish(),
    }),
    z.object({
      __typename: z.literal('StatusContext'),
      context: z.string(),
      state: z.string(),
      targetUrl: z.string().nullish(),
      description: z.string().nullish(),
    }),
  ]),
)
const Rollup = z.lazy(() => z.object({ contexts: z.object({ nodes: listOf(CheckNode) }).nullish() }))

const IssueNode = z.lazy(() =>
  z.object({
    number: z.number(),
    title: z.string(),
    body: z.string().nullish(),
    state: z.string(),
    author: Actor,
    repository: z.object({ nameWithOwner: z.string() }),
  }),
)
const IssueList = z.lazy(() => z.object({ nodes: listOf(IssueNode) }))

/** What the discussion query tells of a pull request besides its conversation. Lists are null where the token may not look. */
export const PullNode = z.object({
  baseRefName: z.string(),
  baseRefOid: z.string(),
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
  files: FilePage.nullish(),
  reviews: ReviewPage.nullish(),
  reviewThreads: ThreadPage.nullish(),
  closingIssuesReferences: IssueList.nullish(),
  statusCheckRollup: Rollup.nullish(),
})

/** The answer of a query for one more page of a pull request. */
const pullAnswer = <T extends z.ZodRawShape>(shape: T) => z.object({ data: z.object({ repository: z.object({ pullRequest: z.object(shape) }) }) })
const filesAnswer = () => pullAnswer({ files: FilePage.nullish() })
const reviewsAnswer = () => pullAnswer({ reviews: ReviewPage.nullish() })
const threadsAnswer = () => pullAnswer({ reviewThreads: ThreadPage.nullish() })
const remarksAnswer = () => z.object({ data: z.object({ node: z.object({ comments: RemarkPage.nullish() }) }) })

const readable = { permission: 'pull-requests: read' }

/** The facts of a pull request, with all its reviews and threads; further pages are asked for at the same time. Throws `GitHubError`. */
export async function pullFacts(gateway: Gateway, connection: Connection, number: number, node: z.infer<typeof PullNode>): Promise<PullFacts> {
  const { owner, repo } = connection
  const at = { owner, repo, number }
  const [files, reviews, threads] = await Promise.all([
    allFiles(gateway, at, node.files),
    allReviews(gateway, at, node.reviews),
    allThreads(gateway, at, node.reviewThreads),
  ])
  return {
    baseRef: node.baseRefName,
    baseSha: node.baseRefOid,
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
    files,
    reviews,
    threads,
    closes: present(node.closingIssuesReferences?.nodes)
      .filter((issue) => issue.repository.nameWithOwner.toLowerCase() === `${owner}/${repo}`.toLowerCase())
      .map(linkedIssue),
    checks: present(node.statusCheckRollup?.contexts?.nodes).map(checkOf),
  }
}

interface At {
  readonly owner: string
  readonly repo: string
  readonly number: number
}

async function allFiles(gateway: Gateway, at: At, first: FilePage | null | undefined): Promise<readonly ChangedFile[]> {
  const call = { action: `read the changed files of #${at.number}`, ...readable, shape: filesAnswer() }
  const pages = await forwards(first, filePages, async (after) => {
    const { data } = await gateway.graphql(call, filesQuery, { ...at, after })
    return data.repository.pullRequest.files
  })
  return pages.flatMap((page) => present(page.nodes).map(({ changeType, ...file }) => ({ ...file, change: changeType })))
}

async function allReviews(gateway: Gateway, at: At, newest: ReviewPage | null | undefined): Promise<readonly Review[]> {
  const pages: ReviewPage[] = []
  for (let page = newest; page; ) {
    pages.unshift(page)
    const { hasPreviousPage, startCursor } = page.pageInfo
    if (!hasPreviousPage || !startCursor) break
    page = await reviewPage(gateway, at, startCursor)
  }
  return pages.flatMap(reviewsOf)
}

async function reviewPage(gateway: Gateway, at: At, before?: string): Promise<ReviewPage | null | undefined> {
  const call = { action: `read the reviews of #${at.number}`, ...readable, shape: reviewsAnswer() }
  const { data } = await gateway.graphql(call, reviewsQuery, { ...at, ...(before === undefined ? {} : { before }) })
  return data.repository.pullRequest.reviews
}

/** The newest hundred reviews, oldest first. Throws `GitHubError`. */
export async function newestReviews(gateway: Gateway, at: At): Promise<readonly Review[]> {
  const page = await reviewPage(gateway, at)
  return page ? reviewsOf(page) : []
}

async function allThreads(gateway: Gateway, at: At, first: ThreadPage | null | undefined): Promise<readonly ReviewThread[]> {
  const call = { action: `read the review threads of #${at.number}`, ...readable, shape: threadsAnswer() }
  const pages = await forwards(first, Number.POSITIVE_INFINITY, async (after) => {
    const { data } = await gateway.graphql(call, threadsQuery, { ...at, after })
    return data.repository.pullRequest.reviewThreads
  })
  const threads = await Promise.all(pages.flatMap((page) => present(page.nodes).map((node) => wholeThread(gateway, at, node))))
  return threads.filter((thread) => thread.comments.length > 0)
}

async function wholeThread(gateway: Gateway, { number }: At, node: ThreadNode): Promise<ReviewThread> {
  const call = { action: `read a review thread of #${number}`, ...readable, shape: remarksAnswer() }
  const pages = await forwards(node.comments, Number.POSITIVE_INFINITY, async (after) => {
    const { data } = await gateway.graphql(call, remarksQuery, { thread: node.id, after })
    return data.node.comments
  })
  const remarks = pages.flatMap((page) => present(page.nodes))
  return {
    id: node.id,
    path: node.path,
    line: node.line ?? null,
    startLine: node.startLine ?? null,
    side: node.diffSide,
    resolved: node.isResolved,
    outdated: node.isOutdated,
    hunk: remarks[0]?.diffHunk ?? '',
    comments: remarks.map(commentOf),
  }
}

/** A connection's pages from the first on, `most` at the most. */
async function forwards<P extends { pageInfo: z.infer<typeof Further> }>(
  first: P | null | undefined,
  most: number,
  next: (after: string) => Promise<P | null | undefined>,
): Promise<readonly P[]> {
  const pages: P[] = []
  for (let page = first; page; ) {
    pages.push(page)
    const { hasNextPage, endCursor } = page.pageInfo
    if (!hasNextPage || !endCursor || pages.length >= most) break
    page = await next(endCursor)
  }
  return pages
}

/** The submitted reviews of one page, oldest first; one that is still being written was never said. */
const reviewsOf = (page: ReviewPage): Review[] =>
  present(page.nodes).flatMap((node) =>
    node.submittedAt
      ? {
          id: node.id,
          author: authorOf(node.author),
          body: node.body ?? '',
          state: node.state,
          submittedAt: node.submittedAt,
          lastEditedAt: node.lastEditedAt ?? null,
          minimized: node.isMinimized,
          commit: node.commit?.oid ?? null,
          url: node.url,
        }
      : [],
  )

const linkedIssue = ({ number, title, body, state, author }: z.infer<typeof IssueNode>): LinkedIssue => ({
  number,
  title,
  body: body ?? '',
  state,
  author: authorOf(author),
})

/** A check that still goes on has no conclusion; how far it is stands for it. */
function checkOf(node: z.infer<typeof CheckNode>): Check {
  if (node.__typename === 'StatusContext')
    return { name: node.context, conclusion: node.state, url: node.targetUrl ?? null, summary: cut(node.description ?? '', summaryChars) }
  const summary = [node.title, node.summary].filter((text) => text).join('\n')
  return { name: node.name, conclusion: node.conclusion ?? node.status, url: node.detailsUrl ?? null, summary: cut(summary, summaryChars) }
}
