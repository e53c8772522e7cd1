import type { Model } from '../model/model.ts'
import type { Truncate } from '../tool/truncate.ts'
import type { Caps } from './caps.ts'
import { type Children, createChildren } from './children.ts'
import type { EngineOptions } from './engine.ts'
import type { ModelLine } from './fallback.ts'
import { resolveMentions } from './mentions.ts'
import type { ModelRef, WithParts } from './message.ts'
import type { Inbox, Sink, Store } from './ports.ts'
import type { Agent } from './step.ts'
import type { PromptPart } from './user.ts'

/** Who parts of the work can be given to, and how. */
export interface Team {
  readonly agents: readonly Agent[]
  readonly children: Children
  /** How deep subtasks may be nested (setting `subagent_depth`). */
  readonly maxDepth: number
  /** Opens the model an agent or a command asks for. */
  openModel(ref: ModelRef): Promise<Model>
  /** Files and agents a prompt refers to with `@`. */
  references(text: string): readonly PromptPart[]
  readonly truncate: Truncate
  /** An engine for a child's session, with the tools, settings and caps of the run. */
  spawn(child: Spawned): Worker
}

/** What is different in a child. */
interface Spawned {
  readonly store: Store
  readonly agent: Agent
  /** Left out: the parent's, with whatever takes over from it. */
  readonly model: Model | undefined
  readonly system: readonly string[]
  readonly signal: AbortSignal
}

interface Worker {
  prompt(input: { readonly parts: readonly PromptPart[]; readonly agent: string }): Promise<WithParts>
}

/** What an engine and those of its subtasks have in common. */
export interface Shared {
  readonly caps: Caps
  readonly models: ModelLine
  /** Steps taken in the newest run, those of subtasks included. */
  readonly tally: { steps: number }
}

/** People speak to the session they wrote to; a subtask hears nobody. */
const nobody: Inbox = { poll: () => Promise.resolve([]) }

/** The team of an engine. `open` makes the engine of a subtask. */
export function teamOf(options: EngineOptions, open: (child: Partial<EngineOptions>) => Worker): Team {
  const { agents = [], children = createChildren(), subagentDepth = 1, look = () => undefined, truncate, sink } = options
  // What a child says is for its parent. That a model keeps it waiting is for everybody.
  const quiet: Sink = (event) => {
    if (event.type === 'status' && event.status.type === 'retry') sink(event)
  }
  return {
    agents,
    children,
    maxDepth: subagentDepth,
    openModel: options.openModel ?? (() => Promise.resolve(options.model)),
    references: (text) => resolveMentions(text, look, agents),
    truncate: truncate ?? ((text) => Promise.resolve({ text, truncated: false })),
    spawn: ({ model, ...child }) => open({ ...child, children, inbox: nobody, sink: quiet, ...(model ? { model } : {}) }),
  }
}
