import { page } from '../http.ts'
import { addComment, editComment } from '../state.ts'
import { checkedBody, comment, listUrl, mayChange, mayComment, ok, type Route, reactionRoutes, since, thread } from './route.ts'

/** The conversation below an issue or pull request. */
export const commentRoutes: readonly Route[] = [
  [
    'GET',
    /^\/issues\/(\d+)\/comments$/,
    (context, request, [number]) => {
      const found = thread(context, number)
      return page(since(found.comments, request), request, listUrl(context, request), (item) => context.show.comment(found, item))
    },
  ],
  [
    'POST',
    /^\/issues\/(\d+)\/comments$/,
    (context, request, [number]) => {
      const found = thread(context, number)
      mayComment(found)
      return ok(context.show.comment(found, addComment(context.state, found, context.state.viewer, checkedBody(request.body))), 201)
    },
  ],
  [
    'GET',
    /^\/issues\/comments$/,
    (context, request) => {
      const all = [...context.state.threads.values()].flatMap((item) => item.comments.map((entry) => ({ item, entry, updatedAt: entry.updatedAt })))
      const changed = since(all, request).sort((a, b) => a.entry.id - b.entry.id)
      if (request.query.get('sort') === 'updated') changed.sort((a, b) => a.updatedAt.localeCompare(b.updatedAt))
      if (request.query.get('direction') === 'desc') changed.reverse()
      return page(changed, request, listUrl(context, request), ({ item, entry }) => context.show.comment(item, entry))
    },
  ],
  [
    'GET',
    /^\/issues\/comments\/(\d+)$/,
    (context, _request, [id]) => {
      const found = comment(context, id)
      return ok(context.show.comment(found.thread, found.comment))
    },
  ],
  [
    'PATCH',
    /^\/issues\/comments\/(\d+)$/,
    (context, request, [id]) => {
      const found = comment(context, id)
      mayChange(context, found.comment.author)
      editComment(found.comment, checkedBody(request.body))
      return ok(context.show.comment(found.thread, found.comment))
    },
  ],
  [
    'DELETE',
    /^\/issues\/comments\/(\d+)$/,
    (context, _request, [id]) => {
      const found = comment(context, id)
      mayChange(context, found.comment.author)
      found.thread.comments.splice(found.thread.comments.indexOf(found.comment), 1)
      return { status: 204 }
    },
  ],
  ...reactionRoutes('/issues/comments/(\\d+)', (context, id) => {
    const found = comment(context, id)
    return { thread: found.thread, reactions: found.comment.reactions }
  }),
  ...reactionRoutes('/issues/(\\d+)', (context, number) => {
    const found = thread(context, number)
    return { thread: found, reactions: found.reactions }
  }),
]
