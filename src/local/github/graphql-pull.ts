import { closedBy } from './closing.ts'
import { connection } from './connection.ts'
import type { RestContext } from './context.ts'
import { conversation, issue, repository, user, writing } from './graphql-issue.ts'
import type { Remark, RemarkThread, ReviewState } from './reviews.ts'
import type { CheckState } from './runs.ts'
import { remarkHtml, reviewHtml } from './show-review.ts'
import type { PullState, Thread } from './state.ts'

/** Pull requests with their reviews, threads and checks, as GraphQL answers with them. */

interface Target {
  readonly thread: Thread
  readonly pull: PullState
}

export async function pullRequest(context: RestContext, thread: Thread, pull: PullState) {
  const { repositories, urls } = context
  await repositories.refresh()
  const diff = await repositories.diff(pull)
  const target = { thread, pull }
  return {
    __typename: 'PullRequest',
    ...conversation(context, thread),
    state: pull.merged ? 'MERGED' : thread.closedAt === null ? 'OPEN' : 'CLOSED',
    baseRefName: pull.base,
    baseRefOid: diff.baseSha,
    headRefName: pull.head,
    headRefOid: diff.headSha,
    headRepository: pull.headRepository === null ? null : repository(context, pull.headRepository),
    isCrossRepository: pull.headRepository?.toLowerCase() !== repositories.own.toLowerCase(),
    isDraft: pull.draft,
    merged: pull.merged,
    mergedAt: pull.merged ? thread.closedAt : null,
    mergeCommit: pull.mergeCommit === null ? null : commit(context, pull.mergeCommit),
    maintainerCanModify: pull.maintainerCanModify,
    additions: diff.additions,
    deletions: diff.deletions,
    changedFiles: diff.files.length,
    commits: connection('commits', diff.commitIds, (sha) => ({
      id: `PURC_${sha}`,
      url: `${context.show.htmlUrl(thread)}/commits/${sha}`,
      commit: { ...commit(context, sha), statusCheckRollup: sha === pull.headSha ? rollup(urls.html, pull.checks) : null },
    })),
    files: connection('files', diff.files, ({ path, additions, deletions, change }) => ({ path, additions, deletions, changeType: change })),
    reviewThreads: connection('reviewThreads', pull.remarks, (remarks) => reviewThread(context, { ...target, remarks })),
    reviews: connection('reviews', pull.reviews, (item) => review(context, target, item)),
    closingIssuesReferences: connection('closingIssuesReferences', closedBy(context.state, thread), (item) => issue(context, item)),
    statusCheckRollup: rollup(urls.html, pull.checks),
  }
}

const commit = ({ repositories, urls }: RestContext, sha: string) => ({ id: `C_${sha}`, oid: sha, url: `${urls.html}/${repositories.own}/commit/${sha}` })

export function reviewThread(context: RestContext, found: Target & { readonly remarks: RemarkThread }) {
  const { remarks } = found
  return {
    __typename: 'PullRequestReviewThread',
    id: remarks.id,
    path: remarks.path,
    line: remarks.line,
    startLine: remarks.startLine,
    originalLine: remarks.originalLine,
    originalStartLine: remarks.originalStartLine,
    diffSide: remarks.side,
    startDiffSide: remarks.originalStartLine === null ? null : remarks.side,
    subjectType: 'LINE',
    isCollapsed: remarks.resolvedBy !== null,
    isOutdated: remarks.line === null,
    isResolved: remarks.resolvedBy !== null,
    resolvedBy: remarks.resolvedBy === null ? null : user(context, remarks.resolvedBy),
    comments: connection('comments', remarks.comments, (comment) => remark(context, found, comment)),
  }
}

function remark(context: RestContext, target: Target & { readonly remarks: RemarkThread }, comment: Remark) {
  const { thread, pull, remarks } = target
  const first = remarks.comments[0]
  return {
    id: `PRRC_${comment.id}`,
    ...writing(context, comment),
    createdAt: comment.createdAt,
    url: remarkHtml(context, thread, comment.id),
    diffHunk: remarks.hunk,
    path: remarks.path,
    line: remarks.line,
    startLine: remarks.startLine,
    originalLine: remarks.originalLine,
    originalStartLine: remarks.originalStartLine,
    outdated: remarks.line === null,
    state: 'SUBMITTED',
    subjectType: 'LINE',
    commit: commit(context, remarks.line === null ? remarks.originalCommit : pull.headSha),
    originalCommit: commit(context, remarks.originalCommit),
    replyTo: () => (first === undefined || first === comment ? null : remark(context, target, first)),
    pullRequestReview: () => {
      const found = pull.reviews.find(({ id }) => id === comment.review)
      return found === undefined ? null : review(context, target, found)
    },
  }
}

function review(context: RestContext, target: Target, item: ReviewState): object {
  const { thread, pull } = target
  const own = pull.remarks.flatMap((remarks) => remarks.comments.flatMap((comment) => (comment.review === item.id ? [{ remarks, comment }] : [])))
  return {
    id: `PRR_${item.id}`,
    ...writing(context, item),
    createdAt: item.submittedAt,
    submittedAt: item.submittedAt,
    state: item.state,
    commit: commit(context, item.commit),
    url: reviewHtml(context, thread, item.id),
    comments: connection('comments', own, ({ remarks, comment }) => remark(context, { ...target, remarks }, comment)),
  }
}

/** Null where nothing was ever checked. */
function rollup(html: string, checks: readonly CheckState[]) {
  if (checks.length === 0) return null
  const words = checks.map((check) => ('context' in check ? check.state : check.conclusion))
  const state = words.some((word) => word === 'FAILURE' || word === 'ERROR' || word === 'TIMED_OUT')
    ? 'FAILURE'
    : words.some((word) => word === null || word === 'PENDING')
      ? 'PENDING'
      : 'SUCCESS'
  return {
    id: 'SCR_1',
    state,
    contexts: connection('contexts', checks, (check) => {
      if ('context' in check)
        return {
          __typename: 'StatusContext',
          id: `SC_${check.context}`,
          context: check.context,
          state: check.state,
          targetUrl: check.url ?? null,
          description: check.description ?? null,
        }
      const url = check.url ?? `${html}/checks/${encodeURIComponent(check.name)}`
      return {
        __typename: 'CheckRun',
        id: `CR_${check.name}`,
        databaseId: null,
        name: check.name,
        conclusion: check.conclusion,
        status: check.conclusion === null ? 'IN_PROGRESS' : 'COMPLETED',
        detailsUrl: url,
        url,
        title: check.title ?? null,
        summary: check.summary ?? null,
        text: null,
      }
    }),
  }
}
