import { stopped } from './asking.ts'
import type { Ending } from './caps.ts'
import { closingOf, endingOf, forgiveLastWords } from './closing.ts'
import { compactedHistory } from './compacted-history.ts'
import { type Latest, latest, type Move, nextMove } from './exit.ts'
import { refOf } from './fallback.ts'
import type { Assistant, MessageError, WithParts } from './message.ts'
import type { Inbox } from './ports.ts'
import { pruneOutputs } from './prune-outputs.ts'
import type { Recorder } from './record.ts'
import { makeRoom, noRelief, type Relief, relieveRefused } from './relief.ts'
import { type RepeatGuard, repeatGuard } from './repeat-guard.ts'
import { retryDelay, waitToRetry } from './retry.ts'
import { type Closing, type RunContext, type StepResult, takeStep } from './step.ts'
import { missed, noStructure, type Structured, structuredOutput } from './structured.ts'
import { pendingSubtasks, runSubtasks } from './subtask.ts'
import { putIncoming } from './user.ts'

/** An empty answer is asked for again this often (DECISIONS 3). */
const EMPTY_RETRIES = 2

export interface LoopContext extends RunContext {
  readonly inbox: Inbox
  /** Steps of this run at the most; the agent's own limit may be lower (DECISIONS 2). */
  readonly maxSteps: number
  /** Who says the last words of the last request: the user, or, as OpenCode has it, the model (`experimental.max_steps_role`, DECISIONS 1). */
  readonly maxStepsRole?: 'user' | 'assistant'
  /** Told why the run has to sum up before it is done. */
  readonly onEnding?: (ending: Ending) => void
  /** What is begun beside the first step and must not hold it up, such as the title. */
  readonly onFirstStep?: () => void
}

/** What one run of the loop keeps in mind between its steps. */
interface Run {
  readonly guard: RepeatGuard
  step: number
  empties: number
  worked: boolean
  /** The last step was cut off in the middle, because the time for work is over. */
  cut: boolean
  /** The form the answer has to have, and how often the model missed it. */
  structured: Structured | undefined
  misses: number
  /** What was done about a full context. */
  readonly relief: Relief
}

/**
 * The session loop: take in what arrived, read the history, end if the newest answer settles it, make room if the context is full,
 * otherwise take one model step, and again. It ends after the last allowed step, after a step that failed, or when the signal aborts; the newest answer is returned
 * and says which (`error`). Pending subtasks and compaction have their place between the exit test and the step.
 */
export async function runLoop(given: LoopContext): Promise<WithParts> {
  const { record, signal, caps, models } = given
  // The time for work ends before the run does, and the model may change on the way.
  const context: LoopContext = {
    ...given,
    signal: AbortSignal.any([signal, caps.signal]),
    get model() {
      return models.current
    },
  }
  const run: Run = { guard: repeatGuard(), step: 0, empties: 0, worked: false, cut: false, structured: undefined, misses: 0, relief: noRelief() }
  const unwatch = caps.watch()
  try {
    while (!signal.aborted) {
      record.status({ type: 'busy' })
      await takeIn(context)
      if (signal.aborted) break
      const all = record.store.messages()
      const newest = latest(all)
      run.structured ??= await structuredOutput(newest.user.format, context.texts)
      const move = moveOf(run, newest)
      if (move === 'done') break
      if (run.step === 0) context.onFirstStep?.()

      const subtasks = pendingSubtasks(all)
      if (subtasks.length > 0 && !caps.reached) {
        run.step++
        context.tally.steps++
        await runSubtasks(subtasks, newest.user, context)
        run.worked = true
        continue
      }
      const room = await makeRoom(run.relief, context)
      if (room === 'again') continue
      if (room === 'stop') break

      // Work without a word about it: one request for the reply (C63). Without work there is nothing to tell: ask again (C50).
      const owed = move === 'empty' && run.worked
      if (move === 'empty' && !owed && !(await mayAskAgain(run, context))) break
      if (signal.aborted) break

      run.step++
      context.tally.steps++
      const ending = endingOf(run, context)
      if (ending) context.onEnding?.(ending)
      const closing = ending ? closingOf(ending, run.structured !== undefined, context) : owed ? summaryRequest(context) : undefined
      const step = { history: compactedHistory(all), user: newest.user, guard: run.guard, closing, structured: run.structured }
      const { outcome, worked, refusal } = await takeStep(step, closing ? { ...context, signal: AbortSignal.any([signal, caps.deadline]) } : context)
      run.worked ||= worked
      run.cut = outcome === 'cut'
      if (refusal && relieveRefused(run.relief, refusal, context) === 'again') continue
      if (closing) close(run, outcome, given)
      if (refusal || outcome === 'stop' || closing || isUnformed(run, context)) break
    }
    if (context.compaction?.prune) pruneOutputs(context)
    if (signal.aborted) {
      await context.team.children.idle(record.store.session.id)
      markStopped(run, context)
    }
  } finally {
    unwatch()
  }
  return resultOf(record.store.messages())
}

/** What comes next. A step that was cut is followed by the last one, and an answer that lacks its form is no end. */
function moveOf(run: Run, newest: Latest): Move {
  const move = nextMove(newest, run.step > 0)
  const unfinished = run.cut || (run.structured !== undefined && run.step > 0)
  return unfinished ? 'step' : move
}

/** Counts answers that had to have a form and lacked it; once too often, the newest gets its error. */
function isUnformed(run: Run, { record }: LoopContext): boolean {
  if (!run.structured || run.cut) return false
  const { assistant } = latest(record.store.messages())
  if (!assistant || !missed(assistant.parts)) return false
  if (++run.misses <= run.structured.retries) return false
  fail(assistant.info, noStructure(run.misses, assistant.parts), record)
  return true
}

const summaryRequest = ({ texts }: LoopContext): Closing => ({ role: 'user', text: texts('reminders/summary-request') })

/** After the last request of a run. */
function close(run: Run, outcome: StepResult['outcome'], context: LoopContext): void {
  const { record, signal } = context
  const { assistant } = latest(record.store.messages())
  if (!assistant || signal.aborted) return
  if (run.structured) {
    if (outcome !== 'stop') fail(assistant.info, noStructure(run.misses + 1, assistant.parts), record)
  } else if (run.worked) forgiveLastWords(context)
}

function fail(message: Assistant, error: MessageError, record: Recorder): void {
  record.message({ ...message, error })
  record.error(error)
}

async function takeIn(context: LoopContext): Promise<void> {
  for (const incoming of await context.inbox.poll()) {
    const { format } = latest(context.record.store.messages()).user
    putIncoming(incoming, { agent: context.agent.name, model: refOf(context.model), ...(format ? { format } : {}) }, context)
  }
}

/** Waits before an empty answer is asked for again; once too often, the answer gets its error. */
async function mayAskAgain(run: Run, context: LoopContext): Promise<boolean> {
  const { record, clock, signal } = context
  run.empties++
  if (run.empties <= EMPTY_RETRIES) {
    await waitToRetry(run.empties, 'The model’s answer was empty.', retryDelay(run.empties, undefined, clock.now()), record, clock, signal)
    return true
  }
  const { assistant } = latest(record.store.messages())
  const cut = assistant?.info.finish === 'length'
  const error: MessageError = cut
    ? { name: 'OutputLengthError', message: 'The model used up its output limit without an answer.' }
    : { name: 'EmptyAnswerError', message: `The model answered ${run.empties} times with nothing.` }
  if (assistant) fail(assistant.info, error, record)
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
export function resultOf(messages: readonly WithParts[]): WithParts {
  const found = messages.findLast(({ info }) => info.role === 'assistant') ?? messages.at(-1)
  if (!found) throw new Error('a session without messages has no result')
  return found
}
