import type { Account } from '../session/engine.ts'
import { nameOf } from '../session/fallback.ts'
import { type ModelRef, noTokens, type Session, type WithParts } from '../session/message.ts'
import type { InputName } from '../settings/inputs.ts'

/** A session as it was before this run: what is new, and what this run used, is told by it. */
export interface Before {
  readonly messages: readonly WithParts[]
  /** Its running totals. Those of subtasks and titles are in no message. */
  readonly usage: Session['usage']
}

/** The session of a thread before the run; without one, nothing. */
export function beforeOf(messages: readonly WithParts[], session: Session | undefined): Before {
  return { messages, usage: session?.usage ?? { steps: 0, tokens: noTokens, cost: 0 } }
}

/** The input that sets a limit, where there is one. */
const inputOf: Partial<Record<NonNullable<Account['ending']>['cap'], InputName>> = {
  steps: 'max-steps',
  tokens: 'max-tokens',
  cost: 'max-cost-usd',
  time: 'timeout-minutes',
}

/** What people are told of a run beside its answer: why it ended early, and which models failed. */
export function notesOf({ ending, takeovers }: Account): string[] {
  const notes = takeovers.map(({ from, to, because }) => `${nameOf(from)} failed and ${nameOf(to)} took over: ${because}`)
  if (!ending) return notes
  const input = inputOf[ending.cap]
  return [...notes, `The run had to sum up before it was done: ${ending.reason}${input ? ` (input \`${input}\`)` : ''}.`]
}

/** The model that gave the newest answer; the chosen one before there is any. */
export function modelUsed(messages: readonly WithParts[], chosen: ModelRef): string {
  const newest = messages.findLast(({ info }) => info.role === 'assistant')
  return nameOf(newest?.info.model ?? chosen)
}
