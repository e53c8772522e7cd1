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
export interface Manner extends Purpose {
  /** Changes something at GitHub; such calls are spaced once there are many. */
  readonly write?: boolean
  /** Would do its work twice if sent twice, so it is not sent again after an answer that got lost. */
  readonly once?: boolean
  /** A missing permission is an answer to it and not waited for. */
  readonly refusable?: boolean
}

/** A call with the form its answer has. */
export interface Call<T> extends Manner {
  readonly shape: z.ZodType<T>
}

/** What Octokit hands back. */
interface Response {
  readonly data: unknown
  readonly headers: Readonly<Record<string, string | number | undefined>>
}

/** GitHub's answer, read, with its headers. */
export interface Answer<T> {
  readonly data: T
  header(name: string): string | undefined
}

/** One HTTP client for GitHub: retries, spacing, counting, and errors for people. */
export interface Gateway {
  rest<T>(call: Call<T>, request: (octokit: Octokit) => Promise<Response>): Promise<T>
  /** The same with the headers of the answer. */
  answer<T>(call: Call<T>, request: (octokit: Octokit) => Promise<Response>): Promise<Answer<T>>
  /** All entries of a list that comes in pages, as far as `most`. The call's shape is that of one page. */
  list<T>(call: Call<readonly T[]>, request: (octokit: Octokit, page: Page) => Promise<Response>, most?: number): Promise<readonly T[]>
  graphql<T>(call: Call<T>, query: string, variables: Readonly<Record<string, unknown>>): Promise<T>
  /** Gets what GitHub keeps at another host, by an address it signed. Our token is not sent, and nothing is tried again. */
  download(url: string): Promise<globalThis.Response>
  pause(seconds: number): Promise<void>
  readonly requests: number
}

interface Page {
  readonly page: number
  readonly per_page: number
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

  const counted = (url: string, init: RequestInit): Promise<globalThis.Response> => {
    requests += 1
    return fetch(url, { ...init, signal: AbortSignal.timeout(requestTimeout) })
  }

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
        fetch: counted,
      },
    })
  }

  const send = async <T>(call: Manner, request: (octokit: Octokit) => Promise<T>): Promise<T> => {
    octokit ??= load()
    const client = await octokit
    for (let attempt = 1; ; attempt++) {
      if (call.write) await takeTurn()
      try {
        return await request(client)
      } catch (thrown) {
        const error = refusalOf(thrown, call)
        if (!(error instanceof GitHubError)) throw error
        const wait = waitAfter(error, attempt, call)
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

  const answer = <T>(call: Call<T>, request: (octokit: Octokit) => Promise<Response>): Promise<Answer<T>> =>
    send(call, async (client) => {
      const { data, headers } = await request(client)
      return { data: read(call, data), header: (name) => headers[name]?.toString() }
    })

  return {
    answer,
    rest: async (call, request) => (await answer(call, request)).data,
    async list(call, request, most = Number.POSITIVE_INFINITY) {
      const entries = []
      for (let page = 1; entries.length < most; page++) {
        const { data, header } = await answer(call, (octokit) => request(octokit, { page, per_page: 100 }))
        entries.push(...data)
        if (!/rel="next"/.test(header('link') ?? '')) break
      }
      return entries.slice(0, most)
    },
    download: (url) => counted(url, {}),
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
