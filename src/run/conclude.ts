import { writeFile } from 'node:fs/promises'
import { adviceOf, Failure, messageOf } from '../failure.ts'
import type { PostedComment } from '../github/types.ts'
import { limits } from '../limits.ts'
import type { Landing } from '../publish/changes.ts'
import type { Desk } from '../publish/desk.ts'
import { sentenceOf } from '../publish/ladder.ts'
import { inputTokens, outputTokens, type Usage } from '../report/figures.ts'
import type { Log } from '../report/log.ts'
import { failureBody } from '../report/reply.ts'
import { summaryOf } from '../report/summary.ts'
import type { Children } from '../session/children.ts'
import type { Store } from '../session/ports.ts'
import { usageBetween } from '../session/usage.ts'
import type { OutputName } from '../settings/outputs.ts'
import { neutralise } from '../thread/hidden.ts'
import { dropBallast } from '../workspace/ballast.ts'
import { type Before, modelUsed } from './account.ts'
import type { Checkout } from './checkout.ts'
import { addressOf, fileFor, type Job, type Result } from './job.ts'
import { landedLine } from './landed.ts'
import { newMessages, safeWords } from './publish.ts'

/** How far a run got; filled in as it goes, so that whatever ends it can tell. */
export interface Progress {
  checkout?: Checkout
  store?: Store
  /** The sessions of subtasks, which end up in no thread but in the transcript. */
  children?: Children
  before: Before
  answer?: string
  landing?: Landing
  /** The answer in the form that was asked for, as JSON. */
  structured?: string
  /** What kept commands apart from this process, for people. */
  sandbox?: string
  /** With `mode: staged`: what would have been done, as Markdown. */
  staged?: string
  /** What there is to know about the work that was pushed, as a sentence. */
  published?: string
}

/** Nothing to do, or nobody who may ask: no comment, no reaction, exit 0. */
export function skipped(reason: string): Result {
  return { conclusion: 'skipped', reason, outputs: {}, summary: summaryOf({ conclusion: 'skipped', reason }) }
}

/** A failure before anybody was told to wait: it is in the log, the summary and the outputs. */
export function refused(failure: Failure): Result {
  const reason = adviceOf(failure)
  return { conclusion: 'failure', reason, outputs: {}, summary: summaryOf({ conclusion: 'failure', reason }) }
}

/** A run that came to its answer. Not every wish was met when the pull request could not be opened: then it counts as failed. */
export async function succeeded(job: Job, progress: Progress, end: { notes: readonly string[]; comment: PostedComment | undefined }): Promise<Result> {
  const { landing } = progress
  const trouble = landing && !landing.wanted ? (landing.why ?? landing.noPull) : undefined
  return report(job, progress, {
    conclusion: landing && !landing.wanted ? 'failure' : 'success',
    reason: trouble ? sentenceOf(trouble) : publishedAs(landing),
    notes: [...(landing?.notes ?? []), ...end.notes],
    outputs: end.comment ? { 'comment-id': String(end.comment.id), 'comment-url': end.comment.url } : {},
  })
}

function publishedAs(landing: Landing | undefined): string {
  if (!landing) return 'No file was changed.'
  if (landing.pull) return `Pull request #${landing.pull.number} was ${landing.pull.operation}.`
  return landing.branch === undefined ? 'The edits are in a patch.' : `Pushed to the branch ${landing.branch}.`
}

/**
 * A run that ended otherwise: says so in the thread, with the edits made so far as a patch, in a file and, when small, in the comment.
 * Never throws: what can't be posted is in the log and the summary.
 */
export async function failed(job: Job, progress: Progress, { desk, parting, stop }: Leaving, error: unknown): Promise<Result> {
  const { world, runner } = job
  const failure = asFailure(error, world.log)
  const cancelled = stop.aborted
  const message = safeWords(job, failure.message, 5_000)
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
    ...(progress.answer ? { answer: safeWords(job, progress.answer, limits.commentChars / 3) } : {}),
    ...(progress.landing ? { landed: landedLine(progress.landing, addressOf(runner)) } : {}),
    ...(patch ? { patch } : {}),
  })
  // All of it, for an answer is not the only thing in it that a model may have written: so can files have been, and the patch shows them.
  const text = neutralise(world.redactor.redact(body))
  const said = desk.say((comment) => parting(text, comment))
  const posted = await said.catch((problem: unknown) => {
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

/** How a run takes leave of its thread. */
export interface Leaving {
  readonly desk: Desk
  /** A text with all that is needed to go on hidden in it. */
  readonly parting: (visible: string, comment: number | undefined) => Promise<string>
  /** Fires when the job is cancelled, or somebody in the thread said so. */
  readonly stop: AbortSignal
}

/** What goes wrong without having been foreseen is our fault, and said so. The stack is for the log: it belongs into no comment. */
export function asFailure(error: unknown, log: Log): Failure {
  if (error instanceof Failure) return error
  if (error instanceof Error && error.stack) log.info(error.stack)
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC')
    return new Failure(`The disk of the runner is full: ${error.message}.`, 'Free some room in a step before this one, or use a larger runner.', {
      cause: error,
    })
  return new Failure(`opencode-action met a fault of its own: ${messageOf(error)}.`, 'Please open an issue of opencode-action with the log of this run.', {
    cause: error,
  })
}

async function rescue({ runner, world }: Job, { checkout, landing, store }: Progress) {
  if (!checkout || landing) return undefined
  await dropBallast(runner.temp)
  const changes = await checkout.workspace.changes(checkout.start, world.redactor.holds)
  if (changes.none) return undefined
  const path = await fileFor(runner, `work-${store?.session.id ?? 'early'}.patch`)
  return { path, ...(await checkout.workspace.patch(checkout.start, changes, path, limits.inlinePatchChars)) }
}

interface Ending {
  readonly conclusion: Result['conclusion']
  readonly reason: string
  readonly notes: readonly string[]
  readonly outputs: Result['outputs']
}

async function report(job: Job, progress: Progress, ending: Ending): Promise<Result> {
  const { world, choice, github } = job
  const { conclusion, reason, outputs } = ending
  const notes = [...ending.notes]
  const { landing, answer, store } = progress
  const transcript =
    store &&
    (await writeTranscript(job, [store, ...(progress.children?.list ?? [])]).catch((error: unknown) => {
      notes.push(`The transcript could not be written: ${messageOf(error)}`)
      return undefined
    }))
  // Not everybody opens the summary, and where the thread is closed to us the log is all there is (C124).
  for (const note of notes) world.log.warning(note)
  const messages = store ? newMessages(store, progress.before) : []
  const model = modelUsed(messages, choice.info)
  const usage = usageBetween(progress.before.usage, store?.session.usage ?? progress.before.usage)
  return {
    conclusion,
    reason,
    outputs: {
      model,
      ...(store ? { 'session-id': store.session.id } : {}),
      ...(transcript ? { 'transcript-path': transcript } : {}),
      ...(answer ? { response: answer } : {}),
      ...figures(usage),
      ...(landing ? landed(landing) : {}),
      ...(progress.structured === undefined ? {} : { 'structured-output': progress.structured }),
      ...outputs,
    },
    summary: summaryOf({
      conclusion,
      reason,
      model,
      usage,
      messages,
      notes,
      requests: github.requests,
      redactions: world.redactor.redactions(),
      subtasks: (progress.children?.list ?? []).map((child) => ({ session: child.session, messages: child.messages() })),
      ...(progress.sandbox === undefined ? {} : { sandbox: progress.sandbox }),
      ...(progress.staged === undefined ? {} : { staged: progress.staged }),
      ...(progress.published === undefined ? {} : { published: progress.published }),
      ...(answer ? { answer } : {}),
      ...(landing ? { files: landing.files } : {}),
    }),
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

function landed({ branch, commit, files, pull, patch }: Landing): Partial<Record<OutputName, string>> {
  return {
    ...(branch === undefined ? {} : { branch }),
    ...(commit === undefined ? {} : { 'commit-sha': commit }),
    'changed-files': files.map((file) => file.path).join('\n'),
    ...(pull ? { 'pull-request-number': String(pull.number), 'pull-request-url': pull.url, 'pull-request-operation': pull.operation } : {}),
    ...(patch ? { 'patch-path': patch.path } : {}),
  }
}

/** The session, then those of its subtasks. */
async function writeTranscript({ runner, world }: Job, stores: readonly [Store, ...Store[]]): Promise<string> {
  const { transcriptPage } = await import('../report/transcript/page.ts')
  const path = await fileFor(runner, `transcript-${stores[0].session.id}.html`)
  const sessions = stores.map((store) => ({ session: store.session, messages: store.messages() }))
  await writeFile(path, transcriptPage(sessions, { redact: world.redactor.redact, runUrl: runner.runUrl }))
  return path
}
