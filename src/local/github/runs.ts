import { timestamp } from './state.ts'

/** Workflow runs with their jobs, and the checks of a pull request, as tests set them up. */

export type RunStatus = 'queued' | 'in_progress' | 'completed' | 'waiting' | 'requested' | 'pending'
export type Conclusion = 'success' | 'failure' | 'neutral' | 'cancelled' | 'skipped' | 'timed_out' | 'action_required'

export interface JobState {
  readonly id: number
  readonly name: string
  readonly conclusion: Conclusion | null
  readonly steps: readonly { readonly name: string; readonly conclusion: Conclusion | null }[]
  /** Null: GitHub has no log of it (expired, or the job still runs). */
  readonly log: string | null
}

export interface RunState {
  readonly id: number
  name: string
  status: RunStatus
  conclusion: Conclusion | null
  attempt: number
  event: string
  headBranch: string | null
  headSha: string
  actor: string
  jobs: readonly JobState[]
  readonly createdAt: string
  updatedAt: string
}

/** What a test says of a run. `conclusion` makes it completed; jobs get ids below the run's. */
export interface RunInput {
  readonly status?: RunStatus
  readonly conclusion?: Conclusion
  readonly name?: string
  readonly attempt?: number
  readonly event?: string
  readonly headBranch?: string | null
  readonly headSha?: string
  readonly actor?: string
  readonly jobs?: readonly {
    readonly name: string
    readonly conclusion?: Conclusion
    readonly steps?: JobState['steps']
    readonly log?: string | null
  }[]
}

/** Makes a run or changes the one with this id. */
export function setRun(runs: Map<number, RunState>, id: number, input: RunInput, fallback: { headSha: string; actor: string }): RunState {
  const now = timestamp()
  const known = runs.get(id)
  const status = input.status ?? (input.conclusion === undefined ? (known?.status ?? 'in_progress') : 'completed')
  const ended = status === 'completed'
  const made: RunState = {
    id,
    name: input.name ?? known?.name ?? 'CI',
    status,
    conclusion: ended ? (input.conclusion ?? known?.conclusion ?? 'success') : null,
    attempt: input.attempt ?? known?.attempt ?? 1,
    event: input.event ?? known?.event ?? 'push',
    headBranch: input.headBranch === undefined ? (known?.headBranch ?? null) : input.headBranch,
    headSha: input.headSha ?? known?.headSha ?? fallback.headSha,
    actor: input.actor ?? known?.actor ?? fallback.actor,
    jobs:
      input.jobs?.map((job, index) => ({
        id: id * 10 + index + 1,
        name: job.name,
        conclusion: ended ? (job.conclusion ?? 'success') : (job.conclusion ?? null),
        steps: job.steps ?? [],
        log: job.log ?? null,
      })) ??
      known?.jobs ??
      [],
    createdAt: known?.createdAt ?? now,
    updatedAt: now,
  }
  runs.set(id, made)
  return made
}

/** The result of a check run or, with `context`, of a commit status. */
export type CheckState =
  | {
      readonly name: string
      readonly conclusion: 'ACTION_REQUIRED' | 'CANCELLED' | 'FAILURE' | 'NEUTRAL' | 'SKIPPED' | 'STALE' | 'STARTUP_FAILURE' | 'SUCCESS' | 'TIMED_OUT' | null
      readonly summary?: string
      readonly title?: string
      readonly url?: string
    }
  | {
      readonly context: string
      readonly state: 'ERROR' | 'EXPECTED' | 'FAILURE' | 'PENDING' | 'SUCCESS'
      readonly description?: string
      readonly url?: string
    }
