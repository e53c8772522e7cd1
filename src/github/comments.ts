import { z } from 'zod'
import { findOwnComment } from './discussion.ts'
import type { Gateway } from './gateway.ts'
import { clockSkew, gone, persist } from './persist.ts'
import type { Connection, GitHub, PostedComment, ReactionTarget } from './types.ts'

/** The answer to everything that posts or edits a text. */
export const Posted = z.object({ id: z.number(), html_url: z.string() }).transform(({ id, html_url }): PostedComment => ({ id, url: html_url }))
const Reaction = z.object({ id: z.number() })

const writable = { permission: 'issues: write` and, on pull requests, `pull-requests: write', write: true }
const readable = { permission: 'issues: read` and `pull-requests: read' }

type Comments = Pick<GitHub, 'createComment' | 'updateComment' | 'deleteComment' | 'react' | 'unreact' | 'bodyHtml'>

/** Comments of issues and pull requests, and reactions to whatever somebody wrote. */
export function comments(gateway: Gateway, connection: Connection): Comments {
  const at = { owner: connection.owner, repo: connection.repo }
  return {
    createComment(number, body) {
      const call = { action: `post a comment on #${number}`, ...writable, shape: Posted, once: true }
      const since = Date.now() - clockSkew
      return persist(
        gateway,
        () => gateway.rest(call, ({ rest }) => rest.issues.createComment({ ...at, issue_number: number, body })),
        () => findOwnComment(gateway, connection, number, body, since),
      )
    },
    updateComment(id, body) {
      const call = { action: `edit comment ${id}`, ...writable, shape: Posted }
      return gateway.rest(call, ({ rest }) => rest.issues.updateComment({ ...at, comment_id: id, body }))
    },
    deleteComment(id) {
      const call = { action: `delete comment ${id}`, ...writable, shape: z.unknown() }
      return gone(gateway.rest(call, ({ rest }) => rest.issues.deleteComment({ ...at, comment_id: id })))
    },

    async react(target) {
      const call = { action: `set a reaction on ${nameOf(target)}`, ...writable, shape: Reaction }
      const eyes = { ...at, content: 'eyes' as const }
      const reaction = await gateway.rest(call, ({ rest: { reactions } }) => {
        if ('comment' in target) return reactions.createForIssueComment({ ...eyes, comment_id: target.comment })
        if ('reviewComment' in target) return reactions.createForPullRequestReviewComment({ ...eyes, comment_id: target.reviewComment })
        return reactions.createForIssue({ ...eyes, issue_number: target.issue })
      })
      return reaction.id
    },
    unreact(target, reaction) {
      const call = { action: `remove the reaction from ${nameOf(target)}`, ...writable, shape: z.unknown() }
      const it = { ...at, reaction_id: reaction }
      return gone(
        gateway.rest(call, ({ rest: { reactions } }) => {
          if ('comment' in target) return reactions.deleteForIssueComment({ ...it, comment_id: target.comment })
          if ('reviewComment' in target) return reactions.deleteForPullRequestComment({ ...it, comment_id: target.reviewComment })
          return reactions.deleteForIssue({ ...it, issue_number: target.issue })
        }),
      )
    },

    async bodyHtml(target) {
      const call = { action: `read ${nameOf(target)} as HTML`, ...readable, shape: z.object({ body_html: z.string().nullish() }) }
      const html = { ...at, headers: { accept: 'application/vnd.github.html+json' } }
      const answer = await gateway.rest(call, ({ rest }) => {
        if ('comment' in target) return rest.issues.getComment({ ...html, comment_id: target.comment })
        if ('reviewComment' in target) return rest.pulls.getReviewComment({ ...html, comment_id: target.reviewComment })
        return rest.issues.get({ ...html, issue_number: target.issue })
      })
      return answer.body_html ?? ''
    },
  }
}

const nameOf = (target: ReactionTarget): string =>
  'comment' in target ? `comment ${target.comment}` : 'reviewComment' in target ? `review comment ${target.reviewComment}` : `#${target.issue}`
