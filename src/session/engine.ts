import type { Model } from '../model/model.ts'
import type { Environment } from '../prompt/system.ts'
import type { Texts } from '../prompt/texts.ts'
import type { Tool } from '../tool/tool.ts'
import { type Hooks, noHooks } from './hooks.ts'
import { type LoopContext, runLoop } from './loop.ts'
import type { Source, WithParts } from './message.ts'
import type { Inbox, Sink, Store } from './ports.ts'
import { type Clock, recorder, systemClock } from './record.ts'
import type { Agent } from './step.ts'
import { type PromptPart, putUser } from './user.ts'

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
}

export interface PromptInput {
  readonly parts: readonly PromptPart[]
  readonly agent?: string
  readonly source?: Source
  /** Only stores the message. */
  readonly noReply?: boolean
}

export interface Engine {
  /** Stores a user message and runs the loop; the newest answer, or the message itself with `noReply`. */
  prompt(input: PromptInput): Promise<WithParts>
  /** Runs the loop on the history as it is. A call during a run joins it. */
  loop(): Promise<WithParts>
}

/**
 * The engine of one session. What goes wrong with the model or a tool is in the returned message's `error` or in a tool's state;
 * only faults of ours, and a failing inbox, are thrown.
 */
export function createEngine(options: EngineOptions): Engine {
  const { store, sink, clock = systemClock, hooks = noHooks, ...rest } = options
  const context: LoopContext = { ...rest, clock, hooks, record: recorder(store, sink) }
  const { providerID, modelID } = options.model.info
  let running: Promise<WithParts> | undefined

  const loop = () => {
    running ??= runLoop(context).finally(() => {
      running = undefined
    })
    return running
  }
  return {
    loop,
    async prompt({ parts, agent = options.agent.name, source, noReply }) {
      const message = putUser(parts, { agent, model: { providerID, modelID }, source }, context)
      return noReply ? message : loop()
    },
  }
}

export { warm } from './llm.ts'
