import type { Assistant, CompactionPart, Part, User, WithParts } from './message.ts'

type UserMessage = WithParts & { readonly info: User }
type AssistantMessage = WithParts & { readonly info: Assistant }

/** A user message that asks for a compaction, and its part. */
export interface CompactionRequest {
  readonly info: User
  readonly parts: readonly Part[]
  readonly part: CompactionPart
}

/** The request for a compaction that a message holds. */
export function compactionIn({ info, parts }: WithParts): CompactionRequest | undefined {
  const part = parts.find(({ type }) => type === 'compaction')
  return info.role === 'user' && part?.type === 'compaction' ? { info, parts, part } : undefined
}

/** Whether a message is somebody's turn, and not a request to compact. */
export function isTurn(message: WithParts): message is UserMessage {
  return message.info.role === 'user' && !compactionIn(message)
}

/** Whether a user message holds something of a person, rather than only words of ours. */
export function isFromPerson(message: WithParts): message is UserMessage {
  return (
    isTurn(message) && message.parts.some((part) => part.type === 'file' || part.type === 'agent' || (part.type === 'text' && !part.synthetic && !part.ignored))
  )
}

/** Whether a message is a summary that can stand for what it summarises: finished and without an error (C87). */
export function isUsableSummary({ info }: WithParts): boolean {
  return info.role === 'assistant' && info.summary === true && info.finish !== undefined && !info.error
}

/**
 * The history as the model gets it (the engine's description 2.12): the newest usable summary with its request, the messages that were kept
 * as they are, then everything later. Without a usable summary, everything. Requests and summaries of other compactions,
 * be they older, failed or unfinished, are left out, so that a failed one changes nothing (C87). The store keeps all of it.
 */
export function compactedHistory(all: readonly WithParts[]): readonly WithParts[] {
  const effective = effectiveCompaction(all)
  const others = all.filter((message) => !compactionIn(message) && !isSummary(message))
  if (!effective) return others.length === all.length ? all : others
  const { at, request, summary, tailStart } = effective
  const from = tailStart === undefined ? at : all.findIndex(({ info }) => info.id === tailStart)
  const kept = new Set(all.slice(from < 0 || from > at ? at : from))
  return [request, summary, ...others.filter((message) => kept.has(message))]
}

function effectiveCompaction(all: readonly WithParts[]) {
  const summary = all.findLast((message): message is AssistantMessage => isUsableSummary(message))
  const at = all.findIndex(({ info }) => info.id === summary?.info.parentID)
  const request = all[at]
  const found = request && compactionIn(request)
  return summary && found ? { at, request, summary, tailStart: found.part.tailStart } : undefined
}

const isSummary = ({ info }: WithParts) => info.role === 'assistant' && info.summary === true

/** The newest request to compact that is still to be carried out: nothing has been finished since. */
export function pendingCompaction(all: readonly WithParts[]): CompactionRequest | undefined {
  const finished = all.findLastIndex(({ info }) => info.role === 'assistant' && info.finish !== undefined)
  return all.slice(finished + 1).reduce<CompactionRequest | undefined>((found, message) => compactionIn(message) ?? found, undefined)
}
