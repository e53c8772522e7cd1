import type { JSONSchema7, ModelMessage, TextStreamPart, ToolSet } from 'ai'
import { z } from 'zod'
import type { Model } from '../model/model.ts'
import { cacheMarkFor, optionsFor, optionsName, samplingFor, sessionHeaders } from '../model/options.ts'
import type { Tool } from '../tool/tool.ts'
import { systemMessage, withCacheMarks } from './cache-marks.ts'
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
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly tool: string }
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  /** What the agent sets of the provider's further options, by their names in the AI SDK. */
  readonly options?: Readonly<Record<string, unknown>> | undefined
  /** How hard the model is to think, by a name of its own for it; one it does not have is ignored. */
  readonly variant?: string | undefined
  /** A small errand, for which no thinking is needed. */
  readonly small?: boolean | undefined
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
  const { model, sessionID, toolChoice: wanted } = request
  const choice = typeof wanted === 'string' ? { type: wanted } : { type: 'tool' as const, toolName: wanted.tool }
  const usual = samplingFor(model.info)
  const { system, params, headers } = await shapeOf({
    ...request,
    temperature: request.temperature ?? usual.temperature,
    topP: request.topP ?? usual.topP,
    options: optionsFor(model, { sessionID, variant: request.variant, small: request.small, agent: request.options }),
  })
  const { options, ...sampling } = params
  const mark = cacheMarkFor(model)
  const result = sdk.streamText({
    // The choice is set beneath `streamText`, which would otherwise swallow the calls a model makes in spite of it.
    model: sdk.wrapLanguageModel({
      model: model.language,
      middleware: {
        specificationVersion: 'v4',
        transformParams: async ({ params }) => (params.tools?.length ? { ...params, toolChoice: choice } : params),
      },
    }),
    instructions: system.map((text, index) => systemMessage(text, index < 2 ? mark : undefined)),
    messages: withCacheMarks(request.messages, mark),
    tools: await toolSet(sdk, request),
    ...sampling,
    headers: { ...sessionHeaders(model, sessionID), ...headers },
    providerOptions: { [optionsName(model)]: JsonRecord.parse(JSON.parse(JSON.stringify(options))) },
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
    const given = isSchema(tool.schema) ? tool.schema : lean(await sdk.zodSchema(tool.parameters).jsonSchema)
    const { description, parameters } = await definitionOf(tool, given, request)
    set[tool.id] = sdk.tool({ description, inputSchema: sdk.jsonSchema<unknown>(isSchema(parameters) ? parameters : given) })
  }
  return set
}

/** A schema without what zod adds and no model needs: the name of the draft, and the bounds that every whole number has. */
function lean(schema: JSONSchema7): JSONSchema7 {
  const json = JSON.stringify(schema, (key, value: unknown) => (key === '$schema' || Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER ? undefined : value))
  const read: unknown = JSON.parse(json)
  return isSchema(read) ? read : schema
}

const isSchema = (value: unknown): value is JSONSchema7 => typeof value === 'object' && value !== null && !Array.isArray(value)

const JsonRecord = z.record(z.string(), z.json())
