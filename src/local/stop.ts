import type { ApiRequest } from './github/http.ts'
import { type Match, matcherOf } from './github/journal.ts'
import type { RunInput } from './runner.ts'
import type { World } from './world.ts'

/** Ends a run from outside at a moment that a test names. */

/** The n-th request to GitHub that matches, the n-th request to the scripted model, or the first output in which a text is found; counted from the start of the step. */
export type Moment =
  | {
      readonly github: Match
      readonly nth?: number
      /** The request is carried out all the same, though nobody is left to hear the answer. */
      readonly served?: boolean
    }
  | { readonly model: number }
  | { readonly output: RegExp }

export interface Stop {
  readonly signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'
  readonly when: Moment
  /** The machine is gone with it, so that the runs API goes on saying `in_progress`. */
  readonly machineLost?: boolean
}

/** Watches for the moment. `hooks` go into the step's input; `end` stops watching. */
export function stopWhen(world: World, { signal, when }: Stop, input: RunInput): { hooks: Pick<RunInput, 'onStart' | 'onOutput'>; end: () => void } {
  let kill: ((name: NodeJS.Signals) => Promise<void>) | undefined
  let done = false
  let text = ''
  const strike = async (): Promise<void> => {
    if (done || kill === undefined) return
    done = true
    const ended = kill(signal)
    // A process that may clean up must not be kept waiting for the answer.
    if (signal === 'SIGKILL') await ended
  }
  let left = 'model' in when ? when.model : 'github' in when ? (when.nth ?? 1) : 0
  let unwatch = () => {}
  if ('model' in when)
    unwatch =
      world.model?.watch(async () => {
        left -= 1
        if (left === 0) await strike()
      }) ?? unwatch
  if ('github' in when) {
    const matches = matcherOf(when.github)
    const act = async (request: ApiRequest) => {
      left -= 1
      if (left !== 0 || done) return
      await strike()
      if (when.served !== true && signal === 'SIGKILL') world.github.fault((other) => other === request, { reset: 'before' })
    }
    world.github.before((request) => !done && matches(request), act)
  }
  return {
    hooks: {
      onStart(start) {
        kill = start
        input.onStart?.(start)
      },
      onOutput(chunk) {
        text += chunk
        if ('output' in when && when.output.test(text)) void strike()
        input.onOutput?.(chunk)
      },
    },
    end() {
      done = true
      unwatch()
    },
  }
}
