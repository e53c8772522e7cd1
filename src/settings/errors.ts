import { Failure } from '../failure.ts'

/** The workflow gave something we can't work with, or the runner left something out. Found before anything is written to GitHub. */
export class SettingsError extends Failure {
  override readonly name = 'SettingsError'
}
