import { Failure } from '../failure.ts'

/** What a caller may want to tell apart: the branch is gone from the remote or was rewritten, local edits are in the way of a checkout, anything else. */
export type WorkspaceProblem = 'missing-branch' | 'rewritten' | 'local-edits' | 'other'

/** The checkout is not in the state a run needs, or git could not do what was asked. Thrown by everything in this room. */
export class WorkspaceError extends Failure {
  override readonly name = 'WorkspaceError'
  readonly kind: WorkspaceProblem

  constructor(message: string, hint: string, kind: WorkspaceProblem = 'other') {
    super(message, hint)
    this.kind = kind
  }
}
