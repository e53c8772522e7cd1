import type { Model } from '../model/model.ts'
import { isTurn } from './compacted-history.ts'
import type { WithParts } from './message.ts'
import { type CompactionSettings, estimateTokens, usable } from './overflow.ts'
import { toModelMessages } from './to-model-messages.ts'

/** Tokens of the newest messages that are kept as they are: a quarter of what is usable, within these bounds (the engine's description 2.12). */
const SHARE = 0.25
const LEAST = 2_000
const MOST = 15_000

type Target = Pick<Model, 'info' | 'protocol'>

/** A conversation divided into what is summarised and what is kept as it is. */
export interface Division {
  readonly head: readonly WithParts[]
  readonly tail: readonly WithParts[]
}

/** Tokens the tail may have. */
function tailBudget({ info }: Pick<Target, 'info'>, settings: CompactionSettings): number {
  return settings.preserveRecentTokens ?? Math.min(MOST, Math.max(LEAST, usable(info, settings) * SHARE))
}

/**
 * Chooses the newest turns that fit the budget. The first that doesn't fit is split before the earliest of its later messages
 * from which on it fits; a call and its result are one message, so they stay together (C86). Nothing is kept when nothing fits, and
 * everything is summarised when everything would fit.
 */
export function divide(messages: readonly WithParts[], target: Target, settings: CompactionSettings): Division {
  const turns = messages.flatMap((message, index) => (isTurn(message) ? [index] : []))
  const considered = settings.tailTurns === undefined ? turns : settings.tailTurns <= 0 ? [] : turns.slice(-settings.tailTurns)
  const start = startOfTail(messages, considered, tailBudget(target, settings), (message) => sizeOf([message], target))
  return { head: messages.slice(0, start), tail: messages.slice(start) }
}

/** The first message of the tail; the number of messages when there is none. */
function startOfTail(messages: readonly WithParts[], turns: readonly number[], budget: number, size: (message: WithParts) => number): number {
  const first = turns[0] ?? messages.length
  let start = messages.length
  let total = 0
  for (let index = messages.length - 1; index >= first; index--) {
    const message = messages[index]
    if (!message) break
    total += size(message)
    if (total > budget) break
    start = index
  }
  return start === 0 ? messages.length : start
}

/** Tokens of messages as they are sent, roughly; media count with their data. */
export function sizeOf(messages: readonly WithParts[], target: Target): number {
  return estimateTokens(JSON.stringify(toModelMessages(messages, target)))
}
