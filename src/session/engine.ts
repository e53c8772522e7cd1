import type { Model } from '../model/model.ts'
import type { Environment } from '../prompt/system.ts'
import type { Texts } from '../prompt/texts.ts'
import type { Rules } from '../tool/permission.ts'
import type { Tool } from '../tool/tool.ts'
import type { Truncate } from '../tool/truncate.ts'
import { findAgent } from './agents.ts'
import type { Suggest } from './asking.ts'
import { type CapLimits, type Ending, openCaps } from './caps.ts'
import type { Children } from './children.ts'
import { type CommandInput, type Commands, promptOf } from './command.ts'
import { createUser, type UserContext, type UserInput } from './create-user.ts'
import { modelLine, type OpenModel, type Takeover } from './fallback.ts'
import { type Hooks, noHooks } from './hooks.ts'
import { type ImageScaler, withoutScaling } from './images.ts'
import { leaderOf, lineFor } from './lead.ts'
import { type LoopContext, runLoop } from './loop.ts'
import type { Look } from './mentions.ts'
import type { ModelRef, WithParts } from './message.ts'
import type { CompactionOptions } from './overflow.ts'
import type { Inbox, Sink, Store } from './ports.ts'
import { type Clock, recorder, systemClock } from './record.ts'
import { SessionBusyError } from './refusals.ts'
import { markReverted, type RevertPoint, unmarkReverted } from './revert.ts'
import { runForUser } from './shell.ts'
import type { Agent } from './step.ts'
import { structuredOutput } from './structured.ts'
import { type Shared, teamOf } from './team.ts'
import { titler } from './title.ts'
import { takeTurns } from './turns.ts'
import type { ReadResource } from './user-parts.ts'

export interface EngineOptions {
  readonly store: Store
  readonly inbox: Inbox
  readonly sink: Sink
  readonly model: Model
  readonly tools: readonly Tool[]
  readonly agent: Agent
  /** Blocks of the system text after the environment, such as the GitHub block. Must not change within a session. */
  readonly system: readonly string[]
  readonly environment: Environment
  readonly texts: Texts
  /** Steps of one run at the most. */
  readonly maxSteps: number
  /** Stops the run: tools get it, the newest answer is marked as aborted. */
  readonly signal: AbortSignal
  readonly clock?: Clock
  /** Plugins; none by default. */
  readonly hooks?: Hooks
  /** What the session may use from now on, beyond its steps. */
  readonly caps?: CapLimits
  /** Everybody who may lead a session or be given a part of the work; nobody but `agent` by default. */
  readonly agents?: readonly Agent[]
  /** What the run as a whole allows, whatever an agent's rules say. It is here for giving work to agents; the tools of the run keep to it themselves. */
  readonly gate?: Rules
  /** The sessions of subtasks are kept here. */
  readonly children?: Children
  /** How deep subtasks may be nested (`subagent_depth`); default 1. */
  readonly subagentDepth?: number
  /** Opens the model that an agent or a command asks for. */
  readonly openModel?: (ref: ModelRef) => Promise<Model>
  /** Commands, and the shell their inserts are run with. */
  readonly commands?: Commands
  /** Where `@` references in commands and in prompts of subtasks lead; nowhere by default. */
  readonly look?: Look
  /** Reads resources of MCP servers. */
  readonly readResource?: ReadResource
  /** Makes images small enough; without it those that are too large are left out. */
  readonly scaleImage?: ImageScaler
  /** Whether the session is given a title while it works, by one more request. */
  readonly title?: boolean
  /** Cuts what is too long for a tool's output. */
  readonly truncate?: Truncate
  /** Models that take over, in this order, when the one in use fails for good. Each is opened when it is needed. */
  readonly fallbacks?: readonly OpenModel[]
  /** The model for titles and other small things; without it, the session's own. Opened when it is needed. */
  readonly smallModel?: OpenModel
  /** Names models that may have been meant, when the provider doesn't know one. */
  readonly suggest?: Suggest
  /** The role in which the last request's closing words are sent; `assistant` is OpenCode's form (`experimental.max_steps_role`). */
  readonly maxStepsRole?: 'user' | 'assistant'
  /** What is done when the context is full, and about old tool output. */
  readonly compaction?: CompactionOptions
}

export interface PromptInput extends UserInput {
  /** Only stores the message. */
  readonly noReply?: boolean
}

export interface ShellInput {
  readonly command: string
  readonly agent?: string
  readonly model?: ModelRef
}

/** What people should be told of a session beyond its messages. */
export interface Account {
  /** Why the newest run had to sum up before it was done. */
  readonly ending?: Ending
  /** Models that took over from one that failed. */
  readonly takeovers: readonly Takeover[]
}

export interface Engine {
  /**
   * Removes what was reverted, stores a user message and runs the loop; the newest answer, or the message itself with `noReply`. During a run
   * its next step takes the message in. Throws `UnknownNameError` for an unknown agent, `FormatError` for a form whose schema is none.
   */
  prompt(input: PromptInput): Promise<WithParts>
  /** Expands a command and prompts with it. Throws `UnknownNameError`. */
  command(input: CommandInput): Promise<WithParts>
  /** Runs a shell command for a person and records it; the model is not asked. Throws `SessionBusyError` while anything else runs. */
  shell(input: ShellInput): Promise<WithParts>
  /** Runs the loop on the history as it is. A call during a run joins it; during a shell command it comes after it. */
  loop(): Promise<WithParts>
  /** Stops what runs and what waits; those who wait get the newest answer. Resolves when all has ended. Nothing happens when idle. */
  cancel(): Promise<void>
  /** Marks a message, or a part of it, and what follows as reverted; the next entry removes it for good. Throws `SessionBusyError`, `RevertError`. */
  revert(point: RevertPoint): void
  /** Takes the revert back, as long as nothing was removed. Throws `SessionBusyError`. */
  unrevert(): void
  /** The session's title once its request has come back; without one, the first line of what was asked. Never throws. */
  title(): Promise<string>
  account(): Account
}

/**
 * The engine of one session. What goes wrong with the model or a tool is in the returned message's `error` or in a tool's state;
 * only faults of ours, and a failing inbox, are thrown.
 */
export function createEngine(options: EngineOptions): Engine {
  return engineOf(options, {})
}

/** `shared` is what the engine of a subtask has in common with the one that started it. */
function engineOf(options: EngineOptions, shared: Partial<Shared>): Engine {
  const { store, sink, clock = systemClock, hooks = noHooks, look = () => undefined, texts, signal, agent, ...rest } = options
  const { commands = { list: [], shell: () => Promise.resolve('') }, readResource, scaleImage = withoutScaling } = options
  const agents = options.agents?.some(({ name }) => name === agent.name) ? options.agents : [...(options.agents ?? []), agent]
  const caps = shared.caps ?? openCaps(options.caps ?? {}, clock)
  let models = shared.models ?? modelLine(options.model, options.fallbacks)
  let ending: Ending | undefined
  const heard: Sink = (event) => {
    caps.touch()
    sink(event)
  }
  const record = recorder(store, heard)
  const tally = shared.tally ?? { steps: 0 }
  const open = (child: Partial<EngineOptions>) => engineOf({ ...options, ...child }, { caps, tally, ...(child.model ? {} : { models }) })
  const team = teamOf(options, open)
  const base = { record, clock, hooks, texts, agent, agents, caps, signal }
  const naming = titler({ ...base, openModel: options.smallModel ?? (async () => models.current) })

  const run = async (stop: AbortSignal) => {
    ending = undefined
    if (!shared.tally) tally.steps = 0
    models = await lineFor(models, options, record)
    const context: LoopContext = {
      ...rest,
      ...base,
      ...{ models, tally, team, agent: leaderOf(base), signal: AbortSignal.any([signal, stop]) },
      ...(options.title ? { onFirstStep: naming.begin } : {}),
      onEnding(reached) {
        ending = reached
      },
    }
    return runLoop(context)
  }
  const turns = takeTurns({ ...base, run })
  const reading: UserContext = { ...base, tools: options.tools, readResource, scaleImage }
  const refuseWhileBusy = (what: string) => {
    if (turns.busy) throw new SessionBusyError(what)
  }

  const prompt = async ({ noReply, ...input }: PromptInput) => {
    const message = await turns.arrive(async () => {
      await structuredOutput(input.format, texts)
      return createUser(input, reading)
    })
    return noReply ? message : turns.answer(message)
  }
  return {
    prompt,
    command: async (input) => prompt(await promptOf(input, { ...base, commands, look })),
    async shell({ command, ...about }) {
      const leader = findAgent(about.agent ?? agent.name, agents)
      const model = about.model ?? leader.model ?? store.session.model
      return turns.shell((stop) => runForUser(command, { agent: leader.name, model }, { ...reading, signal: AbortSignal.any([signal, stop]) }))
    },
    loop: turns.loop,
    cancel: turns.cancel,
    revert(point) {
      refuseWhileBusy('a revert')
      markReverted(point, store)
    },
    unrevert() {
      refuseWhileBusy('taking back a revert')
      unmarkReverted(store)
    },
    title: naming.title,
    account: () => ({ takeovers: models.takeovers, ...(ending ? { ending } : {}) }),
  }
}

export { warm } from './llm.ts'
