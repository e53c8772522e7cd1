import type { Trigger } from '../event/trigger.ts'
import { defaultRequests } from '../event/verb.ts'
import { limits } from '../limits.ts'
import type { Session } from '../session/message.ts'
import { accessOf, type Context, eventBlock } from '../thread/context.ts'
import type { Told } from './ask.ts'
import type { Job } from './job.ts'
import { logsOf } from './logs.ts'
import type { BoundPlan, Scene } from './scene.ts'
import { steeringNotes } from './steering.ts'
import { contextOf } from './words.ts'

/** People whose rights are asked for beside the requester's. */
const mostAsked = 5

/** What the model is told beside the request, and what the session has seen with it. */
export interface Telling extends Told {
  readonly context: Context | undefined
  /** Sentences for people about what was left out. */
  readonly notes: readonly string[]
}

/**
 * Gathers what there is to tell: the thread, what the event brought along, the logs of a failed run, the diff where a review is asked for or nothing else
 * shows it. `served` are the keys of requests that this run answers: the model gets them as such. Throws `GitHubError`.
 */
export async function tell(
  job: Job,
  scene: Scene,
  session: Session,
  isFirst: boolean,
  { notices, unseen, at, served }: Pick<BoundPlan, 'notices' | 'unseen' | 'at'> & { readonly served: readonly string[] },
): Promise<Telling> {
  const { world, trigger, github } = job
  const { discussion, thread, review } = scene
  // GitHub's diff is that of the newest commit, which a stranger may have pushed after the request (C141): then the checkout alone shows what was meant.
  const isPinned = at !== undefined && at !== discussion?.pull?.headSha
  const [access, brief, logs] = await Promise.all([
    discussion && accessOf(discussion, session.seen, (login) => github.permission(login), mostAsked),
    review && !isPinned && (unseen || wantsReview(trigger)) ? review.brief({ texts: world.texts, budget: limits.contextChars }) : undefined,
    trigger.event === 'workflow_run'
      ? github.failedJobs(trigger.run.id).then((jobs) => logsOf(trigger.run, jobs, world.texts, limits.contextChars / 2))
      : undefined,
  ])
  const context = contextOf(job, discussion, session, thread, { access: access ?? new Map(), served })
  const moved = isFirst || session.seen?.head !== context?.seen.head
  const steering = discussion?.pull && discussion.state === 'OPEN' && moved ? steeringNotes(discussion.pull) : []
  const all = [...notices, ...steering]
  const texts = [context?.text ?? '', eventBlock(trigger, world.texts, limits.dispatchChars), logs?.text ?? '', brief?.text ?? '', ...all]
  return {
    context,
    texts: texts.map((text) => world.redactor.redact(text)),
    people: context?.told ?? [],
    moved,
    notes: [...(context?.notes ?? []), ...(logs?.notes ?? []), ...(brief?.notes ?? []), ...all],
  }
}

/** How people begin when they ask for a review in words. */
const asksForReview = /^(?:please\s+)?(?:re-?)?review\b/i

/** Whether a request is one for a review: a bare mention on a pull request, words that begin so, the command of that name, or an event of the pull request itself. */
function wantsReview({ event, verb }: Trigger): boolean {
  if (event === 'pull_request' || event === 'pull_request_target') return true
  if (verb.type === 'command') return verb.name === 'review'
  return verb.type === 'prompt' && (verb.text === defaultRequests.pull || asksForReview.test(verb.text))
}
