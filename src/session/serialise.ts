import type { Texts } from '../prompt/texts.ts'
import { clean, excerpt } from '../text.ts'
import { attachmentsOf, isMedia, mediaStub } from './media.ts'
import type { Part, ToolPart, WithParts } from './message.ts'

/** Characters of one tool result, or of one call's arguments, that a summary is made from (the engine's description 2.12). */
const RESULT = 2_000

/** What the text of a summary request is made from. */
export interface SummaryMaterial {
  readonly texts: Texts
  /** What is to be summarised. */
  readonly head: readonly WithParts[]
  /** The summary of what came before the head. */
  readonly prior: string | undefined
  /** What plugins add behind the conversation. */
  readonly context: readonly string[]
  /** Takes the place of the template, and goes in front. */
  readonly prompt: string | undefined
}

/** The one user message a summary is asked for with. */
export function summaryRequest({ texts, head, prior, context, prompt }: SummaryMaterial): string {
  const material = [...(prior === undefined ? [] : [tagged('prior-summary', prior)]), tagged('conversation', serialise(head))]
  const blocks = prompt === undefined ? [...material, ...context, texts('compaction/template')] : [prompt, '# The conversation', ...material, ...context]
  return clean(blocks.join('\n\n'))
}

/** The content can't close its tag. */
function tagged(tag: string, content: string): string {
  return `<${tag}>\n${content.replaceAll(`</${tag}`, `<\\/${tag}`)}\n</${tag}>`
}

/** Messages as text, each thing said or done under a label; long tool results are cut, media are only named. */
export function serialise(messages: readonly WithParts[]): string {
  return messages
    .flatMap(({ info, parts }) => (info.role === 'user' ? parts.flatMap(userLines) : isFailed(info.error) ? [] : parts.flatMap(assistantLines)))
    .join('\n\n')
}

const isFailed = (error: { readonly name: string } | undefined) => error !== undefined && error.name !== 'MessageAbortedError'

function userLines(part: Part): string[] {
  if (part.type === 'text') return part.ignored || part.text.trim() === '' ? [] : [`[User]: ${part.text}`]
  if (part.type === 'file') return isMedia(part) ? [`[User]: ${mediaStub(part)}`] : []
  return part.type === 'subtask' ? [`[User]: had a subtask done by ${part.agent}: ${part.prompt}`] : []
}

function assistantLines(part: Part): string[] {
  if (part.type === 'text') return part.ignored || part.text.trim() === '' ? [] : [`[Assistant]: ${part.text}`]
  if (part.type === 'reasoning') return part.text.trim() === '' ? [] : [`[Assistant reasoning]: ${part.text}`]
  if (part.type !== 'tool') return []
  return [`[Assistant tool call]: ${part.tool}(${cut(JSON.stringify(part.state.input))})`, ...resultLines(part)]
}

function resultLines(part: ToolPart): string[] {
  const { state } = part
  if (state.status === 'error') return [`[Tool error]: ${cut(state.error)}`]
  if (state.status !== 'completed') return ['[Tool error]: the call was interrupted']
  if (state.time.compacted !== undefined) return ['[Tool result]: (cleared earlier)']
  return [`[Tool result]: ${cut(state.output)}`, ...attachmentsOf(part).map(mediaStub)]
}

function cut(text: string): string {
  return text.length <= RESULT ? text : `${excerpt(text, RESULT)}\n[${text.length - RESULT} more characters]`
}
