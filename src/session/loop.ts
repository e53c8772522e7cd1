import { latest, nextMove } from './exit.ts'
import type { MessageError, WithParts } from './message.ts'
import type { Inbox } from './ports.ts'
import { type RepeatGuard, repeatGuard } from './repeat-guard.ts'
import { retryDelay, waitToRetry } from './retry.ts'
import { type RunContext, stopped, takeStep } from './step.ts'
import { putIncoming } from './user.ts'

/** An empty answer is asked for again this often (DECISIONS 3). */
const EMPTY_RETRIES = 2

export interface LoopContext extends RunContext {
  readonly inbox: Inbox
  /** Steps of this run at the most; the agent's own limit may be lower (DECISIONS 2). */
  readonly maxSteps: number
}

/** What one run of the loop keeps in mind between its steps. */
interface Run {
  readonly guard: RepeatGuard
  step: number
  empties: number
  worked: boolean
}

/**
 * The session loop: take in what arrived, read the history, end if the newest answer settles it, otherwise take one model step,
 * and again. It ends after the last allowed step, after a step that failed, or when the signal aborts; the newest answer is returned
 * and says which (`error`). Pending subtasks and compaction have their place between the exit test and the step.
 */
export async function runLoop(context: LoopContext): Promise<WithParts> {
  const { record, signal } = context
  const run: Run = { guard: repeatGuard(), step: 0, empties: 0, worked: false }
  try {
    while (!signal.aborted) {
      record.status({ type: 'busy' })
      await takeIn(context)
      if (signal.aborted) break
      const history = record.store.messages()
      const newest = latest(history)
      const move = nextMove(newest, run.step > 0)
      if (move === 'done') break

      // Work without a word about it: one request for the reply (C63). Without work there is nothing to tell: ask again (C50).
      const owed = move === 'empty' && run.worked
      if (move === 'empty' && !owed && !(await mayAskAgain(run, context))) break

      run.step++
      const closing = owed ? context.texts('reminders/summary-request') : lastStep(run, context)
      const { outcome, worked } = await takeStep({ history, user: newest.user, guard: run.guard, closing }, context)
      run.worked ||= worked
      if (outcome === 'stop' || closing !== undefined) break
    }
    if (signal.aborted) markStopped(run, context)
  } finally {
    record.status({ type: 'idle' })
  }
  return result(record.store.messages())
}

async function takeIn(context: LoopContext): Promise<void> {
  const { providerID, modelID } = context.model.info
  for (const incoming of await context.inbox.poll()) putIncoming(incoming, { agent: context.agent.name, model: { providerID, modelID } }, context)
}

/** The text that closes the last step's request, when this is the last step (DECISIONS 1, 2, 4). */
function lastStep({ step, guard }: Run, { agent, maxSteps, texts }: LoopContext): string | undefined {
  const limit = Math.min(agent.steps ?? maxSteps, maxSteps)
  const reason = guard.exhausted ?? (step >= limit ? `the limit of ${limit} steps is reached` : undefined)
  return reason === undefined ? undefined : texts('reminders/max-steps', { reason })
}

/** Waits before an empty answer is asked for again; once too often, the answer gets its error. */
async function mayAskAgain(run: Run, context: LoopContext): Promise<boolean> {
  const { record, clock, signal } = context
  run.empties++
  if (run.empties <= EMPTY_RETRIES) {
    await waitToRetry(run.empties, 'The model’s answer was empty.', retryDelay(run.empties, undefined, clock.now()), record, clock, signal)
    return !signal.aborted
  }
  const { assistant } = latest(record.store.messages())
  const cut = assistant?.info.finish === 'length'
  const error: MessageError = cut
    ? { name: 'OutputLengthError', message: 'The model used up its output limit without an answer.' }
    : { name: 'EmptyAnswerError', message: `The model answered ${run.empties} times with nothing.` }
  if (assistant) record.message({ ...assistant.info, error })
  record.error(error)
  return false
}

/** A run stopped between two steps says so on its newest answer. */
function markStopped(run: Run, { record, clock }: LoopContext): void {
  const { assistant } = latest(record.store.messages())
  if (!assistant || run.step === 0 || assistant.info.error) return
  record.message({ ...assistant.info, time: { ...assistant.info.time, completed: clock.now() }, error: stopped })
  record.error(stopped)
}

/** The newest answer; without one, the newest message. */
function result(messages: readonly WithParts[]): WithParts {
  const found = messages.findLast(({ info }) => info.role === 'assistant') ?? messages.at(-1)
  if (!found) throw new Error('a session without messages has no result')
  return found
}
