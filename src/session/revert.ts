import type { Part, Session } from './message.ts'
import type { Store } from './ports.ts'
import { RevertError } from './refusals.ts'

/** What to go back to: before a message, or before a part of it. */
export interface RevertPoint {
  readonly messageID: string
  readonly partID?: string
}

/**
 * Marks a message, or a part of it, and all that comes after as reverted (the engine's description 2.17). Nothing is removed yet. Where
 * nothing worth keeping stands before the part in its message, or an answer as a whole is meant, its question goes too.
 * Throws `RevertError` when the session holds no such message or part. Files are not touched.
 */
export function markReverted(point: RevertPoint, store: Store): void {
  const { messageID, partID } = point
  const messages = store.messages()
  const at = messages.findIndex(({ info }) => info.id === messageID)
  const target = messages[at]
  if (!target) throw new RevertError(`There is no message ${messageID} in this session.`, 'Name a message of this session.')
  const cut = partID === undefined ? 0 : target.parts.findIndex(({ id }) => id === partID)
  if (cut < 0) throw new RevertError(`There is no part ${partID} in the message ${messageID}.`, 'Name a part of this message, or the message alone.')
  const keeps = target.parts.slice(0, cut).some(({ type }) => type === 'text' || type === 'tool')
  if (partID !== undefined && keeps) {
    store.update({ revert: { messageID, partID } })
    return
  }
  const question = messages.slice(0, at + 1).findLast(({ info }) => info.role === 'user')
  store.update({ revert: { messageID: question?.info.id ?? messageID } })
}

/** Takes the mark back, as long as nothing was removed. */
export function unmarkReverted(store: Store): void {
  store.update({ revert: undefined })
}

/** Removes for good what is marked as reverted: the message and all after it, or the part and all after that. Does nothing without a mark. */
export function removeReverted(store: Store): void {
  const { revert } = store.session
  if (!revert) return
  const messages = store.messages()
  const at = messages.findIndex(({ info }) => info.id === revert.messageID)
  const target = messages[at]
  if (target) {
    const parts = partsFrom(target.parts, revert)
    for (const { info } of messages.slice(parts ? at + 1 : at)) store.removeMessage(info.id)
    for (const { id } of parts ?? []) store.removePart(target.info.id, id)
  }
  unmarkReverted(store)
}

/** The parts to remove; undefined when the whole message goes. */
function partsFrom(parts: readonly Part[], { partID }: NonNullable<Session['revert']>): readonly Part[] | undefined {
  if (partID === undefined) return undefined
  const at = parts.findIndex(({ id }) => id === partID)
  return at < 0 ? [] : parts.slice(at)
}
