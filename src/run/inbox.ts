import { requestIn } from '../event/request.ts'
import type { Subject, Trigger, Verb } from '../event/trigger.ts'
import { messageOf } from '../failure.ts'
import type { Discussion, Watch, WatchedComment } from '../github/types.ts'
import { limits } from '../limits.ts'
import type { Inbox, Incoming } from '../session/ports.ts'
import { isOurselves, type Owed, personOf, wasEdited } from './queue.ts'
import type { Authorise } from './queue-access.ts'

/** A comment by somebody who may stop the run, and did. */
export interface Cancel {
  readonly login: string
  readonly url: string
}

export interface InboxOptions {
  readonly watch: Watch
  /** The thread that the queue was made from: what it holds is known. */
  readonly discussion: Discussion
  /** What was seen of the thread when this run took the lead; it may hold more. */
  readonly comments: readonly WatchedComment[]
  /** The request that the run begins with, and those that wait with it, oldest first. */
  readonly first: Owed
  readonly rest: readonly Owed[]
  readonly triggers: readonly string[]
  readonly mayAsk: Authorise
  /** Called once, by the background look at the latest. */
  onCancel(cancel: Cancel): void
  /** What is promised has grown: runs that wait for it want to hear of it soon. */
  onPromise?(): void
  /** In ms, never going back. */
  now?(): number
  /** Time between two looks in the background, and the least between two at all, in ms. */
  readonly every?: number
  readonly atMost?: number
}

/** What arrives in the thread while the loop runs. */
export interface ThreadInbox extends Inbox {
  /** Looks once more and says whether anything waits for the loop: to be asked before publishing. */
  arrived(): Promise<boolean>
  /** Keys of the requests that the loop was given, the first included: answered by this turn's reply. */
  taken(): readonly string[]
  /** Keys of all that this run will answer: what was taken, what waits, and what is pending. Its claim says so. */
  promised(): readonly string[]
  /** Keys of requests that can't run inside a loop, or came behind one that can't: for this run to serve afterwards, from a thread read afresh. */
  pending(): readonly string[]
  /** The thread as it was seen last. */
  seen(): readonly WatchedComment[]
  readonly notes: readonly string[]
  /** Ends the looking. What was promised stays so: what the loop did not fetch any more is pending. */
  close(): void
}

/** How long the loop waits for a look, in ms; what comes later is there at its next step. */
const patience = 3_000

/** A request on its way into the loop. */
interface Waiting {
  readonly key: string
  readonly incoming: Incoming
}

/**
 * Watches the thread for a running loop: every few seconds in the background, and at each step where the last look is not just over. A new comment or
 * remark by somebody authorised that calls us becomes a message of the loop; commands, shell commands and `undo` have to wait until it has ended,
 * and so has everything after them, since it was said in that order. Comments that call nobody, that were edited, or that come from others are none
 * of the loop's business. Looks that fail are noted once and never fail the run.
 */
export function openInbox(options: InboxOptions): ThreadInbox {
  const { watch, discussion, first, rest, triggers, mayAsk, every = limits.watchEvery, atMost = limits.watchPause, now = () => performance.now() } = options
  const known = knownIn(discussion)
  const taken = [first.key]
  const pending: string[] = []
  const notes: string[] = []
  let waiting: Waiting[] = []
  let latest = options.comments
  let isCancelled = false
  let isClosed = false

  /** A shell command and an undo run no loop that anything could be given to. */
  const hasLoop = first.trigger.verb.type !== 'shell' && first.trigger.verb.type !== 'undo'

  const promise = (key: string, verb: Verb, incoming: Incoming) => {
    const said = verb.type === 'prompt' ? verb.text.trim() || 'Have another look at this thread and go on.' : 'Go on.'
    if (!hasLoop || pending.length > 0 || (verb.type !== 'prompt' && verb.type !== 'continue')) pending.push(key)
    else waiting.push({ key, incoming: { ...incoming, text: said } })
  }

  const consider = async (comment: WatchedComment) => {
    const { kind, id, author, url, createdAt, updatedAt } = comment
    const verb = requestIn(comment.body, triggers)
    if (!verb || verb.type === 'help' || wasEdited(createdAt, updatedAt)) return
    if (isOurselves(author, discussion)) return
    if (!(await mayAsk(triggerOf(comment, verb, options)))) return
    // What a look brings that was still on its way then is left to its own run, which has been told nothing yet.
    if (isClosed) return
    if (verb.type !== 'cancel') {
      promise(`${kind}:${id}`, verb, { text: '', source: { kind: 'comment', id, author: author.login, url } })
      options.onPromise?.()
    } else if (!isCancelled) {
      isCancelled = true
      options.onCancel({ login: author.login, url })
    }
  }

  const takeIn = async (comments: readonly WatchedComment[]) => {
    latest = comments
    for (const comment of comments) {
      const key = `${comment.kind}:${comment.id}`
      if (known.keys.has(key) || comment.createdAt < known.newest) continue
      known.keys.add(key)
      await consider(comment)
    }
  }

  let lookedAt = now()
  let looking: Promise<void> | undefined
  const quietly = (work: () => Promise<void>): Promise<void> => {
    looking = work()
      .catch((error: unknown) => {
        if (notes.length === 0) notes.push(`The thread could not be looked at during the work, so newer comments may be answered later: ${messageOf(error)}`)
      })
      .finally(() => {
        lookedAt = now()
        looking = undefined
      })
    return looking
  }
  const lookNow = () =>
    quietly(async () => {
      const news = await watch.look()
      if (news) await takeIn(news)
    })
  const look = async (pause: number) => {
    await looking
    if (!isClosed && now() - lookedAt >= pause) await lookNow()
  }

  for (const { key, trigger } of rest) {
    // The loop goes on anyway.
    if (hasLoop && trigger.verb.type === 'continue' && pending.length === 0) taken.push(key)
    else promise(key, trigger.verb, { text: '', source: sourceOf(trigger, discussion) })
  }
  quietly(() => takeIn(options.comments))

  const timer = setInterval(() => {
    if (!looking) lookNow()
  }, every)
  timer.unref()

  return {
    notes,
    async poll() {
      await orPatience(look(atMost))
      const given = waiting
      waiting = []
      taken.push(...given.map(({ key }) => key))
      return given.map(({ incoming }) => incoming)
    },
    async arrived() {
      await orPatience(look(0))
      return waiting.length > 0
    },
    taken: () => [...taken],
    promised: () => [...taken, ...waiting.map(({ key }) => key), ...pending],
    pending: () => [...pending],
    seen: () => latest,
    close() {
      isClosed = true
      clearInterval(timer)
      pending.unshift(...waiting.map(({ key }) => key))
      waiting = []
    },
  }
}

/** Waits for something that never fails, but not for ever: GitHub may be slow, or make us wait. */
async function orPatience(work: Promise<void>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, patience)
  await Promise.race([work, over])
  clearTimeout(timer)
}

/** The comments that a discussion holds, and when the newest was written: what is older and not among them was left out of it. */
function knownIn({ comments, pull, createdAt }: Discussion): { readonly keys: Set<string>; readonly newest: string } {
  const remarks = pull?.threads.flatMap((thread) => thread.comments) ?? []
  const keys = new Set([...comments.map(({ id }) => `comment:${id}`), ...remarks.map(({ id }) => `review-comment:${id}`)])
  const newest = [...comments, ...remarks].reduce((time, comment) => (comment.createdAt > time ? comment.createdAt : time), createdAt)
  return { keys, newest }
}

/** A comment as the gate wants to see it: who says what, in this thread. */
function triggerOf({ id, author, body, url, createdAt }: WatchedComment, verb: Verb, { first, discussion }: InboxOptions): Trigger {
  const subject: Subject = {
    number: discussion.number,
    isPull: discussion.pull !== undefined,
    title: discussion.title,
    body: discussion.body,
    author: discussion.author.login,
    locked: discussion.locked,
    state: discussion.state.toLowerCase(),
  }
  return { event: 'issue_comment', repository: first.trigger.repository, actor: personOf(author), verb, subject, comment: { id, url, body, createdAt } }
}

function sourceOf(trigger: Trigger, { number, url }: Discussion): Incoming['source'] {
  const asking = 'comment' in trigger ? trigger.comment : 'review' in trigger ? trigger.review : { id: number, url }
  return { kind: 'comment', id: asking.id, author: trigger.actor.login, url: asking.url }
}
