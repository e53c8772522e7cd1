import type { RestContext } from './context.ts'
import { asHtml } from './html.ts'
import { type ApiRequest, notFound, Refusal, type Reply } from './http.ts'
import { actionRoutes } from './routes/actions.ts'
import { branchRoutes } from './routes/branches.ts'
import { commentRoutes } from './routes/comments.ts'
import { dataRoutes } from './routes/data.ts'
import { issueRoutes } from './routes/issues.ts'
import { pullRoutes } from './routes/pulls.ts'
import { reviewRoutes } from './routes/reviews.ts'
import { searchIssues } from './routes/search.ts'

const routes = [...issueRoutes, ...commentRoutes, ...pullRoutes, ...reviewRoutes, ...actionRoutes, ...dataRoutes]

/** Answers one REST request, refusals included. Unknown routes and repositories that are not here are 404, as on GitHub. */
export async function rest(context: RestContext, request: ApiRequest): Promise<Reply> {
  try {
    return asHtml(context.state, context.urls, request, await find(context, request))
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}

async function find(context: RestContext, request: ApiRequest): Promise<Reply> {
  const { repositories } = context
  if (request.method === 'GET' && request.path === '/search/issues') return searchIssues(context, request)
  const [, owner = '', repo = '', tail = ''] = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(request.path) ?? []
  const name = `${owner}/${repo}`
  if (owner === '' || !repositories.exists(name)) throw notFound()
  const isOwn = name.toLowerCase() === repositories.own.toLowerCase()
  for (const [method, path, handler] of branchRoutes) {
    const match = method === request.method ? path.exec(tail) : null
    if (match !== null) return await handler(context, request, isOwn ? repositories.own : name, parametersOf(match))
  }
  // Of a fork no more is shown than its branches.
  for (const [method, path, handler] of isOwn ? routes : []) {
    const match = method === request.method ? path.exec(tail) : null
    if (match !== null) return await handler(context, request, parametersOf(match))
  }
  throw notFound()
}

const parametersOf = (match: RegExpExecArray): string[] => match.slice(1).map((part) => decodeURIComponent(part))
