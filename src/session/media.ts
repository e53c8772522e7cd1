import type { Attachment, Part, ToolPart, WithParts } from './message.ts'

/** A line in place of a file. */
export function mediaStub({ mime, filename }: Pick<Attachment, 'mime' | 'filename'>): string {
  return `[Attached ${mime}: ${filename ?? 'without a name'}]`
}

/** Whether a file is sent as such; of text files and directories only the text that goes with them is. */
export function isMedia({ mime }: Pick<Attachment, 'mime'>): boolean {
  return mime !== 'text/plain' && mime !== 'application/x-directory'
}

/** A part in which a media file is replaced by a line that names it. */
export function withoutMedia(part: Part): Part {
  if (part.type !== 'file' || !isMedia(part)) return part
  return { id: part.id, messageID: part.messageID, type: 'text', text: mediaStub(part), synthetic: true }
}

/** Whether messages hold media files, attached by a person or handed back by a tool. */
export function holdsMedia(messages: readonly WithParts[]): boolean {
  return messages.some(({ parts }) => parts.some((part) => (part.type === 'file' ? isMedia(part) : part.type === 'tool' && attachmentsOf(part).length > 0)))
}

/** Files of a finished call that was not cleared; they are cleared with its output. */
export function attachmentsOf({ state }: ToolPart): readonly Attachment[] {
  return state.status === 'completed' && state.time.compacted === undefined ? (state.attachments ?? []) : []
}
