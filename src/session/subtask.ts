import { messageOf } from '../failure.ts'
import { allowAll } from '../tool/permission.ts'
import type { Tool } from '../tool/tool.ts'
import { newAnswer } from './answer.ts'
import { executeCalls } from './execute.ts'
import { refOf } from './fallback.ts'
import { ascending } from './id.ts'
import type { SubtaskPart, ToolPart, User, WithParts } from './message.ts'
import { repeatGuard } from './repeat-guard.ts'
import type { RunContext } from './step.ts'
import { taskTool } from './task.ts'
import { putUser, synthetic } from './user.ts'

/** Subtasks asked for since the last finished answer, in the order they were asked for. */
export function pendingSubtasks(history: readonly WithParts[]): readonly SubtaskPart[] {
  const finished = history.findLastIndex(({ info }) => info.role === 'assistant' && info.finish !== undefined)
  return history.slice(finished + 1).flatMap(({ parts }) => parts.filter((part): part is SubtaskPart => part.type === 'subtask'))
}

/**
 * Carries out subtasks without asking the session's own model (the engine's description 2.18): for each an answer that holds one call of
 * `task`, completed or failed. The rules about agents don't apply, since a person asked for it. After a command, a message of ours has the
 * model report on it.
 */
export async function runSubtasks(subtasks: readonly SubtaskPart[], user: User, context: RunContext): Promise<void> {
  await Promise.all(subtasks.map((subtask) => runSubtask(subtask, user, context)))
  if (context.signal.aborted || !subtasks.some(({ command }) => command !== undefined)) return
  putUser([synthetic(context.texts('reminders/subtask-done'))], { agent: user.agent, model: user.model }, context)
}

async function runSubtask({ agent, description, prompt, command, model }: SubtaskPart, user: User, context: RunContext): Promise<void> {
  const { record, clock, models } = context
  const start = clock.now()
  const message = record.message(newAnswer({ parentID: user.id, agent, model: model ?? refOf(models.current) }, start))
  const input = { description, prompt, subagent_type: agent, ...(command === undefined ? {} : { command }) }
  const part: ToolPart = {
    id: ascending('prt', start),
    messageID: message.id,
    type: 'tool',
    tool: 'task',
    callID: ascending('call', start),
    state: { status: 'pending', input, raw: JSON.stringify(input) },
  }
  const tools = taskTool(context, { rules: allowAll, named: [agent], model }).map(asked)
  const call = { part, name: 'task', input, unparsable: false }
  await executeCalls([call], message, { ...context, tools, rules: allowAll, guard: repeatGuard(), warn: () => '' })
  record.message({ ...message, finish: 'tool-calls', time: { ...message.time, completed: clock.now() } })
}

/** A tool whose failures say that nobody but the person called it. */
function asked(tool: Tool): Tool {
  return {
    ...tool,
    execute: (input, call) =>
      tool.execute(input, call).catch((error: unknown) => {
        throw new Error(`Tool execution failed: ${messageOf(error)}`, { cause: error })
      }),
  }
}
