import { Failure } from '../failure.ts'
import { mergeDeep } from '../json.ts'
import type { Texts } from '../prompt/texts.ts'
import { fromConfig, merge, type PermissionConfig, permissionOf, type Rule, type Rules } from '../tool/permission.ts'
import type { AgentConfig } from './agent-config.ts'
import type { ModelRef } from './message.ts'
import { UnknownNameError } from './refusals.ts'
import type { Agent } from './step.ts'

/** An agent that cannot be used as it is configured. */
export class AgentError extends Failure {
  override readonly name = 'AgentError'
}

export interface AgentOptions {
  readonly texts: Texts
  /** Agents of the configuration, by name, in its order. */
  readonly agents?: Readonly<Record<string, AgentConfig>>
  /** What of that the job itself says. Its rules for an agent are the last, wherever a file of the repository has the same keys. */
  readonly jobAgents?: Readonly<Record<string, AgentConfig>>
  /** The configuration's rules for all agents. */
  readonly permission?: PermissionConfig
  /** What `~` and `$HOME` in patterns stand for. */
  readonly home?: string
  /** Folder of saved tool outputs; it stays readable unless a rule forbids exactly it. */
  readonly outputs?: string
}

/** Files that often hold secrets are read only on request, which in CI is not at all (DECISIONS 5). */
const reading = { '*': 'allow', '*.env': 'ask', '*.env.*': 'ask', '*.env.example': 'allow' } as const
/** Folders outside are not closed to commands, as they are in OpenCode: ask is a denial here, and builds need temporary folders and caches. */
const defaults = { '*': 'allow', question: 'deny', read: reading } satisfies PermissionConfig

interface Builtin extends Agent {
  readonly rules: PermissionConfig
}

function builtins(texts: Texts): readonly Builtin[] {
  const silent = { mode: 'primary', hidden: true, rules: { '*': 'deny' } } as const
  return [
    { name: 'build', mode: 'primary', description: 'Carries out work with all tools the rules allow. The default.', rules: {} },
    {
      name: 'plan',
      mode: 'primary',
      description: 'Works out a plan and changes nothing but plan files.',
      rules: { edit: { '*': 'deny', '.opencode/plans/*.md': 'allow' }, task: { general: 'deny' } },
    },
    {
      name: 'general',
      mode: 'subagent',
      description: 'For tasks of several steps that can be done apart, in parallel where they are independent. It can change files.',
      rules: { todowrite: 'deny' },
    },
    {
      name: 'explore',
      mode: 'subagent',
      description: 'For finding things in the code base: where something is defined or used, how a part works. Quick, and it changes nothing.',
      prompt: texts('agents/explore'),
      rules: { '*': 'deny', grep: 'allow', glob: 'allow', list: 'allow', bash: 'allow', webfetch: 'allow', websearch: 'allow', read: reading },
    },
    { name: 'compaction', ...silent, prompt: texts('agents/compaction') },
    { name: 'title', ...silent, temperature: 0.5, prompt: texts('agents/title') },
    { name: 'summary', ...silent, prompt: texts('agents/summary') },
  ]
}

/**
 * All agents of a run: the built-in ones, as the configuration changes them, then those it adds, in its order. Rules are laid over each
 * other: defaults, the agent's built-in ones, the configuration's for all agents, the configuration's for this one, the job's for it (the
 * engine's description 4.6). Throws `AgentError` for a model that is not `provider/model`.
 */
export function agentsOf({ texts, agents: configured = {}, jobAgents = {}, permission = {}, home, outputs }: AgentOptions): readonly Agent[] {
  const known = builtins(texts)
  const added = Object.keys(configured).filter((name) => !known.some((agent) => agent.name === name))
  const fresh = added.map((name): Builtin => ({ name, mode: 'all', rules: {} }))
  return [...known, ...fresh].flatMap(({ rules, ...agent }): Agent[] => {
    const config = Object.hasOwn(configured, agent.name) ? configured[agent.name] : undefined
    if (config?.disable) return []
    const fromJob = Object.hasOwn(jobAgents, agent.name) ? jobAgents[agent.name] : undefined
    const layers = merge(fromConfig(defaults), fromConfig(rules), fromConfig(permission, home), ownRules(config, home), ownRules(fromJob, home))
    return [{ ...agent, ...(config ? changesOf(agent, config) : {}), permission: merge(layers, outputsRule(layers, outputs)) }]
  })
}

function changesOf(agent: Agent, config: AgentConfig): Partial<Agent> {
  const { model, variant, temperature, top_p: topP, prompt, description, mode, hidden, options, steps, maxSteps, ...rest } = config
  const { tools: _tools, disable: _disable, color: _color, permission: _permission, ...unknown } = rest
  const limit = steps ?? maxSteps
  const all = mergeDeep(mergeDeep(agent.options ?? {}, unknown), options ?? {})
  return {
    ...(model === undefined ? {} : { model: modelRefOf(model, agent.name) }),
    ...(variant === undefined ? {} : { variant }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(description === undefined ? {} : { description }),
    ...(mode === undefined ? {} : { mode }),
    ...(hidden === undefined ? {} : { hidden }),
    ...(limit === undefined ? {} : { steps: limit }),
    ...(Object.keys(all).length === 0 ? {} : { options: all }),
  }
}

function ownRules({ tools = {}, permission = {} }: AgentConfig = {}, home?: string): Rules {
  return merge(fromTools(tools), fromConfig(permission, home))
}

/** The older `tools` map as rules. */
function fromTools(tools: Readonly<Record<string, boolean>>): Rules {
  return Object.entries(tools).map(([id, on]): Rule => ({ permission: oldNames.get(id) ?? permissionOf(id), pattern: '*', action: on ? 'allow' : 'deny' }))
}

/** Tools that are gone and that old configurations still name. */
const oldNames = new Map([
  ['patch', 'edit'],
  ['multiedit', 'edit'],
])

function outputsRule(rules: Rules, outputs: string | undefined): Rules {
  if (outputs === undefined) return []
  const rule: Rule = { permission: 'external_directory', pattern: `${outputs}/*`, action: 'allow' }
  const forbidden = rules.some(({ permission, pattern, action }) => permission === rule.permission && pattern === rule.pattern && action === 'deny')
  return forbidden ? [] : [rule]
}

function modelRefOf(model: string, agent: string): ModelRef {
  const slash = model.indexOf('/')
  if (slash > 0 && slash < model.length - 1) return { providerID: model.slice(0, slash), modelID: model.slice(slash + 1) }
  throw new AgentError(`The model of agent "${agent}" is "${model}", which names no provider.`, 'Write it as provider/model, for example openai/gpt-5.')
}

/** The agent of this name. Throws `UnknownNameError` with the names of those that are not hidden. */
export function findAgent(name: string, agents: readonly Agent[]): Agent {
  const found = agents.find((agent) => agent.name === name)
  if (found) return found
  throw new UnknownNameError(
    'agent',
    name,
    agents.filter(({ hidden }) => !hidden).map((agent) => agent.name),
  )
}

/**
 * The agent that leads a session when none is named: the configured one, else the first that is neither hidden nor only for subtasks.
 * Throws `UnknownNameError` when the configured one isn't there, `AgentError` when it is not fit to lead or none is left.
 */
export function defaultAgent(agents: readonly Agent[], configured?: string): Agent {
  if (configured !== undefined) {
    const agent = findAgent(configured, agents)
    if (leads(agent)) return agent
    const why = agent.hidden ? 'is hidden' : 'is only for subtasks'
    throw new AgentError(`The default agent "${configured}" cannot lead a session: it ${why}.`, 'Name an agent of mode primary or all that is not hidden.')
  }
  const first = agents.find(leads)
  if (!first) throw new AgentError('No agent is left that could lead a session.', 'Leave one agent of mode primary or all enabled.')
  return first
}

function leads({ mode, hidden }: Agent): boolean {
  return mode !== 'subagent' && !hidden
}
