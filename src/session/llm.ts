import type { JSONSchema7, ModelMessage, SystemModelMessage, TextStreamPart, ToolSet } from 'ai'
import { z } from 'zod'
import type { Model } from '../model/model.ts'
import type { Tool } from '../tool/tool.ts'
import { clean } from './clean.ts'
import type { Hooks } from './hooks.ts'
import { definitionOf, shapeOf } from './shape.ts'

/** One thing that happened in a model's answer, in the AI SDK's words. */
export type StreamEvent = TextStreamPart<ToolSet>

/** Everything one model step is made of. */
export interface ModelRequest {
  readonly model: Model
  readonly sessionID: string
  /** Name of the agent that asks. */
  readonly agent: string
  readonly hooks: Hooks
  readonly system: string
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly Tool[]
  /** `none`: the tool table is still sent, so that cached prefixes hold, but the model may not call (DECISIONS 1). */
  readonly toolChoice: 'auto' | 'none'
  readonly temperature?: number | undefined
  readonly signal: AbortSignal
}

const loadSdk = () => import('./sdk.ts')

/** Starts loading the AI SDK, which takes tens of milliseconds, while the caller does something else. */
export async function warm(): Promise<void> {
  await loadSdk()
}

/**
 * Asks the model for one step. Tools are described but not executed here; retries are the loop's. Nothing is thrown before
 * the stream is read: failures are `error` events or thrown while reading.
 */
export async function* streamStep(request: ModelRequest): AsyncGenerator<StreamEvent, void, undefined> {
  const sdk = await loadSdk()
  const { model } = request
  const choice = request.toolChoice
  const { system, params, headers } = await shapeOf(request)
  const { options, ...sampling } = params
  const result = sdk.streamText({
    // The choice is set beneath `streamText`, which would otherwise swallow the calls a model makes in spite of it.
    model: sdk.wrapLanguageModel({
      model: model.language,
      middleware: {
        specificationVersion: 'v4',
        transformParams: async ({ params }) => (params.tools?.length ? { ...params, toolChoice: { type: choice } } : params),
      },
    }),
    instructions: system.map((text) => systemMessage(text, model)),
    messages: marked(request.messages, model),
    tools: await toolSet(sdk, request),
    ...sampling,
    headers,
    providerOptions: providerOptions(request, Options.parse(JSON.parse(JSON.stringify(options)))),
    maxRetries: 0,
    stopWhen: sdk.isStepCount(1),
    abortSignal: request.signal,
    // The same errors come through the stream; without a handler the SDK prints them.
    onError: () => {},
  })
  yield* result.stream
}

/** The tools as the model sees them, sorted by name; arguments are validated where the calls are executed. */
async function toolSet(sdk: Awaited<ReturnType<typeof loadSdk>>, request: ModelRequest): Promise<ToolSet> {
  const set: ToolSet = {}
  for (const tool of request.tools.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const given = await sdk.zodSchema(tool.parameters).jsonSchema
    const { description, parameters } = await definitionOf(tool, given, request)
    set[tool.id] = sdk.tool({ description, inputSchema: sdk.jsonSchema<unknown>(isSchema(parameters) ? parameters : given) })
  }
  return set
}

const isSchema = (value: unknown): value is JSONSchema7 => typeof value === 'object' && value !== null && !Array.isArray(value)

const cacheMark = { anthropic: { cacheControl: { type: 'ephemeral' } } }

function systemMessage(text: string, model: Model): SystemModelMessage {
  return { role: 'system', content: clean(text), ...(model.protocol === 'anthropic' ? { providerOptions: cacheMark } : {}) }
}

/** Anthropic caches up to marked places: the system text and the last two messages, so that each step reads the one before. */
function marked(messages: readonly ModelMessage[], model: Model): ModelMessage[] {
  if (model.protocol !== 'anthropic') return [...messages]
  return messages.map((message, index) =>
    index < messages.length - 2 ? message : { ...message, providerOptions: { ...message.providerOptions, ...cacheMark } },
  )
}

const Options = z.record(z.string(), z.json())
type Options = z.infer<typeof Options>

/**
 * Nothing is kept at OpenAI, so reasoning has to travel encrypted; the key lets all steps of a session find the same cache. What plugins
 * add goes under the name by which the protocol's client looks for options.
 */
function providerOptions({ model, sessionID }: ModelRequest, added: Options): Record<string, Options> {
  switch (model.protocol) {
    case 'openai-responses': {
      const include = model.info.reasoning ? { include: ['reasoning.encrypted_content'] } : {}
      return { openai: { promptCacheKey: sessionID, ...include, ...added } }
    }
    case 'openai-chat':
      return { openai: { promptCacheKey: sessionID, ...added } }
    case 'openai-compatible':
      return { [model.info.providerID]: added }
    default:
      return { [model.protocol]: added }
  }
}
