import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Env, run } from './process.ts'
import type { Stop } from './stop.ts'

/** The part of the Actions runner that starts a JavaScript action: variables and files in, exit status and files out. */

export interface RunInput {
  readonly event: string
  readonly payload: object
  readonly inputs?: Readonly<Record<string, string>>
  /** `env:` of the step, such as a provider's key. */
  readonly env?: Readonly<Record<string, string>>
  /** Aborting cancels the job as the runner does: SIGINT first. */
  readonly signal?: AbortSignal
  /** Another program than the world's built action. */
  readonly bundle?: string
  /** Another checkout than the world's newest. */
  readonly workspace?: string
  readonly onOutput?: (text: string) => void
  /** Number of an earlier run, for its post step or its next attempt; a new one unless told otherwise. */
  readonly runId?: string
  /** `GITHUB_RUN_ATTEMPT`, 1 unless told otherwise. */
  readonly attempt?: number
  /** `RUNNER_TEMP` of another machine than the world's. */
  readonly temp?: string
  /** Ends the main process by a signal at some moment. */
  readonly stop?: Stop
  /** Is handed the way to signal the main process, once it runs; the promise resolves at its end. */
  readonly onStart?: (signal: (name: NodeJS.Signals) => Promise<void>) => void
}

export interface RunResult {
  readonly runId: string
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
  /** What the action saved for its post step. */
  readonly state: Readonly<Record<string, string>>
  /** Milliseconds from start to exit. */
  readonly duration: number
}

export interface Job {
  /** Folder for this step's files; made when missing. */
  readonly folder: string
  readonly temp: string
  readonly home: string
  readonly workspace: string
  readonly bundle: string
  readonly urls: { readonly server: string; readonly api: string; readonly graphql: string }
  readonly repository: { readonly owner: string; readonly name: string; readonly id: number; readonly ownerId: number }
  /** `refs/heads/…`, or `refs/pull/N/merge` for the events of pull requests. */
  readonly ref: string
  /** Of `pull_request` and `pull_request_target` alone. */
  readonly headRef: string
  readonly baseRef: string
  /** The branch whose workflow file runs. */
  readonly branch: string
  readonly sha: string
  readonly actor: string
  readonly runId: string
  readonly attempt: number
  /** Of the machine: only the path is handed on. */
  readonly machine: Env
}

/** The runner's names of systems. */
const systems: Readonly<Record<string, string>> = { darwin: 'macOS', win32: 'Windows' }

/** Files a step writes its results to, by the variable that names them. */
const files = ['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STEP_SUMMARY'] as const

/** Starts the action's main or post step with this node and waits for its end. `saved` makes it the post step's environment. */
export async function startStep(
  job: Job,
  input: Omit<RunInput, 'workspace' | 'bundle' | 'stop'>,
  saved?: Readonly<Record<string, string>>,
): Promise<RunResult> {
  await mkdir(job.folder, { recursive: true })
  const eventPath = join(job.folder, 'event.json')
  await writeFile(eventPath, JSON.stringify(input.payload))
  const paths = Object.fromEntries(files.map((name) => [name, join(job.folder, `${name.toLowerCase()}.txt`)]))
  await Promise.all(Object.values(paths).map((path) => writeFile(path, '')))

  const started = performance.now()
  const done = await run(process.execPath, [job.bundle], {
    // The runner starts an action in the workspace.
    cwd: job.workspace,
    env: { ...variables(job, input), GITHUB_EVENT_PATH: eventPath, ...paths, ...stateVariables(saved ?? {}) },
    ...(input.signal === undefined ? {} : { signal: input.signal }),
    ...(input.onOutput === undefined ? {} : { onOutput: input.onOutput }),
    ...(input.onStart === undefined ? {} : { onStart: input.onStart }),
  })
  const duration = performance.now() - started
  const read = (name: (typeof files)[number]) => readFile(paths[name] ?? '', 'utf8')
  return {
    ...done,
    runId: job.runId,
    outputs: parsePairs(await read('GITHUB_OUTPUT')),
    state: parsePairs(await read('GITHUB_STATE')),
    summary: await read('GITHUB_STEP_SUMMARY'),
    duration,
  }
}

type Values = Readonly<Record<string, string>>
/** The runner writes inputs in capitals and keeps their hyphens; names of state it leaves as they are. */
const inputVariables = (values: Values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`INPUT_${name.toUpperCase().replaceAll(' ', '_')}`, value]))
const stateVariables = (values: Values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [`STATE_${name}`, value]))

function variables(job: Job, input: Pick<RunInput, 'event' | 'inputs' | 'env'>): Record<string, string> {
  const { owner, name, id, ownerId } = job.repository
  const windows = job.machine.SystemRoot
  return {
    PATH: job.machine.PATH ?? '',
    HOME: job.home,
    ...(windows === undefined ? {} : { SystemRoot: windows, USERPROFILE: job.home }),
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION: '__self',
    GITHUB_ACTION_REPOSITORY: '',
    GITHUB_ACTION_REF: '',
    GITHUB_ACTOR: job.actor,
    GITHUB_TRIGGERING_ACTOR: job.actor,
    GITHUB_API_URL: job.urls.api,
    GITHUB_SERVER_URL: job.urls.server,
    GITHUB_GRAPHQL_URL: job.urls.graphql,
    GITHUB_BASE_REF: job.baseRef,
    GITHUB_HEAD_REF: job.headRef,
    GITHUB_EVENT_NAME: input.event,
    GITHUB_JOB: 'opencode',
    GITHUB_REF: job.ref,
    GITHUB_REF_NAME: job.ref.replace(/^refs\/(heads|pull)\//, ''),
    GITHUB_REF_TYPE: 'branch',
    GITHUB_REF_PROTECTED: 'false',
    GITHUB_REPOSITORY: `${owner}/${name}`,
    GITHUB_REPOSITORY_ID: `${id}`,
    GITHUB_REPOSITORY_OWNER: owner,
    GITHUB_REPOSITORY_OWNER_ID: `${ownerId}`,
    GITHUB_RUN_ATTEMPT: `${job.attempt}`,
    GITHUB_RUN_ID: job.runId,
    GITHUB_RUN_NUMBER: '1',
    GITHUB_SHA: job.sha,
    GITHUB_WORKFLOW: 'opencode',
    GITHUB_WORKFLOW_REF: `${owner}/${name}/.github/workflows/opencode.yml@refs/heads/${job.branch}`,
    GITHUB_WORKSPACE: job.workspace,
    RUNNER_ARCH: 'X64',
    RUNNER_ENVIRONMENT: 'github-hosted',
    RUNNER_NAME: 'local',
    RUNNER_OS: systems[process.platform] ?? 'Linux',
    RUNNER_TEMP: job.temp,
    RUNNER_TOOL_CACHE: join(dirname(job.temp), 'tools'),
    ...inputVariables(input.inputs ?? {}),
    ...input.env,
  }
}

/**
 * Reads the runner's file format: `name=value` lines, and `name<<MARK` up to a line that is the mark alone.
 * An open block is refused by the runner; here it throws, so that a test sees it.
 */
export function parsePairs(text: string): Record<string, string> {
  const pairs: Record<string, string> = {}
  const lines = text.split(/\r?\n/)
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (line === '') continue
    const [, name = '', mark] = /^([^=]*?)<<(.+)$/.exec(line) ?? []
    if (mark === undefined) {
      const equals = line.indexOf('=')
      if (equals < 0) throw new SyntaxError(`Invalid format '${line}'`)
      pairs[line.slice(0, equals)] = line.slice(equals + 1)
      continue
    }
    const end = lines.indexOf(mark, index + 1)
    if (end < 0) throw new SyntaxError(`Invalid value. Matching delimiter not found '${mark}'`)
    pairs[name] = lines.slice(index + 1, end).join('\n')
    index = end
  }
  return pairs
}

/** A run number nobody else has. */
export const newRunId = (): string => `${Number.parseInt(randomUUID().slice(0, 8), 16)}`
