import { defuse } from '../event/defuse.ts'
import { adviceOf } from '../failure.ts'
import type { Discussion } from '../github/types.ts'
import { limits } from '../limits.ts'
import { type Landing, publishChanges } from '../publish/changes.ts'
import type { Desk } from '../publish/desk.ts'
import { commitMessage, pullTitle } from '../publish/message.ts'
import { destinationOf, type Plan } from '../publish/plan.ts'
import { cutMarkdown, selfContained } from '../report/markdown.ts'
import { redactedJson } from '../report/redact.ts'
import { replyBody } from '../report/reply.ts'
import type { WithParts } from '../session/message.ts'
import type { Store } from '../session/ports.ts'
import { usageBetween } from '../session/usage.ts'
import { type SessionKey, Turn } from '../thread/codec.ts'
import { neutralise } from '../thread/hidden.ts'
import { type Saved, saveTurn, visibleBudget } from '../thread/save.ts'
import { coAuthor } from '../workspace/names.ts'
import type { Changes, Workspace } from '../workspace/types.ts'
import { type Before, modelUsed } from './account.ts'
import type { Checkout } from './checkout.ts'
import type { Job } from './job.ts'
import { requestOf } from './words.ts'

export interface FinishedWork {
  readonly plan: Plan
  readonly checkout: Checkout
  readonly changes: Changes
  readonly answer: string
  /** Of the session: what the title agent found, else that of the issue. */
  readonly title: string | undefined
  /** Whether the session began with this run; later commits are named after their request. */
  readonly isFirst: boolean
}

/** Commits and pushes what the agent changed and shows it in a pull request; undefined when nothing was changed. Throws `PublishError`. */
export async function publishWork(job: Job, work: FinishedWork): Promise<Landing | undefined> {
  const { plan, checkout, changes, answer, isFirst } = work
  if (changes.none) return undefined
  const { trigger, settings, runner, github, world } = job
  const { redact } = world.redactor
  const title = work.title === undefined ? undefined : redact(work.title)
  const number = 'subject' in trigger ? trigger.subject.number : undefined
  const kind = trigger.event === 'schedule' ? 'schedule' : trigger.event === 'workflow_dispatch' ? 'dispatch' : 'issue'
  const request = redact(requestOf(trigger))
  // A title that was made from the request, and any title in place of a command's name and arguments.
  const saysMore = job.small !== undefined || trigger.verb.type === 'command'
  const name = { prefix: settings.branchPrefix, kind, title: title ?? request, ...(number === undefined ? {} : { number }) } as const
  const author = trigger.event === 'schedule' ? undefined : coAuthor(trigger.actor, runner.serverUrl)
  const closes = number !== undefined && 'subject' in trigger && !trigger.subject.isPull ? [`Closes #${number}`] : []
  return publishChanges({
    workspace: announcing(checkout.workspace, world),
    github,
    changes,
    destination: destinationOf(plan, checkout.branch, name),
    message: commitMessage(isFirst && title && saysMore ? title : request, title ?? '', author ? [author] : []),
    pull: plan.open
      ? { open: plan.open }
      : {
          title: pullTitle(title, request),
          body: [safeWords(job, answer, limits.commentChars - 1_000), ...closes, `<sub>[run](${runner.runUrl})</sub>`].join('\n\n'),
          base: plan.base,
        },
  })
}

/** The clean-up step of a run that is killed from here on must not say that nothing was pushed. */
function announcing(workspace: Workspace, { remember }: Job['world']): Workspace {
  return {
    ...workspace,
    push(commit, branch, expect) {
      remember('branch', branch)
      return workspace.push(commit, branch, expect)
    },
  }
}

/** The model's words as they may be posted: without secrets, calling nobody, holding no session data, within `max`. */
export function safeWords({ world, settings }: Job, text: string, max: number): string {
  return cutMarkdown(selfContained(neutralise(defuse(world.redactor.redact(text), settings.triggers))), max, '*The text was cut to fit.*')
}

/** What the reply is made from. */
export interface Reply {
  readonly discussion: Pick<Discussion, 'number'>
  readonly desk: Desk
  readonly store: Store
  readonly before: Before
  readonly answer: string
  readonly landing: Landing | undefined
  readonly seq: number
  readonly key: SessionKey | undefined
  readonly notes: readonly string[]
}

/** Turns the working comment into the reply, with the session's newest turn hidden in it. Undefined where the conversation is locked. Throws `GitHubError`. */
export async function postReply(job: Job, reply: Reply): Promise<Saved | undefined> {
  const { github } = job
  if (!reply.desk.comment) return undefined
  return saveTurn(github, {
    issue: reply.discussion.number,
    comment: reply.desk.comment,
    body: bodyOf(job, reply),
    turn: turnOf(job, reply),
    seq: reply.seq,
    key: reply.key,
  })
}

function bodyOf({ runner, choice, settings, world }: Job, { store, before, answer, landing, notes }: Reply): string {
  const harmless = (text: string) => defuse(world.redactor.redact(text), settings.triggers)
  const messages = newMessages(store, before)
  const facts = {
    runUrl: runner.runUrl,
    model: modelUsed(messages, choice.info),
    usage: usageBetween(before.usage, store.session.usage),
    notes: notes.map(harmless),
    ...(landing ? { landed: landedLine(landing, `${runner.serverUrl}/${runner.owner}/${runner.repo}`) } : {}),
  }
  return replyBody(harmless(answer), facts, visibleBudget)
}

/** One line about where the work is. `repository` is its address. */
export function landedLine({ branch, commit, pull, problem }: Landing, repository: string): string {
  const sha = `[\`${commit.slice(0, 7)}\`](${repository}/commit/${commit})`
  if (pull) return pull.operation === 'created' ? `Opened #${pull.number} with ${sha}.` : `Pushed ${sha} to #${pull.number}.`
  const branchUrl = `${repository}/compare/${branch.split('/').map(encodeURIComponent).join('/')}?expand=1`
  const why = problem ? ` ${adviceOf(problem)}` : ''
  return `Pushed ${sha} to the branch \`${branch}\`, but no pull request could be opened.${why} [Open it yourself](${branchUrl}).`
}

/** What this run added to the conversation. */
export function newMessages(store: Store, before: Before): readonly WithParts[] {
  const known = new Set(before.messages.map(({ info }) => info.id))
  return store.messages().filter(({ info }) => !known.has(info.id))
}

/** What this run added, and what it changed of earlier messages: output that was cleared, a part that was reverted. */
function changedMessages(store: Store, before: Before): readonly WithParts[] {
  const known = new Map(before.messages.map((message) => [message.info.id, JSON.stringify(message)]))
  return store.messages().filter((message) => known.get(message.info.id) !== JSON.stringify(message))
}

/** This run's messages and the session's record, free of secrets: what a comment holds can be read by anybody who may read the thread. */
function turnOf({ trigger, world }: Job, { store, before, landing }: Reply): Turn {
  const { session } = store
  const handled = trigger.event === 'issue_comment' ? [...session.handled, trigger.comment.id] : session.handled
  const work = landing ? { branch: landing.branch, head: landing.commit, ...(landing.pull ? { pull: landing.pull.number } : {}) } : {}
  // What we pushed ourselves is no news at the next turn.
  const seen = landing && session.seen?.head !== undefined ? { seen: { ...session.seen, head: landing.commit } } : {}
  const turn = { session: { ...session, ...work, ...seen, handled }, messages: changedMessages(store, before), removed: [...store.removed()], lossy: false }
  return Turn.parse(JSON.parse(redactedJson(turn, world.redactor)))
}
