import type { World } from '../../src/local/world.ts'
import { type Call, callsOf, modelCall, nameOf } from './calls.ts'
import { type Facts, type Fault, kinds } from './kinds.ts'
import { gistOf, lookAt } from './look.ts'
import type { Scenario } from './scenarios.ts'
import { goOn, onStage, playOn } from './stage.ts'
import { afterNext, afterRun, type Case, type Clean } from './verdict.ts'

/** Plays a scenario once undisturbed and once for each of its calls with each fault, and holds every ending against what must never happen. */

export interface Plan {
  readonly scenario: Scenario
  readonly injections: readonly Injection[]
  readonly facts: Facts
  readonly clean: Clean
  /** What the undisturbed run left behind. */
  readonly gist: string
}

export interface Injection {
  readonly call: Call
  readonly fault: Fault
}

export interface Outcome {
  readonly scenario: string
  readonly call: string
  readonly fault: string
  /** The call was not made this time, so nothing was tried. */
  readonly isMissed: boolean
  /** What must not be and is, in sentences. */
  readonly losses: readonly string[]
  /** What the runs said. */
  readonly log: string
}

/** A run looks at its thread every few seconds; of reads that are alike so many are met. */
const looks = 3

/**
 * Records the calls of an undisturbed run, and which faults fit them: of all there are unless told otherwise. Throws when that run alone leaves
 * something to be desired.
 */
export function planOf(bundle: string, scenario: Scenario, faults: readonly Fault[] = kinds): Promise<Plan> {
  return onStage(bundle, scenario, false, async (stage) => {
    const { world, wire, number } = stage
    const begin = world.github.journal.length
    const played = await playOn(stage)
    const calls = [
      ...callsOf(world.github.journal.slice(begin, played.end)).filter(({ isRead, nth }) => !isRead || nth <= looks),
      ...Array.from({ length: wire.count }, (_, index) => modelCall(index + 1)),
    ]
    const given: Case = { world, scenario, number, fault: { name: 'none' }, clean: undefined, isKept: true }
    const after = await lookAt(world, number, scenario.edit)
    const losses = await afterRun(given, after, played)
    const { conclusion } = played.result.outputs
    if (conclusion !== (scenario.cancelled ? 'cancelled' : 'success')) losses.push(`it ended as ${conclusion}`)
    const next = await goOn(stage, 'is that all?')
    const found = await lookAt(world, number, scenario.edit)
    losses.push(...(await afterNext(given, after, found, played, next)))
    if (losses.length > 0) throw new Error(`${scenario.name}, undisturbed: ${losses.join('; ')}\n${played.result.stdout}\n${next.result.stdout}`)
    const { branch, 'pull-request-operation': operation } = played.result.outputs
    return {
      scenario,
      gist: gistOf(after),
      injections: calls.flatMap((call) => faults.filter((fault) => fault.fits(call)).map((fault) => ({ call, fault }))),
      facts: { branch, isNew: operation === 'created' },
      clean: {
        branches: found.branches.filter(({ name }) => name.startsWith('opencode/')).length,
        commits: Math.max(0, ...found.branches.map(({ commits }) => commits.length)),
        pulls: found.pulls.length,
      },
    }
  })
}

/**
 * Plays a scenario with one fault at one call, and then a further request, unless the run has left behind just what the undisturbed one did: what comes
 * after that was seen already.
 */
export function inject(bundle: string, { scenario, facts, clean, gist }: Plan, { call, fault }: Injection): Promise<Outcome> {
  return onStage(bundle, scenario, fault.needsDisk === true, async (stage) => {
    const { world, number } = stage
    const armed = fault.arm(stage, call, facts)
    const played = await playOn(stage, armed)
    const told = { scenario: scenario.name, call: nameOf(call), fault: fault.name }
    if (!armed.met()) return { ...told, isMissed: true, losses: [], log: '' }
    const given: Case = { world, scenario, number, fault, clean, isKept: stage.act.isKept }
    const found = await lookAt(world, number, scenario.edit)
    const losses = await afterRun(given, found, played)
    const isAsEver = played.result.outputs.conclusion === 'success' && gistOf(found) === gist
    if (isAsEver && losses.length === 0) return { ...told, isMissed: false, losses, log: '' }
    // Both ways to go on with unfinished work are tried, each about as often.
    const isUnfinished = found.thread.checkpoint !== undefined
    const next = await goOn(stage, isUnfinished && fault.name.length % 2 === 0 ? 'continue' : 'is that all?')
    losses.push(...(await afterNext(given, found, await lookAt(world, number, scenario.edit), played, next)))
    return { ...told, isMissed: false, losses, log: losses.length > 0 ? logOf(world, number, played.result.stdout, next.result.stdout) : '' }
  })
}

/** Works through all of it, some at a time, in order. */
export async function sweep(
  bundle: string,
  plan: Plan,
  injections: readonly Injection[],
  abreast: number,
  heard: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const waiting = injections.values()
  const outcomes: Outcome[] = []
  const work = async () => {
    for (const injection of waiting) {
      const outcome = await inject(bundle, plan, injection)
      outcomes.push(outcome)
      heard(outcome)
    }
  }
  await Promise.all(Array.from({ length: abreast }, work))
  return outcomes
}

function logOf(world: World, number: number, ...logs: readonly string[]): string {
  const comments = world.github.thread(number).comments.map(({ id, author, body }) => `${id} ${author}: ${body.slice(0, 600)}`)
  return [...logs, ...comments].join('\n---\n')
}
