import type { Message, MessageError, Part } from './message.ts'
import type { Compacted, Sink, Status, Store } from './ports.ts'

/** Where everything the engine produces goes: kept in the store and told to the sink, in one call, so that neither can be forgotten. */
export interface Recorder {
  readonly store: Store
  message<T extends Message>(info: T): T
  part<T extends Part>(part: T): T
  /** Takes a part back; listeners have seen its last state. */
  forget(part: Part): void
  status(status: Status): void
  error(error: MessageError): void
  /** A summary has taken the place of what it summarises. */
  compacted(what: Compacted): void
}

/** A recorder over a store and a sink. */
export function recorder(store: Store, sink: Sink): Recorder {
  return {
    store,
    message(info) {
      store.putMessage(info)
      sink({ type: 'message', info })
      return info
    },
    part(part) {
      store.putPart(part)
      sink({ type: 'part', part })
      return part
    },
    forget: (part) => store.removePart(part.messageID, part.id),
    status: (status) => sink({ type: 'status', status }),
    error: (error) => sink({ type: 'error', error }),
    compacted: (what) => sink({ type: 'compacted', ...what }),
  }
}

/** Time and waiting, handed in so that tests need no clock. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Waits; resolves early, without throwing, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done, { once: true })
    }),
}
