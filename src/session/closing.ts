import type { Ending } from './caps.ts'
import { latest } from './exit.ts'
import type { LoopContext } from './loop.ts'
import type { RepeatGuard } from './repeat-guard.ts'
import type { Closing } from './step.ts'

/**
 * Why the next step has to be the last one, if it has to: the steps are used up, the model goes in circles, or a cap of the run is
 * reached (DECISIONS 1, 2, 4). `step` is the number of the next step, from 1; the run's own limit holds for its subtasks' steps too.
 */
export function endingOf(
  { step, guard }: { readonly step: number; readonly guard: RepeatGuard },
  { agent, maxSteps, caps, tally }: LoopContext,
): Ending | undefined {
  if (caps.reached) return caps.reached
  if (guard.exhausted !== undefined) return { cap: 'repeats', reason: guard.exhausted }
  const limit = tally.steps >= maxSteps ? maxSteps : (agent.steps ?? maxSteps)
  const over = tally.steps >= maxSteps || step >= limit
  return over ? { cap: 'steps', reason: `the limit of ${limit} ${limit === 1 ? 'step' : 'steps'} is reached` } : undefined
}

/** The words with which the last request of a run ends. An answer that is owed in a form is asked for in that form. */
export function closingOf({ reason }: Ending, structured: boolean, { texts, maxStepsRole = 'user' }: LoopContext): Closing {
  if (structured) return { role: 'user', text: texts('reminders/max-steps-structured', { reason }) }
  return { role: maxStepsRole, text: texts(maxStepsRole === 'assistant' ? 'reminders/max-steps-prefill' : 'reminders/max-steps', { reason }) }
}

/** Work that was done is published although nobody could be got to sum it up: what went wrong with the last words is no failure of the run (C63). */
export function forgiveLastWords({ record }: LoopContext): void {
  const { assistant } = latest(record.store.messages())
  if (!assistant?.info.error) return
  const { error: _, ...info } = assistant.info
  record.message(info)
}
