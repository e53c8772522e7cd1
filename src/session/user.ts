import type { Texts } from '../prompt/texts.ts'
import { ascending } from './id.ts'
import type { Attachment, ModelRef, Part, Source, User, WithParts } from './message.ts'
import type { Incoming } from './ports.ts'
import type { Clock, Recorder } from './record.ts'

/** What a user message is made from: text, or a file by its URL. */
export type PromptPart = { readonly type: 'text'; readonly text: string; readonly synthetic?: boolean } | ({ readonly type: 'file' } & Attachment)

interface Context {
  readonly record: Recorder
  readonly clock: Clock
  readonly texts: Texts
}

/**
 * Stores a user message with its parts, in the order given. A text file that comes as a data URL is followed by a synthetic part with its
 * content, which is what the model reads (the engine's description 2.2).
 */
export function putUser(parts: readonly PromptPart[], about: { agent: string; model: ModelRef; source?: Source | undefined }, context: Context): WithParts {
  const { record, clock } = context
  const now = clock.now()
  const { source, ...rest } = about
  const info: User = { role: 'user', id: ascending('msg', now), time: { created: now }, ...rest, ...(source ? { source } : {}) }
  record.message(info)
  return {
    info,
    parts: parts.flatMap((part) => expanded(part, context)).map((part): Part => record.part({ ...part, id: ascending('prt', now), messageID: info.id })),
  }
}

/** Stores a message that arrived while the loop runs, in the wrapped form in which it is sent from then on (DECISIONS 13). */
export function putIncoming({ text, source }: Incoming, about: { agent: string; model: ModelRef }, context: Context): void {
  const wrapped = context.texts('reminders/queued-message', { author: source.author, text: text.replaceAll('</system-reminder', '<\\/system-reminder') })
  putUser([{ type: 'text', text: wrapped }], { ...about, source }, context)
}

function expanded(part: PromptPart, { texts }: Context): PromptPart[] {
  const content = part.type === 'file' && part.mime === 'text/plain' ? textOf(part.url) : undefined
  if (part.type !== 'file' || content === undefined) return [part]
  return [part, { type: 'text', synthetic: true, text: texts('attached-file', { name: part.filename ?? 'without a name', content }) }]
}

/** The text of a data URL; undefined for any other URL. */
function textOf(url: string): string | undefined {
  const match = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url)
  if (!match) return undefined
  const data = match[2] ?? ''
  return match[1] ? Buffer.from(data, 'base64').toString('utf8') : decodeURIComponent(data)
}
