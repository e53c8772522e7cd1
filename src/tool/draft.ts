import type { z } from 'zod'
import { adviceOf, Failure } from '../failure.ts'
import { ToolError } from './errors.ts'
import type { PermissionNeed, Rules } from './permission.ts'
import { clean } from './text.ts'
import type { Tool, ToolContext, ToolResult } from './tool.ts'
import type { Truncate } from './truncate.ts'

/** A tool before it has its description and its output its final form. */
export type Draft = Omit<Tool, 'description'>

/**
 * Checks the arguments of a tool before its work starts. Unknown keys, those of prototypes too, are dropped (C148). `needs` says what a call
 * must be allowed to do; arguments that do not fit need nothing, since they get no further.
 */
export function draft<S extends z.ZodObject>(
  id: string,
  parameters: S,
  needs: (input: z.output<S>, rules: Rules) => readonly PermissionNeed[] | Promise<readonly PermissionNeed[]>,
  run: (input: z.output<S>, context: ToolContext) => Promise<ToolResult>,
): Draft {
  return {
    id,
    parameters,
    permission(input, rules) {
      const checked = parameters.safeParse(input)
      return checked.success ? needs(checked.data, rules) : []
    },
    async execute(input, context) {
      const checked = parameters.safeParse(input)
      if (checked.success) return run(checked.data, context)
      const faults = checked.error.issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ')
      throw new ToolError(
        `The ${id} tool was called with arguments that do not fit: ${faults}.`,
        'Rewrite the call so that it fits the parameters of the tool.',
      )
    },
  }
}

/**
 * Turns a draft into a tool: its output is cleaned (C38), never empty (C31) and cut unless the tool did that itself
 * (`metadata.truncated` is set); its failures carry their hint in the message, since the message is all the model sees.
 */
export function finish(tool: Draft, description: string, truncate: Truncate): Tool {
  return {
    ...tool,
    description,
    async execute(input, context) {
      const result = await tool.execute(input, context).catch((error: unknown) => {
        if (error instanceof Failure) throw new ToolError(clean(adviceOf(error)), error.hint, { cause: error })
        throw error
      })
      const title = clean(result.title)
      const output = clean(result.output) || '(no output)'
      if (result.metadata.truncated !== undefined) return { ...result, title, output }
      const { text, truncated, file } = await truncate(output)
      return { ...result, title, output: text, metadata: { ...result.metadata, truncated, ...(file === undefined ? {} : { outputPath: file }) } }
    },
  }
}
