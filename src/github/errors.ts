import { Failure } from '../failure.ts'

/**
 * Why GitHub said no: a bad token, a missing permission, a locked conversation, nothing there, a request it finds invalid, too many
 * requests, a fault of its own, or no answer at all.
 */
export type GitHubErrorKind = 'auth' | 'forbidden' | 'locked' | 'missing' | 'invalid' | 'rate' | 'server' | 'network'

export interface Refusal {
  readonly kind: GitHubErrorKind
  /** HTTP status; absent when there was no answer. */
  readonly status?: number | undefined
  /** GitHub's own words. */
  readonly said?: string
  /** Seconds GitHub asks to wait before the next try. */
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** GitHub refused a call for good, or was not there. */
export class GitHubError extends Failure {
  override readonly name: string = 'GitHubError'
  readonly kind: GitHubErrorKind
  readonly status: number | undefined
  readonly said: string
  readonly retryAfter: number | undefined

  constructor(message: string, hint: string, refusal: Refusal) {
    super(message, hint, { cause: refusal.cause })
    this.kind = refusal.kind
    this.status = refusal.status
    this.said = refusal.said ?? message
    this.retryAfter = refusal.retryAfter
  }
}

/** A pull request can't be opened because its branch has nothing the base has not (C127). */
export class NoCommitsError extends GitHubError {
  override readonly name = 'NoCommitsError'
}
