import { z } from 'zod'
import type { RestContext } from '../context.ts'
import type { ApiRequest } from '../http.ts'
import { notFound, page, unprocessable } from '../http.ts'
import { submitReview } from '../placing.ts'
import { addReply, allRemarks, type FoundRemark, findRemark, remarksOf, removeRemark } from '../reviews.ts'
import { remarkJson, reviewJson } from '../show-review.ts'
import { editComment, timestamp } from '../state.ts'
import { checkedBody, listUrl, mayChange, mayComment, ok, pull, type Route, reactionRoutes, since } from './route.ts'

/** Reviews, and remarks on the diff with their answers. */

const Side = z.enum(['LEFT', 'RIGHT'])
const Spot = z.object({
  path: z.string(),
  body: z.string(),
  line: z.number().int(),
  side: Side.default('RIGHT'),
  start_line: z.number().int().optional(),
  start_side: Side.optional(),
})
const NewReview = z.object({
  body: z.string().optional(),
  event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']),
  commit_id: z.string().optional(),
  comments: z.array(Spot).default([]),
})
const NewRemark = z.union([z.object({ in_reply_to: z.number(), body: z.string() }), Spot.extend({ commit_id: z.string() })])
const states = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const

const spotOf = ({ path, body, line, side, start_line: startLine }: z.infer<typeof Spot>) => ({
  path,
  body,
  line,
  side,
  ...(startLine === undefined ? {} : { startLine }),
})

function remark({ state }: RestContext, id: string | undefined): FoundRemark {
  const found = findRemark(state, Number(id))
  if (found === undefined) throw notFound()
  return found
}

async function review(context: RestContext, number: string | undefined, id: string | undefined) {
  const target = await pull(context, number)
  const found = target.pull.reviews.find((item) => item.id === Number(id))
  if (found === undefined) throw notFound()
  return { ...target, review: found }
}

function listRemarks(context: RestContext, request: ApiRequest, all: readonly FoundRemark[]) {
  const items = since(
    all.map((found) => ({ found, updatedAt: found.comment.updatedAt })),
    request,
  )
  if (request.query.get('sort') === 'updated') items.sort((a, b) => a.updatedAt.localeCompare(b.updatedAt))
  if (request.query.get('direction') === 'desc') items.reverse()
  return page(items, request, listUrl(context, request), ({ found }) => remarkJson(context, found))
}

export const reviewRoutes: readonly Route[] = [
  [
    'GET',
    /^\/pulls\/(\d+)\/reviews$/,
    async (context, request, [number]) => {
      const { thread, pull: found } = await pull(context, number)
      return page(found.reviews, request, listUrl(context, request), (item) => reviewJson(context, thread, item))
    },
  ],
  [
    'POST',
    /^\/pulls\/(\d+)\/reviews$/,
    async (context, request, [number]) => {
      const target = await pull(context, number)
      mayComment(target.thread)
      const parsed = NewReview.safeParse(request.body)
      // A review without an event stays a draft nobody else sees; the action never wants that.
      if (!parsed.success) throw unprocessable('Unprocessable Entity', String(parsed.error.issues[0]?.path.join('.') ?? 'event'))
      const { body = '', event, commit_id: commit, comments } = parsed.data
      if (body.trim() === '' && comments.length === 0) throw unprocessable('Unprocessable Entity', "Body can't be blank")
      for (const text of [body, ...comments.map((item) => item.body)].filter((item) => item !== '')) checkedBody({ body: text }, 'PullRequestReview')
      if (event !== 'COMMENT' && target.thread.author === context.state.viewer)
        throw unprocessable('Unprocessable Entity', `Can not ${event.toLowerCase().replace('_', ' ')} your own pull request`)
      const made = await submitReview(context, target, {
        author: context.state.viewer,
        body,
        state: states[event],
        remarks: comments.map(spotOf),
        ...(commit === undefined ? {} : { commit }),
      })
      return ok(reviewJson(context, target.thread, made))
    },
  ],
  [
    'GET',
    /^\/pulls\/(\d+)\/reviews\/(\d+)$/,
    async (context, _request, [number, id]) => {
      const found = await review(context, number, id)
      return ok(reviewJson(context, found.thread, found.review))
    },
  ],
  [
    'PUT',
    /^\/pulls\/(\d+)\/reviews\/(\d+)$/,
    async (context, request, [number, id]) => {
      const found = await review(context, number, id)
      mayChange(context, found.review.author)
      found.review.body = checkedBody(request.body, 'PullRequestReview')
      found.review.updatedAt = timestamp()
      found.review.lastEditedAt = found.review.updatedAt
      return ok(reviewJson(context, found.thread, found.review))
    },
  ],
  [
    'GET',
    /^\/pulls\/(\d+)\/reviews\/(\d+)\/comments$/,
    async (context, request, [number, id]) => {
      const found = await review(context, number, id)
      const own = remarksOf(found.thread, found.pull).filter(({ comment }) => comment.review === found.review.id)
      return page(own, request, listUrl(context, request), (item) => remarkJson(context, item))
    },
  ],
  [
    'GET',
    /^\/pulls\/(\d+)\/comments$/,
    async (context, request, [number]) => {
      const { thread, pull: found } = await pull(context, number)
      return listRemarks(context, request, remarksOf(thread, found))
    },
  ],
  ['GET', /^\/pulls\/comments$/, (context, request) => listRemarks(context, request, allRemarks(context.state))],
  [
    'POST',
    /^\/pulls\/(\d+)\/comments$/,
    async (context, request, [number]) => {
      const target = await pull(context, number)
      mayComment(target.thread)
      const parsed = NewRemark.safeParse(request.body)
      if (!parsed.success) throw unprocessable('Validation Failed')
      checkedBody(parsed.data, 'PullRequestReviewComment')
      if ('in_reply_to' in parsed.data) return reply(context, number, `${parsed.data.in_reply_to}`, parsed.data.body)
      const { commit_id: commit, ...spot } = parsed.data
      const made = await submitReview(context, target, { author: context.state.viewer, body: '', commit, remarks: [spotOf(spot)] })
      const [found] = remarksOf(target.thread, target.pull).filter(({ comment }) => comment.review === made.id)
      return ok(found === undefined ? undefined : remarkJson(context, found), 201)
    },
  ],
  [
    'POST',
    /^\/pulls\/(\d+)\/comments\/(\d+)\/replies$/,
    (context, request, [number, id]) => reply(context, number, id, checkedBody(request.body, 'PullRequestReviewComment')),
  ],
  ['GET', /^\/pulls\/comments\/(\d+)$/, (context, _request, [id]) => ok(remarkJson(context, remark(context, id)))],
  [
    'PATCH',
    /^\/pulls\/comments\/(\d+)$/,
    (context, request, [id]) => {
      const found = remark(context, id)
      mayChange(context, found.comment.author)
      editComment(found.comment, checkedBody(request.body, 'PullRequestReviewComment'))
      return ok(remarkJson(context, found))
    },
  ],
  [
    'DELETE',
    /^\/pulls\/comments\/(\d+)$/,
    (context, _request, [id]) => {
      const found = remark(context, id)
      mayChange(context, found.comment.author)
      removeRemark(found)
      return { status: 204 }
    },
  ],
  ...reactionRoutes('/pulls/comments/(\\d+)', (context, id) => {
    const found = remark(context, id)
    return { thread: found.thread, reactions: found.comment.reactions }
  }),
]

function reply(context: RestContext, number: string | undefined, id: string | undefined, body: string) {
  const found = remark(context, id)
  if (found.thread.number !== Number(number)) throw notFound()
  mayComment(found.thread)
  // GitHub takes answers to the first remark of a thread only.
  if (found.remarks.comments[0] !== found.comment) throw unprocessable('Validation Failed')
  const made = addReply(context.state, found.thread, found.remarks, context.state.viewer, body)
  return ok(remarkJson(context, { ...found, comment: made }), 201)
}
