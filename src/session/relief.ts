import { failAnswer, newAnswer } from './answer.ts'
import { stopped } from './asking.ts'
import { compactedHistory, isFromPerson, pendingCompaction } from './compacted-history.ts'
import { compact, requestCompaction } from './compaction.ts'
import { sizeOf } from './compaction-tail.ts'
import { latest } from './exit.ts'
import { refOf } from './fallback.ts'
import { lighten } from './lighten.ts'
import { withoutMedia } from './media.ts'
import type { Assistant, MessageError, WithParts } from './message.ts'
import { countOf, overfills } from './overflow.ts'
import type { RunContext } from './step.ts'

/** What a run has done about a full context since the conversation last fitted (DECISIONS 8). */
export interface Relief {
  tried: 'nothing' | 'compaction' | 'clearing'
  /** The answer whose tokens were looked at last; each is judged once. */
  judged: string | undefined
}

/** A run that had no trouble yet. */
export const noRelief = (): Relief => ({ tried: 'nothing', judged: undefined })

/** What the loop does next: take its step, look again because something was done, or end. */
type Next = 'step' | 'again' | 'stop'

/**
 * Before a step: carries out a compaction that was asked for, or does something about a context that is full. A run whose time, tokens or money
 * are used up has its last turn before it, and makes no room for more.
 */
export async function makeRoom(relief: Relief, context: RunContext): Promise<Next> {
  const { record, caps, signal } = context
  if (caps.reached) return 'step'
  const request = pendingCompaction(record.store.messages())
  if (!request) return relieveFull(relief, context)
  if (relief.tried !== 'compaction') {
    // An earlier run left it behind. What it leads to is noted on it, so it has to be a message of this run to be stored with it.
    requestCompaction({ auto: request.part.auto, overflow: request.part.overflow === true }, context)
    relief.tried = 'compaction'
    return 'again'
  }
  const outcome = await compact(request, context)
  if (outcome === 'continue' || caps.reached) return 'again'
  if (signal.aborted) putAnswer(stopped, undefined, context)
  return 'stop'
}

/**
 * Looks at what the newest finished answer says of the conversation's size, and does something about it when it is over the limit. Where a
 * provider reports no tokens they are estimated from the text (C83). Summaries and failed answers say nothing.
 */
function relieveFull(relief: Relief, context: RunContext): Next {
  const all = context.record.store.messages()
  const answer = all.findLast(({ info }) => info.role === 'assistant' && info.finish !== undefined)?.info
  if (answer?.role !== 'assistant' || answer.summary || answer.error || answer.id === relief.judged) return 'step'
  relief.judged = answer.id
  if (!overfills(countOf(answer.tokens) || estimate(all, context), context.models.current.info, context.compaction)) {
    relief.tried = 'nothing'
    return 'step'
  }
  return relieve(relief, false, context)
}

/** Does something about it that the provider refused a request because of its size. */
export function relieveRefused(relief: Relief, refusal: MessageError, context: RunContext): Next {
  return relieve(relief, true, context, refusal)
}

/**
 * A full context is compacted first. If the very next answer shows that this did not help, or there is nothing to compact, what can be spared is
 * cleared, once. If that doesn't help either the run ends with an error, so that no number of paid attempts follows (C47, C80).
 */
function relieve(relief: Relief, overflow: boolean, context: RunContext, refusal?: MessageError): Next {
  const history = compactedHistory(context.record.store.messages())
  if (relief.tried === 'nothing' && !context.caps.reached && isWorthCompacting(history)) {
    requestCompaction({ auto: true, overflow }, context)
    relief.tried = 'compaction'
    return 'again'
  }
  if (relief.tried !== 'clearing' && lighten(history, context)) {
    relief.tried = 'clearing'
    return 'again'
  }
  giveUp(relief, refusal, context)
  return 'stop'
}

/** Besides a summary there is more than the one message that waits for its answer. */
function isWorthCompacting(history: readonly WithParts[]): boolean {
  const worked = history.some(
    ({ info, parts }) => info.role === 'assistant' && !info.summary && parts.some(({ type }) => type === 'text' || type === 'reasoning' || type === 'tool'),
  )
  return worked || history.filter(isFromPerson).length > 1
}

/** Tokens of the next request by the length of its text; how media are counted differs too much to guess. */
function estimate(all: readonly WithParts[], { models }: RunContext): number {
  return sizeOf(
    compactedHistory(all).map(({ info, parts }) => ({ info, parts: parts.map(withoutMedia) })),
    models.current,
  )
}

/** The run's last message says why it ends: the answer that was refused, or one that is not even asked for. */
function giveUp({ tried }: Relief, refusal: MessageError | undefined, context: RunContext): void {
  const { models, record } = context
  const { providerID, modelID, limit } = models.current.info
  const done = { nothing: '', compaction: ', although it was compacted', clearing: ', although everything that can be spared was left out' }[tried]
  const error: MessageError = {
    ...refusal,
    name: 'ContextOverflowError',
    message: [
      `The conversation does not fit the context window of ${providerID}/${modelID} (${limit.context} tokens)${done}.`,
      'A model with a larger context window, or a new and smaller request, is needed.',
      ...(refusal ? [`The provider said: ${refusal.message}`] : []),
    ].join(' '),
    retryable: false,
  }
  const { assistant } = latest(record.store.messages())
  putAnswer(error, refusal ? assistant?.info : undefined, context)
}

/** Stores an answer that is nothing but an error. */
function putAnswer(error: MessageError, refused: Assistant | undefined, context: RunContext): void {
  const { record, clock, models, agent } = context
  const about = { parentID: latest(record.store.messages()).user.id, agent: agent.name, model: refOf(models.current) }
  failAnswer(refused ?? newAnswer(about, clock.now()), error, context)
}
