import { adviceOf } from '../failure.ts'
import { GitHubError } from '../github/errors.ts'
import type { GitHub } from '../github/types.ts'
import type { TriageIntent } from '../tool/triage.ts'

/** What became of wishes: sentences about what was done, and about what was not. */
export interface Sorted {
  readonly done: readonly string[]
  readonly notes: readonly string[]
}

/** One thing to do, and how people are told of it. */
interface Step {
  readonly plan: string
  readonly done: string
  carryOut(github: GitHub, number: number): Promise<void>
}

/** Carries out what the model wants done to an issue or pull request. Each part fails alone, as a note; closing comes last. */
export async function publishTriage(github: GitHub, number: number, intent: TriageIntent): Promise<Sorted> {
  const done: string[] = []
  const notes: string[] = []
  for (const step of stepsOf(intent)) {
    try {
      await step.carryOut(github, number)
      done.push(step.done)
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error
      notes.push(`This could not be done: ${step.plan} ${adviceOf(error)}`)
    }
  }
  return { done, notes }
}

/** What would be done, as sentences. */
export function plannedTriage(intent: TriageIntent): readonly string[] {
  return stepsOf(intent).map(({ plan }) => plan)
}

function stepsOf({ add, remove, assign, close }: TriageIntent): readonly Step[] {
  const labels = (names: readonly string[]): string => `the ${names.length === 1 ? 'label' : 'labels'} ${named(names)}`
  const steps: Step[] = []
  if (add.length > 0) {
    const text = `Set ${labels(add)}.`
    steps.push({ plan: text, done: text, carryOut: (github, number) => github.addLabels(number, add) })
  }
  for (const label of remove) {
    const text = labels([label])
    steps.push({ plan: `Take away ${text}.`, done: `Took away ${text}.`, carryOut: (github, number) => github.removeLabel(number, label) })
  }
  if (assign.length > 0)
    steps.push({ plan: `Assign ${named(assign)}.`, done: `Assigned ${named(assign)}.`, carryOut: (github, number) => github.assign(number, assign) })
  if (close) {
    const reason = close === 'completed' ? 'completed' : 'not planned'
    steps.push({ plan: `Close it as ${reason}.`, done: `Closed it as ${reason}.`, carryOut: (github, number) => github.close(number, close) })
  }
  return steps
}

const named = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')
