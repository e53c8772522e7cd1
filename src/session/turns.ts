import { messageOf } from '../failure.ts'
import { stopped } from './asking.ts'
import { closeHalfMade } from './half-made.ts'
import { resultOf } from './loop.ts'
import type { WithParts } from './message.ts'
import type { Clock, Recorder } from './record.ts'
import { removeReverted } from './revert.ts'
import { createRunner } from './runner.ts'

interface Context {
  readonly record: Recorder
  readonly clock: Clock
  /** Ends everything. */
  readonly signal: AbortSignal
  /** One run of the loop. */
  run(stop: AbortSignal): Promise<WithParts>
}

/** Who may work on the session, and when: what every entry of the engine goes through. */
export interface Turns {
  /** Whether anything runs, or a message is being made. */
  readonly busy: boolean
  /** Makes and stores a message: one after the other, after what was reverted has been removed. */
  arrive(make: () => Promise<WithParts>): Promise<WithParts>
  /** Runs the loop, or joins the running one, until the message is answered. */
  answer(message: WithParts): Promise<WithParts>
  loop(): Promise<WithParts>
  shell(work: (stop: AbortSignal) => Promise<WithParts>): Promise<WithParts>
  cancel(): Promise<void>
}

/**
 * One piece of work at a time on one session (the engine's description 2.5). A run begins when messages that were on their way are stored and
 * a cancelled run has really ended; what it leaves half-made is closed.
 */
export function takeTurns({ record, clock, signal, run }: Context): Turns {
  const { store } = record
  const runner = createRunner<WithParts>({
    onInterrupt: () => resultOf(store.messages()),
    onBusy: () => record.status({ type: 'busy' }),
    onIdle: () => record.status({ type: 'idle' }),
  })
  // Neither ever rejects.
  let arriving: Promise<unknown> = Promise.resolve()
  let cancelling: Promise<unknown> = Promise.resolve()
  let arrivals = 0
  let cancels = 0

  const begin = async (before: Promise<unknown>) => {
    await before
    removeReverted(store)
  }

  const loop = () => {
    const before = Promise.all([arriving, cancelling])
    return runner.ensureRunning(async (stop) => {
      await begin(before)
      const since = clock.now()
      let end = stopped
      try {
        return await run(stop)
      } catch (error) {
        if (!stop.aborted) end = { name: 'UnknownError', message: messageOf(error) }
        throw error
      } finally {
        closeHalfMade(since, end, { record, clock })
      }
    })
  }

  return {
    get busy() {
      return arrivals > 0 || runner.state !== 'Idle'
    },
    loop,

    arrive(make) {
      arrivals++
      const made = begin(Promise.all([arriving, cancelling]))
        .then(make)
        .finally(() => {
          arrivals--
        })
      arriving = made.catch(() => undefined)
      return made
    },

    async answer(message) {
      const before = cancels
      const result = await loop()
      // A run that is about to end when a message comes no longer looks for it.
      return cancels === before && !signal.aborted && !isAnswered(message) ? loop() : result
    },

    shell(work) {
      const before = Promise.all([arriving, cancelling])
      return runner.startShell(async (stop) => {
        await begin(before)
        return work(stop)
      })
    },

    cancel() {
      cancels++
      const ended = runner.cancel()
      cancelling = Promise.all([cancelling, ended])
      return ended
    },
  }

  function isAnswered({ info }: WithParts): boolean {
    const messages = store.messages()
    return messages.slice(messages.findIndex((message) => message.info.id === info.id)).some((message) => message.info.role === 'assistant')
  }
}
