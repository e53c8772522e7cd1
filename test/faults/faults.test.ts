import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { kinds } from './kinds.ts'
import { scenarios } from './scenarios.ts'
import { type Plan, planOf, sweep } from './sweep.ts'

/** A sample of the sweep that `npm run faults` makes whole: every so many calls of each scenario, with one fault, of all kinds in turn. */

const bundle = process.env.OPENCODE_ACTION_BUNDLE ?? fileURLToPath(new URL('../../dist/index.js', import.meta.url))
const everywhere = kinds.filter(({ needsDisk }) => !needsDisk)

/** Of the calls of a plan every so many, each with another fault. */
function sampleOf({ injections }: Plan, every: number) {
  const calls = [...Map.groupBy(injections, ({ call }) => call).values()]
  return calls.filter((_, index) => index % every === 0).flatMap((fitting, index) => fitting[(index * 5 + 1) % fitting.length] ?? [])
}

test.each(scenarios.map((scenario) => ({ scenario, every: scenario.name === 'issue' ? 2 : 8 })))(
  '$scenario.name: with a fault in one of its calls the work is kept, the thread tells the truth, and the session goes on',
  { timeout: 300_000 },
  async ({ scenario, every }) => {
    const plan = await planOf(bundle, scenario, everywhere)
    const sample = sampleOf(plan, every)
    const outcomes = await sweep(bundle, plan, sample, 2, () => undefined)
    expect(outcomes.filter(({ isMissed }) => !isMissed)).not.toEqual([])
    expect(outcomes.flatMap(({ call, fault, losses }) => losses.map((loss) => `${call} · ${fault}: ${loss}`))).toEqual([])
  },
)
