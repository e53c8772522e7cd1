import { limits } from '../limits.ts'
import type { Verdict } from './decide.ts'

const HOUR = 3_600_000

export interface BudgetFacts {
  readonly actor: string
  /** In ms since 1970. */
  readonly now: number
  /** When this actor's earlier requests were made, and those of the whole thread, as GitHub says it. */
  readonly byActor: readonly string[]
  readonly inThread: readonly string[]
}

/** Whether one more request may be served: a flood of comments must not become a flood of runs. Only the last hour counts (issue 6). */
export function withinBudget({ actor, now, byActor, inThread }: BudgetFacts): Verdict {
  // A time that does not read as one counts: it can't be told from a recent one.
  const recent = (times: readonly string[]) => times.filter((time) => !(Date.parse(time) <= now - HOUR)).length
  const own = recent(byActor)
  const all = recent(inThread)
  if (own >= limits.actorRequestsPerHour)
    return { allowed: false, reason: `${actor} has made ${own} requests within an hour, and ${limits.actorRequestsPerHour} are served. Ask again later.` }
  if (all >= limits.threadRequestsPerHour)
    return { allowed: false, reason: `This thread has seen ${all} requests within an hour, and ${limits.threadRequestsPerHour} are served. Ask again later.` }
  return { allowed: true, because: `it is request ${own + 1} of ${actor} within an hour` }
}
