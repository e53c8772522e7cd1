import type { Session } from './message.ts'
import type { Store } from './ports.ts'
import { memoryStore } from './store.ts'
import { addUsage, usageBetween } from './usage.ts'

/** The sessions that were started for subtasks in a run, at any depth. They live as long as the run; their results are in the parents' histories. */
export interface Children {
  /** In the order in which they were started. */
  readonly list: readonly Store[]
  get(sessionID: string): Store | undefined
  /** Starts a session under another. What it uses counts for that one, and for those above it, too. */
  start(session: Session, parent: Store): Store
  /** Does one piece of work in a session; undefined when another is being done in it. */
  work<T>(sessionID: string, job: () => Promise<T>): Promise<T> | undefined
  /** Resolves when no session directly under this one is at work. */
  idle(parentID: string): Promise<void>
}

/** No sessions yet. */
export function createChildren(): Children {
  const stores = new Map<string, Store>()
  const busy = new Map<string, Promise<unknown>>()
  return {
    get list() {
      return [...stores.values()]
    },
    get: (sessionID) => stores.get(sessionID),
    start(session, parent) {
      const store = counting(memoryStore(session), parent)
      stores.set(session.id, store)
      return store
    },
    work(sessionID, job) {
      if (busy.has(sessionID)) return undefined
      const done = job().finally(() => busy.delete(sessionID))
      busy.set(sessionID, done)
      return done
    },
    async idle(parentID) {
      const below = [...busy].filter(([id]) => stores.get(id)?.session.parentID === parentID)
      await Promise.allSettled(below.map(([, done]) => done))
    },
  }
}

/** How many sessions stand above this one. */
export function depthOf({ parentID }: Session, children: Children): number {
  const parent = parentID === undefined ? undefined : children.get(parentID)
  return parentID === undefined ? 0 : 1 + (parent ? depthOf(parent.session, children) : 0)
}

/** A store whose usage is added to the parent's as it grows. */
function counting(store: Store, parent: Store): Store {
  return {
    ...store,
    get session() {
      return store.session
    },
    update(change) {
      if (change.usage) {
        const { tokens, cost, steps } = usageBetween(store.session.usage, change.usage)
        parent.update({ usage: addUsage(parent.session.usage, tokens, cost, steps) })
      }
      store.update(change)
    },
  }
}
