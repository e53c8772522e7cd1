import { z } from 'zod'
import { draft, finish } from '../tool/draft.ts'
import { optional } from '../tool/parameters.ts'
import { allowAll, allowed, evaluate, type Rules } from '../tool/permission.ts'
import type { Tool } from '../tool/tool.ts'
import { runChild } from './child.ts'
import type { ModelRef } from './message.ts'
import type { Agent, RunContext } from './step.ts'

const parameters = z.object({
  description: z.string().describe('The task in three to five words'),
  prompt: z.string().min(1).describe('What the agent is to do, with all it needs to know'),
  subagent_type: z.string().min(1).describe('Name of the agent'),
  task_id: optional(z.string().describe('An earlier task to go on with, by the id in its result')),
  command: optional(z.string().describe('The command the task comes from')),
})

interface Calling {
  readonly rules: Rules
  /** What the run as a whole allows, also where a person names an agent; everything by default. */
  readonly gate?: Rules | undefined
  /** Agents the person asked for by name: no rule of an agent keeps them from being called. */
  readonly named: readonly string[]
  /** In place of the parent's model, for agents without one of their own. */
  readonly model?: ModelRef | undefined
}

/** The `task` tool as the leading agent may use it, if there is anybody to give work to. */
export function taskTool(context: RunContext, { rules, gate = allowAll, named, model }: Calling): readonly Tool[] {
  const { team, texts } = context
  const isOpen = (name: string) => evaluate('task', name, gate).action === 'allow'
  const helpers = helpersOf(team.agents, rules).filter(({ name }) => isOpen(name))
  if (helpers.length === 0 && !named.some(isOpen)) return []
  const needs = ({ subagent_type: agent }: z.output<typeof parameters>) => (named.includes(agent) ? [] : [{ permission: 'task', patterns: [agent] }])
  const tool = draft('task', parameters, needs, async ({ description, prompt, subagent_type: agent, task_id: taskID }, call) => {
    allowed([{ permission: 'task', patterns: [agent] }], gate)
    return runChild({ description, prompt, agent, taskID, model }, context, call)
  })
  return [finish(tool, texts('tools/task', { agents: helpers.map(line).join('\n') }), team.truncate)]
}

/** The agents that can be given work and that the rules allow, by name. */
function helpersOf(agents: readonly Agent[], rules: Rules): readonly Agent[] {
  return agents
    .filter(({ name, mode, hidden }) => mode !== 'primary' && !hidden && evaluate('task', name, rules).action === 'allow')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function line({ name, description }: Agent): string {
  return `- ${name}: ${description ?? 'an agent of this repository.'}`
}
