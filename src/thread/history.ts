import type { CompactionPart, Message, Part, WithParts } from '../session/message.ts'
import type { Turn } from './codec.ts'

/**
 * The messages of a thread, from its turns in order. A later turn may carry a message again (it then replaces the earlier state, in the
 * earlier place) or say which earlier messages are to be forgotten. Turns may be missing, so what refers to a message that is gone goes too:
 * an answer without its question, and the mark in a compaction where its tail begins. A tool call and its result are one part, so they
 * stay together by construction (C86).
 */
export function historyOf(turns: readonly Turn[]): WithParts[] {
  const messages = new Map<string, WithParts>()
  for (const turn of turns) {
    for (const id of turn.removed ?? []) messages.delete(id)
    for (const message of turn.messages) messages.set(message.info.id, message)
  }
  const all = [...messages.values()]
  const questions = new Set(all.filter(({ info }) => info.role === 'user').map(({ info }) => info.id))
  const kept = all.filter(({ info }) => info.role === 'user' || questions.has(info.parentID))
  const ids = new Set(kept.map(({ info }) => info.id))
  return kept.map(({ info, parts }) => ({ info, parts: parts.map((part) => (isCut(part, ids) ? { ...part, tailStart: undefined } : part)) }))
}

function isCut(part: Part, ids: ReadonlySet<Message['id']>): part is CompactionPart {
  return part.type === 'compaction' && part.tailStart !== undefined && !ids.has(part.tailStart)
}
