import { Failure } from '../failure.ts'

/** The work is done but could not be put where it belongs; the edits are still in the work tree. */
export class PublishError extends Failure {
  override readonly name = 'PublishError'
}
