import { defuse } from '../event/defuse.ts'
import type { Discussion } from '../github/types.ts'
import { limits } from '../limits.ts'
import { type Landing, publishChanges } from '../publish/changes.ts'
import type { Desk } from '../publish/desk.ts'
import { commitMessage, pullTitle } from '../publish/message.ts'
import { destinationOf, type Plan } from '../publish/plan.ts'
import { usageOf } from '../report/figures.ts'
import { cutMarkdown } from '../report/markdown.ts'
import { replyBody } from '../report/reply.ts'
import type { Store } from '../session/ports.ts'
import { type SessionKey, Turn } from '../thread/codec.ts'
import { type Saved, saveTurn, visibleBudget } from '../thread/save.ts'
import { coAuthor } from '../workspace/names.ts'
import type { Changes } from '../workspace/types.ts'
import type { Checkout } from './checkout.ts'
import type { Job } from './job.ts'
import { requestOf } from './words.ts'

/** Commits and pushes what the agent changed and shows it in a pull request; undefined when nothing was changed. Throws `PublishError`. */
export async function publishWork(
  job: Job,
  plan: Plan,
  checkout: Checkout,
  changes: Changes,
  answer: string,
  title: string | undefined,
): Promise<Landing | undefined> {
  if (changes.none) return undefined
  const { trigger, settings, runner, github, world } = job
  const { redact } = world.redactor
  const number = 'subject' in trigger ? trigger.subject.number : undefined
  const kind = trigger.event === 'schedule' ? 'schedule' : trigger.event === 'workflow_dispatch' ? 'dispatch' : 'issue'
  const request = requestOf(trigger)
  const name = { prefix: settings.branchPrefix, kind, title: title ?? request, ...(number === undefined ? {} : { number }) } as const
  const author = trigger.event === 'schedule' ? undefined : coAuthor(trigger.actor, runner.serverUrl)
  const closes = number !== undefined && 'subject' in trigger && !trigger.subject.isPull ? [`Closes #${number}`] : []
  return publishChanges({
    workspace: checkout.workspace,
    github,
    changes,
    destination: destinationOf(plan, checkout.branch, name),
    message: redact(commitMessage(request, title ?? '', author ? [author] : [])),
    pull: plan.open
      ? { open: plan.open }
      : {
          title: redact(pullTitle(title, request)),
          body: [cutMarkdown(redact(answer), limits.commentChars - 1_000, '*The text was cut to fit.*'), ...closes, `<sub>[run](${runner.runUrl})</sub>`].join(
            '\n\n',
          ),
          base: plan.base,
        },
  })
}

/** What the reply is made from. */
export interface Reply {
  readonly discussion: Discussion
  readonly desk: Desk
  readonly store: Store
  /** Messages that were there before this run. */
  readonly before: number
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
  const facts = {
    runUrl: runner.runUrl,
    model: `${choice.info.providerID}/${choice.info.modelID}`,
    usage: usageOf(store.messages().slice(before)),
    notes,
    ...(landing ? { landed: landedLine(landing, `${runner.serverUrl}/${runner.owner}/${runner.repo}`) } : {}),
  }
  return replyBody(defuse(world.redactor.redact(answer), settings.triggers), { ...facts, notes: notes.map(world.redactor.redact) }, visibleBudget)
}

function landedLine({ branch, commit, pull, problem }: Landing, repository: string): string {
  const sha = `[\`${commit.slice(0, 7)}\`](${repository}/commit/${commit})`
  if (pull) return pull.operation === 'created' ? `Opened #${pull.number} with ${sha}.` : `Pushed ${sha} to #${pull.number}.`
  const branchUrl = `${repository}/compare/${branch.split('/').map(encodeURIComponent).join('/')}?expand=1`
  const why = problem ? ` ${problem.message} ${problem.hint}` : ''
  return `Pushed ${sha} to the branch \`${branch}\`, but no pull request could be opened.${why} [Open it yourself](${branchUrl}).`
}

/** This run's messages and the session's record, free of secrets: what a comment holds can be read by anybody who may read the thread. */
function turnOf({ trigger, world }: Job, { store, before, landing }: Reply): Turn {
  const { session } = store
  const handled = trigger.event === 'issue_comment' ? [...session.handled, trigger.comment.id] : session.handled
  const work = landing ? { branch: landing.branch, head: landing.commit, ...(landing.pull ? { pull: landing.pull.number } : {}) } : {}
  const turn = { session: { ...session, ...work, handled }, messages: store.messages().slice(before), lossy: false }
  const clean = (_: string, value: unknown) => (typeof value === 'string' ? world.redactor.redact(value) : value)
  return Turn.parse(JSON.parse(JSON.stringify(turn), clean))
}
