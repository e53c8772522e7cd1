import { Failure } from '../failure.ts'

/** What went wrong with a plugin or a custom tool of the repository. */
export class PluginError extends Failure {
  override readonly name = 'PluginError'
}
