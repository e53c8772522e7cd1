import { CancelledError, SessionBusyError } from './refusals.ts'

/** Work of a session. When its signal aborts it must end soon, in whatever way: those who wait for it wait until then. */
export type Work<T> = (signal: AbortSignal) => Promise<T>

export interface RunnerOptions<T> {
  /** What waiters get when their work was cancelled, asked for once the work has ended. Without it they get a `CancelledError`. */
  onInterrupt?(): T | Promise<T>
  /** The work ended, by itself or cancelled, and nothing took its place. */
  onIdle?(): void
  /** A shell command begins. Loops say so themselves, at each step. */
  onBusy?(): void
}

export interface Runner<T> {
  readonly state: 'Idle' | 'Running' | 'Shell' | 'ShellThenRun'
  /** Starts the work, or joins what runs or waits already: then the given work is not executed. Behind a shell command it waits for its turn. */
  ensureRunning(work: Work<T>): Promise<T>
  /** Runs a shell command, when idle. Throws `SessionBusyError` otherwise. */
  startShell(work: Work<T>): Promise<T>
  /** Cancels what runs and what waits; resolves when it has ended. New work may start at once. Does nothing when idle. */
  cancel(): Promise<void>
}

interface Job<T> {
  /** For those who wait: the outcome, or what stands in for it after a cancellation. */
  readonly result: Promise<T>
  /** Settles, without failing, when the work itself has ended. */
  readonly ended: Promise<void>
  abort(): void
}

type State<T> =
  | { readonly name: 'Idle' }
  | { readonly name: 'Running'; readonly job: Job<T> }
  | { readonly name: 'Shell'; readonly job: Job<T> }
  | { readonly name: 'ShellThenRun'; readonly job: Job<T>; readonly queued: Queued<T> }

interface Queued<T> extends PromiseWithResolvers<T> {
  readonly work: Work<T>
}

/**
 * One run per session (the engine's description 2.5): a machine of four states, in which a loop is joined rather than started twice, a
 * shell command is exclusive, and a loop asked for meanwhile comes after it. Work that ends after it was cancelled touches nothing of
 * what took its place.
 */
export function createRunner<T>(options: RunnerOptions<T> = {}): Runner<T> {
  let state: State<T> = { name: 'Idle' }

  const idle = () => {
    state = { name: 'Idle' }
    options.onIdle?.()
  }

  const interrupted = async (): Promise<T> => {
    if (!options.onInterrupt) throw new CancelledError()
    return options.onInterrupt()
  }

  /** Starts work. `then` is called when it ended by itself, before anybody who waits hears of it. */
  const begin = (work: Work<T>, then: () => void): Job<T> => {
    const controller = new AbortController()
    const { signal } = controller
    // A tick later, so that work which calls back finds the state that goes with it.
    const outcome = Promise.resolve().then(() => {
      signal.throwIfAborted()
      return work(signal)
    })
    const settle = (value: () => T | Promise<T>): T | Promise<T> => {
      if (signal.aborted) return interrupted()
      then()
      return value()
    }
    return {
      result: outcome.then(
        (value) => settle(() => value),
        (error: unknown) => settle(() => Promise.reject(error)),
      ),
      ended: outcome.then(
        () => undefined,
        () => undefined,
      ),
      abort: () => controller.abort(new CancelledError()),
    }
  }

  const startRun = (work: Work<T>): Promise<T> => {
    const job = begin(work, idle)
    state = { name: 'Running', job }
    return job.result
  }

  const afterShell = () => {
    if (state.name !== 'ShellThenRun') return idle()
    const { queued } = state
    queued.resolve(startRun(queued.work))
  }

  return {
    get state() {
      return state.name
    },

    ensureRunning(work) {
      if (state.name === 'Running') return state.job.result
      if (state.name === 'ShellThenRun') return state.queued.promise
      if (state.name === 'Idle') return startRun(work)
      const queued = { ...Promise.withResolvers<T>(), work }
      state = { name: 'ShellThenRun', job: state.job, queued }
      return queued.promise
    },

    async startShell(work) {
      if (state.name !== 'Idle') throw new SessionBusyError('running a shell command')
      options.onBusy?.()
      const job = begin(work, afterShell)
      state = { name: 'Shell', job }
      return job.result
    },

    async cancel() {
      if (state.name === 'Idle') return
      const cancelled = state
      state = { name: 'Idle' }
      cancelled.job.abort()
      await cancelled.job.ended
      if (cancelled.name === 'ShellThenRun') cancelled.queued.resolve(interrupted())
      if (state.name === 'Idle') options.onIdle?.()
    },
  }
}
