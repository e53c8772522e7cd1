import { join } from 'node:path'
import type { Discussion } from '../github/types.ts'
import { limits } from '../limits.ts'
import { connectServers, type McpOptions, type McpRoom } from '../mcp/room.ts'
import { suggest } from '../model/catalogue.ts'
import type { Model } from '../model/model.ts'
import { openModel } from '../model/open.ts'
import { unpack } from '../packed.ts'
import { openPlugins, type PluginRoom } from '../plugin/room.ts'
import { skillsBlock } from '../prompt/skills.ts'
import { listen } from '../report/listen.ts'
import { type Children, createChildren } from '../session/children.ts'
import type { Command } from '../session/command.ts'
import { createEngine, type Engine } from '../session/engine.ts'
import { refOf } from '../session/fallback.ts'
import { noHooks } from '../session/hooks.ts'
import { ascending } from '../session/id.ts'
import { noTokens, type Session, type WithParts } from '../session/message.ts'
import type { Inbox, Sink, Store } from '../session/ports.ts'
import { memoryStore } from '../session/store.ts'
import { githubTools, type Intents } from '../tool/github.ts'
import { type Truncate, truncator } from '../tool/truncate.ts'
import { hideCredentials } from '../workspace/credentials.ts'
import { confine, type Files } from '../workspace/files.ts'
import { openShell, type Shell } from '../workspace/shell.ts'
import { shellEnvironment } from '../workspace/shell-env.ts'
import { openCage } from './cage.ts'
import type { Checkout } from './checkout.ts'
import { withDebugExport } from './debug.ts'
import { type Job, runFolder } from './job.ts'
import type { Knowledge } from './knowledge.ts'
import { lookIn } from './look.ts'
import { modelFor } from './models.ts'
import type { Scene } from './scene.ts'
import { placeServers } from './servers.ts'
import { boundsOf, type Reach, scalerOf, toolboxOf } from './tools.ts'
import { readWithoutSecrets } from './wrappers.ts'

/** The engine of a run with everything it works on. */
export interface Assembly {
  readonly engine: Engine
  readonly store: Store
  /** The sessions of subtasks. */
  readonly children: Children
  readonly files: Files
  /** What the model wants done on GitHub; absent where there is no thread. */
  readonly intents: (() => Intents) | undefined
  /** What kept commands apart from this process, for people. */
  readonly sandbox: () => Promise<string>
  /** Sentences for people about servers, plugins and tools that are not to be had; more may come while it works. */
  readonly notes: readonly string[]
  /** Ends everything that tools, servers and plugins have started. */
  close(): Promise<void>
}

interface Parts {
  readonly job: Job
  readonly scene: Scene
  readonly inbox: Inbox
  /** Hears everything beside the log. */
  readonly listen: Sink
  readonly checkout: Checkout
  readonly knowledge: Knowledge
  readonly session: Session
  readonly history: readonly WithParts[]
  readonly signal: AbortSignal
}

/** What could not be opened needs no closing. */
const nothing = () => undefined

/** Builds the engine over a checkout and a session. Throws `Failure` when the working directory is not in the repository; nothing is left running then. */
export async function assemble(parts: Parts): Promise<Assembly> {
  const { job, checkout, knowledge } = parts
  const { outputs } = knowledge
  const { world, settings, choice, runner } = job
  const { root } = checkout.workspace
  const files = confine({ root, directory: join(root, settings.workingDirectory), readable: [outputs] })
  const truncate = truncator(outputs, boundsOf(knowledge.config))
  const [cage, restore] = await Promise.all([openCage(job, checkout, outputs), hideCredentials(root, world.env.HOME, runner.temp)])
  const shell = openShell({ env: shellEnvironment(world.env), folder: outputs, launcher: cage.launcher })
  const notes: string[] = []
  const rooms = openRooms(parts, truncate, notes)
  const close = async () => {
    await Promise.all([shell.close(), ...rooms.map((room) => room.then((opened) => opened.close(), nothing))])
    await restore()
  }
  try {
    const [model, mcp, plugins] = await Promise.all([openModel(choice), ...rooms])
    const hooked = withHooks(shell, plugins, parts.session.id)
    const hub = hubOf(parts, truncate)
    const built = await build(parts, model, truncate, { files, shell: hooked, mcp, plugins, hub: hub?.tools ?? [], hear: cage.hear })
    return { ...built, files, notes, close, sandbox: cage.level, intents: hub?.intents }
  } catch (error) {
    await close()
    throw error
  }
}

/** Plugins may add to what commands find in their environment. */
function withHooks(shell: Shell, { hooks }: PluginRoom, sessionID: string): Shell {
  if (hooks === noHooks) return shell
  return {
    ...shell,
    async run(command, options) {
      const { env } = await hooks.trigger('shell.env', { cwd: options.cwd, sessionID }, { env: {} })
      return shell.run(command, { ...options, more: env })
    },
  }
}

async function build(
  parts: Parts,
  model: Model,
  truncate: Truncate,
  reach: Reach & { readonly hear: Sink },
): Promise<Pick<Assembly, 'engine' | 'store' | 'children'>> {
  const { job, knowledge, session, history, signal } = parts
  const { world, settings, choice, fallbacks, small } = job
  const { config, agents, agent, gate } = knowledge
  const { files, mcp, plugins } = reach
  const store = memoryStore(session, history)
  const children = createChildren()
  const toolbox = toolboxOf(world, knowledge, reach, (sessionID) => children.get(sessionID) ?? store)
  const { compaction = {}, experimental = {}, subagent_depth: depth } = config.preferences
  const engine = createEngine({
    store,
    inbox: parts.inbox,
    sink: all(listen(world.log), plugins.listen(session.id), parts.listen, reach.hear),
    model: await withDebugExport(job, model, session),
    tools: toolbox.tools,
    agent,
    agents,
    gate,
    children,
    ...(depth === undefined ? {} : { subagentDepth: depth }),
    openModel: (ref) => openModel(modelFor(ref, settings, choice, world.env, knowledge.providers)),
    commands: { list: await commandsOf(job, knowledge, mcp, signal), shell: toolbox.insert },
    look: lookIn(files),
    readResource: readWithoutSecrets(mcp.readResource, world.redactor),
    scaleImage: scalerOf(config),
    hooks: plugins.hooks,
    truncate,
    system: systemBlocks(job, parts.scene, knowledge, mcp),
    environment: { directory: files.directory, isGit: true, platform: process.platform },
    texts: world.texts,
    title: small !== undefined,
    maxSteps: settings.maxSteps,
    caps: {
      wallMs: settings.timeoutMinutes * 60_000,
      idleMs: limits.idleTime,
      ...(settings.maxTokens === undefined ? {} : { maxTokens: settings.maxTokens }),
      ...(settings.maxCostUsd === undefined ? {} : { maxCost: settings.maxCostUsd }),
    },
    fallbacks: fallbacks.map((fallback) => () => openModel(fallback)),
    ...(small ? { smallModel: () => openModel(small) } : {}),
    suggest: (ref) => suggest(ref, knowledge.providers),
    ...(experimental.max_steps_role ? { maxStepsRole: experimental.max_steps_role } : {}),
    compaction: compactionOf(compaction),
    signal,
  })
  return { engine, store, children }
}

/** The session of a thread that has none yet. Where a small model is there to name it, it has no title at first. */
export function newSession({ choice, small }: Job, discussion: Discussion | undefined, agent: string, recentFiles: readonly string[]): Session {
  const now = Date.now()
  return {
    id: ascending('ses', now),
    title: small ? '' : (discussion?.title ?? ''),
    agent,
    model: refOf(choice),
    created: now,
    todos: [],
    recentFiles: [...recentFiles],
    handled: [],
    usage: { steps: 0, tokens: noTokens, cost: 0 },
  }
}

/** MCP servers and plugins, side by side; a repository that has none of them starts nothing. What goes wrong with them is in the log at once, and noted. */
function openRooms(parts: Parts, truncate: Truncate, notes: string[]): [Promise<McpRoom>, Promise<PluginRoom>] {
  const { job, checkout, knowledge, signal } = parts
  const { world, settings, runner } = job
  const { config, tree } = knowledge
  const { root } = checkout.workspace
  const warning = (text: string) => {
    world.log.info(text)
    notes.push(text)
  }
  const common = { env: world.env, signal, truncate, log: { info: world.log.info, warning } }
  return [
    openServers(parts, { ...common, texts: world.texts, timeout: config.preferences.experimental?.mcp_timeout }),
    openPlugins({
      ...common,
      tree,
      configured: config.plugins,
      worktree: root,
      directory: settings.workingDirectory,
      temp: runFolder(runner),
      host: () => unpack(join(world.assets, 'plugin-host.br'), join(runFolder(runner), 'plugin-host')),
    }),
  ]
}

async function openServers({ job, checkout, knowledge }: Parts, options: Omit<McpOptions, 'cwd' | 'env'>): Promise<McpRoom> {
  const { cwd, config, env, notes, close } = await placeServers(job, checkout, knowledge)
  notes.forEach(options.log.warning)
  const room = await connectServers(config, { ...options, cwd, env })
  return {
    ...room,
    async close() {
      await room.close()
      await close()
    },
  }
}

/** The commands of the repository; of those of MCP servers only the one that is asked for, since its text comes from the server. */
async function commandsOf({ trigger, world }: Job, { config }: Knowledge, mcp: McpRoom, signal: AbortSignal): Promise<readonly Command[]> {
  const { verb } = trigger
  const wanted = verb.type === 'command' && !config.commands.some(({ name }) => name === verb.name) && mcp.commands.find(({ name }) => name === verb.name)
  if (!wanted) return config.commands
  const { name, description } = wanted
  return [...config.commands, { name, template: world.redactor.redact(await wanted.template(signal)), ...(description === undefined ? {} : { description }) }]
}

function systemBlocks({ world, settings, runner }: Job, { discussion }: Scene, { config, instructions, agent, isDenied }: Knowledge, mcp: McpRoom): string[] {
  const repository = `${runner.owner}/${runner.repo}`
  const place = discussion
    ? world.texts('github/system', { repository, kind: discussion.pull ? 'pull request' : 'issue', number: String(discussion.number) })
    : world.texts('github/system-alone', { repository })
  const blocks = [
    ...instructions.blocks,
    world.redactor.redact(mcp.instructions(agent.permission ?? [])),
    skillsBlock(config.skills, isDenied, world.texts),
    place,
    settings.system ?? '',
  ]
  return blocks.filter((block) => block !== '')
}

function compactionOf(configured: NonNullable<Knowledge['config']['preferences']['compaction']>) {
  const { auto, prune, tail_turns: tailTurns, preserve_recent_tokens: preserveRecentTokens, reserved } = configured
  return Object.fromEntries(Object.entries({ auto, prune, tailTurns, preserveRecentTokens, reserved }).filter(([, value]) => value !== undefined))
}

/** The tools that work on the issue or pull request. */
function hubOf({ job, scene, knowledge }: Parts, truncate: Truncate): ReturnType<typeof githubTools> | undefined {
  const { world, github } = job
  const { discussion, review } = scene
  if (!discussion) return undefined
  return githubTools({
    texts: world.texts,
    truncate,
    triage: {
      number: discussion.number,
      isOpen: discussion.state === 'OPEN',
      labels: discussion.labels,
      rules: knowledge.config.preferences.github?.triage ?? {},
      allLabels: () => github.labels(),
    },
    review,
    search: (words, count) => github.search(words, count),
  })
}

function all(...sinks: readonly Sink[]): Sink {
  return (event) => {
    for (const sink of sinks) sink(event)
  }
}
