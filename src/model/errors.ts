import { Failure } from '../failure.ts'

/** A model that can't be used as the settings stand: unknown name, missing key, wrong address. Found before anything is written to GitHub. */
export class ModelError extends Failure {
  override readonly name: string = 'ModelError'
}
