import { isStepCount, jsonSchema, streamText, tool } from 'ai'
import { unknownModel } from '../../src/model/catalogue.ts'
import type { ModelChoice } from '../../src/model/choose.ts'
import type { Timeouts } from '../../src/model/fetch.ts'
import type { Model } from '../../src/model/model.ts'
import { openModel } from '../../src/model/open.ts'

/** What came of one question to a model: all that a caller of `streamText` could see, in short. */
export interface Asked {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
  /** Inputs with which tools were really run. */
  readonly ran: readonly unknown[]
  readonly finish: string | undefined
  readonly usage: { readonly input: number | undefined; readonly output: number | undefined }
  /** The errors that were reported in the stream or thrown by it. */
  readonly errors: readonly unknown[]
  readonly aborted: boolean
}

/** A choice for a server that a test has started. */
export function choiceAt(url: string, protocol: Model['protocol'], modelID = 'm'): ModelChoice {
  const providerID = protocol === 'openai-compatible' ? 'acme' : (protocol.split('-')[0] ?? protocol)
  return { info: unknownModel({ providerID, modelID }), protocol, apiKey: 'sk-test', baseUrl: `${url}/v1` }
}

interface Options {
  readonly timeouts?: Partial<Timeouts>
  readonly signal?: AbortSignal
  readonly onText?: () => void
}

/** Asks the model one thing, with the tools `read` and `list` at hand, and gathers what comes. */
export async function ask(choice: ModelChoice, { timeouts, signal, onText }: Options = {}): Promise<Asked> {
  const { language } = await openModel(choice, timeouts)
  const ran: unknown[] = []
  const execute = async (input: unknown) => {
    ran.push(input)
    return 'done'
  }
  const inputSchema = jsonSchema({ type: 'object' })
  const result = streamText({
    model: language,
    instructions: 'You are tested.',
    prompt: 'Say something.',
    tools: { read: tool({ inputSchema, execute }), list: tool({ inputSchema, execute }) },
    stopWhen: isStepCount(1),
    maxOutputTokens: 1_000,
    maxRetries: 0,
    onError: () => {},
    ...(signal === undefined ? {} : { abortSignal: signal }),
  })
  const calls: Asked['calls'][number][] = []
  const errors: unknown[] = []
  let [text, reasoning, aborted] = ['', '', false]
  let finish: string | undefined
  let usage: Asked['usage'] = { input: undefined, output: undefined }
  try {
    for await (const part of result.stream) {
      if (part.type === 'text-delta') text += part.text
      if (part.type === 'text-delta') onText?.()
      if (part.type === 'reasoning-delta') reasoning += part.text
      if (part.type === 'tool-call') calls.push({ id: part.toolCallId, name: part.toolName, input: part.input })
      if (part.type === 'error') errors.push(part.error)
      if (part.type === 'abort') aborted = true
      if (part.type === 'finish-step') finish = part.finishReason
      if (part.type === 'finish-step') usage = { input: part.usage.inputTokens, output: part.usage.outputTokens }
    }
  } catch (error) {
    errors.push(error)
  }
  return { text, reasoning, calls, ran, finish, usage, errors, aborted }
}
