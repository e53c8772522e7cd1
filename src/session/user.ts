import { z } from 'zod'
import type { Texts } from '../prompt/texts.ts'
import { ascending } from './id.ts'
import { AgentPart, Attachment, type Part, type Source, SubtaskPart, TextPart, type User, type WithParts } from './message.ts'
import type { Incoming } from './ports.ts'
import type { Clock, Recorder } from './record.ts'

/** What a user message is made from. Also what plugins hand back for a command, so it is checked there. */
export const PromptPart = z.discriminatedUnion('type', [
  TextPart.pick({ type: true, text: true, synthetic: true }),
  // Its address is `data:`, or `file:` with `?start=` and `?end=` for a range of lines; other addresses are the model's to fetch.
  Attachment.extend({
    /** The file is a resource of an MCP server. */
    resource: z.object({ server: z.string(), uri: z.string() }).optional(),
  }),
  AgentPart.omit({ id: true, messageID: true }),
  SubtaskPart.omit({ id: true, messageID: true }),
])
export type PromptPart = z.infer<typeof PromptPart>

/** A part that has no id and no message yet. */
export type Piece = Part extends infer Each ? (Each extends Part ? Omit<Each, 'id' | 'messageID'> : never) : never

/** A text by the harness rather than by a person. */
export const synthetic = (text: string) => ({ type: 'text', text, synthetic: true }) satisfies Piece

interface About extends Pick<User, 'agent' | 'model' | 'format'> {
  readonly source?: Source | undefined
}

interface Context {
  readonly record: Recorder
  readonly clock: Clock
}

/** Stores a user message and then its parts, in the order given. */
export function putUser(pieces: readonly Piece[], about: About, context: Context): WithParts {
  const { record, clock } = context
  const now = clock.now()
  const { source, ...rest } = about
  const info: User = { role: 'user', id: ascending('msg', now), time: { created: now }, ...rest, ...(source ? { source } : {}) }
  return putMessage(info, toParts(pieces, info.id, now), record)
}

/** The pieces as parts of a message, with ascending ids. */
export function toParts(pieces: readonly Piece[], messageID: string, now: number): Part[] {
  return pieces.map((piece): Part => ({ ...piece, id: ascending('prt', now), messageID }))
}

/** Stores a message, then its parts. */
export function putMessage(info: User, parts: readonly Part[], record: Recorder): WithParts {
  record.message(info)
  return { info, parts: parts.map((part) => record.part(part)) }
}

/** Stores a message that arrived while the loop runs, in the wrapped form in which it is sent from then on (DECISIONS 13). */
export function putIncoming({ text, source }: Incoming, about: About, context: Context & { readonly texts: Texts }): void {
  const wrapped = context.texts('reminders/queued-message', { author: source.author, text: text.replaceAll('</system-reminder', '<\\/system-reminder') })
  putUser([{ type: 'text', text: wrapped }], { ...about, source }, context)
}
