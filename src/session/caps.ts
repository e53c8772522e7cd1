import type { Tokens } from './message.ts'
import { countOf } from './overflow.ts'
import type { Clock } from './record.ts'

/** What a run may use at the most; what is left out is not limited (DECISIONS 2). */
export interface CapLimits {
  /** Tokens sent and produced, those read from a cache included, over all requests of the run. */
  readonly maxTokens?: number
  /** US dollars. */
  readonly maxCost?: number
  /** Milliseconds until the last turn has to be over, counted from when the caps were opened. */
  readonly wallMs?: number
  /** Milliseconds in which nothing at all happens. */
  readonly idleMs?: number
}

/** Why a run had to sum up before it was done. `reason` is half a sentence, for the model and for people. */
export interface Ending {
  readonly cap: 'steps' | 'repeats' | 'tokens' | 'cost' | 'time' | 'idle'
  readonly reason: string
}

/**
 * What a run has used, against what it may use. One object for everything that works for the run: children and small calls get the
 * same, so that they can't spend what the run no longer has.
 */
export interface Caps {
  /** Counts one answer. */
  spend(tokens: Tokens, cost: number): void
  /** Something happened: the idle time begins anew. */
  touch(): void
  /** The first limit that was reached. */
  readonly reached: Ending | undefined
  /** Aborts when the time for work is over: a running step or tool is cut, so that the last turn has its reserve. */
  readonly signal: AbortSignal
  /** Aborts when the last turn, too, has to be over. */
  readonly deadline: AbortSignal
  /** Milliseconds left for work. */
  remaining(): number
  /** Keeps the time, until the returned function is called. May be nested. */
  watch(): () => void
}

/** Longest reserve for the last turn, in ms, and its part of a shorter run. */
const RESERVE = 60_000
const RESERVE_PART = 0.1

/** Opens the caps of a run; its wall time begins now. */
export function openCaps(limits: CapLimits, clock: Clock): Caps {
  const { maxTokens, maxCost, wallMs = Number.POSITIVE_INFINITY, idleMs } = limits
  const end = clock.now() + wallMs
  const workEnd = end - Math.min(RESERVE, wallMs * RESERVE_PART || 0)
  const work = new AbortController()
  const last = new AbortController()
  let reached: Ending | undefined
  let tokens = 0
  let cost = 0
  let touched = clock.now()
  let watchers = 0
  let stop = new AbortController()

  const cut = (ending: Ending) => {
    reached ??= ending
    work.abort()
  }

  const keepTime = async (until: number, then: () => void) => {
    if (until === Number.POSITIVE_INFINITY) return
    const { signal } = stop
    const left = until - clock.now()
    if (left > 0) await clock.sleep(left, signal)
    if (!signal.aborted) then()
  }

  const keepIdle = async (longest: number) => {
    const { signal } = stop
    touched = clock.now()
    while (!signal.aborted && !work.signal.aborted) {
      const quiet = clock.now() - touched
      if (quiet >= longest) return cut({ cap: 'idle', reason: `nothing has happened for ${duration(longest)}` })
      await clock.sleep(longest - quiet, signal)
    }
  }

  return {
    spend(used, money) {
      tokens += countOf(used)
      cost += money
      if (maxTokens !== undefined && tokens >= maxTokens) {
        reached ??= { cap: 'tokens', reason: `the limit of ${count(maxTokens)} tokens is reached (${count(tokens)} were used)` }
      }
      if (maxCost !== undefined && cost >= maxCost)
        reached ??= { cap: 'cost', reason: `the limit of ${dollars(maxCost)} is reached (${dollars(cost)} was spent)` }
    },
    touch() {
      touched = clock.now()
    },
    get reached() {
      return reached
    },
    signal: work.signal,
    deadline: last.signal,
    remaining: () => workEnd - clock.now(),
    watch() {
      if (watchers++ === 0) {
        stop = new AbortController()
        void keepTime(workEnd, () => cut({ cap: 'time', reason: `the time limit of ${duration(wallMs)} is reached` }))
        void keepTime(end, () => last.abort())
        if (idleMs !== undefined) void keepIdle(idleMs)
      }
      return () => {
        if (--watchers === 0) stop.abort()
      }
    },
  }
}

const count = (tokens: number): string => tokens.toLocaleString('en-US')

/** Cents where they say enough, else as many digits as it takes. */
const dollars = (amount: number): string => `$${amount >= 0.1 ? amount.toFixed(2) : amount.toPrecision(2)}`

function duration(ms: number): string {
  const [value, unit] = ms >= 60_000 ? [ms / 60_000, 'minute'] : [ms / 1000, 'second']
  const shown = Number(value.toFixed(1))
  return `${shown} ${unit}${shown === 1 ? '' : 's'}`
}
