import type { Model } from '../model/model.ts'
import type { Texts } from '../prompt/texts.ts'
import { cut } from '../text.ts'
import type { Caps } from './caps.ts'
import { fromError } from './errors.ts'
import type { Hooks } from './hooks.ts'
import { type ModelRequest, streamStep } from './llm.ts'
import type { WithParts } from './message.ts'
import type { Clock, Recorder } from './record.ts'
import { decideRetry } from './retry.ts'
import type { Agent } from './step.ts'
import { bill } from './usage.ts'

/** Characters of a title, and of the request that is shown for it. */
const TITLE = 100
const REQUEST = 4_000
/** Retries of the one request. */
const RETRIES = 2
/** How long a title is waited for once it is asked for, in ms: by then the work is done, and waits to be published. */
const PATIENCE = 10_000
/** Titles that were given before anything was known. */
const placeholder = /^((new|child) session\b.*)?$/i

interface Context {
  readonly record: Recorder
  readonly clock: Clock
  readonly texts: Texts
  readonly hooks: Hooks
  readonly caps: Caps
  /** A small model, or the session's own. */
  readonly openModel: () => Promise<Model>
  readonly agents: readonly Agent[]
  readonly signal: AbortSignal
}

/** Names a session while it works. */
export interface Titler {
  /** Asks for the title, without waiting, where one is due; at most once. */
  begin(): void
  /** The session's title; without one, the first line of the request. Waits for what `begin` started, but not for long. Never throws. */
  title(): Promise<string>
}

/**
 * The title agent (the engine's description 2.17, DECISIONS 9). A title is due in a session that is nobody's subtask, has none yet, and
 * holds exactly one message of a person. The agent has no tools; what goes wrong is ignored, since there is always the request's
 * first line. Tokens and cost are counted in the session's usage, but not as a step.
 */
export function titler(context: Context): Titler {
  const { record, caps, clock } = context
  const { store } = record
  const enough = new AbortController()
  let asking: Promise<void> | undefined
  return {
    begin() {
      const request = firstRequest(store.messages())
      const due = store.session.parentID === undefined && placeholder.test(store.session.title) && request?.only
      if (due && !caps.reached) asking ??= askFor(request.text, { ...context, signal: AbortSignal.any([context.signal, enough.signal]) })
    },
    async title() {
      const come = new AbortController()
      if (asking) clock.sleep(PATIENCE, come.signal).then(() => enough.abort())
      await asking
      come.abort()
      const { title } = store.session
      return placeholder.test(title) ? shortened(firstLine(firstRequest(store.messages())?.text ?? '')) : title
    },
  }
}

/** What the first message of a person says, and whether it is the only one. */
function firstRequest(messages: readonly WithParts[]): { readonly text: string; readonly only: boolean } | undefined {
  const real = messages.flatMap(({ info, parts }) => {
    const own = parts.filter((part) => !(part.type === 'text' && part.synthetic))
    return info.role === 'user' && own.length > 0 ? [own] : []
  })
  if (!real[0]) return undefined
  const texts = real[0].flatMap((part) => (part.type === 'text' ? [part.text] : part.type === 'subtask' ? [part.prompt] : []))
  return { text: texts.join('\n').trim(), only: real.length === 1 }
}

async function askFor(request: string, context: Context): Promise<void> {
  const { record, clock, caps } = context
  const signal = AbortSignal.any([context.signal, caps.deadline])
  let model: Model | undefined
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      model ??= await context.openModel()
      const title = cleanTitle(await answer(requestOf(request, model, context, signal), context))
      if (title !== '') record.store.update({ title })
      return
    } catch (error) {
      const fault = fromError(error, { aborted: signal.aborted, providerID: model?.info.providerID ?? '' })
      const retry = decideRetry(attempt, fault, clock.now(), caps.remaining())
      if (attempt > RETRIES || 'give' in retry) return
      await clock.sleep(retry.wait, signal)
    }
  }
}

function requestOf(request: string, model: Model, { record, texts, hooks, agents }: Context, signal: AbortSignal): ModelRequest {
  const agent = agents.find(({ name }) => name === 'title')
  const shown = request.slice(0, REQUEST).replaceAll('</request', '<\\/request')
  return {
    model,
    sessionID: record.store.session.id,
    agent: 'title',
    hooks,
    system: agent?.prompt ?? texts('agents/title'),
    messages: [{ role: 'user', content: texts('agents/title-request', { request: shown }) }],
    tools: [],
    toolChoice: 'none',
    temperature: agent?.temperature,
    small: true,
    signal,
  }
}

/** The text of the answer, its usage counted; nothing of one that was cut off. */
async function answer(request: ModelRequest, context: Context): Promise<string> {
  let text = ''
  let whole = false
  for await (const event of streamStep(request)) {
    if (event.type === 'error') throw event.error
    if (event.type === 'text-delta') text += event.text
    if (event.type !== 'finish-step') continue
    whole = true
    bill(event.usage, request.model.info, context, 0)
  }
  return whole ? text : ''
}

/**
 * A title from what a model answered: its thoughts are removed, the first line that says something is taken, code fences, quotes and
 * marks around it are stripped, and more than 100 characters are cut to 97 and "...".
 */
export function cleanTitle(answered: string): string {
  return shortened(firstLine(answered.replaceAll(/<think>[\s\S]*?(<\/think>|$)/g, '').replace(/^[\s\S]*<\/think>/, '')))
}

function firstLine(text: string): string {
  const lines = text.split('\n').map((line) =>
    line
      .trim()
      .replace(/^#+\s+/, '')
      .replace(/^["'`“”„«»*_]+|["'`“”„«»*_]+$/g, '')
      .trim(),
  )
  return lines.find((line) => line !== '') ?? ''
}

function shortened(title: string): string {
  return title.length <= TITLE ? title : `${cut(title, TITLE - 3)}...`
}
