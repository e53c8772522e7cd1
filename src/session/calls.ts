import { z } from 'zod'
import { excerpt } from '../text.ts'
import type { Tool } from '../tool/tool.ts'
import type { Call } from './processor.ts'

/** Characters of bad arguments that are echoed to the model (C60). */
const ECHO = 200
/** Characters of a schema's complaints. */
const COMPLAINT = 600

/** A call as it can be carried out, or what to tell the model instead. */
export type Resolved =
  | { readonly tool: Tool; readonly name: string; readonly input: Record<string, unknown> }
  | { readonly name: string; readonly problem: string }

const Arguments = z.record(z.string(), z.unknown())

/**
 * Finds the tool a call means and checks its arguments. A name that differs only in case, and from one tool only, is understood;
 * any other unknown name is answered with the list of tools (C59). Missing arguments are `{}` (C158); what is no JSON object, or does not
 * fit the tool's parameters, is answered with a short message (C60).
 */
export function resolveCall(call: Call, tools: readonly Tool[]): Resolved {
  const tool = findTool(call.name, tools)
  if (!tool) {
    const names = tools.map(({ id }) => id).toSorted()
    return { name: call.name, problem: `There is no tool named ${JSON.stringify(excerpt(call.name, 64))}. The tools are: ${names.join(', ') || 'none'}.` }
  }
  const name = tool.id
  const empty = call.input === undefined || (typeof call.input === 'string' && call.input.trim() === '')
  const given = Arguments.safeParse(empty ? {} : call.input)
  if (!given.success || call.unparsable) {
    const reason = call.unparsable && !empty ? 'are not valid JSON' : `must be one JSON object, not ${kindOf(call.input)}`
    if (!given.success)
      return { name, problem: `The arguments of ${name} ${reason}: ${excerpt(call.part.state.status === 'pending' ? call.part.state.raw : '', ECHO)}` }
  }
  const checked = tool.parameters.safeParse(given.data)
  if (!checked.success) return { name, problem: `The arguments of ${name} do not fit:\n${excerpt(z.prettifyError(checked.error), COMPLAINT)}` }
  return { tool, name, input: checked.data }
}

function findTool(name: string, tools: readonly Tool[]): Tool | undefined {
  const exact = tools.find(({ id }) => id === name)
  if (exact) return exact
  const alike = tools.filter(({ id }) => id.toLowerCase() === name.trim().toLowerCase())
  return alike.length === 1 ? alike[0] : undefined
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}
