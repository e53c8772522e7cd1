import type { LanguageModelUsage } from 'ai'
import { isRecord } from '../json.ts'
import { clean } from '../text.ts'
import { type Fault, fromError } from './errors.ts'
import type { Hooks } from './hooks.ts'
import { ascending } from './id.ts'
import type { StreamEvent } from './llm.ts'
import type { Assistant, Part, ProviderMetadata, ReasoningPart, TextPart, ToolPart } from './message.ts'
import type { Clock, Recorder } from './record.ts'
import { interrupted } from './tool-state.ts'

/** A tool call as the model made it: its part, and the arguments before anything was checked. */
export interface Call {
  readonly part: ToolPart
  readonly name: string
  /** Parsed JSON, or the raw text where it is no JSON. */
  readonly input: unknown
  /** The arguments are not JSON, or hold keys that must not be parsed (C60, C148). */
  readonly unparsable: boolean
}

/** One reading of a model's answer. */
export type Reading =
  | { readonly kind: 'finished'; readonly finish: string; readonly usage: LanguageModelUsage; readonly calls: readonly Call[] }
  /** Broken off: nothing of it may be executed. `parts` are what had arrived. */
  | { readonly kind: 'failed'; readonly fault: Fault; readonly parts: readonly Part[] }

interface Context {
  readonly record: Recorder
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly hooks: Hooks
}

/** A piece of text or reasoning while it arrives; it becomes a part with its first character. */
interface Open {
  readonly type: 'text' | 'reasoning'
  readonly start: number
  text: string
  metadata: ProviderMetadata | undefined
  part: TextPart | ReasoningPart | undefined
}

/**
 * Reads one model answer into parts of the given message, live. Tool calls are only collected: none is started before the answer
 * is complete, so that a broken answer can be asked for again without anything having happened (C151, C157).
 */
export async function readAnswer(stream: AsyncIterable<StreamEvent>, message: Assistant, context: Context): Promise<Reading> {
  const answer = new Answer(message, context)
  try {
    for await (const event of stream) await answer.take(event)
  } catch (error) {
    answer.fault ??= fromError(error, { aborted: context.signal.aborted, providerID: message.model.providerID })
  }
  return answer.close()
}

class Answer {
  fault: Fault | undefined
  private readonly message: Assistant
  private readonly context: Context
  private readonly open = new Map<string, Open>()
  /** Calls by the provider's id that are announced but not complete; an id may be in use more than once (C33). */
  private readonly announced = new Map<string, ToolPart[]>()
  /** Calls the provider carries out itself, by its id. */
  private readonly provided = new Map<string, ToolPart>()
  private readonly parts = new Map<string, Part>()
  private readonly calls: Call[] = []
  private readonly usedIDs: Set<string>
  private end: { finish: string; usage: LanguageModelUsage } | undefined

  constructor(message: Assistant, context: Context) {
    this.message = message
    this.context = context
    this.usedIDs = new Set(context.record.store.messages().flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool' ? [part.callID] : []))))
  }

  async take(event: StreamEvent): Promise<void> {
    switch (event.type) {
      case 'start-step':
        this.put({ ...this.base(), type: 'step-start' })
        return
      case 'text-start':
      case 'reasoning-start':
        this.start(event.type === 'text-start' ? 'text' : 'reasoning', event.id, event.providerMetadata)
        return
      case 'text-delta':
      case 'reasoning-delta':
        this.add(event.type === 'text-delta' ? `text ${event.id}` : `reasoning ${event.id}`, event.text, event.providerMetadata)
        return
      case 'text-end':
        this.add(`text ${event.id}`, '', event.providerMetadata)
        await this.completeText(this.finish(`text ${event.id}`))
        return
      case 'reasoning-end':
        this.add(`reasoning ${event.id}`, '', event.providerMetadata)
        this.finish(`reasoning ${event.id}`)
        return
      case 'tool-input-start':
        this.announced.set(event.id, [...(this.announced.get(event.id) ?? []), this.newTool(event.id, event.toolName)])
        return
      case 'tool-call':
        this.call(event)
        return
      case 'tool-result':
        this.settleProvided(event.toolCallId, { output: event.output })
        return
      case 'tool-error':
        this.settleProvided(event.toolCallId, { error: event.error })
        return
      case 'finish-step':
        this.end = { finish: event.finishReason, usage: event.usage }
        // Gateways report a broken connection as a finish reason of their own.
        if (event.finishReason === 'other' && /error/i.test(event.rawFinishReason ?? '')) {
          this.fault ??= { error: { name: 'APIError', message: `The model's answer ended with "${event.rawFinishReason}".`, retryable: true } }
        }
        return
      case 'error':
        this.fault ??= fromError(event.error, { aborted: this.context.signal.aborted, providerID: this.message.model.providerID })
        return
      case 'abort':
        this.fault ??= fromError(new DOMException(event.reason ?? 'aborted', 'AbortError'), { aborted: this.context.signal.aborted })
        return
    }
  }

  /** Closes what is still open and says how it ended. */
  close(): Reading {
    for (const key of [...this.open.keys()]) this.finish(key)
    if (this.context.signal.aborted) this.fault = fromError(undefined, { aborted: true })
    if (this.fault || !this.end || this.end.finish === 'error') {
      const fault = this.fault ?? { error: { name: 'APIError' as const, message: 'The model’s answer ended before it was finished.', retryable: true } }
      this.interrupt(() => true)
      return { kind: 'failed', fault, parts: [...this.parts.values()] }
    }
    const complete = new Set(this.calls.map(({ part }) => part.id))
    this.interrupt(({ id }) => !complete.has(id))
    return { kind: 'finished', ...this.end, calls: this.calls }
  }

  /** Calls that will never run say so, to listeners too. */
  private interrupt(which: (part: ToolPart) => boolean): void {
    for (const part of this.parts.values()) {
      if (part.type === 'tool' && part.state.status === 'pending' && which(part))
        this.put({ ...part, state: interrupted(part.state, this.context.clock.now()) })
    }
  }

  private base() {
    return { id: ascending('prt', this.context.clock.now()), messageID: this.message.id }
  }

  private put<T extends Part>(part: T): T {
    this.parts.set(part.id, part)
    return this.context.record.part(part)
  }

  private start(type: Open['type'], id: string, metadata: ProviderMetadata | undefined): void {
    this.open.set(`${type} ${id}`, { type, start: this.context.clock.now(), text: '', metadata, part: undefined })
  }

  /** Deltas nobody announced are dropped. Later metadata replaces earlier (a signature comes last). */
  private add(key: string, delta: string, metadata: ProviderMetadata | undefined): void {
    const open = this.open.get(key)
    if (!open) return
    open.text += delta
    open.metadata = metadata ?? open.metadata
    if (open.text !== '') this.show(open)
  }

  private show(open: Open, end?: number): Part {
    const id = open.part ? { id: open.part.id, messageID: this.message.id } : this.base()
    // A text of control characters alone is no answer.
    const rest = {
      text: clean(open.text),
      time: { start: open.start, ...(end === undefined ? {} : { end }) },
      ...(open.metadata ? { metadata: open.metadata } : {}),
    }
    const part: TextPart | ReasoningPart = this.put({ ...id, type: open.type, ...rest })
    open.part = part
    return part
  }

  /** Ends a text or reasoning; the part that holds its text, if there is any. */
  private finish(key: string): Part | undefined {
    const open = this.open.get(key)
    if (!open) return undefined
    this.open.delete(key)
    // Reasoning may be hidden and still have to be sent back: then its metadata is all there is.
    if (open.text === '' && !(open.type === 'reasoning' && open.metadata)) return undefined
    const inline = open.type === 'text' ? /^\s*<think>([\s\S]*?)<\/think>\s*/.exec(open.text) : null
    if (inline && open.part) {
      // Models without a reasoning field think inside the text; that is no part of the answer (C161). It is not sent back either.
      this.put({
        ...this.base(),
        id: open.part.id,
        type: 'reasoning',
        text: (inline[1] ?? '').trim(),
        time: { start: open.start, end: this.context.clock.now() },
        metadata: { inline: {} },
      })
      const text = clean(open.text.slice(inline[0].length))
      return text === '' ? undefined : this.put({ ...this.base(), type: 'text', text, time: { start: open.start, end: this.context.clock.now() } })
    }
    return this.show(open, this.context.clock.now())
  }

  /** A text that came to its end is shown to the plugins, which may change it; one that was cut off is kept as it came. */
  private async completeText(part: Part | undefined): Promise<void> {
    if (part?.type !== 'text') return
    const about = { sessionID: this.context.record.store.session.id, messageID: this.message.id, partID: part.id }
    const { text } = await this.context.hooks.trigger('experimental.text.complete', about, { text: part.text })
    if (text !== part.text) this.put({ ...part, text })
  }

  private newTool(id: string, tool: string): ToolPart {
    const free = id.trim() !== '' && !this.usedIDs.has(id)
    const part: ToolPart = {
      ...this.base(),
      type: 'tool',
      callID: free ? id : ascending('call'),
      tool,
      state: { status: 'pending', input: {}, raw: '' },
    }
    this.usedIDs.add(part.callID)
    return this.put(part)
  }

  private call(event: Extract<StreamEvent, { type: 'tool-call' }>): void {
    const known = this.announced.get(event.toolCallId)?.shift() ?? this.newTool(event.toolCallId, event.toolName)
    const raw = typeof event.input === 'string' ? event.input : (JSON.stringify(event.input) ?? '')
    const metadata = {
      ...(event.providerExecuted ? { providerExecuted: true } : {}),
      ...(event.providerMetadata ? { provider: event.providerMetadata } : {}),
    }
    const part = this.put({
      ...known,
      tool: event.toolName,
      state: { status: 'pending', input: isRecord(event.input) ? event.input : {}, raw: raw.slice(0, RAW) },
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    })
    if (event.providerExecuted) {
      this.provided.set(event.toolCallId, part)
      return
    }
    this.calls.push({ part, name: event.toolName, input: event.input, unparsable: event.invalid === true && typeof event.input === 'string' })
  }

  /** The result of a tool the provider ran by itself. Results of our own tools never come this way. */
  private settleProvided(id: string, outcome: { output: unknown } | { error: unknown }): void {
    const part = this.provided.get(id)
    if (!part) return
    const time = { start: this.context.clock.now(), end: this.context.clock.now() }
    const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
    const input = part.state.input
    this.provided.set(
      id,
      this.put({
        ...part,
        state:
          'error' in outcome
            ? { status: 'error', input, error: text(outcome.error), time }
            : { status: 'completed', input, output: text(outcome.output), title: part.tool, metadata: {}, time },
      }),
    )
  }
}

/** Characters of a call's raw arguments that are kept. */
const RAW = 300
