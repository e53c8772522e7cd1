import type { Part, ToolPart, ToolState } from '../session/message.ts'
import { counted, cut } from '../text.ts'
import type { Turn } from './codec.ts'

export interface Pruned {
  /** Marked lossy when something was left out. */
  readonly turn: Turn
  readonly fits: boolean
  /** What was left out, in words: "12 tool outputs", "the reasoning of 3 messages". */
  readonly left: readonly string[]
}

/** What can be given up, least valuable first. Never the text of a person or of an answer. */
const kinds = ['details', 'output', 'file', 'reasoning', 'input'] as const
type Kind = (typeof kinds)[number]

interface Cut {
  readonly kind: Kind
  /** Index of the message, and of the part where the cut concerns one part only. */
  readonly message: number
  readonly part: number | undefined
  readonly chars: number
}

/** Below this a cut frees less than its trace costs. */
const worthwhile = 100
/** What is kept of a long string in a tool's input or error, in characters. */
const keptChars = 200

/**
 * Fits a turn into `room` as `measure` counts it, leaving out as little as possible in this order: details of tool calls that no model
 * reads; tool outputs, with their attachments, the biggest first and of two of about the same size the older; files given as data;
 * reasoning, together with the provider's metadata that refers to it; long values in tool inputs and errors.
 * An output that was left out is marked compacted, so that the engine sends its placeholder. Before all that goes, in the same order, what
 * messages hold that a summary stands for: no request repeats them.
 */
export function prune(turn: Turn, room: number, measure: (turn: Turn) => number): Pruned {
  if (measure(turn) <= room) return { turn, fits: true, left: [] }
  const all = kinds.flatMap((kind) => cutsOf(turn, kind))
  const past = summarised(turn)
  const cuts = [...all.filter(({ message }) => message < past), ...all.filter(({ message }) => message >= past)]
  if (cuts.length === 0) return { turn, fits: false, left: [] }
  // The fewest cuts that fit, by halving: each attempt compresses the whole turn.
  let fewest = cuts.length
  let best = apply(turn, cuts)
  const fits = measure(best) <= room
  for (let low = 1; fits && low < fewest; ) {
    const middle = Math.floor((low + fewest) / 2)
    const attempt = apply(turn, cuts.slice(0, middle))
    if (measure(attempt) <= room) {
      fewest = middle
      best = attempt
    } else low = middle + 1
  }
  return { turn: best, fits, left: inWords(cuts.slice(0, fewest)) }
}

/** How many messages, from the first on, the turn's newest summary stands for. The messages kept beside it may begin in an earlier turn. */
function summarised({ messages }: Turn): number {
  const summary = messages.findLast(({ info }) => info.role === 'assistant' && info.summary && info.finish !== undefined && !info.error)?.info
  if (summary?.role !== 'assistant') return 0
  const at = messages.findIndex(({ info }) => info.id === summary.parentID)
  const request = messages[at]?.parts.find(({ type }) => type === 'compaction')
  if (request?.type !== 'compaction') return 0
  const { tailStart } = request
  return tailStart === undefined
    ? at
    : Math.max(
        0,
        messages.slice(0, at).findIndex(({ info }) => info.id === tailStart),
      )
}

function cutsOf(turn: Turn, kind: Kind): Cut[] {
  const cuts = turn.messages.flatMap((message, index): Cut[] => {
    if (kind === 'reasoning') {
      const chars = message.parts.reduce((sum, part) => sum + reasoningChars(part), 0)
      return chars > 0 ? [{ kind, message: index, part: undefined, chars }] : []
    }
    return message.parts.flatMap((part, at): Cut[] => {
      const chars = charsOf(part, kind)
      return chars >= worthwhile ? [{ kind, message: index, part: at, chars }] : []
    })
  })
  return kind === 'output' ? cuts.toSorted((a, b) => magnitude(b) - magnitude(a)) : cuts
}

function magnitude(cut: Cut): number {
  return Math.floor(Math.log2(cut.chars))
}

/** What a cut of this kind would free in this part, in characters. */
function charsOf(part: Part, kind: Exclude<Kind, 'reasoning'>): number {
  if (part.type === 'file') return kind === 'file' && part.url.startsWith('data:') ? part.url.length : 0
  if (part.type !== 'tool') return 0
  const { state } = part
  const shown = state.status === 'completed' && state.time.compacted === undefined
  const output = state.status === 'completed' ? state.output.length + jsonLength(state.attachments) : 0
  switch (kind) {
    case 'details':
      return (state.status === 'pending' ? 0 : jsonLength(state.metadata)) + (shown ? 0 : output)
    case 'output':
      return shown ? output : 0
    case 'input':
      return jsonLength(state) - jsonLength(shortened(state))
    case 'file':
      return 0
  }
}

function reasoningChars(part: Part): number {
  if (part.type === 'reasoning') return jsonLength(part)
  return part.type === 'text' || part.type === 'tool' ? jsonLength(providerMetadata(part)) : 0
}

/** Metadata that goes with the reasoning; that a provider ran the tool itself is a fact the engine needs and stays. */
function providerMetadata(part: Extract<Part, { type: 'text' | 'tool' }>): object | undefined {
  if (part.type === 'text' || !part.metadata) return part.metadata
  const rest = Object.entries(part.metadata).filter(([key]) => key !== 'providerExecuted')
  return rest.length > 0 ? Object.fromEntries(rest) : undefined
}

function apply(turn: Turn, cuts: readonly Cut[]): Turn {
  const chosen = new Set(cuts.map(({ kind, message, part }) => `${kind} ${message} ${part}`))
  const messages = turn.messages.map(({ info, parts }, index) => ({
    info,
    parts: parts.flatMap((part, at) => {
      let kept: Part | undefined = part
      for (const kind of kinds) {
        const cut = chosen.has(`${kind} ${index} ${kind === 'reasoning' ? undefined : at}`)
        if (cut && kept) kept = without(kept, kind)
      }
      return kept ? [kept] : []
    }),
  }))
  return { ...turn, messages, lossy: true }
}

/** The part as it is kept; undefined when nothing of it is. */
function without(part: Part, kind: Kind): Part | undefined {
  if (kind === 'reasoning') {
    if (part.type === 'reasoning') return undefined
    if (part.type === 'text') return { ...part, metadata: undefined }
    if (part.type !== 'tool' || !part.metadata) return part
    const { providerExecuted } = part.metadata
    return { ...part, metadata: providerExecuted === undefined ? undefined : { providerExecuted } }
  }
  if (part.type === 'file' && kind === 'file') {
    const text = `[The file ${part.filename ?? part.source?.path ?? 'without a name'} (${part.mime}) was left out of the thread's memory.]`
    return { id: part.id, messageID: part.messageID, type: 'text', text, synthetic: true }
  }
  return part.type === 'tool' ? withoutIn(part, kind) : part
}

function withoutIn(part: ToolPart, kind: Kind): ToolPart {
  const { state } = part
  if (kind === 'input') return { ...part, state: shortened(state) }
  if (state.status === 'pending') return part
  if (state.status !== 'completed') return kind === 'details' ? { ...part, state: { ...state, metadata: undefined } } : part
  const details = kind === 'details' ? { ...state, metadata: {} } : state
  if (kind === 'output' || (kind === 'details' && state.time.compacted !== undefined)) return { ...part, state: withoutOutput(details) }
  return { ...part, state: details }
}

function withoutOutput(state: Extract<ToolState, { status: 'completed' }>): ToolState {
  return { ...state, output: '', attachments: undefined, time: { ...state.time, compacted: state.time.compacted ?? state.time.end } }
}

function shortened(state: ToolState): ToolState {
  const input = Object.fromEntries(Object.entries(state.input).map(([key, value]) => [key, shortValue(value)]))
  if (state.status === 'pending') return { ...state, input, raw: shortText(state.raw) }
  if (state.status === 'error') return { ...state, input, error: shortText(state.error) }
  return { ...state, input }
}

function shortValue(value: unknown): unknown {
  if (typeof value === 'string') return shortText(value)
  const chars = jsonLength(value)
  return chars > keptChars + worthwhile ? `[${chars} characters left out]` : value
}

function shortText(text: string): string {
  if (text.length <= keptChars + worthwhile) return text
  const kept = cut(text, keptChars)
  return `${kept}… [${text.length - kept.length} characters left out]`
}

function jsonLength(value: unknown): number {
  return value === undefined ? 0 : JSON.stringify(value).length
}

const names: Record<Kind, (count: number) => string> = {
  details: (count) => `the details of ${counted(count, 'tool call')}`,
  output: (count) => counted(count, 'tool output'),
  file: (count) => counted(count, 'attached file'),
  reasoning: (count) => `the reasoning of ${counted(count, 'message')}`,
  input: (count) => `parts of ${counted(count, 'tool input')}`,
}

function inWords(cuts: readonly Cut[]): string[] {
  return kinds.flatMap((kind) => {
    const count = cuts.filter((cut) => cut.kind === kind).length
    return count > 0 ? [names[kind](count)] : []
  })
}
