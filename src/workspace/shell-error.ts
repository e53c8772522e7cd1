import { Failure } from '../failure.ts'

/** A command that could not be started; one that ran and failed is a result. */
export class ShellError extends Failure {
  override readonly name = 'ShellError'
}
