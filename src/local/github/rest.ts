import { z } from 'zod'
import type { RestContext } from './context.ts'
import { type ApiRequest, invalid, notFound, page, Refusal, type Reply } from './http.ts'
import { createPull, listPulls } from './pulls.ts'
import {
  account,
  addComment,
  editComment,
  findComment,
  nextId,
  type Reaction,
  type Role,
  reactionKinds,
  type Thread,
  type ThreadComment,
  timestamp,
} from './state.ts'

type Handler = (context: RestContext, request: ApiRequest, parameters: readonly string[]) => Reply | Promise<Reply>

/** What a role may do, as the permission endpoint's old names for it. */
const permissionOf: Record<Role, string> = { admin: 'admin', maintain: 'write', write: 'write', triage: 'read', read: 'read', none: 'none' }

const Body = z.object({ body: z.string().optional() })
const Content = z.object({ content: z.enum(reactionKinds) })

function thread(context: RestContext, number: string | undefined): Thread {
  const found = context.state.threads.get(Number(number))
  if (found === undefined) throw notFound()
  return found
}

function comment(context: RestContext, id: string | undefined): { thread: Thread; comment: ThreadComment } {
  const found = findComment(context.state, Number(id))
  if (found === undefined) throw notFound()
  return found
}

/** A comment's text by GitHub's rules: not blank (C123), at most 65,536 characters (C122). */
function checkedBody(body: unknown): string {
  const text = Body.safeParse(body).data?.body
  if (text === undefined) throw invalid({ resource: 'IssueComment', code: 'missing_field', field: 'body' })
  if (text.trim() === '') throw invalid({ resource: 'IssueComment', code: 'custom', field: 'body', message: 'body cannot be blank' })
  if ([...text].length > 65_536)
    throw invalid({ resource: 'IssueComment', code: 'custom', field: 'body', message: 'body is too long (maximum is 65536 characters)' })
  return text
}

/** Only who wrote a comment, or an admin, may change it (C139). */
function mayChange({ state }: RestContext, author: string | null): void {
  if (author?.toLowerCase() === state.viewer.toLowerCase() || state.roles.get(state.viewer.toLowerCase()) === 'admin') return
  throw new Refusal(403, 'Must have admin rights to Repository.')
}

function mayReact(target: Thread): void {
  if (target.locked) throw new Refusal(403, 'Unable to create reaction because issue is locked.')
}

function react(context: RestContext, reactions: Reaction[], request: ApiRequest): Reply {
  const content = Content.safeParse(request.body).data?.content
  if (content === undefined) throw invalid({ resource: 'Reaction', code: 'invalid', field: 'content' })
  const known = reactions.find((reaction) => reaction.content === content && reaction.user === context.state.viewer)
  if (known !== undefined) return { status: 200, body: context.show.reaction(known) }
  const made: Reaction = { id: nextId(context.state), user: context.state.viewer, content, createdAt: timestamp() }
  reactions.push(made)
  return { status: 201, body: context.show.reaction(made) }
}

function unreact(context: RestContext, reactions: Reaction[], id: string | undefined): Reply {
  const index = reactions.findIndex((reaction) => reaction.id === Number(id))
  const found = reactions[index]
  if (found === undefined) throw notFound()
  mayChange(context, found.user)
  reactions.splice(index, 1)
  return { status: 204 }
}

function listReactions(context: RestContext, reactions: readonly Reaction[], request: ApiRequest): Reply {
  const wanted = request.query.get('content')
  const shown = reactions.filter((reaction) => wanted === null || reaction.content === wanted)
  return page(shown, request, `${context.urls.api}${request.path}`, context.show.reaction)
}

function permission({ state, show }: RestContext, login: string): Reply {
  const known = state.accounts.get(login.toLowerCase())
  if (known === undefined) throw new Refusal(404, `${login} is not a user`)
  // Everybody may read a public repository.
  const role = state.roles.get(login.toLowerCase()) ?? (state.private ? 'none' : 'read')
  const permissions = {
    pull: role !== 'none',
    triage: role !== 'none' && role !== 'read',
    push: permissionOf[role] === 'write' || role === 'admin',
    maintain: role === 'maintain' || role === 'admin',
    admin: role === 'admin',
  }
  return {
    status: 200,
    body: { permission: permissionOf[role], role_name: role, user: { ...show.user(account(state, login).login), permissions, role_name: role } },
  }
}

const routes: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
  ['GET', /^$/, ({ show }) => ({ status: 200, body: show.fullRepository() })],
  ['GET', /^\/collaborators\/([^/]+)\/permission$/, (context, _request, [login = '']) => permission(context, decodeURIComponent(login))],
  [
    'GET',
    /^\/labels$/,
    ({ state, show, urls }, request) => {
      const names = new Set([...state.threads.values()].flatMap((item) => item.labels))
      return page([...names], request, `${urls.api}${request.path}`, show.label)
    },
  ],
  ['GET', /^\/issues\/(\d+)$/, (context, _request, [number]) => ({ status: 200, body: context.show.issue(thread(context, number)) })],
  [
    'GET',
    /^\/issues\/(\d+)\/labels$/,
    (context, request, [number]) => page(thread(context, number).labels, request, `${context.urls.api}${request.path}`, context.show.label),
  ],
  [
    'GET',
    /^\/issues\/(\d+)\/comments$/,
    (context, request, [number]) => {
      const found = thread(context, number)
      const since = request.query.get('since')
      const items = found.comments.filter((item) => since === null || Date.parse(item.updatedAt) >= Date.parse(since))
      return page(items, request, `${context.urls.api}${request.path}`, (item) => context.show.comment(found, item))
    },
  ],
  [
    'POST',
    /^\/issues\/(\d+)\/comments$/,
    (context, request, [number]) => {
      const found = thread(context, number)
      if (found.locked) throw new Refusal(403, 'Unable to create comment because issue is locked.')
      const made = context.show.comment(found, addComment(context.state, found, context.state.viewer, checkedBody(request.body)))
      return { status: 201, body: made }
    },
  ],
  [
    'GET',
    /^\/issues\/comments\/(\d+)$/,
    (context, _request, [id]) => {
      const found = comment(context, id)
      return { status: 200, body: context.show.comment(found.thread, found.comment) }
    },
  ],
  [
    'PATCH',
    /^\/issues\/comments\/(\d+)$/,
    (context, request, [id]) => {
      const found = comment(context, id)
      mayChange(context, found.comment.author)
      editComment(found.comment, checkedBody(request.body))
      return { status: 200, body: context.show.comment(found.thread, found.comment) }
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
  ['GET', /^\/issues\/comments\/(\d+)\/reactions$/, (context, request, [id]) => listReactions(context, comment(context, id).comment.reactions, request)],
  [
    'POST',
    /^\/issues\/comments\/(\d+)\/reactions$/,
    (context, request, [id]) => {
      const found = comment(context, id)
      mayReact(found.thread)
      return react(context, found.comment.reactions, request)
    },
  ],
  ['DELETE', /^\/issues\/comments\/(\d+)\/reactions\/(\d+)$/, (context, _request, [id, key]) => unreact(context, comment(context, id).comment.reactions, key)],
  ['GET', /^\/issues\/(\d+)\/reactions$/, (context, request, [number]) => listReactions(context, thread(context, number).reactions, request)],
  [
    'POST',
    /^\/issues\/(\d+)\/reactions$/,
    (context, request, [number]) => {
      const found = thread(context, number)
      mayReact(found)
      return react(context, found.reactions, request)
    },
  ],
  ['DELETE', /^\/issues\/(\d+)\/reactions\/(\d+)$/, (context, _request, [number, key]) => unreact(context, thread(context, number).reactions, key)],
  ['GET', /^\/pulls$/, listPulls],
  ['POST', /^\/pulls$/, createPull],
  [
    'GET',
    /^\/pulls\/(\d+)$/,
    async (context, _request, [number]) => {
      const found = thread(context, number)
      if (found.pull === undefined) throw notFound()
      await context.repositories.refresh()
      return { status: 200, body: context.show.pull(found, await context.repositories.diff(found.pull)) }
    },
  ],
]

/** Answers one REST request, refusals included. Unknown routes and other people's repositories are 404, as on GitHub. */
export async function rest(context: RestContext, request: ApiRequest): Promise<Reply> {
  const { state } = context
  try {
    const [, owner = '', repo = '', tail = ''] = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(request.path) ?? []
    if (`${owner}/${repo}`.toLowerCase() !== `${state.owner}/${state.repo}`.toLowerCase()) throw notFound()
    for (const [method, path, handler] of routes) {
      const match = method === request.method ? path.exec(tail) : null
      if (match !== null) return await handler(context, request, match.slice(1))
    }
    throw notFound()
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}
