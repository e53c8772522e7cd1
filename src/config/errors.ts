import { Failure } from '../failure.ts'

/** A configuration of the repository or of the job that can't be used. Names the file, and the line and column where there is one. */
export class ConfigError extends Failure {
  override readonly name = 'ConfigError'
}
