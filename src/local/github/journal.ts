import type { IncomingHttpHeaders } from 'node:http'
import type { ApiRequest, Reply } from './http.ts'

/** One request the emulated GitHub got, and what it answered. */
export interface Exchange {
  /** `file`: a download of an attachment or a log, which is no part of the API. */
  readonly kind: 'rest' | 'graphql' | 'git' | 'file'
  readonly method: string
  /** Without the API's base: starts with `/repos/`, `/graphql` or, for git, the repository. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** In lower case; `authorization` among them, so that a test sees where the token went. */
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
  readonly status: number
  readonly response: unknown
  /** The answer was a fault set by a test, not GitHub's own. */
  readonly injected: boolean
}

export type Matcher = (request: ApiRequest) => boolean

/** A predicate, or the parts of a request that must agree: a path as text must be equal, as an expression must be found. */
export type Match = Matcher | { readonly method?: string; readonly path?: string | RegExp; readonly body?: RegExp }

/**
 * What a fault answers. `reset` cuts the connection: before the request is carried out, after (the write happened, the answer is lost),
 * or in the middle of the answer.
 */
export type FaultReply = Reply | { readonly reset: 'before' | 'during' | 'after' }

export interface Hooks {
  /** Answers the next `times` matching requests with `reply` instead of GitHub's own answer. */
  fault(match: Match, reply: FaultReply, times?: number): void
  /** Runs `act` before each matching request is served, at most `times` times. */
  before(match: Match, act: (request: ApiRequest) => void | Promise<void>, times?: number): void
  take(request: ApiRequest): Promise<FaultReply | undefined>
}

/** A match as the question it asks. */
export const matcherOf = (match: Match): Matcher => {
  if (typeof match === 'function') return match
  const { method, path, body } = match
  return (request) =>
    (method === undefined || method === request.method) &&
    (path === undefined || (typeof path === 'string' ? path === request.path : path.test(request.path))) &&
    (body === undefined || body.test(JSON.stringify(request.body ?? '')))
}

/** The faults and hooks of one emulated GitHub, served in the order they were set. */
export function createHooks(): Hooks {
  const faults: { match: Matcher; reply: FaultReply; left: number }[] = []
  const acts: { match: Matcher; act: (request: ApiRequest) => void | Promise<void>; left: number }[] = []
  return {
    fault: (match, reply, times = 1) => void faults.push({ match: matcherOf(match), reply, left: times }),
    before: (match, act, times = Number.POSITIVE_INFINITY) => void acts.push({ match: matcherOf(match), act, left: times }),
    async take(request) {
      for (const entry of acts) {
        if (entry.left <= 0 || !entry.match(request)) continue
        entry.left -= 1
        await entry.act(request)
      }
      const fault = faults.find((entry) => entry.left > 0 && entry.match(request))
      if (fault !== undefined) fault.left -= 1
      return fault?.reply
    },
  }
}
