import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
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
  /** Folder of the bundle, where further files of it lie. */
  readonly assets: string
  readonly log: Log
  readonly redactor: Redactor
  /** Fires when the job is cancelled. */
  readonly signal: AbortSignal
  /** Keeps a value for the clean-up step. */
  remember(name: Memory, value: string): void
}

/** What the clean-up step is told of an unfinished run. */
export type Memory = 'main' | 'number' | 'request' | 'claim' | 'comment' | 'reaction' | 'branch' | 'root' | 'start' | 'session' | 'finished'

/** The folder, outside the checkout, for what a run writes beside its work. */
export function runFolder({ temp }: Pick<Runner, 'temp'>): string {
  return join(temp, 'opencode')
}

/** A file in it, whose folder is there then. */
export async function fileFor(runner: Pick<Runner, 'temp'>, name: string): Promise<string> {
  const folder = runFolder(runner)
  await mkdir(folder, { recursive: true })
  return join(folder, name)
}

/** Address of the repository, for people and git. */
export function addressOf({ serverUrl, owner, repo }: Pick<Runner, 'serverUrl' | 'owner' | 'repo'>): string {
  return `${serverUrl}/${owner}/${repo}`
}

/** A request that passed the gate. */
export interface Request {
  readonly world: World
  readonly settings: Settings
  readonly runner: Runner
  readonly trigger: Trigger
  readonly github: GitHub
}

/** A request with the models that serve it. */
export interface Job extends Request {
  readonly choice: ModelChoice
  /** The models beside it: those that take over when it fails, and the one for titles. */
  readonly fallbacks: readonly ModelChoice[]
  readonly small?: ModelChoice | undefined
}

/** How a run ended. Its texts may hold anything: secrets are taken out where they leave the process. */
export interface Result {
  readonly conclusion: 'success' | 'failure' | 'cancelled' | 'skipped' | 'handed-over'
  readonly reason: string
  readonly outputs: Partial<Record<OutputName, string>>
  readonly summary: string
}
