import type { Texts } from '../prompt/texts.ts'
import { clean, excerpt } from '../text.ts'
import { isFromPerson } from './compacted-history.ts'
import { mediaStub, withoutMedia } from './media.ts'
import type { Part, TextPart, ToolPart, WithParts } from './message.ts'
import { charsOf, usable } from './overflow.ts'
import type { RunContext } from './step.ts'
import { clearOutput, isClearable } from './tool-state.ts'

/** Characters of a tool result, or of a text of ours, that are kept in any case. */
const SHORT = 2_000
/** A result of fewer characters is hardly longer than the placeholder that would take its place. */
const PLACEHOLDER = 200
/** What is kept of the text that came with the newest message: this share of it, and at the most this share of what is usable. */
const KEPT = 0.25
const ROOM = 0.5
/** The share of the kept text that its opening gets. */
const OPENING = 0.25

/**
 * Makes the history smaller for good where it hurts least, when compacting did not help or there is nothing to compact: tool output is
 * cleared, that of the newest calls cut short; media are only named; text of ours that came with the newest message, such as the
 * thread on GitHub, is cut to its opening and its newest part, with a note (C47). No word of a person or of an answer is touched.
 * Returns whether anything became smaller.
 */
export function lighten(history: readonly WithParts[], context: RunContext): boolean {
  const { record, clock, texts, models, compaction } = context
  const working = history.findLast(({ info, parts }) => info.role === 'assistant' && parts.some(({ type }) => type === 'tool'))
  const newest = history.findLast(isFromPerson)
  const room = charsOf(usable(models.current.info, compaction) * ROOM)

  const lighter = (message: WithParts, part: Part): Part => {
    if (part.type === 'tool') return message === working ? withShortOutput(part) : withoutOutput(part, clock.now())
    if (part.type === 'file') return withoutMedia(part)
    return part.type === 'text' && part.synthetic && message === newest ? withNewestText(part, room, texts) : part
  }
  const changes = history.flatMap((message) =>
    message.parts.flatMap((part) => {
      const made = lighter(message, part)
      return made === part ? [] : [made]
    }),
  )
  for (const part of changes) record.part(part)
  return changes.length > 0
}

function withoutOutput(part: ToolPart, now: number): ToolPart {
  return isClearable(part) && weightOf(part) > PLACEHOLDER ? clearOutput(part, now) : part
}

function withShortOutput(part: ToolPart): ToolPart {
  if (part.state.status !== 'completed' || !isClearable(part) || weightOf(part) <= SHORT) return part
  const { attachments = [], ...state } = part.state
  const kept = [excerpt(state.output, SHORT), ...attachments.map(mediaStub), '[The rest was left out, because it did not fit the model’s context window]']
  return { ...part, state: { ...state, output: kept.join('\n') } }
}

/** Characters a call's result has as it is sent. */
function weightOf({ state }: ToolPart): number {
  if (state.status !== 'completed') return 0
  return state.output.length + (state.attachments ?? []).reduce((sum, { url }) => sum + url.length, 0)
}

function withNewestText(part: TextPart, room: number, texts: Texts): TextPart {
  const { text } = part
  if (text.length <= SHORT) return part
  const kept = Math.floor(Math.min(room, text.length * KEPT))
  const opening = text.slice(0, lineEnd(text, kept * OPENING))
  const rest = text.slice(lineEnd(text, text.length - kept * (1 - OPENING)))
  const note = texts('compaction/cut', { count: String(text.length - opening.length - rest.length) })
  return { ...part, text: clean([opening, note, rest].join('\n\n')) }
}

/** Where the line ends that holds this place; the place itself in a line that goes on and on. */
function lineEnd(text: string, place: number): number {
  const at = Math.max(0, Math.floor(place))
  const end = text.indexOf('\n', at)
  return end < 0 || end - at > SHORT ? at : end
}
