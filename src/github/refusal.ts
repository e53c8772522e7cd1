import { z } from 'zod'
import { GitHubError, type GitHubErrorKind } from './errors.ts'

/** What a call is for, in words that fit after "GitHub refused to", and what the token needs for it. */
export interface Purpose {
  readonly action: string
  /** As written in a workflow's `permissions`, such as `issues: write`. */
  readonly permission: string
}

const Thrown = z.object({
  status: z.number(),
  message: z.string(),
  response: z.object({ headers: z.record(z.string(), z.unknown()), data: z.unknown() }).optional(),
})
const Detail = z.union([z.string(), z.object({ message: z.string().optional(), field: z.string().optional(), code: z.string().optional() })])
const Body = z.object({ message: z.string(), errors: z.union([z.array(Detail), z.string()]).optional() })
const GraphQLErrors = z.object({ errors: z.array(z.object({ message: z.string(), type: z.string().optional() })).min(1) })

interface Facts {
  readonly kind: GitHubErrorKind
  readonly status?: number | undefined
  readonly said: string
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** Seconds to wait after a rate limit that names no time: GitHub's documentation asks for at least a minute (C125). */
const unnamedWait = 60

/**
 * The error for what Octokit threw: kind, GitHub's own message, and the permission or setting that is missing.
 * What is no answer of GitHub's (a bug of ours) comes back as it is.
 */
export function refusalOf(error: unknown, purpose: Purpose, now: number = Date.now()): unknown {
  if (error instanceof GitHubError) return error
  const thrown = Thrown.safeParse(error)
  if (!thrown.success) return error
  const { status, message, response } = thrown.data
  if (!response) return describe({ kind: 'network', said: message, cause: error }, purpose)
  const { said, codes } = words(response.data)
  const header = (name: string) => String(response.headers[name] ?? '')
  const exhausted = header('x-ratelimit-remaining') === '0'
  const kind = kindOf(status, said, codes, exhausted)
  const asked = waitOf(header('retry-after'), exhausted ? header('x-ratelimit-reset') : '', now)
  return describe({ kind, status, said, retryAfter: asked ?? (kind === 'rate' ? unnamedWait : undefined), cause: error }, purpose)
}

/** The error in a GraphQL answer of status 200, if there is one. */
export function graphqlRefusal(data: unknown, purpose: Purpose): GitHubError | undefined {
  const parsed = GraphQLErrors.safeParse(data)
  if (!parsed.success) return undefined
  const said = parsed.data.errors.map((error) => error.message).join('; ')
  const type = parsed.data.errors.find((error) => error.type)?.type
  const kind = graphqlKinds.get(type ?? '') ?? (/something went wrong while executing your query/i.test(said) ? 'server' : 'invalid')
  return describe({ kind, said, retryAfter: kind === 'rate' ? unnamedWait : undefined }, purpose)
}

const graphqlKinds: ReadonlyMap<string, GitHubErrorKind> = new Map([
  ['NOT_FOUND', 'missing'],
  ['FORBIDDEN', 'forbidden'],
  ['INSUFFICIENT_SCOPES', 'forbidden'],
  ['RATE_LIMITED', 'rate'],
  ['RATE_LIMIT', 'rate'],
])

/** An answer that is not what GitHub documents: nothing that could be read, or other fields than expected. */
export function unreadable(data: unknown, purpose: Purpose, cause: unknown): GitHubError {
  const nothing = data === '' || data === undefined
  return describe({ kind: nothing ? 'network' : 'invalid', said: nothing ? 'the answer was empty' : 'the answer has an unexpected form', cause }, purpose)
}

/**
 * Seconds to wait before a call is tried again, or undefined when it must not be (C21, C23, C125). `attempt` counts the tries made.
 * A call that would do its work twice goes `once`; one that asks whether it may is `refusable`. Waits of more than two minutes are
 * not worth the job's time (DECISIONS 17).
 */
export function waitAfter(error: GitHubError, attempt: number, { once, refusable }: { once?: boolean; refusable?: boolean }): number | undefined {
  const longest = 120
  if (attempt > 3 || (error.retryAfter ?? 0) > longest) return undefined
  if (error.kind === 'rate') return error.retryAfter ?? unnamedWait
  if (error.kind === 'server' || error.kind === 'network') return once ? undefined : Math.max(attempt ** 2, error.retryAfter ?? 0)
  // Passing now and then for a token that has the right; most often final, so it is not waited for long.
  if (/resource not accessible by integration/i.test(error.said) && error.status === 403) return attempt <= 2 && !refusable ? attempt : undefined
  // What was made a moment ago is not known everywhere yet (C129).
  if (error.status === 422 && /could not resolve to a node/i.test(error.said)) return attempt
  return undefined
}

function kindOf(status: number, said: string, codes: readonly string[], exhausted: boolean): GitHubErrorKind {
  if (status === 429 || (status === 403 && (exhausted || /rate limit|abuse detection/i.test(said))) || codes.includes('abuse')) return 'rate'
  if (status === 423 || (status === 403 && /\blocked\b/i.test(said))) return 'locked'
  if (status === 401) return 'auth'
  if (status === 403) return 'forbidden'
  if (status === 404 || status === 410) return 'missing'
  return status >= 500 ? 'server' : 'invalid'
}

function words(data: unknown): { said: string; codes: readonly string[] } {
  const body = Body.safeParse(data)
  if (!body.success) return { said: 'an answer without a message', codes: [] }
  const details = typeof body.data.errors === 'string' ? [body.data.errors] : (body.data.errors ?? [])
  const more = details.map((detail) => (typeof detail === 'string' ? detail : (detail.message ?? [detail.field, detail.code].filter(Boolean).join(' '))))
  return {
    said: [body.data.message, ...more.filter((text) => text !== '')].join(': '),
    codes: details.flatMap((detail) => (typeof detail === 'string' || !detail.code ? [] : [detail.code])),
  }
}

function waitOf(retryAfter: string, reset: string, now: number): number | undefined {
  const at = (ms: number) => Math.max(0, Math.ceil((ms - now) / 1000) + 1)
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter)
  if (retryAfter !== '' && !Number.isNaN(Date.parse(retryAfter))) return at(Date.parse(retryAfter))
  return /^\d+$/.test(reset) ? at(Number(reset) * 1000) : undefined
}

function describe(facts: Facts, purpose: Purpose): GitHubError {
  const status = facts.status === undefined ? '' : ` (${facts.status})`
  const opening = facts.kind === 'network' ? 'GitHub could not be reached to' : facts.kind === 'server' ? 'GitHub failed when asked to' : 'GitHub refused to'
  return new GitHubError(`${opening} ${purpose.action}: ${facts.said}${status}`, hintFor(facts, purpose), facts)
}

function hintFor({ kind, said }: Facts, { permission }: Purpose): string {
  if (/not permitted to create or approve pull requests/i.test(said))
    return 'Tick "Allow GitHub Actions to create and approve pull requests" in the repository\'s settings under Actions, General (an organisation can have it switched off for all), or pass a token of your own as github-token.'
  switch (kind) {
    case 'auth':
      return 'Check the input github-token: the token is expired, revoked or of another GitHub host.'
    case 'forbidden':
      return `The token needs \`${permission}\`: add it under permissions in the workflow, or to the token given as github-token.`
    case 'locked':
      return 'Unlock the conversation, or use a token of somebody who may write in locked ones.'
    case 'missing':
      return `It is gone, or the token can't see it: check that the repository is right and that the token has \`${permission}\`.`
    case 'rate':
      return 'Too many requests were made with this token. Wait some minutes, then ask again.'
    case 'invalid':
      return 'This will not go away by itself; the message above names what GitHub does not accept.'
    case 'server':
      return "Ask again in some minutes; GitHub's status page shows larger faults."
    case 'network':
      return 'Check that the runner can reach the GitHub API (proxy, firewall), then ask again.'
  }
}
