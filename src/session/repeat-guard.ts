/** Identical calls after which the model is told, and after which the run is brought to an end (DECISIONS 4, C52). */
const TELL = 3
const STOP = 6

/** Watches for a model that goes in circles, across the steps of one run. No setting removes it. */
export interface RepeatGuard {
  /** Notes a call; the number of times it has been made when the model is to be told now. */
  call(tool: string, input: unknown): number | undefined
  /** Notes a call that could not be understood: unknown tool or bad arguments (C59, C60). */
  malformed(): void
  /** Why the run should end with its next step, if it should. */
  readonly exhausted: string | undefined
}

/**
 * A fresh guard. A call nobody has made yet in this run is progress and sets all counts back, so that running the tests after each
 * new edit is no repetition, while going back and forth between the same few calls is.
 */
export function repeatGuard(): RepeatGuard {
  const counts = new Map<string, number>()
  const seen = new Set<string>()
  let bad = 0
  let exhausted: string | undefined
  return {
    call(tool, input) {
      bad = 0
      const key = `${tool} ${stable(input)}`
      if (!seen.has(key)) counts.clear()
      seen.add(key)
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      if (count >= STOP) exhausted = `the same call of ${tool} was repeated ${count} times without getting further`
      return count === TELL ? count : undefined
    },
    malformed() {
      bad++
      if (bad >= STOP) exhausted = `${bad} tool calls in a row could not be understood`
    },
    get exhausted() {
      return exhausted
    },
  }
}

/** JSON with sorted keys: the order of arguments makes no other call. */
function stable(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ''
  )
}
