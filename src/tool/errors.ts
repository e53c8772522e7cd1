import { Failure } from '../failure.ts'

/** What a tool tells the model when it could not do its work. */
export class ToolError extends Failure {
  override readonly name = 'ToolError'
}
