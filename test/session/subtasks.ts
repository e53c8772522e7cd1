import type { ServerResponse } from 'node:http'
import { AgentConfig } from '../../src/session/agent-config.ts'
import { agentsOf, findAgent } from '../../src/session/agents.ts'
import { createChildren } from '../../src/session/children.ts'
import type { WithParts } from '../../src/session/message.ts'
import type { ChatRequest, Recorded, Reply, SseModel } from '../support/sse-model.ts'
import { type Setup, setup, texts, toolsOf } from './harness.ts'

export type Configured = Readonly<Record<string, Partial<AgentConfig>>>

/** An engine with all built-in agents, those given, and a place to look at the sessions of subtasks. */
export function setupTeam(
  server: SseModel,
  { agents: configured = {}, leader = 'build', ...options }: Omit<Setup, 'agents'> & { agents?: Configured; leader?: string } = {},
) {
  const children = createChildren()
  const agents = agentsOf({ texts, agents: Object.fromEntries(Object.entries(configured).map(([name, agent]) => [name, AgentConfig.parse(agent)])) })
  return { ...setup(server, { agents, agent: findAgent(leader, agents), children, ...options }), children, agents }
}

/** A call of `task`. */
export const task = (agent: string, prompt: string, { id = 'call_task', ...rest }: { id?: string; task_id?: string; description?: string } = {}) => ({
  id,
  name: 'task',
  arguments: { description: 'Look around', prompt, subagent_type: agent, ...rest },
})

/** Answers each request by who asks: the session whose first words are the key. */
export function bySession(scripts: Readonly<Record<string, readonly Reply[]>>): Reply {
  const left = new Map(Object.entries(scripts).map(([key, replies]) => [key, [...replies]]))
  return async (response: ServerResponse, request: Recorded) => {
    const first = firstWords(request.body)
    const reply = [...left].find(([key]) => first.includes(key))?.[1].shift()
    if (!reply) throw new Error(`no reply for a session that begins with ${first}`)
    await reply(response, request)
  }
}

/** The text of the first message of a person, or of the agent that gave the task. */
export function firstWords({ messages }: ChatRequest): string {
  const content = messages.find(({ role }) => role === 'user')?.content
  return typeof content === 'string' ? content : ''
}

export const systemOf = ({ messages }: ChatRequest): string => {
  const content = messages.find(({ role }) => role === 'system')?.content
  return typeof content === 'string' ? content : ''
}

export const toolNames = ({ tools }: ChatRequest): string[] => tools?.map((tool) => tool.function.name) ?? []

export const descriptionOf = ({ tools }: ChatRequest, name: string): unknown => tools?.find((tool) => tool.function.name === name)?.function.description

/** States of the calls of `task`, in order. */
export const taskStates = (messages: readonly WithParts[]) => toolsOf(messages).flatMap(({ tool, state }) => (tool === 'task' ? [state] : []))
