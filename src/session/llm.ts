import type { ModelMessage, SystemModelMessage, TextStreamPart, ToolSet } from 'ai'
import { limits } from '../limits.ts'
import type { Model } from '../model/model.ts'
import type { Tool } from '../tool/tool.ts'
import { clean } from './clean.ts'

/** One thing that happened in a model's answer, in the AI SDK's words. */
export type StreamEvent = TextStreamPart<ToolSet>

/** Everything one model step is made of. */
export interface ModelRequest {
  readonly model: Model
  readonly sessionID: string
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
  const temperature = model.info.temperature ? request.temperature : undefined
  const result = sdk.streamText({
    // The choice is set beneath `streamText`, which would otherwise swallow the calls a model makes in spite of it.
    model: sdk.wrapLanguageModel({
      model: model.language,
      middleware: {
        specificationVersion: 'v4',
        transformParams: async ({ params }) => (params.tools?.length ? { ...params, toolChoice: { type: choice } } : params),
      },
    }),
    instructions: systemMessage(request.system, model),
    messages: marked(request.messages, model),
    tools: toolSet(sdk, request.tools),
    maxOutputTokens: Math.min(model.info.limit.output || limits.outputTokens, limits.outputTokens),
    ...(temperature === undefined ? {} : { temperature }),
    ...providerOptions(request),
    maxRetries: 0,
    stopWhen: sdk.isStepCount(1),
    abortSignal: request.signal,
    // The same errors come through the stream; without a handler the SDK prints them.
    onError: () => {},
  })
  yield* result.stream
}

/** The tools as the model sees them, sorted by name; arguments are validated where the calls are executed. */
function toolSet(sdk: Awaited<ReturnType<typeof loadSdk>>, tools: readonly Tool[]): ToolSet {
  const sorted = tools.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return Object.fromEntries(
    sorted.map(({ id, description, parameters }) => [id, sdk.tool({ description, inputSchema: sdk.jsonSchema(sdk.zodSchema(parameters).jsonSchema) })]),
  )
}

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

/** Nothing is kept at OpenAI, so reasoning has to travel encrypted; the key lets all steps of a session find the same cache. */
function providerOptions({ model, sessionID }: ModelRequest) {
  if (model.protocol === 'openai-responses') {
    const include = model.info.reasoning ? { include: ['reasoning.encrypted_content'] } : {}
    return { providerOptions: { openai: { promptCacheKey: sessionID, ...include } } }
  }
  return model.protocol === 'openai-chat' ? { providerOptions: { openai: { promptCacheKey: sessionID } } } : {}
}
