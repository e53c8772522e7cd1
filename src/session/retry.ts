import type { Fault } from './errors.ts'
import type { MessageError } from './message.ts'
import type { Clock, Recorder } from './record.ts'

/** Milliseconds before the first retry, doubled each time up to the cap (OpenCode's numbers); retries of one step at the most. */
const FIRST = 2_000
const CAP = 30_000
const MAX_RETRIES = 5
/** A provider may ask for at most this long, in ms; past it the run says so instead of sleeping (DECISIONS 17). */
const LONGEST = 120_000

/**
 * How long to wait before retry number `attempt` (from 1), in ms: `retry-after-ms`, then `retry-after` as seconds or as a date
 * in the future, else 2 s doubled each time up to 30 s. Values that make no sense are ignored.
 */
export function retryDelay(attempt: number, headers: Readonly<Record<string, string>> | undefined, now: number): number {
  return askedFor(headers, now) ?? Math.min(CAP, FIRST * 2 ** (attempt - 1))
}

function askedFor(headers: Readonly<Record<string, string>> | undefined, now: number): number | undefined {
  const found = (name: string) =>
    Object.entries(headers ?? {})
      .find(([key]) => key.toLowerCase() === name)?.[1]
      .trim()
  const ms = Number(found('retry-after-ms') || Number.NaN)
  if (ms >= 0) return ms
  const after = found('retry-after')
  if (!after) return undefined
  const seconds = Number(after)
  if (seconds >= 0) return Math.ceil(seconds * 1000)
  // The oldest of the three forms of a date in HTTP names no zone, and means GMT.
  const date = /(GMT|UTC|Z|[+-]\d{4})$/i.test(after) ? after : `${after} GMT`
  const until = Number.isNaN(seconds) ? Date.parse(date) - now : Number.NaN
  return until > 0 ? Math.ceil(until) : undefined
}

/** Whether to try again, after how long; or the error to end with. */
export type Retry = { readonly wait: number } | { readonly give: MessageError }

/**
 * Decides about retry number `attempt` (from 1) after a fault: bounded, one layer (C56), quota errors final (C57), no long sleeps
 * and none longer than the `left` milliseconds of the run (DECISIONS 17).
 */
export function decideRetry(attempt: number, fault: Fault, now: number, left = Number.POSITIVE_INFINITY): Retry {
  if (!fault.error.retryable) return { give: fault.error }
  if (attempt > MAX_RETRIES) return { give: { ...fault.error, message: `${fault.error.message} (tried ${attempt} times)` } }
  const wait = retryDelay(attempt, fault.headers, now)
  if (wait <= Math.min(LONGEST, left)) return { wait }
  const shown = wait < 60_000 ? `${Math.ceil(wait / 1000)} seconds` : `${Math.ceil(wait / 60_000)} minutes`
  const why = wait <= LONGEST ? `trying again in ${shown} would be past the end of the run` : `the provider asks to wait ${shown}, longer than a run waits`
  return { give: { ...fault.error, message: `${fault.error.message} (${why})` } }
}

/** Announces a retry and waits for it; ends early when the signal aborts. */
export async function waitToRetry(attempt: number, message: string, wait: number, record: Recorder, clock: Clock, signal: AbortSignal): Promise<void> {
  record.status({ type: 'retry', attempt, message, next: clock.now() + wait })
  await clock.sleep(wait, signal)
}
