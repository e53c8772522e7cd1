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

/** The text of anything that was thrown, without a stack. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name
  return typeof error === 'string' ? error : JSON.stringify(error)
}
