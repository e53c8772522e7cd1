import type { Clock } from '../../src/session/record.ts'

/** A clock that stands still until it is moved. */
export function steppedClock(start = Date.UTC(2026, 8, 15)) {
  let now = start
  const sleepers = new Set<{ until: number; wake: () => void }>()
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const sleeper = {
          until: now + ms,
          wake: () => {
            sleepers.delete(sleeper)
            signal.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal.addEventListener('abort', sleeper.wake, { once: true })
      }),
  }
  return {
    ...clock,
    /** Lets time pass and wakes whoever waited for it. */
    async move(ms: number) {
      now += ms
      for (const sleeper of [...sleepers]) if (sleeper.until <= now) sleeper.wake()
      await new Promise(setImmediate)
    },
    /** How many wait. */
    get sleepers() {
      return sleepers.size
    },
  }
}
