import type { Message, Part, Session, WithParts } from './message.ts'
import type { Store } from './ports.ts'

/**
 * A session held in memory. Messages keep the order in which they were first put, parts the order within their message;
 * putting one again replaces it in place. What `messages()` returned earlier never changes afterwards.
 * `putPart` throws when its message is unknown: that would be a fault of ours.
 */
export function memoryStore(session: Session, messages: readonly WithParts[] = []): Store {
  let current = session
  const removed: string[] = []
  const entries = new Map<string, { info: Message; parts: Map<string, Part> }>()
  for (const { info, parts } of messages) entries.set(info.id, { info, parts: new Map(parts.map((part) => [part.id, part])) })

  return {
    get session() {
      return current
    },
    update(change) {
      current = { ...current, ...change }
    },
    messages: () => [...entries.values()].map(({ info, parts }) => ({ info, parts: [...parts.values()] })),
    putMessage(info) {
      entries.set(info.id, { info, parts: entries.get(info.id)?.parts ?? new Map() })
    },
    putPart(part) {
      const entry = entries.get(part.messageID)
      if (!entry) throw new Error(`part ${part.id} belongs to no stored message (${part.messageID})`)
      entry.parts.set(part.id, part)
    },
    removeMessage(id) {
      if (entries.delete(id)) removed.push(id)
    },
    removePart(messageID, partID) {
      entries.get(messageID)?.parts.delete(partID)
    },
    removed: () => [...removed],
  }
}
