import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure, messageOf } from '../failure.ts'
import type { PostedComment } from '../github/types.ts'
import { limits } from '../limits.ts'
import type { Landing } from '../publish/changes.ts'
import type { Desk } from '../publish/desk.ts'
import { inputTokens, outputTokens, type Usage, usageOf } from '../report/figures.ts'
import { failureBody } from '../report/reply.ts'
import { summaryOf } from '../report/summary.ts'
import { transcriptOf } from '../report/transcript.ts'
import type { Store } from '../session/ports.ts'
import type { OutputName } from '../settings/outputs.ts'
import type { Checkout } from './checkout.ts'
import type { Job, Result } from './job.ts'

/** How far a run got; filled in as it goes, so that whatever ends it can tell. */
export interface Progress {
  checkout?: Checkout
  store?: Store
  /** Messages that were there before this run. */
  before: number
  answer?: string
  landing?: Landing
}

/** Nothing to do, or nobody who may ask: no comment, no reaction, exit 0. */
export function skipped(reason: string): Result {
  return { conclusion: 'skipped', reason, outputs: {}, summary: summaryOf({ conclusion: 'skipped', reason }) }
}

/** A failure before anybody was told to wait: it is in the log, the summary and the outputs. */
export function refused(failure: Failure): Result {
  const reason = `${failure.message} ${failure.hint}`
  return { conclusion: 'failure', reason, outputs: {}, summary: summaryOf({ conclusion: 'failure', reason }) }
}

/** A run that came to its answer. Not every wish was met when the pull request could not be opened: then it counts as failed. */
export async function succeeded(job: Job, progress: Progress, end: { notes: readonly string[]; comment: PostedComment | undefined }): Promise<Result> {
  const { landing } = progress
  const problem = landing?.problem
  const published = landing?.pull ? `Pull request #${landing.pull.number} was ${landing.pull.operation}.` : 'No file was changed.'
  return report(job, progress, {
    conclusion: problem ? 'failure' : 'success',
    reason: problem ? `The work is on the branch ${landing.branch}, but the pull request could not be opened. ${problem.message} ${problem.hint}` : published,
    notes: end.notes,
    outputs: end.comment ? { 'comment-id': String(end.comment.id), 'comment-url': end.comment.url } : {},
  })
}

/**
 * A run that ended otherwise: says so in the thread, with the edits made so far as a patch, in a file and, when small, in the comment.
 * Never throws: what can't be posted is in the log and the summary.
 */
export async function failed(job: Job, progress: Progress, desk: Desk, error: unknown): Promise<Result> {
  const { world, runner } = job
  const failure = asFailure(error)
  const cancelled = world.signal.aborted
  const message = world.redactor.redact(failure.message)
  const notes: string[] = []
  const patch = await rescue(job, progress).catch((problem: unknown) => {
    notes.push(`The edits could not be written to a patch: ${messageOf(problem)}`)
    return undefined
  })
  const body = failureBody({
    message,
    hint: failure.hint,
    runUrl: runner.runUrl,
    cancelled,
    ...(progress.answer ? { answer: progress.answer } : {}),
    ...(patch ? { patch } : {}),
  })
  const posted = await desk.say(world.redactor.redact(body)).catch((problem: unknown) => {
    notes.push(`The failure could not be posted to the thread: ${messageOf(problem)}`)
    return undefined
  })
  return report(job, progress, {
    conclusion: cancelled ? 'cancelled' : 'failure',
    reason: `${message} ${failure.hint}`,
    notes,
    outputs: {
      ...(patch ? { 'patch-path': patch.path } : {}),
      ...(posted ? { 'comment-id': String(posted.id), 'comment-url': posted.url } : {}),
    },
  })
}

/** What goes wrong without having been foreseen is our fault, and said so; the stack belongs into no comment. */
function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  return new Failure(`opencode-action met a fault of its own: ${messageOf(error)}.`, 'Please open an issue of opencode-action with the log of this run.', {
    cause: error,
  })
}

async function rescue({ runner }: Job, { checkout, landing }: Progress) {
  if (!checkout || landing) return undefined
  const changes = await checkout.workspace.changes(checkout.start)
  if (changes.none) return undefined
  const folder = join(runner.temp, 'opencode')
  await mkdir(folder, { recursive: true })
  const path = join(folder, 'work.patch')
  return { path, ...(await checkout.workspace.patch(checkout.start, changes, path, limits.inlinePatchChars)) }
}

interface Ending {
  readonly conclusion: Result['conclusion']
  readonly reason: string
  readonly notes: readonly string[]
  readonly outputs: Result['outputs']
}

async function report(job: Job, progress: Progress, { conclusion, reason, notes, outputs }: Ending): Promise<Result> {
  const { world, choice, github } = job
  const model = `${choice.info.providerID}/${choice.info.modelID}`
  const messages = progress.store?.messages().slice(progress.before) ?? []
  const usage = usageOf(messages)
  const { landing, answer } = progress
  return {
    conclusion,
    reason,
    outputs: {
      model,
      ...(progress.store ? { 'session-id': progress.store.session.id, 'transcript-path': await writeTranscript(job, progress.store) } : {}),
      ...(answer ? { response: world.redactor.redact(answer) } : {}),
      ...figures(usage),
      ...(landing ? landed(landing) : {}),
      ...outputs,
    },
    summary: world.redactor.redact(
      summaryOf({
        conclusion,
        reason,
        model,
        usage,
        messages,
        notes,
        requests: github.requests,
        ...(answer ? { answer } : {}),
        ...(landing ? { files: landing.files } : {}),
      }),
    ),
  }
}

function figures(usage: Usage): Partial<Record<OutputName, string>> {
  return {
    steps: String(usage.steps),
    'input-tokens': String(inputTokens(usage)),
    'output-tokens': String(outputTokens(usage)),
    ...(usage.cost > 0 ? { 'cost-usd': usage.cost.toFixed(6) } : {}),
  }
}

function landed({ branch, commit, files, pull }: Landing): Partial<Record<OutputName, string>> {
  return {
    branch,
    'commit-sha': commit,
    'changed-files': files.map((file) => file.path).join('\n'),
    ...(pull ? { 'pull-request-number': String(pull.number), 'pull-request-url': pull.url, 'pull-request-operation': pull.operation } : {}),
  }
}

async function writeTranscript({ runner, world }: Job, store: Store): Promise<string> {
  const folder = join(runner.temp, 'opencode')
  await mkdir(folder, { recursive: true })
  const path = join(folder, `transcript-${store.session.id}.md`)
  await writeFile(path, world.redactor.redact(transcriptOf(store.session, store.messages())))
  return path
}
