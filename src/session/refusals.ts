import { Failure } from '../failure.ts'

/** A shell command, or a revert, was asked for while the session works on something else. */
export class SessionBusyError extends Failure {
  override readonly name = 'SessionBusyError'

  constructor(what: string) {
    super(`The session is busy, so ${what} is not possible now.`, 'Wait until the running work has ended, or cancel it.')
  }
}

/** What somebody waited for was cancelled, and there is nothing to give in its place. */
export class CancelledError extends Failure {
  override readonly name = 'CancelledError'

  constructor() {
    super('The work was cancelled.', 'Ask again to start it anew.')
  }
}

/** A name that stands for nothing in this session; the hint lists what there is. */
export class UnknownNameError extends Failure {
  override readonly name = 'UnknownNameError'

  constructor(kind: 'agent' | 'command', name: string, known: readonly string[]) {
    super(`There is no ${kind} "${name}".`, `The ${kind}s are: ${known.join(', ') || 'none'}.`)
  }
}

/** A revert to something that is not in the session. */
export class RevertError extends Failure {
  override readonly name = 'RevertError'
}
