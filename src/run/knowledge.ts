import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { loadConfig } from '../config/load.ts'
import { lookAhead } from '../config/tree.ts'
import type { Config } from '../config/types.ts'
import type { Providers } from '../model/catalogue.ts'
import type { ModelError } from '../model/errors.ts'
import { type Instructions, loadInstructions } from '../prompt/instructions.ts'
import type { Plan } from '../publish/plan.ts'
import { agentsOf, defaultAgent } from '../session/agents.ts'
import type { Agent } from '../session/step.ts'
import { allowAll, evaluate, fromConfig, merge, type Rules } from '../tool/permission.ts'
import type { Tree } from '../workspace/types.ts'
import type { Checkout } from './checkout.ts'
import { type Request, runFolder } from './job.ts'
import { chooseWith, type Models, secretsOfAll } from './models.ts'

/** What the trusted commit and the job tell a run. Nothing in it comes from the work tree, whose author may be anybody. */
export interface Knowledge {
  readonly tree: Tree
  readonly config: Config
  readonly models: Models
  /** Those that can be named: the catalogue's, with the repository's laid over them. */
  readonly providers: Providers
  /** Folder, outside the checkout, for outputs that are too long to show. */
  readonly outputs: string
  readonly instructions: Instructions
  readonly agents: readonly Agent[]
  /** The one that leads the session. */
  readonly agent: Agent
  /** What the job itself forbids, whatever a repository allows. */
  readonly gate: Rules
  /** Whether the leading agent may not use a skill. */
  readonly isDenied: (skill: string) => boolean
}

/** Reads configuration and instructions of the base branch. Throws `ConfigError` with file and place, `ModelError`, `AgentError`, `UnknownNameError`. */
export async function learn(request: Request, checkout: Checkout, plan: Plan, early: Models | ModelError, signal: AbortSignal): Promise<Knowledge> {
  const { world, settings } = request
  const { texts, env } = world
  const directory = settings.workingDirectory
  const known = checkout.branch === plan.base ? checkout.start.commit : undefined
  const tree = await lookAhead(await checkout.workspace.tree(plan.base, known), directory)
  const config = await loadConfig({ tree, directory, env, inline: settings.config, texts })
  for (const secret of config.secrets) world.redactor.add(secret)
  const { models, providers } = chooseWith(config, settings, env, early)
  for (const secret of secretsOfAll(models)) world.redactor.add(secret)
  const outputs = await outputFolder(request)
  const instructions = await loadInstructions({ tree, directory, named: config.preferences.instructions, env, signal })
  const home = env.HOME === undefined ? {} : { home: env.HOME }
  const agents = agentsOf({ texts, agents: config.agents, jobAgents: config.jobAgents, permission: config.permission, outputs, ...home })
  const agent = defaultAgent(agents, settings.agent ?? config.preferences.default_agent)
  return {
    tree,
    config,
    models,
    providers,
    outputs,
    instructions,
    agents,
    agent,
    gate: merge(allowAll, fromConfig(config.limits, env.HOME)),
    isDenied: (skill) => evaluate('skill', skill, agent.permission ?? allowAll).action !== 'allow',
  }
}

async function outputFolder({ runner }: Request): Promise<string> {
  const folder = join(runFolder(runner), 'outputs')
  await mkdir(folder, { recursive: true })
  return folder
}
