import { PublishError } from '../publish/errors.ts'
import { codeSpan } from '../report/markdown.ts'
import type { Store } from '../session/ports.ts'
import { memoryStore } from '../session/store.ts'
import type { Checkout } from './checkout.ts'
import { nothingToUndo } from './complaints.ts'
import { addressOf, type Job } from './job.ts'
import { undoneLine, withoutLandings } from './landed.ts'
import { undoWork } from './publish.ts'
import type { BoundPlan, Scene } from './scene.ts'

/** What taking the last turn back came to. */
export interface TakenBack {
  readonly store: Store
  readonly answer: string
}

/**
 * Takes the last turn back: the session forgets its messages, and a commit takes back what it pushed. A turn that died before its end is forgotten
 * alone: nothing of it was pushed. With `mode: staged` it only says what would be taken back. Throws `Failure` when there is none, `PublishError` when stopped
 * or when a branch does not let go of it: then the session remembers it as well.
 */
export async function takeBack(job: Job, { thread, past }: Scene, plan: BoundPlan, { workspace }: Checkout, stop: AbortSignal): Promise<TakenBack> {
  const { runner } = job
  if (thread.checkpoint && past.session) {
    const store = memoryStore({ ...past.session, ...(thread.session ? { landings: thread.session.landings } : {}) }, past.before.messages)
    return { store, answer: 'The turn that was not finished is forgotten; nothing of it had been pushed.' }
  }
  const { session, undoable } = thread
  if (!session || undoable.length === 0) throw nothingToUndo()
  const store = memoryStore(session, thread.messages)
  for (const id of undoable) store.removeMessage(id)
  const mine = (session.landings ?? []).filter(({ message }) => undoable.includes(message))
  if (mine.length === 0) return { store, answer: 'The last turn is forgotten; it had pushed nothing.' }
  if (job.settings.mode === 'staged') {
    const branches = [...new Set(mine.map(({ branch }) => codeSpan(branch, 300)))].join(', ')
    return { store, answer: `The last turn would be forgotten, and a new commit would take back what it pushed to ${branches}.` }
  }
  const undone = await undoWork(job, { plan, workspace, landings: mine, signal: stop })
  const words = undoneLine(undone, addressOf(runner))
  if (undone.some(({ kind }) => kind === 'conflict' || kind === 'held' || kind === 'refused')) {
    throw new PublishError(words, 'The last turn is still remembered. Undo it by hand, or say what should be changed.')
  }
  const others = (session.landings ?? []).filter(({ message }) => !undoable.includes(message))
  const { landings: left = [], ...rest } = withoutLandings({ ...session, landings: mine }, undone)
  store.update({ ...rest, landings: [...others, ...left] })
  return { store, answer: words }
}
