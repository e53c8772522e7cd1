import type { Trigger } from '../event/trigger.ts'
import type { GitHub } from '../github/types.ts'
import type { ModelChoice } from '../model/choose.ts'
import type { Texts } from '../prompt/texts.ts'
import type { Log } from '../report/log.ts'
import type { Redactor } from '../report/redact.ts'
import type { OutputName } from '../settings/outputs.ts'
import type { Runner, Settings } from '../settings/types.ts'

/** Everything a run touches besides GitHub, the checkout and the model. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly texts: Texts
  readonly log: Log
  readonly redactor: Redactor
  /** Fires when the job is cancelled. */
  readonly signal: AbortSignal
  /** Keeps a value for the clean-up step. */
  remember(name: Memory, value: string): void
}

/** What the clean-up step is told of an unfinished run. */
export type Memory = 'main' | 'number' | 'request' | 'comment' | 'reaction' | 'finished'

/** A request that passed the gate, and what serving it needs. */
export interface Job {
  readonly world: World
  readonly settings: Settings
  readonly runner: Runner
  readonly trigger: Trigger
  readonly choice: ModelChoice
  readonly github: GitHub
}

export interface Result {
  readonly conclusion: 'success' | 'failure' | 'cancelled' | 'skipped'
  readonly reason: string
  readonly outputs: Partial<Record<OutputName, string>>
  readonly summary: string
}
