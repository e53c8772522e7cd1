import type { Trigger } from '../event/trigger.ts'
import type { Floor } from './floor.ts'
import { openInbox, type ThreadInbox } from './inbox.ts'
import type { Request } from './job.ts'
import { keyOf, type Owed, owedRequests, type Queue } from './queue.ts'
import { type Authorise, gate } from './queue-access.ts'
import type { Scene } from './scene.ts'

/** What a turn has to answer. */
export interface Hearing {
  /** The request it begins with: the oldest that waits, which need not be the run's own. */
  readonly trigger: Trigger
  readonly inbox: ThreadInbox
  /** Keys of the requests whose messages are there already. */
  readonly resumed: readonly string[]
  readonly notes: readonly string[]
}

interface Circumstances {
  /** Requests that an earlier turn of this run was left with. */
  readonly named: readonly string[]
  readonly isFirst: boolean
  readonly onPromise: () => void
  /** Fires when somebody in the thread says `cancel`. */
  readonly stop: AbortController
}

/** Finds out what the thread owes an answer and opens the inbox for what is still to come; undefined when nothing is owed (any more). */
export async function openHearing(request: Request, scene: Scene, floor: Floor, circumstances: Circumstances): Promise<Hearing | undefined> {
  const { settings, github, runner, trigger } = request
  const { discussion, thread, watch } = scene
  const { named, isFirst, onPromise, stop } = circumstances
  const notes: string[] = []
  const mayAsk = gate(settings, github, (note) => notes.push(note))
  const own = { key: keyOf(trigger, runner.runId), at: undefined, trigger }
  if (!discussion || !watch) return isFirst ? { trigger, inbox: deaf(own), resumed: [], notes } : undefined
  const queue = await owedRequests(
    {
      discussion,
      thread,
      ...(isFirst ? { own: trigger } : {}),
      runId: runner.runId,
      isRerun: runner.attempt > 1,
      named,
      repository: trigger.repository,
      settings,
    },
    mayAsk,
  )
  const [first, ...rest] = visible(queue, own.key, floor)
  if (!first) return undefined
  const inbox = openInbox({
    watch,
    discussion,
    comments: floor.comments,
    first,
    rest,
    triggers: settings.triggers,
    mayAsk: floor.claim ? mayAsk : onlyCancel(mayAsk),
    onCancel: ({ login }) => stop.abort(`${login} stopped the run.`),
    onPromise,
  })
  return { trigger: first.trigger, inbox, resumed: [...queue.resumed, ...queue.cancelled], notes: [...queue.notes, ...notes] }
}

/** A run that nobody can see must not take what others will answer as well. */
function visible({ requests }: Queue, own: string, { claim }: Floor): readonly Owed[] {
  return claim ? requests : requests.filter(({ key }) => key === own)
}

const onlyCancel =
  (mayAsk: Authorise): Authorise =>
  async (trigger) =>
    trigger.verb.type === 'cancel' && (await mayAsk(trigger))

/** The inbox of a run without a thread. */
function deaf(own: Owed): ThreadInbox {
  return {
    notes: [],
    poll: () => Promise.resolve([]),
    arrived: () => Promise.resolve(false),
    taken: () => [own.key],
    promised: () => [own.key],
    pending: () => [],
    seen: () => [],
    close: () => undefined,
  }
}
