import { fileURLToPath } from 'node:url'
import { noDisk } from '../test/faults/disk.ts'
import { kinds } from '../test/faults/kinds.ts'
import { scenarios } from '../test/faults/scenarios.ts'
import { type Outcome, planOf, sweep } from '../test/faults/sweep.ts'

/**
 * Puts every fault into every call of the main paths, one at a time, and prints what survived. `node scripts/faults.ts [scenario…]`: all of them
 * unless some are named. With `FAULTS_LOG=1` a loss is followed by what the runs said. Exits with 1 on any loss.
 */
const bundle = process.env.OPENCODE_ACTION_BUNDLE ?? fileURLToPath(new URL('../dist/index.js', import.meta.url))
const abreast = 2
const named = process.argv.slice(2)
const chosen = scenarios.filter(({ name }) => named.length === 0 || named.includes(name))

const why = await noDisk()
if (why !== undefined) console.log(`Skipped: "disk full", for no disk can be filled here (${why}).`)
const faults = kinds.filter(({ needsDisk }) => why === undefined || !needsDisk)

const rows: string[] = []
let lost = 0
for (const scenario of chosen) {
  const plan = await planOf(bundle, scenario, faults)
  console.log(`${scenario.name}: ${plan.injections.length} faults in ${new Set(plan.injections.map(({ call }) => call)).size} calls`)
  const outcomes = await sweep(bundle, plan, plan.injections, abreast, tell)
  const tried = outcomes.filter(({ isMissed }) => !isMissed)
  const losses = tried.filter((outcome) => outcome.losses.length > 0).length
  lost += losses
  rows.push(row(scenario.name, tried.length, tried.length - losses, losses, outcomes.length - tried.length))
  console.log(rows.at(-1))
}
console.log(['', row('scenario', 'injected', 'survived', 'losses', 'not met'), ...rows].join('\n'))
process.exit(lost > 0 || chosen.length === 0 ? 1 : 0)

function row(name: string, ...figures: readonly (number | string)[]): string {
  return name.padEnd(16) + figures.map((figure) => String(figure).padStart(10)).join('')
}

function tell({ scenario, call, fault, losses, log }: Outcome): void {
  if (losses.length === 0) return
  console.log([`LOSS ${scenario} · ${call} · ${fault}`, ...losses.map((loss) => `     ${loss}`), ...(process.env.FAULTS_LOG ? [log] : [])].join('\n'))
}
