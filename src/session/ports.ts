import type { Message, MessageError, Part, Session, WithParts } from './message.ts'

/** The three ways the engine touches the outside. It knows no GitHub, no disk and no clock beyond these. */

/** Messages and parts of one session, in order. */
export interface Store {
  readonly session: Session
  update(change: Partial<Session>): void
  messages(): readonly WithParts[]
  putMessage(info: Message): void
  putPart(part: Part): void
  removeMessage(id: string): void
  removePart(messageID: string, partID: string): void
  /** Ids of the messages that were removed, in order: what is kept of the session elsewhere has to forget them too. */
  removed(): readonly string[]
}

/** What arrived since the last look: texts of people who may speak to the running loop. */
export interface Inbox {
  poll(): Promise<readonly Incoming[]>
}

export interface Incoming {
  readonly text: string
  readonly source: { readonly kind: 'comment'; readonly id: number; readonly author: string; readonly url: string }
}

export type Status = { type: 'idle' } | { type: 'busy' } | { type: 'retry'; attempt: number; message: string; next: number }

/** A compaction that worked: the message with the summary, and why it was made. */
export interface Compacted {
  readonly messageID: string
  readonly auto: boolean
  /** The provider had refused a request because of its size. */
  readonly overflow: boolean
}

export type SessionEvent =
  | { type: 'message'; info: Message }
  | { type: 'part'; part: Part }
  | { type: 'status'; status: Status }
  | { type: 'error'; error: MessageError }
  | ({ type: 'compacted' } & Compacted)

/** Hears everything that happens. Progress comments, logs and checkpoints are listeners. Must not throw. */
export type Sink = (event: SessionEvent) => void
