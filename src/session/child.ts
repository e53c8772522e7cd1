import type { Model } from '../model/model.ts'
import { ToolError } from '../tool/errors.ts'
import { merge, type Rule, type Rules } from '../tool/permission.ts'
import type { ToolContext, ToolResult } from '../tool/tool.ts'
import { findAgent } from './agents.ts'
import { depthOf } from './children.ts'
import { refOf } from './fallback.ts'
import { ascending } from './id.ts'
import { type ModelRef, noTokens, type Session, type WithParts } from './message.ts'
import type { Store } from './ports.ts'
import type { Agent, RunContext } from './step.ts'
import type { PromptPart } from './user.ts'

export interface Task {
  readonly description: string
  readonly prompt: string
  /** Name of the agent that is to do it. */
  readonly agent: string
  /** A child session to go on with. One that is not there is started anew. */
  readonly taskID?: string | undefined
  /** In place of the parent's model, where the agent has none of its own. */
  readonly model?: ModelRef | undefined
}

/**
 * Has a task done in a child session and returns its last words (the engine's description 3.9). Throws `ToolError` when the child fails, or
 * subtasks are nested too deep, and `UnknownNameError` for an agent that isn't there.
 */
export async function runChild(task: Task, parent: RunContext, call: Pick<ToolContext, 'signal' | 'metadata'>): Promise<ToolResult> {
  const { team } = parent
  const { children, maxDepth } = team
  const agent = findAgent(task.agent, team.agents)
  if (depthOf(parent.record.store.session, children) >= maxDepth) {
    throw new ToolError(
      `Subtasks may be nested ${maxDepth} deep here (setting \`subagent_depth\`), and this session is at that depth.`,
      'Do the task in this session.',
    )
  }
  const wanted = agent.model ?? task.model
  const own = wanted && (await team.openModel(wanted))
  const store = earlier(task, parent) ?? begin(task, agent, own, parent)
  const { id } = store.session
  const done = children.work(id, async () => {
    const metadata = { sessionId: id, model: store.session.model }
    call.metadata({ title: task.description, metadata })
    const system = [...new Set([...parent.system, parent.texts('agents/subtask')])]
    const worker = team.spawn({ store, agent, system, signal: call.signal, model: own })
    const parts: readonly PromptPart[] = [{ type: 'text', text: task.prompt }, ...team.references(task.prompt)]
    const last = await worker.prompt({ parts, agent: agent.name })
    return { title: task.description, output: report(id, last, call.signal.aborted), metadata }
  })
  if (!done) throw new ToolError(`The task ${id} is still at work for another call.`, 'Wait for its result, or leave task_id out to start another.')
  return done
}

/** The child that is to go on, if it is one of this session's. */
function earlier({ taskID }: Task, { team, record }: RunContext): Store | undefined {
  const found = taskID === undefined ? undefined : team.children.get(taskID)
  return found?.session.parentID === record.store.session.id ? found : undefined
}

function begin({ description }: Task, agent: Agent, model: Model | undefined, { record, team, clock, models, agent: leader }: RunContext): Store {
  const { store } = record
  const now = clock.now()
  const session: Session = {
    id: ascending('ses', now),
    parentID: store.session.id,
    title: `${description} (@${agent.name} subagent)`,
    agent: agent.name,
    model: refOf(model ?? models.current),
    created: now,
    todos: [],
    permission: [...childRules(store.session.permission ?? [], leader, agent)],
    ...(store.session.recentFiles ? { recentFiles: store.session.recentFiles } : {}),
    handled: [],
    usage: { steps: 0, tokens: noTokens, cost: 0 },
  }
  return team.children.start(session, store)
}

/**
 * The rules of a child's session: of its parent's, those about folders outside and all that forbid something; what the parent's agent may not
 * edit, so that reading agents can't have others write for them; and neither a todo list nor subtasks of its own, unless its agent's
 * rules speak of them.
 */
function childRules(session: Rules, leader: Pick<Agent, 'permission'>, agent: Pick<Agent, 'permission'>): Rules {
  const speaksOf = (name: string) => agent.permission?.some(({ permission }) => permission === name) ?? false
  return merge(
    (leader.permission ?? []).filter(({ permission, action }) => permission === 'edit' && action === 'deny'),
    session.filter(({ permission, action }) => permission === 'external_directory' || action === 'deny'),
    ['todowrite', 'task'].filter((name) => !speaksOf(name)).map((permission): Rule => ({ permission, pattern: '*', action: 'deny' })),
  )
}

/** The child's last text, for the parent. A child that failed or was stopped, or whose last word is a failed call, is a failure of the call. */
function report(id: string, { info, parts }: WithParts, aborted: boolean): string {
  const text = parts.findLast((part) => part.type === 'text' && !part.ignored && part.text.trim() !== '')
  const broken = parts.findLast((part) => part.type === 'tool' && part.state.status === 'error')
  const fault = broken?.type === 'tool' && broken.state.status === 'error' && !text ? broken.state.error : undefined
  const error = info.role === 'assistant' ? info.error?.message : 'it gave no answer'
  const reason = aborted ? 'it was stopped' : (error ?? fault)
  if (reason !== undefined) throw new ToolError(`Subagent failed (task_id: ${id}): ${reason}`, 'Pass the task_id to let it go on, or do the task another way.')
  return `<task id="${id}" state="completed">\n<task_result>\n${text?.type === 'text' ? text.text : ''}\n</task_result>\n</task>`
}
