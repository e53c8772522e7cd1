import type { LanguageModelUsage, ModelMessage } from 'ai'
import { z } from 'zod'
import { chooseModel, type ModelChoice, type ModelRequest, parseModelRef } from '../../src/model/choose.ts'
import { openModel } from '../../src/model/open.ts'
import { noHooks } from '../../src/session/hooks.ts'
import { streamStep } from '../../src/session/llm.ts'
import { tool } from '../session/harness.ts'
import type { RawServer } from './raw-sse.ts'

/** What came of one step of a session. */
export interface Spoken {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly toolCallId: string; readonly toolName: string; readonly input: unknown; readonly providerMetadata?: unknown }[]
  readonly usage: LanguageModelUsage | undefined
  readonly errors: readonly unknown[]
}

interface Step {
  readonly variant?: string
  readonly small?: boolean
  readonly temperature?: number
  readonly topP?: number
  readonly toolChoice?: 'none'
  readonly system?: string
  readonly messages?: readonly ModelMessage[]
  readonly options?: Readonly<Record<string, unknown>>
}

const hello: readonly ModelMessage[] = [{ role: 'user', content: 'Hello' }]

/** Sends one step to a chosen model as a session does, with a tool `read` at hand, and gathers what comes. */
export async function speak(choice: ModelChoice, { system = 'You are tested.', messages = hello, ...step }: Step = {}): Promise<Spoken> {
  const model = await openModel(choice)
  const signal = new AbortController().signal
  const shared = { sessionID: 'ses_test', agent: 'build', hooks: noHooks, tools: [tool('read')], toolChoice: 'auto', signal } as const
  const calls: Spoken['calls'][number][] = []
  const errors: unknown[] = []
  let [text, reasoning] = ['', '']
  let usage: LanguageModelUsage | undefined
  try {
    for await (const part of streamStep({ model, system, messages, ...shared, ...step })) {
      if (part.type === 'text-delta') text += part.text
      if (part.type === 'reasoning-delta') reasoning += part.text
      if (part.type === 'tool-call') calls.push(part)
      if (part.type === 'finish-step') usage = part.usage
      if (part.type === 'error') errors.push(part.error)
    }
  } catch (error) {
    errors.push(error)
  }
  return { text, reasoning, calls, usage, errors }
}

/** A model of the catalogue, or of `providers`, that answers at a server of the test. */
export function chosen(server: { readonly url: string }, model: string, more: Omit<Partial<ModelRequest>, 'model'> = {}): ModelChoice {
  return chooseModel({ model: parseModelRef(model), apiKey: 'sk-test', baseUrl: `${server.url}/v1`, env: {}, ...more })
}

const Body = z.record(z.string(), z.unknown())

/** The JSON body of the newest request. */
export function bodyOf({ requests }: RawServer): Record<string, unknown> {
  return Body.parse(JSON.parse(requests.at(-1)?.body ?? ''))
}

/** A history of one finished tool call, as it goes to the model. */
export function called(id: string, more: { reasoning?: string; call?: Record<string, Record<string, z.core.util.JSONType>> } = {}): ModelMessage[] {
  return [
    { role: 'user', content: 'Read a.txt' },
    {
      role: 'assistant',
      content: [
        ...(more.reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: more.reasoning }]),
        { type: 'tool-call', toolCallId: id, toolName: 'read', input: { path: 'a.txt' }, ...(more.call ? { providerOptions: more.call } : {}) },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName: 'read', output: { type: 'text', value: 'content' } }] },
  ]
}
