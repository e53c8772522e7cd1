import { defuse } from '../event/defuse.ts'
import { limits } from '../limits.ts'
import { createProgress } from '../report/progress.ts'
import type { Sink, Store } from '../session/ports.ts'
import type { Turn } from '../thread/codec.ts'
import { neutralise } from '../thread/hidden.ts'
import type { Checkout } from './checkout.ts'
import { openCheckpoints } from './checkpoint.ts'
import type { Floor } from './floor.ts'
import type { ThreadInbox } from './inbox.ts'
import type { Request } from './job.ts'
import type { Scene } from './scene.ts'

/** What there is to show once the session is open. */
interface Shown {
  readonly store: Store
  readonly subtasks: () => readonly Store[]
  readonly checkout: Checkout
  readonly inbox: Pick<ThreadInbox, 'taken' | 'promised'>
  /** Keys of the requests that an earlier run has left in the session. */
  readonly resumed: readonly string[]
}

/** What the thread shows of a run while it works: its progress for people, and hidden the checkpoint that another run could go on with. */
export interface Presence {
  readonly listen: Sink
  readonly notes: readonly string[]
  begin(shown: Shown): void
  /** Something hidden has changed. */
  touch(): void
  /** The text of a comment that ends the run without an answer, with all that is needed to go on where its id is known. */
  parting(visible: string, comment: number | undefined): Promise<string>
  stop(): Promise<void>
}

/** Time between two looks at the work tree, in ms. */
const workEvery = 10_000

/** Keeps the working comment up to date; without one nothing is shown, and a run that dies leaves nothing but what it has pushed. */
export function openPresence({ github, settings, runner, world }: Request, { past, key }: Scene, { desk, claim }: Floor): Presence {
  const { comment } = desk
  if (!comment || !claim || settings.progress === 'none') return absent
  const write = openCheckpoints({ claim, seq: past.seq, key, redactor: world.redactor, before: past.before })
  const safe = (text: string) => neutralise(defuse(world.redactor.redact(text), settings.triggers))
  let shown: Shown | undefined
  let work: { readonly at: number; readonly edits: Turn['work'] } | undefined

  const editsNow = async (): Promise<Turn['work']> => {
    const edits = await shown?.checkout.workspace.edits(shown.checkout.start, limits.checkpointPatchChars)
    if (!edits) return undefined
    return { commit: edits.commit, ...(edits.patch === undefined ? {} : { patch: edits.patch }) }
  }
  const standing = async (patience: number) => {
    if (!shown) return { taken: [], promised: claim.taken ?? [] }
    if (!work || Date.now() - work.at > patience) {
      // A checkpoint without the edits is better than none, if it says that there are some.
      const { commit } = shown.checkout.start
      const edits = await editsNow().catch(() => work?.edits ?? { commit })
      work = { at: Date.now(), edits }
    }
    const { store, inbox, resumed } = shown
    return { store, taken: [...resumed, ...inbox.taken()], promised: [...resumed, ...inbox.promised()], work: work.edits }
  }
  const progress = createProgress({
    runUrl: runner.runUrl,
    mode: settings.progress,
    redact: world.redactor.redact,
    post: async (body) => {
      await github.updateComment(comment.id, write(comment.id, safe(body), await standing(workEvery)).body)
    },
  })
  return {
    listen: progress.listen,
    notes: progress.notes,
    touch: () => progress.touch(),
    begin(given) {
      shown = given
      progress.watch({ store: given.store, before: past.before.usage, subtasks: given.subtasks })
    },
    parting: async (visible, id) => (id === undefined ? visible : write(id, visible, { ...(await standing(0)), ended: true }).body),
    stop: () => progress.stop(),
  }
}

const absent: Presence = {
  listen: () => undefined,
  notes: [],
  begin: () => undefined,
  touch: () => undefined,
  parting: (visible) => Promise.resolve(visible),
  stop: () => Promise.resolve(),
}
