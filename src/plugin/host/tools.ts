import { z } from 'zod'
import type { Definition } from '../protocol.ts'

/** What a tool is told of its call, in the shape of OpenCode's plugin interface. */
export interface ToolContext {
  readonly sessionID: string
  readonly messageID: string
  readonly callID: string
  readonly agent: string
  readonly directory: string
  readonly worktree: string
  readonly abort: AbortSignal
  metadata(update: { title?: string; metadata?: Record<string, unknown> }): void
  ask(need: { permission: string; patterns: string[] }): Promise<void>
}

/** A custom tool, ready to be called. */
export interface CustomTool extends Definition {
  run(input: unknown, context: ToolContext): Promise<unknown>
}

const isFunction = (value: unknown): value is (...values: readonly unknown[]) => unknown => typeof value === 'function'
const Tool = z.looseObject({ description: z.string(), args: z.unknown().optional(), execute: z.custom<(...values: readonly unknown[]) => unknown>(isFunction) })

/** A value as a tool, if it is one: it needs a description and `execute`; arguments may be missing. */
export function customTool(id: string, value: unknown, shown: string): CustomTool | undefined {
  const parsed = Tool.safeParse(value)
  if (!parsed.success) return undefined
  const { description, args, execute } = parsed.data
  const parameters = parametersOf(args)
  return {
    id,
    shown,
    description,
    schema: schemaOf(parameters),
    // Called on the definition, which may keep more than its function.
    run: async (input, context) => execute.call(value, checked(id, input, parameters), context),
  }
}

const isSchema = (value: unknown): value is z.ZodType => typeof value === 'object' && value !== null && '_zod' in value

/** Arguments are zod schemas by name, or one object of them. Any other kind of schema is taken for "anything". */
function parametersOf(args: unknown): z.ZodObject {
  if (args instanceof z.ZodObject) return args
  if (typeof args !== 'object' || args === null) return z.object({})
  const shape = isSchema(args) ? ('shape' in args ? args.shape : {}) : args
  return z.object(Object.fromEntries(Object.entries(shape ?? {}).map(([name, schema]) => [name, isSchema(schema) ? schema : z.unknown().optional()])))
}

function schemaOf(parameters: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(parameters, { io: 'input', unrepresentable: 'any', target: 'draft-7' })
  return schema
}

/** Models write `null` for what they leave out, so that a second try goes without. */
function checked(id: string, input: unknown, parameters: z.ZodObject): unknown {
  const first = parameters.safeParse(input)
  if (first.success) return first.data
  const given = typeof input === 'object' && input !== null ? input : {}
  const second = parameters.safeParse(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)))
  if (second.success) return second.data
  throw new Error(`The ${id} tool was called with arguments that do not fit. Rewrite the call so that it fits:\n${z.prettifyError(first.error)}`)
}
