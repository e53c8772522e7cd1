import { allowAll, disabled, merge, type Rules } from '../tool/permission.ts'
import type { Tool } from '../tool/tool.ts'
import type { User, WithParts } from './message.ts'
import type { RunContext } from './step.ts'
import { taskTool } from './task.ts'

/** What the agent of a run may do: its own rules, then those of the session, which win. */
export function rulesOf({ agent, record }: Pick<RunContext, 'agent' | 'record'>): Rules {
  return merge(agent.permission ?? allowAll, record.store.session.permission ?? [])
}

/**
 * The tools a step offers: those of the run and `task`, unless the repository has its own of that name, less those that are not for the model in
 * use, that the message switches off, and that the rules forbid altogether.
 */
export function offered({ user, history }: { readonly user: User; readonly history: readonly WithParts[] }, context: RunContext): readonly Tool[] {
  const rules = rulesOf(context)
  const { tools: given, gate, model } = context
  const task = given.some(({ id }) => id === 'task') ? [] : taskTool(context, { rules, gate, named: namedBy(user, history, context) })
  const tools = [...given, ...task]
  const hidden = disabled(
    tools.map(({ id }) => id),
    rules,
  )
  return tools.filter(({ id, suits }) => user.tools?.[id] !== false && !hidden.has(id) && (suits?.(model.info.modelID) ?? true))
}

/** The agents a person named in the message. In a subtask the message is a model's, which may not lift rules by naming somebody. */
function namedBy(user: User, history: readonly WithParts[], { record }: RunContext): readonly string[] {
  if (record.store.session.parentID !== undefined) return []
  const parts = history.findLast(({ info }) => info.id === user.id)?.parts ?? []
  return parts.flatMap((part) => (part.type === 'agent' ? [part.name] : []))
}
