import type { ApiRequest } from '../../src/local/github/http.ts'
import type { Exchange, Matcher } from '../../src/local/github/journal.ts'

/** The calls a run makes, and how one of them is found again in the next run. */

/** The nth call of a kind within a run. */
export interface Call {
  readonly to: 'api' | 'git' | 'model'
  /** Method and path without the numbers in it, for GraphQL the name of the operation, for git what is asked of it. */
  readonly kind: string
  readonly nth: number
  readonly isRead: boolean
  /** Moves or makes a branch: a push, or its like in the API. */
  readonly isPush: boolean
}

type Asked = Pick<ApiRequest, 'method' | 'path' | 'body'> & { readonly query: ApiRequest['query'] | Exchange['query'] }

/** The calls among some exchanges, each told apart from others of its kind by its number. */
export function callsOf(journal: readonly Exchange[]): Call[] {
  const counts = new Map<string, number>()
  return journal.map((exchange): Call => {
    const kind = kindOf(exchange)
    const nth = (counts.get(kind) ?? 0) + 1
    counts.set(kind, nth)
    const isGit = exchange.kind === 'git'
    const isRead = isGit ? !kind.includes('receive-pack') : exchange.method === 'GET' || kind.includes('query ')
    return { to: isGit ? 'git' : 'api', kind, nth, isRead, isPush: !isRead && (isGit ? exchange.method === 'POST' : /\/git\/refs/.test(kind)) }
  })
}

/** The nth request to the model. */
export const modelCall = (nth: number): Call => ({ to: 'model', kind: 'model', nth, isRead: false, isPush: false })

export const nameOf = ({ kind, nth }: Call): string => (nth === 1 ? kind : `${kind} (${nth})`)

/** Which requests a fault meets: the call alone, all of its kind from there on, or everything from there on. */
export type Reach = 'once' | 'kind' | 'all'

/** Finds the call in a run to come. Every request must be shown to it once; `isLifted` ends it. */
export function meeting(call: Call, reach: Reach, isLifted: () => boolean): { readonly matches: Matcher; met(): boolean } {
  let seen = 0
  const matches = (request: ApiRequest): boolean => {
    if (isLifted()) return false
    const isKind = kindOf(request) === call.kind
    if (isKind) seen += 1
    if (reach === 'once') return isKind && seen === call.nth
    return seen >= call.nth && (reach === 'all' || isKind)
  }
  return { matches, met: () => seen >= call.nth }
}

function kindOf({ method, path, query, body }: Asked): string {
  if (path.endsWith('/graphql')) return `GraphQL ${operationOf(body)}`
  const service = query instanceof URLSearchParams ? query.get('service') : query.service
  // Numbers and commits differ from run to run.
  const name = path.replaceAll(/[0-9a-f]{40}|\d+/g, '#').replace(/^\/repos\/[^/]+\/[^/]+/, '')
  return `${method} ${name}${service ? `?service=${service}` : ''}`
}

function operationOf(body: unknown): string {
  return /(query|mutation)\s+\w+/.exec(JSON.stringify(body ?? ''))?.[0] ?? 'unnamed'
}
