import { z } from 'zod'
import { messageOf } from '../failure.ts'
import type { Rule } from '../tool/permission.ts'
import { findAgent } from './agents.ts'
import { type Hooks, noHooks } from './hooks.ts'
import { ascending } from './id.ts'
import { type ModelRef, Part, type Source, User, type WithParts } from './message.ts'
import { rulesOf } from './offered.ts'
import type { Clock, Recorder } from './record.ts'
import type { Agent } from './step.ts'
import { type PromptPart, putMessage, toParts } from './user.ts'
import { type PartsContext, resolveParts } from './user-parts.ts'

/** What somebody sends in, and to whom. */
export interface UserInput {
  readonly parts: readonly PromptPart[]
  /** Name of the agent; by default the one that leads the session. */
  readonly agent?: string
  readonly model?: ModelRef
  readonly variant?: string
  /** Added to the system text of the answer's requests. */
  readonly system?: string
  /** Tools that are switched on or off, by name; a map that names any replaces the session's rules from here on. */
  readonly tools?: Readonly<Record<string, boolean>>
  readonly format?: User['format']
  readonly source?: Source
}

type Reading = Omit<PartsContext, 'rules' | 'agent' | 'messageID'>

export interface UserContext extends Reading {
  readonly record: Recorder
  readonly clock: Clock
  readonly hooks: Hooks
  /** The agent that leads the session. */
  readonly agent: Agent
  readonly agents: readonly Agent[]
}

/**
 * Makes a user message of what was sent in (the engine's description 2.2): settles agent, model and variant, reads what is attached, lets plugins
 * see it, and stores the message and then its parts. Throws `UnknownNameError` for an unknown agent, before anything is stored.
 */
export async function createUser(input: UserInput, context: UserContext): Promise<WithParts> {
  const { record, clock } = context
  const agent = agentFor(input.agent, context)
  const choice = modelFor(input, agent, record)
  const { store } = record
  store.update({ agent: agent.name, model: choice.model })

  const now = clock.now()
  const { system, format, source, tools } = input
  const info: User = {
    role: 'user',
    id: ascending('msg', now),
    time: { created: now },
    agent: agent.name,
    ...choice,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools: { ...tools } }),
    ...(format === undefined ? {} : { format }),
    ...(source === undefined ? {} : { source }),
  }
  const rules = rulesOf({ agent, record })
  const pieces = await resolveParts(input.parts, { ...context, rules, agent: agent.name, messageID: info.id })
  const made = await throughPlugins({ info, parts: toParts(pieces, info.id, now) }, context)
  const message = putMessage(made.info, made.parts, record)
  const replacing = rulesFrom(tools ?? {})
  if (replacing.length > 0) store.update({ permission: replacing })
  return message
}

function agentFor(name: string | undefined, { agent, agents, record }: UserContext): Agent {
  if (name === undefined) return agent
  try {
    return findAgent(name, agents)
  } catch (error) {
    record.error({ name: 'UnknownError', message: messageOf(error) })
    throw error
  }
}

/** The model asked for, else the agent's own, else the session's. A variant that nobody asked for is the agent's and goes with its own model only. */
function modelFor(input: UserInput, agent: Agent, { store }: Recorder): Pick<User, 'model' | 'variant'> {
  const model = input.model ?? agent.model ?? store.session.model
  const own = agent.model !== undefined && agent.model.providerID === model.providerID && agent.model.modelID === model.modelID
  const variant = input.variant ?? (own ? agent.variant : undefined)
  return { model, ...(variant === undefined ? {} : { variant }) }
}

const rulesFrom = (tools: Readonly<Record<string, boolean>>): Rule[] =>
  Object.entries(tools).map(([permission, on]) => ({ permission, pattern: '*', action: on ? 'allow' : 'deny' }))

const Identified = z.object({ id: z.string() })

/** Plugins may change the message and its parts. What they make of it that is none is reported, and left as it was. */
async function throughPlugins(made: { info: User; parts: Part[] }, { hooks, record }: UserContext): Promise<{ info: User; parts: Part[] }> {
  if (hooks === noHooks) return made
  const { info, parts } = made
  const about = { sessionID: record.store.session.id, agent: info.agent, model: info.model, messageID: info.id }
  const output = await hooks.trigger('chat.message', about, { message: structuredClone(info), parts: structuredClone(parts) })
  const complain = (what: string, error: z.ZodError) =>
    record.error({ name: 'UnknownError', message: `A plugin's ${what} is not valid, so it is not used: ${z.prettifyError(error)}` })

  const message = User.safeParse(output.message)
  if (!message.success) complain('message', message.error)
  const kept = output.parts.flatMap((candidate: unknown): Part[] => {
    const part = Part.safeParse(candidate)
    if (part.success) return [{ ...part.data, messageID: info.id }]
    complain('part of a message', part.error)
    const id = Identified.safeParse(candidate).data?.id
    return parts.filter((original) => original.id === id)
  })
  return { info: message.success ? { ...message.data, id: info.id } : info, parts: kept }
}
