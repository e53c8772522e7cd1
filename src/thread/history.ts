import type { CompactionPart, Message, Part, WithParts } from '../session/message.ts'
import type { Turn } from './codec.ts'

/**
 * The messages of a thread, from its turns in order. A later turn may carry a message again (it then replaces the earlier state, in the
 * earlier place) or say which earlier messages are to be forgotten. Turns may be missing, so what refers to a message that is gone goes too:
 * an answer without its question, and the mark in a compaction where its tail begins. A tool call and its result are one part, so they
 * stay together by construction (C86).
 */
export function historyOf(turns: readonly Pick<Turn, 'messages' | 'removed'>[]): WithParts[] {
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

/**
 * What an undo takes back: the ids of the messages that the newest turn added, in order. Turns of which nothing is left, because they were
 * taken back before or added nothing, are passed over.
 */
export function newestAdded(turns: readonly Pick<Turn, 'messages' | 'removed'>[]): string[] {
  const left = new Set(historyOf(turns).map(({ info }) => info.id))
  const known = new Set<string>()
  const added = turns.map(({ messages }) => {
    const ids = messages.map(({ info }) => info.id).filter((id) => !known.has(id))
    for (const id of ids) known.add(id)
    return ids.filter((id) => left.has(id))
  })
  return added.findLast((ids) => ids.length > 0) ?? []
}

function isCut(part: Part, ids: ReadonlySet<Message['id']>): part is CompactionPart {
  return part.type === 'compaction' && part.tailStart !== undefined && !ids.has(part.tailStart)
}
