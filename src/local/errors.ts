import { Failure } from '../failure.ts'

/** The emulated GitHub, its git or the demo could not do what was asked of them. */
export class LocalError extends Failure {
  override readonly name = 'LocalError'
}
