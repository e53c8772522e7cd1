import { limits } from '../limits.ts'
import type { Tool } from '../tool/tool.ts'
import { refOf } from './fallback.ts'
import { type HookPoints, noHooks } from './hooks.ts'
import type { ModelRequest } from './llm.ts'
import type { WithParts } from './message.ts'

type Params = HookPoints['chat.params']['output']
type Definition = HookPoints['tool.definition']['output']

/** A request after plugins had their say about it. */
export interface Shape {
  /** One text, or two: what stays the same in front, so that a cache may hold it by itself. */
  readonly system: readonly string[]
  readonly params: Params
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Asks the plugins about the system text, the sampling parameters and the headers of a request (the engine's description 2.7). A temperature
 * is offered only to models that take one; output is limited to what the model can write and to `limits.outputTokens`.
 */
export async function shapeOf(request: ModelRequest): Promise<Shape> {
  const { hooks, sessionID, agent, temperature, topP } = request
  const { info } = request.model
  const model = refOf(request.model)
  const { system } = await hooks.trigger('experimental.chat.system.transform', { sessionID, model }, { system: [request.system] })
  const params = await hooks.trigger(
    'chat.params',
    { sessionID, agent, model },
    {
      ...(temperature === undefined || !info.temperature ? {} : { temperature }),
      maxOutputTokens: Math.min(info.limit.output || limits.outputTokens, limits.outputTokens),
      ...(topP === undefined ? {} : { topP }),
      options: { ...request.options },
    },
  )
  const { headers } = await hooks.trigger('chat.headers', { sessionID, agent, model }, { headers: {} })
  return { system: folded(system, request.system), params, headers }
}

/** More than two pieces would use up the places a cache may mark; behind an unchanged first piece they become one. */
function folded(system: readonly string[], whole: string): readonly string[] {
  const pieces = system.filter((piece) => piece !== '')
  const [first, ...rest] = pieces
  if (first === undefined) return [whole]
  return first === whole && rest.length > 1 ? [first, rest.join('\n')] : pieces
}

/** A tool's description and JSON schema as plugins leave them. */
export function definitionOf({ id, description }: Tool, parameters: unknown, { hooks }: ModelRequest): Promise<Definition> {
  return hooks.trigger('tool.definition', { toolID: id }, { description, parameters })
}

/** The history a request is made from, as plugins leave it; what is stored stays as it is. */
export async function transformed(history: readonly WithParts[], { hooks }: Pick<ModelRequest, 'hooks'>): Promise<readonly WithParts[]> {
  if (hooks === noHooks) return history
  const { messages } = await hooks.trigger('experimental.chat.messages.transform', {}, { messages: structuredClone([...history]) })
  return messages
}
