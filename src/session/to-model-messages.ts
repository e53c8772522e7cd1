import type { AssistantModelMessage, FilePart as ModelFile, ModelMessage, ToolModelMessage, UserModelMessage } from 'ai'
import { z } from 'zod'
import type { Model } from '../model/model.ts'
import { clean } from '../text.ts'
import { cleanDeep, cleanToolName } from './clean.ts'
import { attachmentsOf, isMedia } from './media.ts'
import type { Assistant, Attachment, ToolPart, WithParts } from './message.ts'

/** Which model the history is written for. */
type Target = Pick<Model, 'info' | 'protocol'>

type AssistantContent = Exclude<AssistantModelMessage['content'], string>
type UserContent = Exclude<UserModelMessage['content'], string>
type ToolOutput = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>['output']

/** Provider data as it was stored; what is not JSON is not sent. */
const ProviderData = z.record(z.string(), z.record(z.string(), z.json()))

const NO_OUTPUT = '(no output)'
const CLEARED = '[The output of this earlier tool call has been cleared]'
const INTERRUPTED = '[The tool call was interrupted]'
const MEDIA = 'Files from the tool results above:'

/**
 * The history as the AI SDK's messages (rules of the engine's description 2.13). Every tool call that is sent has exactly one
 * result, whatever state it was left in (C30); results stand in call order (C34); empty answers are left out (C37); texts are
 * cleaned (C38). The same history gives the same messages.
 */
export function toModelMessages(history: readonly WithParts[], target: Target): ModelMessage[] {
  const callID = callIDs(target)
  return history.flatMap(({ info, parts }) => {
    if (info.role === 'user') return userMessage(parts, target)
    return isSent(info, parts) ? blocks(parts).flatMap((block) => assistantMessages(info, block, target, callID)) : []
  })
}

function userMessage(parts: WithParts['parts'], target: Target): UserModelMessage[] {
  const content: UserContent = parts.flatMap((part): UserContent => {
    if (part.type === 'text') return part.ignored || part.text.trim() === '' ? [] : [{ type: 'text', text: clean(part.text) }]
    if (part.type === 'file') return isMedia(part) ? [media(part, target)] : []
    if (part.type === 'compaction') return [{ type: 'text', text: 'What has happened in this conversation so far?' }]
    if (part.type === 'subtask') return [{ type: 'text', text: 'The user had this tool executed:' }]
    return []
  })
  if (content.length === 0) return []
  // Some backends take only a plain string where there is nothing but text.
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return [{ role: 'user', content: texts.length === content.length ? texts.join('\n\n') : content }]
}

/** A failed answer is not sent, except what an interrupted one had produced. */
function isSent(info: Assistant, parts: WithParts['parts']): boolean {
  if (!info.error) return true
  return info.error.name === 'MessageAbortedError' && parts.some((part) => part.type !== 'step-start' && part.type !== 'reasoning')
}

/** One assistant message of ours may hold several of the model's: each step-start begins a new one. */
function blocks(parts: WithParts['parts']): WithParts['parts'][] {
  const result: WithParts['parts'][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') result.push([])
    else result.at(-1)?.push(part)
  }
  return result
}

function assistantMessages(info: Assistant, parts: WithParts['parts'], target: Target, callID: (part: ToolPart) => string): ModelMessage[] {
  const same = info.model.providerID === target.info.providerID && info.model.modelID === target.info.modelID
  const content: AssistantContent = []
  const results: ToolModelMessage['content'] = []
  const files: Attachment[] = []

  for (const part of parts) {
    if (part.type === 'text' && !part.ignored && part.text.trim() !== '') {
      content.push({ type: 'text', text: clean(part.text), ...(same ? providerOptions(part.metadata) : {}) })
    } else if (part.type === 'reasoning' && same && !part.metadata?.inline) {
      content.push({ type: 'reasoning', text: clean(part.text), ...providerOptions(part.metadata) })
    } else if (part.type === 'reasoning' && !same && part.text.trim() !== '') {
      content.push({ type: 'text', text: clean(part.text) })
    } else if (part.type === 'tool') {
      const id = callID(part)
      const toolName = cleanToolName(part.tool)
      const executed = part.metadata?.providerExecuted === true && same
      const options = same ? providerOptions(part.metadata?.provider) : {}
      const result = { type: 'tool-result' as const, toolCallId: id, toolName, output: outputOf(part, target) }
      content.push({
        type: 'tool-call',
        toolCallId: id,
        toolName,
        input: cleanDeep(part.state.input),
        ...(executed ? { providerExecuted: true } : {}),
        ...options,
      })
      if (executed) content.push(result)
      else results.push(result)
      if (!takesMediaInResults(target)) files.push(...attachmentsOf(part))
    }
  }

  if (!content.some((part) => part.type === 'text' || part.type === 'tool-call')) return []
  return [
    { role: 'assistant', content },
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
    ...(files.length === 0 ? [] : [{ role: 'user' as const, content: [{ type: 'text' as const, text: MEDIA }, ...files.map((file) => media(file, target))] }]),
  ]
}

function outputOf(part: ToolPart, target: Target): ToolOutput {
  const state = part.state
  if (state.status === 'pending' || state.status === 'running') return { type: 'error-text', value: INTERRUPTED }
  if (state.status === 'error') {
    const partial = state.metadata?.interrupted === true ? state.metadata.output : undefined
    if (typeof partial === 'string' && partial !== '') return { type: 'text', value: clean(partial) }
    return { type: 'error-text', value: clean(state.error) || 'The tool failed without a message.' }
  }
  if (state.time.compacted !== undefined) return { type: 'text', value: CLEARED }
  const value = clean(state.output)
  const files = takesMediaInResults(target) ? attachmentsOf(part) : []
  // An empty string is refused or dropped by some backends (C31).
  if (files.length === 0) return { type: 'text', value: value === '' ? NO_OUTPUT : value }
  return {
    type: 'content',
    value: [...(value === '' ? [] : [{ type: 'text' as const, text: value }]), ...files.map((file) => resultMedia(file, target))],
  }
}

/** Whether the protocol carries files inside a tool result; elsewhere they follow in a user message. */
function takesMediaInResults({ protocol, info }: Target): boolean {
  if (protocol === 'bedrock') return info.modelID.includes('claude')
  return protocol === 'anthropic' || protocol === 'openai-responses' || (protocol === 'google' && info.modelID.includes('gemini-3'))
}

/** A file for a user message, or a line in its place when the model can't read its kind. */
function media(file: Attachment, target: Target): ModelFile | { type: 'text'; text: string } {
  if (!reads(target, file.mime)) return { type: 'text', text: placeholder(file) }
  return { type: 'file', data: dataOf(file.url), mediaType: file.mime, ...(file.filename === undefined ? {} : { filename: file.filename }) }
}

function resultMedia(file: Attachment, target: Target) {
  if (!reads(target, file.mime)) return { type: 'text' as const, text: placeholder(file) }
  const data = dataOf(file.url)
  return { type: 'file' as const, mediaType: file.mime, data: typeof data === 'string' ? { type: 'data' as const, data } : { type: 'url' as const, url: data } }
}

const placeholder = (file: Attachment) =>
  `[Attached ${file.mime}${file.filename === undefined ? '' : `: ${clean(file.filename)}`}; this model can't read such files]`

function reads({ info }: Target, mime: string): boolean {
  const kind = mime === 'application/pdf' ? 'pdf' : mime.split('/')[0]
  return info.inputs.some((input) => input === kind)
}

/** Base64 data of a data URL, or the URL itself. */
function dataOf(url: string): string | URL {
  const match = /^data:[^,]*;base64,(.*)$/s.exec(url)
  return match?.[1] ?? new URL(url)
}

function providerOptions(stored: unknown) {
  const parsed = ProviderData.safeParse(stored)
  return parsed.success ? { providerOptions: parsed.data } : {}
}

/** Call ids as they are sent: in the alphabet the protocol allows and never twice, the same on both sides (C33, C159). */
function callIDs({ protocol }: Target): (part: ToolPart) => string {
  const used = new Set<string>()
  return (part) => {
    const base = (protocol === 'anthropic' || protocol === 'bedrock' ? part.callID.replace(/[^A-Za-z0-9_-]/g, '_') : clean(part.callID).trim()) || 'call'
    let id = base
    for (let n = 2; used.has(id); n++) id = `${base}_${n}`
    used.add(id)
    return id
  }
}
