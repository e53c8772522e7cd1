import { setTimeout as sleep } from 'node:timers/promises'
import type { Octokit } from '@octokit/rest'
import type { z } from 'zod'
import { GitHubError } from './errors.ts'
import { graphqlRefusal, type Purpose, refusalOf, unreadable, waitAfter } from './refusal.ts'
import type { Connection } from './types.ts'

export interface GatewayOptions {
  readonly userAgent?: string
  /** Hears about waits and half answers. */
  readonly log?: (message: string) => void
  /** Length of a second of waiting, in ms; the tests shorten it. */
  readonly second?: number
}

/** How one call may be made. */
export interface Call<T> extends Purpose {
  readonly shape: z.ZodType<T>
  /** Changes something at GitHub; such calls are spaced once there are many. */
  readonly write?: boolean
  /** Would do its work twice if sent twice, so it is not sent again after an answer that got lost. */
  readonly once?: boolean
}

/** One HTTP client for GitHub: retries, spacing, counting, and errors for people. */
export interface Gateway {
  rest<T>(call: Call<T>, request: (octokit: Octokit) => Promise<{ data: unknown }>): Promise<T>
  graphql<T>(call: Call<T>, query: string, variables: Readonly<Record<string, unknown>>): Promise<T>
  pause(seconds: number): Promise<void>
  readonly requests: number
}

/** How long one request may take, in ms; far above what GitHub needs, far below a job's time. */
const requestTimeout = 60_000

/**
 * Opens the one HTTP client. Octokit is loaded at the first call, since it costs a start that may find nothing to do.
 *
 * Octokit's retry and throttling plugins are not used: their queues add 14 ms to a read and 23 ms to a write even when nothing
 * fails, they repeat a POST whose answer got lost (C125), and they know nothing of the older wordings of a rate limit.
 */
export function openGateway(connection: Connection, options: GatewayOptions): Gateway {
  const second = options.second ?? 1000
  const log = options.log ?? (() => undefined)
  const pause = (seconds: number): Promise<void> => sleep(seconds * second)
  const takeTurn = spacing(second)
  let requests = 0
  let octokit: Promise<Octokit> | undefined

  const load = async (): Promise<Octokit> => {
    const { Octokit } = await import('@octokit/rest')
    const quiet = { debug: () => undefined, info: () => undefined, warn: log, error: () => undefined }
    return new Octokit({
      auth: connection.token,
      baseUrl: connection.apiUrl.replace(/\/+$/, ''),
      userAgent: options.userAgent ?? 'opencode-action',
      log: quiet,
      request: {
        log: quiet,
        fetch: (url: string, init: RequestInit) => {
          requests += 1
          return fetch(url, { ...init, signal: AbortSignal.timeout(requestTimeout) })
        },
      },
    })
  }

  const send = async <T>(call: Call<T>, request: (octokit: Octokit) => Promise<T>): Promise<T> => {
    octokit ??= load()
    const client = await octokit
    for (let attempt = 1; ; attempt++) {
      if (call.write) await takeTurn()
      try {
        return await request(client)
      } catch (thrown) {
        const error = refusalOf(thrown, call)
        if (!(error instanceof GitHubError)) throw error
        const wait = waitAfter(error, attempt, !call.once)
        if (wait === undefined) throw error
        log(`${error.message}. Trying again in ${wait} s.`)
        await pause(wait)
      }
    }
  }

  const read = <T>(call: Call<T>, data: unknown): T => {
    const parsed = call.shape.safeParse(data)
    if (!parsed.success) throw unreadable(data, call, parsed.error)
    return parsed.data
  }

  return {
    rest: (call, request) => send(call, async (client) => read(call, (await request(client)).data)),
    graphql: (call, query, variables) =>
      send(call, async (client) => {
        const { data } = await client.request({ method: 'POST', url: connection.graphqlUrl, query, variables })
        const refused = graphqlRefusal(data, call)
        if (!refused) return read(call, data)
        // Half an answer is common (a field the token may not see); what is needed decides whether it is enough.
        const partial = call.shape.safeParse(data)
        if (!partial.success) throw refused
        log(`${refused.message}. The rest of the answer is used.`)
        return partial.data
      }),
    pause,
    get requests() {
      return requests
    },
  }
}

/**
 * Spaces writes as GitHub asks (one a second), but lets the first twenty of a run pass at once: a normal run makes ten, and
 * the limit it guards against is eighty a minute.
 */
function spacing(second: number): () => Promise<void> {
  const burst = 20
  let taken = 0
  let next = 0
  return async () => {
    taken += 1
    if (taken <= burst) return
    const now = Date.now()
    const turn = Math.max(now, next)
    next = turn + second
    if (turn > now) await sleep(turn - now)
  }
}
