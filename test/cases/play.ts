import { expect } from 'vitest'
import type { ModelInfo } from '../../src/model/model.ts'
import { openModel } from '../../src/model/open.ts'
import type { EngineOptions } from '../../src/session/engine.ts'
import type { WithParts } from '../../src/session/message.ts'
import { assistantsOf, errorOf, session, setup, textOf, tool } from '../session/harness.ts'
import { choiceAt } from '../support/ask.ts'
import { type RawReply, rawServer } from '../support/raw-sse.ts'
import { type Dialect, disorderOf, type Scripted, type Sent } from './dialects.ts'

export interface Play {
  readonly last: WithParts
  readonly text: string
  readonly error: ReturnType<typeof errorOf>
  readonly answers: ReturnType<typeof assistantsOf>
  readonly messages: readonly WithParts[]
  /** What each request told the model. */
  readonly sent: readonly Sent[][]
  readonly bodies: readonly string[]
  /** The results in the newest request, in order. */
  readonly results: readonly string[]
  readonly waits: readonly number[]
  /** What the tool `read` was called with. */
  readonly inputs: readonly unknown[]
}

interface Options extends Partial<Omit<EngineOptions, 'store' | 'model'>> {
  /** Facts of the model that differ from those of one nobody described. */
  readonly info?: Partial<ModelInfo>
  /** What is in the session already. */
  readonly history?: readonly WithParts[]
  /** What the user asks first. */
  readonly request?: string
  /** A second turn in the same session. */
  readonly again?: string
  /** How long the server may be silent, in ms. */
  readonly patience?: number
}

/**
 * Plays a run of the engine against a server that sends the scripted bytes, through the provider package of the protocol. Every request is
 * held against the rules of strict backends. The last reply stays for all further requests.
 */
export async function play(
  dialect: Dialect,
  replies: readonly (Scripted | RawReply)[],
  { info, request = 'please fix it', again, history = [], patience = 2_000, ...options }: Options = {},
): Promise<Play> {
  const bytes = replies.map((reply): RawReply => (isRaw(reply) ? reply : { pieces: dialect.answer(reply) }))
  await using server = await rawServer(...bytes)
  const choice = choiceAt(server.url, dialect.protocol)
  const model = await openModel({ ...choice, info: { ...choice.info, ...info } }, { headers: patience, idle: patience })
  const { providerID, modelID } = choice.info
  const read = tool('read')
  const begun = { ...session, model: { providerID, modelID } }
  const { engine, store, clock } = setup({ model: () => model }, { history, begun, tools: [read], ...options })
  let last = await engine.prompt({ parts: [{ type: 'text', text: request }] })
  if (again !== undefined) last = await engine.prompt({ parts: [{ type: 'text', text: again }] })
  const bodies = server.requests.map(({ body }) => body)
  expect(bodies.map((body) => disorderOf(body, dialect)).filter((problem) => problem !== undefined)).toEqual([])
  const sent = bodies.map((body) => dialect.read(body))
  return {
    last,
    text: textOf(last),
    error: errorOf(last),
    answers: assistantsOf(store.messages()),
    messages: store.messages(),
    sent,
    bodies,
    results: (sent.at(-1) ?? []).flatMap((item) => (item.kind === 'result' ? [item.text] : [])),
    waits: clock.waits,
    inputs: read.inputs,
  }
}

const isRaw = (reply: Scripted | RawReply): reply is RawReply => 'pieces' in reply || 'status' in reply || 'ending' in reply
