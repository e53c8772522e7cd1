import type { RestContext } from './context.ts'
import { nodeId } from './links.ts'
import type { FoundRemark, ReviewState } from './reviews.ts'
import { association, type Thread } from './state.ts'

/** Reviews and review comments as REST and webhooks write them. */

const urlsOf = ({ state, urls }: RestContext, thread: Thread) => {
  const api = `${urls.api}/repos/${state.owner}/${state.repo}`
  return { api, pull: `${api}/pulls/${thread.number}`, html: `${urls.html}/${state.owner}/${state.repo}/pull/${thread.number}` }
}

export const remarkHtml = (context: RestContext, thread: Thread, id: number): string => `${urlsOf(context, thread).html}#discussion_r${id}`
export const reviewHtml = (context: RestContext, thread: Thread, id: number): string => `${urlsOf(context, thread).html}#pullrequestreview-${id}`

export function reviewJson(context: RestContext, thread: Thread, review: ReviewState): object {
  const { pull } = urlsOf(context, thread)
  const html = reviewHtml(context, thread, review.id)
  return {
    id: review.id,
    node_id: nodeId('PullRequestReview', review.id),
    user: review.author === null ? null : context.show.user(review.author),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: pull,
    author_association: association(context.state, review.author),
    _links: { html: { href: html }, pull_request: { href: pull } },
    submitted_at: review.submittedAt,
    commit_id: review.commit,
  }
}

export function remarkJson(context: RestContext, { thread, pull, remarks, comment }: FoundRemark): object {
  const { api, pull: pullUrl } = urlsOf(context, thread)
  const url = `${api}/pulls/comments/${comment.id}`
  const html = remarkHtml(context, thread, comment.id)
  const first = remarks.comments[0]
  const starts = remarks.originalStartLine !== null
  return {
    url,
    pull_request_review_id: comment.review,
    id: comment.id,
    node_id: nodeId('PullRequestReviewComment', comment.id),
    diff_hunk: remarks.hunk,
    path: remarks.path,
    position: remarks.position,
    original_position: remarks.originalPosition,
    commit_id: remarks.line === null ? remarks.originalCommit : pull.headSha,
    original_commit_id: remarks.originalCommit,
    user: comment.author === null ? null : context.show.user(comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: html,
    pull_request_url: pullUrl,
    author_association: association(context.state, comment.author),
    _links: { self: { href: url }, html: { href: html }, pull_request: { href: pullUrl } },
    start_line: remarks.startLine,
    original_start_line: remarks.originalStartLine,
    start_side: starts ? remarks.side : null,
    line: remarks.line,
    original_line: remarks.originalLine,
    side: remarks.side,
    subject_type: 'line',
    reactions: context.show.reactions(comment.reactions, `${url}/reactions`),
    ...(first === undefined || first.id === comment.id ? {} : { in_reply_to_id: first.id }),
  }
}
