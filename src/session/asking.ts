import type { Model } from '../model/model.ts'
import type { Caps } from './caps.ts'
import type { Fault } from './errors.ts'
import { type ModelLine, mayFallBack, nameOf } from './fallback.ts'
import type { Hooks } from './hooks.ts'
import { ascending } from './id.ts'
import { type ModelRequest, streamStep } from './llm.ts'
import type { Assistant, MessageError, ModelRef } from './message.ts'
import { type Reading, readAnswer } from './processor.ts'
import type { Clock, Recorder } from './record.ts'
import { decideRetry, waitToRetry } from './retry.ts'

/** Names a model that may have been meant, likeliest first, as `provider/model`. */
export type Suggest = (reference: ModelRef) => readonly string[]

interface Context {
  readonly record: Recorder
  readonly clock: Clock
  readonly hooks: Hooks
  readonly models: ModelLine
  readonly caps: Caps
  readonly signal: AbortSignal
  readonly suggest?: Suggest
}

/** An answer, the message it was read into, and the model that gave it. */
export interface Asked {
  readonly reading: Reading
  readonly message: Assistant
  readonly model: Model
}

export const stopped: MessageError = { name: 'MessageAbortedError', message: 'The run was stopped.' }

/**
 * Asks until an answer is complete, the fault is final for every model of the line, or the retries are used up. A failed attempt that is
 * repeated leaves nothing in the message but a `retry` part; a model that takes over becomes the message's.
 */
export async function ask(requestFor: (model: Model) => Promise<ModelRequest>, first: Assistant, context: Context): Promise<Asked> {
  const { record, clock, models } = context
  let message = first
  let failures: string[] = []
  for (;;) {
    const model = models.current
    const reading = await askOne(await requestFor(model), message, context)
    if (reading.kind === 'finished') return { reading, message, model }

    const error = explained(reading.fault.error, message.model, context.suggest)
    const takeover = mayFallBack(error) && !context.signal.aborted ? await models.next(model, error.message) : undefined
    if (!takeover) return { reading: { ...reading, fault: { error: withEarlier(error, failures) } }, message, model }

    failures = [...failures, `${nameOf(takeover.from)}: ${error.message}`]
    for (const part of reading.parts) record.forget(part)
    message = record.message({ ...message, model: takeover.to })
    note(message, failures.length, error, context)
    record.status({ type: 'retry', attempt: failures.length, message: `${error.message} Going on with ${nameOf(takeover.to)}.`, next: clock.now() })
  }
}

/** Asks one model until an answer is complete, the fault is final, or the retries are used up. A failed attempt leaves only its `retry` part. */
async function askOne(request: ModelRequest, message: Assistant, context: Context): Promise<Reading> {
  const { record, clock, signal, caps } = context
  for (let attempt = 1; ; attempt++) {
    const reading = await readAnswer(streamStep(request), message, context)
    if (reading.kind === 'finished') return reading
    const retry = decideRetry(attempt, reading.fault, clock.now(), caps.remaining())
    if ('give' in retry) return { ...reading, fault: { error: retry.give } }
    for (const part of reading.parts) record.forget(part)
    note(message, attempt, reading.fault.error, context)
    await waitToRetry(attempt, reading.fault.error.message, retry.wait, record, clock, signal)
    if (signal.aborted) return { kind: 'failed', fault: { error: stopped } satisfies Fault, parts: [] }
  }
}

/** Keeps in the message that an attempt failed. */
function note(message: Assistant, attempt: number, error: MessageError, { record, clock }: Context): void {
  const now = clock.now()
  record.part({ id: ascending('prt', now), messageID: message.id, type: 'retry', attempt, error, time: { created: now } })
}

/** A model the provider doesn't know may be a slip of the pen. */
function explained(error: MessageError, model: ModelRef, suggest: Suggest | undefined): MessageError {
  if (error.name !== 'ModelNotFoundError') return error
  const names = suggest?.(model).filter((name) => name !== nameOf(model)) ?? []
  return names.length === 0 ? error : { ...error, message: `${error.message} Did you mean ${names.join(' or ')}?` }
}

function withEarlier(error: MessageError, earlier: readonly string[]): MessageError {
  return earlier.length === 0 ? error : { ...error, message: `${error.message} Before it failed ${earlier.join('; ')}` }
}
