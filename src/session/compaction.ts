import type { Model } from '../model/model.ts'
import { failAnswer, newAnswer } from './answer.ts'
import { ask } from './asking.ts'
import { type CompactionRequest, compactedHistory, compactionIn, isFromPerson, isTurn, isUsableSummary } from './compacted-history.ts'
import { divide } from './compaction-tail.ts'
import { refuseCalls } from './execute.ts'
import { latest } from './exit.ts'
import { type ModelLine, modelLine, refOf } from './fallback.ts'
import { ascending } from './id.ts'
import type { ModelRequest } from './llm.ts'
import { holdsMedia, withoutMedia } from './media.ts'
import type { Assistant, MessageError, TextPart, User, WithParts } from './message.ts'
import { charsOf, usable } from './overflow.ts'
import type { Reading } from './processor.ts'
import { summaryRequest } from './serialise.ts'
import { transformed } from './shape.ts'
import type { RunContext } from './step.ts'
import { bill } from './usage.ts'
import { type Piece, putMessage, synthetic, toParts } from './user.ts'

/** Characters of what came with the original request, such as the issue it was written under, that are kept beside its words; and their share of what is usable. */
const SURROUNDINGS = 8_000
const SURROUNDINGS_SHARE = 0.05

/** Asks for a compaction: a user message that holds nothing else. The loop carries it out at its next pass. */
export function requestCompaction(how: { readonly auto: boolean; readonly overflow?: boolean }, context: RunContext): void {
  const { user } = latest(context.record.store.messages())
  put(user, [{ type: 'compaction', auto: how.auto, ...(how.overflow ? { overflow: true } : {}) }], context)
}

/**
 * Carries out a compaction (the engine's description 2.12): has the older part of the conversation summarised, keeps the newest messages as they
 * are, and sees to it that the work goes on. The words of the original request and of the newest message are kept verbatim (C85).
 * On `stop` the summary's message says what went wrong, and the history is as it was (C87); a compaction that was stopped leaves no message.
 */
export async function compact(request: CompactionRequest, context: RunContext): Promise<'continue' | 'stop'> {
  const { record, clock, signal } = context
  const all = record.store.messages()
  const at = all.findIndex(({ info }) => info.id === request.info.id)
  const plan = planOf(all.slice(0, at), request, context)
  const models = modelsOf(context)
  const about = { parentID: request.info.id, agent: 'compaction', model: refOf(models.current) }
  const begun = record.message({ ...newAnswer(about, clock.now()), summary: true })
  const content = await requestText(plan, context)
  const { reading, message, model } = await ask(async (inUse) => modelRequest(content, inUse, context), begun, { ...context, models })
  if (signal.aborted) {
    record.store.removeMessage(message.id)
    return 'stop'
  }
  if (reading.kind === 'failed') return fail(message, refusal(reading.fault.error, plan), context)
  const problem = problemWith(reading, record.store.messages(), message)
  if (problem) {
    refuseCalls(reading.calls, 'Not carried out: no tools may be used while a summary is written.', { record, clock, tools: [] })
    return fail(message, problem, context)
  }

  const { tokens, cost } = bill(reading.usage, model.info, context)
  record.part({ ...part(message, context), type: 'step-finish', reason: reading.finish, tokens, cost })
  const { tailStart: _, ...bare } = request.part
  record.part({ ...bare, ...(plan.tail[0] ? { tailStart: plan.tail[0].info.id } : {}) })
  for (const text of verbatim(all.slice(0, at), plan, context)) record.part({ ...part(request.info, context), ...synthetic(text) })
  // Last, because this is what makes the summary count.
  record.message({ ...message, finish: reading.finish, tokens, cost, time: { ...message.time, completed: clock.now() } })
  record.compacted({ messageID: message.id, auto: request.part.auto, overflow: request.part.overflow === true })
  if (request.part.auto) await goOn(request, plan, context)
  return 'continue'
}

type Finished = Extract<Reading, { kind: 'finished' }>

/** What becomes of which part of the history. */
interface Plan {
  readonly head: readonly WithParts[]
  /** Kept as it is. */
  readonly tail: readonly WithParts[]
  readonly prior: string | undefined
  /** The turn that did not fit, to be put again behind the summary. */
  readonly replay: (WithParts & { readonly info: User }) | undefined
}

function planOf(before: readonly WithParts[], { part: { overflow } }: CompactionRequest, context: RunContext): Plan {
  const history = compactedHistory(before)
  const [first, summary] = history
  const prior = first && compactionIn(first) && summary && isUsableSummary(summary) ? textOf(summary) : undefined
  const material = prior === undefined ? history : history.slice(2)
  const at = overflow ? replayed(material) : -1
  const replay = material[at]
  if (replay && isTurn(replay)) return { head: material.slice(0, at), tail: [], prior, replay }
  return { ...divide(material, context.models.current, context.compaction ?? {}), prior, replay: undefined }
}

/**
 * The newest message of a person, when that is what did not fit: nothing has been answered to it yet, and there is something before it that can be
 * summarised. A turn with work in it is summarised instead, so that the work is not forgotten. -1 when there is none.
 */
function replayed(material: readonly WithParts[]): number {
  const at = material.findLastIndex(isFromPerson)
  const worked = material.slice(at).some(({ info, parts }) => info.role === 'assistant' && parts.some(({ type }) => type === 'text' || type === 'tool'))
  return !worked && material.slice(0, Math.max(0, at)).some(isTurn) ? at : -1
}

/** The compaction agent's own model, which the session's takes over from; else the session's line of models. */
function modelsOf({ compaction, models }: RunContext): ModelLine {
  const own = compaction?.agent?.model
  return own ? modelLine(own, [() => Promise.resolve(models.current)]) : models
}

async function requestText({ head, prior }: Plan, context: RunContext): Promise<string> {
  const { texts, hooks, record } = context
  const extra = await hooks.trigger('experimental.session.compacting', { sessionID: record.store.session.id }, { context: [] })
  return summaryRequest({ texts, head: await transformed(head, context), prior, context: extra.context, prompt: extra.prompt })
}

function modelRequest(content: string, model: Model, { texts, hooks, record, signal, compaction }: RunContext): ModelRequest {
  const system = compaction?.agent?.prompt ?? texts('agents/compaction')
  const messages = [{ role: 'user' as const, content }]
  return { model, sessionID: record.store.session.id, agent: 'compaction', system, messages, tools: [], toolChoice: 'none', hooks, signal }
}

/** A summary that can't be asked for, because the request for it is itself too large, is told from other failures. */
function refusal(error: MessageError, { replay }: Plan): MessageError {
  if (error.name !== 'ContextOverflowError') return error
  const what = replay ? 'What came before the newest message' : 'The conversation'
  return { ...error, message: `${what} is too large to compact: the request for its summary does not fit the model’s context window. ${error.message}` }
}

/** Why an answer can't serve as a summary, if it can't. */
function problemWith(reading: Finished, all: readonly WithParts[], message: Assistant): MessageError | undefined {
  if (reading.calls.length > 0) return { name: 'UnknownError', message: 'The model called a tool where it was to write a summary of the conversation.' }
  if (reading.finish === 'content-filter')
    return { name: 'ContentFilterError', message: 'The provider’s content filter cut the summary of the conversation off.' }
  const summary = all.find(({ info }) => info.id === message.id)
  if (!summary || textOf(summary) === '') return { name: 'EmptyAnswerError', message: 'The model’s summary of the conversation was empty.' }
  return undefined
}

function fail(message: Assistant, error: MessageError, context: RunContext): 'stop' {
  failAnswer(message, error, context)
  return 'stop'
}

/** The person's own words that would otherwise only live on in a summary: the request the session began with, and the newest (C85). */
function verbatim(all: readonly WithParts[], { tail, replay }: Plan, { texts, models, compaction }: RunContext): string[] {
  const requests = all.filter(isFromPerson)
  const isKept = (message: WithParts) => message === replay || tail.some(({ info }) => info.id === message.info.id)
  const first = requests[0]
  const last = requests.at(-1)
  const room = Math.min(SURROUNDINGS, charsOf(usable(models.current.info, compaction) * SURROUNDINGS_SHARE))
  const original = first && !isKept(first) ? [wordsOf(first), surroundingsOf(first).slice(0, room)].filter(Boolean).join('\n\n') : ''
  const newest = last && last !== first && !isKept(last) ? wordsOf(last) : ''
  return [
    ...(original === '' ? [] : [texts('compaction/original-request', { text: original })]),
    ...(newest === '' ? [] : [texts('compaction/latest-request', { text: newest })]),
  ]
}

/** Puts the turn again that did not fit, its media named only; or tells the model to go on, unless a plugin objects. */
async function goOn({ info, part: { overflow = false } }: CompactionRequest, { head, replay }: Plan, context: RunContext): Promise<void> {
  const { hooks, record, texts } = context
  if (replay) {
    put(replay.info, replay.parts.map(withoutMedia), context, replay.info.source)
    return
  }
  const { enabled } = await hooks.trigger('experimental.compaction.autocontinue', { sessionID: record.store.session.id, overflow }, { enabled: true })
  if (!enabled) return
  const note = overflow && holdsMedia(head) ? [texts('compaction/media-dropped')] : []
  put(info, [...note, texts('compaction/continue')].map(synthetic), context)
}

/** Stores a user message that asks what `like` asked for: same agent, model, tools, format. */
function put(like: User, parts: readonly Piece[], { record, clock }: RunContext, source?: User['source']): void {
  const now = clock.now()
  const { source: _, ...rest } = like
  const info: User = { ...rest, id: ascending('msg', now), time: { created: now }, ...(source ? { source } : {}) }
  putMessage(info, toParts(parts, info.id, now), record)
}

const part = ({ id }: { readonly id: string }, { clock }: RunContext) => ({ id: ascending('prt', clock.now()), messageID: id })

const textsOf = ({ parts }: WithParts, isWanted: (part: TextPart) => boolean): string =>
  parts.flatMap((one) => (one.type === 'text' && !one.ignored && isWanted(one) && one.text.trim() !== '' ? [one.text] : [])).join('\n\n')
const textOf = (message: WithParts) => textsOf(message, () => true)
const wordsOf = (message: WithParts) => textsOf(message, ({ synthetic }) => !synthetic)
const surroundingsOf = (message: WithParts) => textsOf(message, ({ synthetic }) => synthetic === true)
