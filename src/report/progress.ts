import { messageOf } from '../failure.ts'
import type { Part, ToolPart } from '../session/message.ts'
import type { SessionEvent, Sink, Store } from '../session/ports.ts'
import { aboutCall } from './call.ts'
import type { Usage } from './figures.ts'
import { type ProgressState, progressBody, type SubtaskState, signOfLife } from './progress-body.ts'

/** Shortest time between two edits while a run is young, and the longest that a live run lets pass without one, in ms. */
const EVERY = 3_000
const AT_LEAST = 60_000
/** An old run is edited after a hundredth of its age: GitHub allows an account 500 writes an hour. */
const AGE = 100
/** Failures in a row after which people are told. */
const TROUBLE = 3
/** Finished calls that are kept to be shown. */
const SHOWN = 3

/** Time, handed in so that tests need no waiting. */
export interface ProgressClock {
  /** Epoch ms. */
  now(): number
  /** Calls `act` after `ms`, unless what is returned is called before. Must not keep the process alive. */
  after(ms: number, act: () => void): () => void
}

/** The machine's own. */
export const progressClock: ProgressClock = {
  now: Date.now,
  after(ms, act) {
    const timer = setTimeout(act, ms).unref()
    return () => clearTimeout(timer)
  },
}

export interface ProgressOptions {
  readonly runUrl: string
  /** `final` shows only that the run lives. */
  readonly mode: 'live' | 'final'
  /** Replaces the working comment's text. May fail; never called twice at a time. */
  readonly post: (body: string) => Promise<void>
  /** Takes secrets out of a text before it is cut or marked up, where they could not be found any more. */
  readonly redact: (text: string) => string
  readonly clock?: ProgressClock
}

/** What the progress comment tells of. */
export interface Watched {
  readonly store: Pick<Store, 'session'>
  /** The session's totals before this run. */
  readonly before: Usage
  /** The sessions of subtasks. */
  readonly subtasks?: () => readonly Pick<Store, 'session' | 'messages'>[]
}

export interface ProgressComment {
  /** A listener for the session's sink. */
  readonly listen: Sink
  /** Names the session, as soon as there is one. */
  watch(watched: Watched): void
  /** Has the comment edited soon, though nothing in its visible text changed: something hidden in it did. */
  touch(): void
  /** What people should know: that the comment could not be kept up to date. */
  readonly notes: readonly string[]
  /** Ends it for good; resolves when the edit in flight, if any, is through. */
  stop(): Promise<void>
}

/**
 * Keeps the working comment up to date: soon after something happened, never more often than every few seconds, and at least once a
 * minute as a sign of life, by which other runs know that this one is not dead. Never throws. It begins at once.
 */
export function createProgress(options: ProgressOptions): ProgressComment {
  return new Progress(options)
}

class Progress implements ProgressComment {
  readonly notes: string[] = []
  private readonly options: ProgressOptions
  private readonly clock: ProgressClock
  private readonly began: number
  private readonly running = new Map<string, ToolPart>()
  private readonly recent: ToolPart[] = []
  private watched: Watched | undefined
  private waiting: ProgressState['waiting']
  /** When the comment was edited last; it has just been posted. */
  private last: number
  private news = false
  private failures = 0
  private cancel: () => void = () => undefined
  private flight: Promise<void> | undefined
  private stopped = false

  constructor(options: ProgressOptions) {
    this.options = options
    this.clock = options.clock ?? progressClock
    this.began = this.clock.now()
    this.last = this.began
    this.schedule()
  }

  readonly listen: Sink = (event) => {
    if (this.options.mode === 'live' && this.take(event)) this.touch()
  }

  watch(watched: Watched): void {
    this.watched = watched
  }

  touch(): void {
    this.news = true
    this.schedule()
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.cancel()
    await this.flight
  }

  /** Whether the event changes what is shown. Text that arrives letter by letter does not. */
  private take(event: SessionEvent): boolean {
    if (event.type === 'status') {
      const { status } = event
      const before = this.waiting
      this.waiting = status.type === 'retry' ? { attempt: status.attempt, message: status.message } : undefined
      return before !== this.waiting
    }
    return event.type === 'part' && this.takePart(event.part)
  }

  private takePart(part: Part): boolean {
    const moving = this.waiting !== undefined && part.type !== 'retry'
    if (moving) this.waiting = undefined
    if (part.type !== 'tool') return moving || part.type === 'step-finish'
    if (part.state.status === 'running') {
      this.running.set(part.id, part)
      return true
    }
    // A call that was never started is none that a person would miss.
    if (!this.running.delete(part.id)) return moving
    this.recent.push(part)
    if (this.recent.length > SHOWN) this.recent.shift()
    return true
  }

  /** One timer: for the next edit if there is news, else for the sign of life. */
  private schedule(): void {
    this.cancel()
    if (this.stopped || this.flight) return
    const now = this.clock.now()
    const pause = Math.max(EVERY, (now - this.began) / AGE) * 2 ** Math.min(this.failures, 8)
    const due = this.last + (this.news ? Math.min(AT_LEAST, pause) : AT_LEAST)
    this.cancel = this.clock.after(Math.max(0, due - now), () => {
      if (this.stopped || this.flight) return
      this.flight = this.edit()
    })
  }

  private async edit(): Promise<void> {
    this.news = false
    try {
      await this.options.post(this.body())
      this.failures = 0
    } catch (error) {
      this.failures++
      this.news = true
      if (this.failures === TROUBLE) this.notes.push(`The progress comment could not be kept up to date: ${messageOf(error)}`)
    }
    this.last = this.clock.now()
    this.flight = undefined
    this.schedule()
  }

  private body(): string {
    const { runUrl, mode, redact } = this.options
    const elapsed = this.clock.now() - this.began
    if (mode === 'final') return signOfLife(runUrl, elapsed)
    const calls = [...this.running.values()]
    return progressBody(
      {
        runUrl,
        elapsed,
        ...(this.watched ? { usage: usageOf(this.watched) } : {}),
        todos: this.watched?.store.session.todos ?? [],
        running: calls.filter((call) => !this.subtaskOf(call)),
        recent: this.recent,
        subtasks: calls.flatMap((call) => this.subtaskOf(call) ?? []),
        ...(this.waiting ? { waiting: this.waiting } : {}),
      },
      redact,
    )
  }

  /** The subtask that a call started, if it is one. */
  private subtaskOf(call: ToolPart): SubtaskState | undefined {
    const id = call.state.status === 'running' ? call.state.metadata?.sessionId : undefined
    const store = typeof id === 'string' ? this.watched?.subtasks?.().find(({ session }) => session.id === id) : undefined
    if (!store) return undefined
    const calls =
      store
        .messages()
        .at(-1)
        ?.parts.filter((part) => part.type === 'tool') ?? []
    return { title: aboutCall(call), steps: store.session.usage.steps, running: calls.filter(({ state }) => state.status === 'running') }
  }
}

/** What this run used so far. */
function usageOf({ store, before }: Watched): NonNullable<ProgressState['usage']> {
  const { steps, cost } = store.session.usage
  return { steps: steps - before.steps, cost: cost - before.cost }
}
