/**
 * An error meant for a person: `message` says what happened and why, `hint` what to do about it.
 * Rooms subclass it in their own `errors.ts`; everything else that is thrown is a bug of ours.
 */
export class Failure extends Error {
  override readonly name: string = 'Failure'
  readonly hint: string

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options)
    this.hint = hint
  }
}

/** The text of anything that was thrown, without a stack. Never throws, whatever it was. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name
  if (typeof error === 'string') return error
  try {
    return JSON.stringify(error) ?? String(error)
  } catch {
    // It holds itself, or something that JSON has no form for.
    return 'an error without words'
  }
}

/** The same, with what to do about it where the error says so. */
export function adviceOf(error: unknown): string {
  return error instanceof Failure ? `${error.message} ${error.hint}` : messageOf(error)
}
