import { Failure } from '../failure.ts'

/** The event can't be acted on: unknown, unreadable, or without what it needs. Found before anything is asked of GitHub. */
export class EventError extends Failure {
  override readonly name = 'EventError'
}
