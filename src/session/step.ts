import type { ModelMessage } from 'ai'
import type { Model } from '../model/model.ts'
import { type Environment, systemText } from '../prompt/system.ts'
import type { Texts } from '../prompt/texts.ts'
import type { Tool } from '../tool/tool.ts'
import { executeCalls, refuseCalls } from './execute.ts'
import type { Hooks } from './hooks.ts'
import { ascending } from './id.ts'
import { type ModelRequest, streamStep } from './llm.ts'
import { type Assistant, type MessageError, noTokens, type User, type WithParts } from './message.ts'
import { type Reading, readAnswer } from './processor.ts'
import type { Clock, Recorder } from './record.ts'
import type { RepeatGuard } from './repeat-guard.ts'
import { decideRetry, waitToRetry } from './retry.ts'
import { transformed } from './shape.ts'
import { toModelMessages } from './to-model-messages.ts'
import { addUsage, costOf, tokensOf } from './usage.ts'

/** The agent a session is led by. */
export interface Agent {
  readonly name: string
  /** Replaces the base prompt. */
  readonly prompt?: string
  /** Steps of one run at the most. */
  readonly steps?: number
  readonly temperature?: number
}

/** What the loop and its steps work with. */
export interface RunContext {
  readonly record: Recorder
  readonly clock: Clock
  readonly model: Model
  readonly tools: readonly Tool[]
  readonly agent: Agent
  readonly system: readonly string[]
  readonly environment: Environment
  readonly texts: Texts
  readonly signal: AbortSignal
  /** Where plugins look in. */
  readonly hooks: Hooks
}

/** One step to take. */
interface Step {
  readonly history: readonly WithParts[]
  readonly user: User
  readonly guard: RepeatGuard
  /** A text that ends this request, for a step in which no tool may run; it is sent, not stored. */
  readonly closing?: string | undefined
}

export interface StepResult {
  readonly outcome: 'continue' | 'stop'
  /** Whether a tool was carried out. */
  readonly worked: boolean
}

/**
 * One model step: request, answer, tools. The answer is stored as one assistant message; a failure ends up in its `error` and
 * in the sink, never as an exception.
 */
export async function takeStep(step: Step, context: RunContext): Promise<StepResult> {
  const { record, clock, model, signal } = context
  const now = clock.now()
  const message = record.message<Assistant>({
    role: 'assistant',
    id: ascending('msg', now),
    parentID: step.user.id,
    time: { created: now },
    agent: context.agent.name,
    model: { providerID: model.info.providerID, modelID: model.info.modelID },
    tokens: noTokens,
    cost: 0,
  })
  const reading = await ask(await requestFor(step, context), message, context)
  if (reading.kind === 'failed') {
    const finish = reading.fault.error.name === 'ContextOverflowError' ? { finish: 'error' } : {}
    return end({ ...message, ...finish }, context, reading.fault.error)
  }

  const tokens = tokensOf(reading.usage)
  const cost = costOf(tokens, model.info)
  const answered = record.message({ ...message, finish: reading.finish, tokens, cost })
  record.part({ id: ascending('prt', clock.now()), messageID: message.id, type: 'step-finish', reason: reading.finish, tokens, cost })
  record.store.update({ usage: addUsage(record.store.session.usage, tokens, cost) })

  const refusal = refusalFor(reading.finish, step)
  if (refusal) refuseCalls(reading.calls, refusal, context)
  else {
    const warn = (tool: string, count: number) => context.texts('reminders/repeat-warning', { tool, count: String(count) })
    await executeCalls(reading.calls, answered, { ...context, tools: offered(step.user, context), guard: step.guard, warn })
  }

  if (signal.aborted) return end(answered, context, stopped)
  if (reading.finish === 'content-filter') {
    return end(answered, context, { name: 'ContentFilterError', message: 'The provider’s content filter cut the answer off.' })
  }
  return { ...end(answered, context), worked: !refusal && reading.calls.length > 0 }
}

export const stopped: MessageError = { name: 'MessageAbortedError', message: 'The run was stopped.' }

/** Completes a message, with or without an error, and says whether the loop goes on. */
function end(message: Assistant, { record, clock }: RunContext, error?: MessageError): StepResult {
  record.message({ ...message, time: { ...message.time, completed: clock.now() }, ...(error ? { error } : {}) })
  if (!error) return { outcome: 'continue', worked: false }
  record.error(error)
  return { outcome: 'stop', worked: false }
}

/** Why the calls of an answer are not carried out, if they aren't: cut off in the middle (DECISIONS 20), or made on the last step (C54). */
function refusalFor(finish: string, { closing }: Step): string | undefined {
  if (finish === 'length')
    return 'Not carried out: the answer was cut off at the output limit, so the call may be incomplete. Make it again, in smaller pieces.'
  if (finish === 'content-filter') return 'Not carried out: the answer was cut off by the provider’s content filter.'
  return closing === undefined ? undefined : 'Not carried out: tools are switched off on this last step.'
}

async function requestFor(step: Step, context: RunContext): Promise<ModelRequest> {
  const { model, texts, record } = context
  const { session } = record.store
  const messages = toModelMessages(await transformed(step.history, context), model)
  return {
    model,
    sessionID: session.id,
    agent: context.agent.name,
    hooks: context.hooks,
    system: systemText({
      texts,
      agentPrompt: context.agent.prompt,
      model: model.info,
      environment: context.environment,
      created: session.created,
      recentFiles: session.recentFiles ?? [],
      blocks: context.system,
      userSystem: step.user.system,
    }),
    messages: [...messages, ...closingMessage(step.closing, messages, texts)],
    tools: offered(step.user, context),
    toolChoice: step.closing === undefined ? 'auto' : 'none',
    temperature: context.agent.temperature,
    signal: context.signal,
  }
}

/** Many backends refuse a request that ends in an assistant's message (C30, C54), so whatever closes it is the user's. */
function closingMessage(closing: string | undefined, messages: readonly ModelMessage[], texts: Texts): ModelMessage[] {
  if (closing !== undefined) return [{ role: 'user', content: closing }]
  return messages.at(-1)?.role === 'assistant' ? [{ role: 'user', content: texts('reminders/continue') }] : []
}

function offered(user: User, { tools }: RunContext): readonly Tool[] {
  return tools.filter(({ id }) => user.tools?.[id] !== false)
}

/** Asks until an answer is complete, the fault is final, or the retries are used up. A failed attempt that is repeated leaves nothing behind. */
async function ask(request: ModelRequest, message: Assistant, context: RunContext): Promise<Reading> {
  const { record, clock, signal } = context
  for (let attempt = 1; ; attempt++) {
    const reading = await readAnswer(streamStep(request), message, context)
    if (reading.kind === 'finished') return reading
    const retry = decideRetry(attempt, reading.fault, clock.now())
    if ('give' in retry) return { ...reading, fault: { error: retry.give } }
    for (const part of reading.parts) record.forget(part)
    await waitToRetry(attempt, reading.fault.error.message, retry.wait, record, clock, signal)
    if (signal.aborted) return { kind: 'failed', fault: { error: stopped }, parts: [] }
  }
}
