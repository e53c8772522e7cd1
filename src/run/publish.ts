import { defuse } from '../event/defuse.ts'
import type { Trigger } from '../event/trigger.ts'
import type { Discussion } from '../github/types.ts'
import { limits } from '../limits.ts'
import { type Landing, patchOnly, publishChanges } from '../publish/changes.ts'
import { byApi, byGit } from '../publish/deliver.ts'
import type { Desk } from '../publish/desk.ts'
import type { Why } from '../publish/ladder.ts'
import { commitMessage, pullTitle } from '../publish/message.ts'
import { type BranchWords, type Destination, destinationOf, endedMeanwhile, type Plan } from '../publish/plan.ts'
import { type Undone, undoLandings } from '../publish/undo.ts'
import { cutMarkdown, selfContained } from '../report/markdown.ts'
import { redactedJson } from '../report/redact.ts'
import { replyBody } from '../report/reply.ts'
import type { Session, WithParts } from '../session/message.ts'
import type { Store } from '../session/ports.ts'
import { usageBetween } from '../session/usage.ts'
import type { Settings } from '../settings/types.ts'
import { type SessionKey, Turn } from '../thread/codec.ts'
import { neutralise } from '../thread/hidden.ts'
import { withAnswered } from '../thread/keys.ts'
import { type Saved, type SaveRequest, saveTurn, visibleBudget } from '../thread/save.ts'
import { coAuthor } from '../workspace/names.ts'
import type { Changes, Source, Target, Workspace } from '../workspace/types.ts'
import { type Before, modelUsed } from './account.ts'
import type { Checkout } from './checkout.ts'
import { changedMessages } from './checkpoint.ts'
import { addressOf, fileFor, type Job } from './job.ts'
import { landedLine, withLanding } from './landed.ts'
import { requestOf } from './words.ts'

export interface FinishedWork {
  readonly plan: Plan
  readonly checkout: Pick<Checkout, 'workspace' | 'start'> & { readonly branch: Source }
  readonly changes: Changes
  readonly answer: string
  /** Of the session: what the title agent found, else that of the issue. */
  readonly title: string | undefined
  /** Whether the session began with this run; later commits are named after their request. */
  readonly isFirst: boolean
  /** The issue or pull request that the run speaks to; without it, that of the trigger. */
  readonly subject?: { readonly number: number; readonly isPull: boolean } | undefined
  /** Nothing is pushed after it fires. */
  readonly signal?: AbortSignal
}

/**
 * Commits and pushes what the agent changed and shows it in a pull request, or as near to that as the remote lets it; undefined when nothing was
 * changed. With `mode: staged` the work is left as a patch. Throws `PublishError` when the run was stopped.
 */
export async function publishWork(job: Job, work: FinishedWork): Promise<Landing | undefined> {
  const { plan, checkout, changes, answer, isFirst } = work
  if (changes.none) return undefined
  const { trigger, settings, runner, github, world } = job
  const { redact } = world.redactor
  const { workspace, start } = checkout
  const patch = { file: await fileFor(runner, 'work.patch'), limit: limits.inlinePatchChars }
  const destination = destinationOf(plan, checkout.branch)
  if (settings.mode === 'staged') return patchOnly({ workspace, start, changes, patch }, stagedWords(destination, settings))
  const title = work.title === undefined ? undefined : redact(work.title)
  const subject = work.subject ?? subjectOf(trigger)
  const request = redact(requestOf(trigger))
  // A title that was made from the request, and any title in place of a command's name and arguments.
  const saysMore = job.small !== undefined || trigger.verb.type === 'command'
  const author = hasRequester(trigger) ? coAuthor(trigger.actor, runner.serverUrl) : undefined
  const closes = subject && !subject.isPull ? [`Closes #${subject.number}`] : []
  return publishChanges({
    workspace,
    github,
    start,
    changes,
    destination,
    method: settings.commitMethod,
    mode: settings.pullRequest,
    message: commitMessage(isFirst && title && saysMore ? title : request, title ?? '', author ? [author] : []),
    name: { prefix: settings.branchPrefix, ...kindOf(trigger, subject), title: title ?? request },
    open: plan.open,
    ended: await endedMeanwhile(github, plan.open),
    pull: {
      title: pullTitle(title, request),
      body: [safeWords(job, answer, limits.commentChars - 1_000), ...closes, `<sub>[run](${runner.runUrl})</sub>`].join('\n\n'),
    },
    repositoryUrl: addressOf(runner),
    patch,
    signal: work.signal ?? world.signal,
    // The clean-up step of a run that is killed from here on must not say that nothing was pushed.
    announce: (branch) => world.remember('branch', branch),
  })
}

/** Takes back what an earlier turn has pushed: `landings` are those of `Session.landings` that carry its first message. Throws `PublishError`, `WorkspaceError`. */
export async function undoWork(
  job: Job,
  work: { readonly plan: Plan; readonly workspace: Workspace; readonly landings: NonNullable<Session['landings']>; readonly signal?: AbortSignal },
): Promise<readonly Undone[]> {
  const { plan, workspace, landings } = work
  const { settings, trigger, runner, github, world } = job
  const author = coAuthor(trigger.actor, runner.serverUrl)
  const message = commitMessage('Take back the last change', '', author ? [author] : [])
  // The record knows no repository: a branch of a fork is that of the pull request that is asked about.
  const targetOf = (branch: string): Target => (plan.head && 'branch' in plan.head && plan.head.branch === branch ? plan.head : { branch })
  return undoLandings({
    workspace,
    deliver: settings.commitMethod === 'api' ? byApi(workspace, github, message) : byGit(workspace),
    landings: landings.map(({ branch, from, to }) => ({ target: targetOf(branch), from, to })),
    message,
    signal: work.signal ?? world.signal,
  })
}

function subjectOf(trigger: Trigger): FinishedWork['subject'] {
  return 'subject' in trigger ? trigger.subject : undefined
}

/** Whether a person asked for this run, and not a clock or another workflow. */
function hasRequester({ event }: Trigger): boolean {
  return event !== 'schedule' && event !== 'workflow_run'
}

function kindOf({ event }: Trigger, subject: FinishedWork['subject']): Pick<BranchWords, 'kind' | 'number'> {
  if (subject) return { kind: subject.isPull ? 'pull' : 'issue', number: subject.number }
  return { kind: event === 'schedule' ? 'schedule' : event === 'workflow_run' ? 'run' : 'dispatch' }
}

function stagedWords(destination: Destination, { pullRequest }: Settings): Why {
  const hint = 'Set `mode: apply` to have it done.'
  if (destination.kind === 'existing') return { reason: `Nothing was pushed (\`mode: staged\`): it would have gone to \`${destination.target.branch}\`.`, hint }
  const pull = pullRequest === 'create' || pullRequest === 'draft' ? `, with a pull request against \`${destination.base}\`` : ''
  const place = destination.kind === 'nowhere' || pullRequest === 'never' ? 'it would have become a patch' : `it would have gone to a new branch${pull}`
  return { reason: `Nothing was pushed (\`mode: staged\`): ${place}.`, hint }
}

/** The model's words as they may be posted: without secrets, calling nobody, holding no session data, within `max`. */
export function safeWords({ world, settings }: Job, text: string, max: number): string {
  return cutMarkdown(selfContained(neutralise(defuse(world.redactor.redact(text), settings.triggers))), max, '*The text was cut to fit.*')
}

/** What the reply is made from. */
export interface Reply {
  readonly discussion: Pick<Discussion, 'number'>
  readonly desk: Pick<Desk, 'comment'>
  /** Where the reply goes, when not in place of the working comment. */
  readonly place?: Pick<SaveRequest, 'voice' | 'comment' | 'working'>
  readonly store: Store
  readonly before: Before
  /** Keys of the requests that are answered by it; without them, the comment that triggered the run. */
  readonly requests?: readonly string[]
  readonly answer: string
  readonly landing: Landing | undefined
  /** The commit that the edits are based on. */
  readonly base?: string | undefined
  readonly seq: number
  readonly key: SessionKey | undefined
  readonly notes: readonly string[]
}

/** Turns the working comment into the reply, with the session's newest turn hidden in it. Undefined where the conversation is locked. Throws `GitHubError`. */
export async function postReply(job: Job, reply: Reply): Promise<Saved | undefined> {
  const { github } = job
  const place = reply.place ?? (reply.desk.comment && { comment: reply.desk.comment })
  if (!place) return undefined
  return saveTurn(github, {
    ...place,
    issue: reply.discussion.number,
    body: bodyOf(job, reply),
    turn: turnOf(job, reply),
    seq: reply.seq,
    key: reply.key,
  })
}

function bodyOf({ runner, choice, settings, world }: Job, { store, before, answer, landing, notes }: Reply): string {
  const harmless = (text: string) => defuse(world.redactor.redact(text), settings.triggers)
  const messages = newMessages(store, before)
  const patch = landing?.patch
  const facts = {
    runUrl: runner.runUrl,
    model: modelUsed(messages, choice.info),
    usage: usageBetween(before.usage, store.session.usage),
    notes: [...(landing?.notes ?? []), ...notes].map(harmless),
    ...(landing ? { landed: harmless(landedLine(landing, addressOf(runner))) } : {}),
    // Not defused: a character more or less and it would not apply.
    ...(patch ? { patch: { ...patch, text: patch.text === undefined ? undefined : world.redactor.redact(patch.text) } } : {}),
  }
  return replyBody(harmless(answer), facts, visibleBudget)
}

/** What this run added to the conversation. */
export function newMessages(store: Store, before: Before): readonly WithParts[] {
  const known = new Set(before.messages.map(({ info }) => info.id))
  return store.messages().filter(({ info }) => !known.has(info.id))
}

/** So that the next turn begins with them. */
function unpushed({ patch }: Landing, commit: string): Turn['work'] {
  return { commit, ...(patch?.text === undefined ? {} : { patch: patch.text }) }
}

/** This run's messages and the session's record, free of secrets: what a comment holds can be read by anybody who may read the thread. */
function turnOf({ trigger, world }: Job, { store, before, landing, base, requests }: Reply): Turn {
  const { session } = store
  const keys = requests ?? (trigger.event === 'issue_comment' ? [`comment:${trigger.comment.id}`] : [])
  const turn = {
    session: { ...withLanding(session, landing, newMessages(store, before)[0]?.info.id), ...withAnswered(session, keys) },
    messages: changedMessages(store, before),
    removed: [...store.removed()],
    ...(landing?.rung === 'patch' && base !== undefined ? { work: unpushed(landing, base) } : {}),
    lossy: false,
  }
  return Turn.parse(JSON.parse(redactedJson(turn, world.redactor)))
}
