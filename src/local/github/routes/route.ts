import { z } from 'zod'
import type { RestContext } from '../context.ts'
import { type ApiRequest, invalid, notFound, page, Refusal, type Reply } from '../http.ts'
import { findComment, nextId, type PullState, type Reaction, reactionKinds, type Thread, type ThreadComment, timestamp } from '../state.ts'

/** What routes have in common. */

export type Handler = (context: RestContext, request: ApiRequest, parameters: readonly string[]) => Reply | Promise<Reply>

/** A route below `/repos/OWNER/NAME`. Parameters arrive decoded. */
export type Route = readonly [method: string, path: RegExp, handler: Handler]

const Body = z.object({ body: z.string().optional() })
const Content = z.object({ content: z.enum(reactionKinds) })

export const ok = (body: unknown, status = 200): Reply => ({ status, body })

export function thread(context: RestContext, number: string | undefined): Thread {
  const found = context.state.threads.get(Number(number))
  if (found === undefined) throw notFound()
  return found
}

/** A pull request whose head is known as it is now. */
export async function pull(context: RestContext, number: string | undefined): Promise<{ thread: Thread; pull: PullState }> {
  const found = thread(context, number)
  if (found.pull === undefined) throw notFound()
  await context.repositories.refresh()
  return { thread: found, pull: found.pull }
}

export function comment(context: RestContext, id: string | undefined): { thread: Thread; comment: ThreadComment } {
  const found = findComment(context.state, Number(id))
  if (found === undefined) throw notFound()
  return found
}

/** The address of a list, for its links. */
export const listUrl = ({ urls }: RestContext, request: ApiRequest): string => `${urls.api}${request.path}`

/** Comments that changed at or after `since`. */
export function since<T extends { readonly updatedAt: string }>(items: readonly T[], request: ApiRequest): T[] {
  const from = request.query.get('since')
  return items.filter((item) => from === null || Date.parse(item.updatedAt) >= Date.parse(from))
}

/** A comment's text by GitHub's rules: not blank (C123), at most 65,536 characters (C122). */
export function checkedBody(body: unknown, resource = 'IssueComment'): string {
  const text = Body.safeParse(body).data?.body
  if (text === undefined) throw invalid({ resource, code: 'missing_field', field: 'body' })
  if (text.trim() === '') throw invalid({ resource, code: 'custom', field: 'body', message: 'body cannot be blank' })
  if ([...text].length > 65_536) throw invalid({ resource, code: 'custom', field: 'body', message: 'body is too long (maximum is 65536 characters)' })
  return text
}

/** Only who wrote a comment, or an admin, may change it (C139). */
export function mayChange({ state }: RestContext, author: string | null): void {
  if (author?.toLowerCase() === state.viewer.toLowerCase() || state.roles.get(state.viewer.toLowerCase()) === 'admin') return
  throw new Refusal(403, 'Must have admin rights to Repository.')
}

export function mayComment(target: Thread): void {
  if (target.locked) throw new Refusal(403, 'Unable to create comment because issue is locked.')
}

/** The three routes of reactions below whatever `find` finds. */
export function reactionRoutes(path: string, find: (context: RestContext, id: string | undefined) => { thread: Thread; reactions: Reaction[] }): Route[] {
  return [
    [
      'GET',
      new RegExp(`^${path}/reactions$`),
      (context, request, [id]) => {
        const wanted = request.query.get('content')
        const shown = find(context, id).reactions.filter((reaction) => wanted === null || reaction.content === wanted)
        return page(shown, request, listUrl(context, request), context.show.reaction)
      },
    ],
    [
      'POST',
      new RegExp(`^${path}/reactions$`),
      (context, request, [id]) => {
        const target = find(context, id)
        if (target.thread.locked) throw new Refusal(403, 'Unable to create reaction because issue is locked.')
        const content = Content.safeParse(request.body).data?.content
        if (content === undefined) throw invalid({ resource: 'Reaction', code: 'invalid', field: 'content' })
        const { viewer } = context.state
        const known = target.reactions.find((reaction) => reaction.content === content && reaction.user === viewer)
        if (known !== undefined) return ok(context.show.reaction(known))
        const made: Reaction = { id: nextId(context.state), user: viewer, content, createdAt: timestamp() }
        target.reactions.push(made)
        return ok(context.show.reaction(made), 201)
      },
    ],
    [
      'DELETE',
      new RegExp(`^${path}/reactions/(\\d+)$`),
      (context, _request, [id, key]) => {
        const { reactions } = find(context, id)
        const index = reactions.findIndex((reaction) => reaction.id === Number(key))
        const found = reactions[index]
        if (found === undefined) throw notFound()
        mayChange(context, found.user)
        reactions.splice(index, 1)
        return { status: 204 }
      },
    ],
  ]
}
