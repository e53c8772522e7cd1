import { z } from 'zod'
import { Posted } from './comments.ts'
import { readRepository } from './discussion.ts'
import type { Gateway } from './gateway.ts'
import { sameText } from './nodes.ts'
import { clockSkew, gone, persist } from './persist.ts'
import { newestReviews } from './pull-facts.ts'
import { resolveMutation } from './queries.ts'
import type { Connection, GitHub, LineRemark, PostedComment } from './types.ts'

const writable = { permission: 'pull-requests: write', write: true }

type Reviews = Pick<GitHub, 'replyToRemark' | 'updateRemark' | 'deleteRemark' | 'createReview' | 'resolveThread'>

/** Reviews of pull requests and the remarks on their diffs. */
export function reviews(gateway: Gateway, connection: Connection): Reviews {
  const at = { owner: connection.owner, repo: connection.repo }
  return {
    replyToRemark(pull, remark, body) {
      const call = { action: `answer review comment ${remark} on #${pull}`, ...writable, shape: Posted, once: true }
      const since = Date.now() - clockSkew
      return persist(
        gateway,
        () => gateway.rest(call, ({ rest }) => rest.pulls.createReplyForReviewComment({ ...at, pull_number: pull, comment_id: remark, body })),
        () => findOwnRemark(gateway, connection, pull, body, since),
      )
    },
    updateRemark(id, body) {
      const call = { action: `edit review comment ${id}`, ...writable, shape: Posted }
      return gateway.rest(call, ({ rest }) => rest.pulls.updateReviewComment({ ...at, comment_id: id, body }))
    },
    deleteRemark(id) {
      const call = { action: `delete review comment ${id}`, ...writable, shape: z.unknown() }
      return gone(gateway.rest(call, ({ rest }) => rest.pulls.deleteReviewComment({ ...at, comment_id: id })))
    },

    createReview(pull, { commit, body, remarks }) {
      const call = { action: `post a review of #${pull}`, ...writable, shape: Posted, once: true }
      const review = { ...at, pull_number: pull, commit_id: commit, body, event: 'COMMENT' as const, comments: remarks.map(written) }
      const since = Date.now() - clockSkew
      return persist(
        gateway,
        () => gateway.rest(call, ({ rest }) => rest.pulls.createReview(review)),
        () => findOwnReview(gateway, connection, pull, body, since),
      )
    },
    async resolveThread(id) {
      // GitHub wants the right to push for it, though it changes no file.
      const call = { action: 'resolve a review thread', permission: 'pull-requests: write` and `contents: write', shape: resolved(), write: true }
      await gateway.graphql(call, resolveMutation, { thread: id })
    },
  }
}

const resolved = () => z.object({ data: z.object({ resolveReviewThread: z.object({ thread: z.object({ isResolved: z.literal(true) }) }) }) })

const written = ({ path, body, line, side, startLine, startSide }: LineRemark) => ({
  path,
  body,
  line,
  side,
  ...(startLine === undefined ? {} : { start_line: startLine, start_side: startSide ?? side }),
})

/** Our own newest review with exactly this text, posted after a time (epoch ms). */
async function findOwnReview(gateway: Gateway, connection: Connection, pull: number, body: string, after: number): Promise<PostedComment | undefined> {
  const at = { owner: connection.owner, repo: connection.repo, number: pull }
  const [{ viewer }, reviews] = await Promise.all([readRepository(gateway, connection), newestReviews(gateway, at)])
  return reviews.findLast((review) => review.author.login === viewer.login && sameText(review.body, body) && Date.parse(review.submittedAt) >= after)
}

/** The same for a remark on the diff. */
async function findOwnRemark(gateway: Gateway, connection: Connection, pull: number, body: string, after: number): Promise<PostedComment | undefined> {
  const call = { action: `read the review comments of #${pull}`, permission: 'pull-requests: read', shape: remarksShape() }
  const query = { owner: connection.owner, repo: connection.repo, pull_number: pull, sort: 'created' as const, direction: 'desc' as const, per_page: 100 }
  const [{ viewer }, remarks] = await Promise.all([readRepository(gateway, connection), gateway.rest(call, ({ rest }) => rest.pulls.listReviewComments(query))])
  const own = remarks.find((remark) => remark.user?.login === viewer.login && sameText(remark.body ?? '', body) && Date.parse(remark.created_at) >= after)
  return own && { id: own.id, url: own.html_url }
}

const remarksShape = () =>
  z.array(
    z.object({ id: z.number(), html_url: z.string(), body: z.string().nullish(), created_at: z.string(), user: z.object({ login: z.string() }).nullish() }),
  )
