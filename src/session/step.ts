import type { ModelMessage } from 'ai'
import type { Model } from '../model/model.ts'
import { type Environment, systemText } from '../prompt/system.ts'
import type { Texts } from '../prompt/texts.ts'
import type { Rules } from '../tool/permission.ts'
import type { Tool } from '../tool/tool.ts'
import { newAnswer } from './answer.ts'
import { ask, type Suggest, stopped } from './asking.ts'
import type { Caps } from './caps.ts'
import { executeCalls, refuseCalls } from './execute.ts'
import { type ModelLine, refOf } from './fallback.ts'
import type { Hooks } from './hooks.ts'
import { ascending } from './id.ts'
import type { ModelRequest } from './llm.ts'
import type { Assistant, MessageError, ModelRef, User, WithParts } from './message.ts'
import { offered, rulesOf } from './offered.ts'
import type { CompactionOptions } from './overflow.ts'
import type { Call } from './processor.ts'
import type { Clock, Recorder } from './record.ts'
import { withReminders } from './reminders.ts'
import type { RepeatGuard } from './repeat-guard.ts'
import { transformed } from './shape.ts'
import type { Structured } from './structured.ts'
import type { Team } from './team.ts'
import { toModelMessages } from './to-model-messages.ts'
import { bill } from './usage.ts'

/** The agent a session is led by. */
export interface Agent {
  readonly name: string
  /** What it is for, as other agents read it. */
  readonly description?: string
  /** Whether it leads a session, serves in subtasks, or both; default both. */
  readonly mode?: 'primary' | 'subagent' | 'all'
  /** Not shown to people or to other agents. */
  readonly hidden?: boolean
  /** Replaces the base prompt. */
  readonly prompt?: string
  /** Steps of one run at the most. */
  readonly steps?: number
  readonly temperature?: number
  readonly topP?: number
  /** Its own model, in place of the session's. */
  readonly model?: ModelRef
  readonly variant?: string
  /** What it may do; default everything. */
  readonly permission?: Rules
  /** For the provider, and whatever else was configured. */
  readonly options?: Readonly<Record<string, unknown>>
}

/** What the loop and its steps work with. */
export interface RunContext {
  readonly record: Recorder
  readonly clock: Clock
  readonly model: Model
  readonly tools: readonly Tool[]
  readonly agent: Agent
  /** What the run as a whole allows; only giving work to agents is judged by it here. */
  readonly gate?: Rules
  readonly system: readonly string[]
  readonly environment: Environment
  readonly texts: Texts
  readonly signal: AbortSignal
  /** Where plugins look in. */
  readonly hooks: Hooks
  /** What the run may use. Children and small calls of the run get the same object. */
  readonly caps: Caps
  /** The session's model and those that take over when it fails; `model` is the one in use. */
  readonly models: ModelLine
  /** Names models that may have been meant, when the provider doesn't know one. */
  readonly suggest?: Suggest
  /** Steps taken in this run, those of subtasks included. */
  readonly tally: { steps: number }
  /** Who parts of the work can be given to. */
  readonly team: Team
  /** What is done about a full context. */
  readonly compaction?: CompactionOptions
}

/** One step to take. */
interface Step {
  readonly history: readonly WithParts[]
  readonly user: User
  readonly guard: RepeatGuard
  /** Ends this request, for a step in which no tool may run; it is sent, not stored. */
  readonly closing?: Closing | undefined
  /** The answer has to be given through this tool. */
  readonly structured?: Structured | undefined
}

/** The last words of a request: a reminder from the user's side, or the beginning of the model's answer (DECISIONS 1). */
export interface Closing {
  readonly text: string
  readonly role: 'user' | 'assistant'
}

export interface StepResult {
  /** `cut`: the time for work ended in the middle of it, and the last turn is to follow. */
  readonly outcome: 'continue' | 'stop' | 'cut'
  /** The provider refused the request because of its size, and something may be done about it. */
  readonly refusal?: MessageError
  /** Whether a tool was carried out. */
  readonly worked: boolean
}

/**
 * One model step: request, answer, tools. The answer is stored as one assistant message; a failure ends up in its `error` and
 * in the sink, never as an exception.
 */
export async function takeStep(step: Step, context: RunContext): Promise<StepResult> {
  const { record, clock, signal } = context
  const about = { parentID: step.user.id, agent: context.agent.name, model: refOf(context.models.current) }
  const begun = record.message(newAnswer(about, clock.now()))
  const { reading, message, model } = await ask((inUse) => requestFor(step, { ...context, model: inUse }), begun, context)
  if (reading.kind === 'failed') {
    if (reading.fault.error.name === 'ContextOverflowError' && context.compaction?.auto !== false) {
      return { ...end(message, context), refusal: reading.fault.error }
    }
    const finish = reading.fault.error.name === 'ContextOverflowError' ? { finish: 'error' } : {}
    return end({ ...message, ...finish }, context, reading.fault.error)
  }

  const { tokens, cost } = bill(reading.usage, model.info, context)
  const answered = record.message({ ...message, finish: reading.finish, tokens, cost })
  record.part({ id: ascending('prt', clock.now()), messageID: message.id, type: 'step-finish', reason: reading.finish, tokens, cost })

  const tools = toolsFor(step, { ...context, model })
  const accepted = reading.calls.filter((call) => {
    const refusal = refusalFor(call, reading.finish, step)
    if (refusal) refuseCalls([call], refusal, { record, clock, tools })
    return !refusal
  })
  const warn = (tool: string, count: number) => context.texts('reminders/repeat-warning', { tool, count: String(count) })
  await executeCalls(accepted, answered, { ...context, tools, rules: rulesOf(context), guard: step.guard, warn })

  const worked = accepted.length > 0
  const captured = step.structured?.captured
  if (captured) return { ...end({ ...answered, structured: captured.value }, context), outcome: 'stop', worked }
  if (signal.aborted) return { ...end(answered, context, stopped), worked }
  if (reading.finish === 'content-filter') {
    return end(answered, context, { name: 'ContentFilterError', message: 'The provider’s content filter cut the answer off.' })
  }
  return { ...end(answered, context), worked }
}

/** Completes a message, with or without an error, and says whether the loop goes on. */
function end(message: Assistant, { record, clock, caps }: RunContext, given?: MessageError): StepResult {
  const cut = given?.name === 'MessageAbortedError' && caps.signal.aborted ? caps.reached : undefined
  const error = cut ? { ...stopped, message: `Cut off: ${cut.reason}.` } : given
  record.message({ ...message, time: { ...message.time, completed: clock.now() }, ...(error ? { error } : {}) })
  if (!error) return { outcome: 'continue', worked: false }
  if (cut) return { outcome: 'cut', worked: false }
  record.error(error)
  return { outcome: 'stop', worked: false }
}

/**
 * Why a call is not carried out, if it isn't: the answer was cut off in the middle (DECISIONS 20), or it is the last step (C54), on which only
 * the call counts that gives an answer in its form.
 */
function refusalFor({ name }: Call, finish: string, { closing, structured }: Step): string | undefined {
  if (finish === 'length')
    return 'Not carried out: the answer was cut off at the output limit, so the call may be incomplete. Make it again, in smaller pieces.'
  if (finish === 'content-filter') return 'Not carried out: the answer was cut off by the provider’s content filter.'
  return !closing || name === structured?.tool.id ? undefined : 'Not carried out: tools are switched off on this last step.'
}

async function requestFor(step: Step, context: RunContext): Promise<ModelRequest> {
  const { model, texts, record } = context
  const { session } = record.store
  const messages = toModelMessages(await transformed(withReminders(step.history, context.agent.name, texts), context), model)
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
      blocks: step.structured ? [...context.system, step.structured.text] : context.system,
      userSystem: step.user.system,
    }),
    messages: [...messages, ...closingMessage(step, messages, texts)],
    tools: toolsFor(step, context),
    toolChoice: toolChoiceFor(step),
    temperature: context.agent.temperature,
    topP: context.agent.topP,
    options: context.agent.options,
    variant: step.user.variant,
    signal: context.signal,
  }
}

/**
 * Many backends refuse a request that ends in an assistant's message (C30, C54), so whatever closes it is the user's, unless the
 * settings ask for the form that OpenCode has (DECISIONS 1).
 */
function closingMessage({ closing, structured }: Step, messages: readonly ModelMessage[], texts: Texts): ModelMessage[] {
  if (closing) return [{ role: closing.role, content: closing.text }]
  if (messages.at(-1)?.role !== 'assistant') return []
  return [{ role: 'user', content: texts(structured ? 'reminders/structured-output' : 'reminders/continue') }]
}

/** With an answer owed in a given form, a tool has to be called at every step, and on the last one only that which takes the answer. */
function toolChoiceFor({ closing, structured }: Step): ModelRequest['toolChoice'] {
  if (structured) return closing ? { tool: structured.tool.id } : 'required'
  return closing?.role === 'user' ? 'none' : 'auto'
}

function toolsFor(step: Step, context: RunContext): readonly Tool[] {
  const tools = offered(step, context)
  return step.structured ? [...tools, step.structured.tool] : tools
}
