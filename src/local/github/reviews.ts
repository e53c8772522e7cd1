import { LocalError } from '../errors.ts'
import type { PatchPlace } from './patch.ts'
import { account, type PullState, type State, type Thread, type ThreadComment, timestamp, writtenNow } from './state.ts'

/** What the emulated GitHub remembers of reviews and of remarks on the diff. */

export interface ReviewState {
  readonly id: number
  author: string | null
  body: string
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED'
  readonly submittedAt: string
  updatedAt: string
  lastEditedAt: string | null
  minimizedReason: ThreadComment['minimizedReason']
  readonly commit: string
}

/** A review comment. */
export interface Remark extends ThreadComment {
  readonly review: number
}

export interface RemarkThread {
  /** GraphQL's id. */
  readonly id: string
  readonly path: string
  readonly side: 'LEFT' | 'RIGHT'
  readonly hunk: string
  /** The head it was made for, and where it stood there. */
  readonly originalCommit: string
  readonly originalLine: number
  readonly originalStartLine: number | null
  readonly originalPosition: number
  /** Where it stands in the newest head; null when the line is gone (C12). */
  line: number | null
  startLine: number | null
  position: number | null
  resolvedBy: string | null
  readonly comments: Remark[]
}

export interface NewRemark {
  readonly path: string
  readonly body: string
  readonly line: number
  readonly side?: 'LEFT' | 'RIGHT'
  readonly startLine?: number
}

/** The pull request of a thread. Throws `LocalError` for an issue. */
export function pullOf(thread: Thread): PullState {
  if (thread.pull === undefined) throw new LocalError(`#${thread.number} is an issue.`, 'Open a pull request.')
  return thread.pull
}

export function addReview(
  state: State,
  thread: Thread,
  input: { author: string | null; body: string; state?: ReviewState['state']; commit: string },
): ReviewState {
  if (input.author !== null) account(state, input.author)
  state.rows.review += 1
  const now = timestamp()
  const review: ReviewState = {
    id: state.rows.review,
    author: input.author,
    body: input.body,
    state: input.state ?? 'COMMENTED',
    submittedAt: now,
    updatedAt: now,
    lastEditedAt: null,
    minimizedReason: null,
    commit: input.commit,
  }
  pullOf(thread).reviews.push(review)
  thread.updatedAt = now
  return review
}

/** A review comment of a review; where it is put is the caller's to say. */
function newRemark(state: State, review: ReviewState, body: string): Remark {
  state.rows.remark += 1
  return { id: state.rows.remark, review: review.id, ...writtenNow(review.author, body) }
}

/** Begins a thread on a line of the diff; `place` says that the line is there. */
export function addRemark(state: State, thread: Thread, review: ReviewState, input: NewRemark, place: PatchPlace): RemarkThread {
  const comment = newRemark(state, review, input.body)
  const made: RemarkThread = {
    id: `PRRT_${comment.id}`,
    path: input.path,
    side: input.side ?? 'RIGHT',
    hunk: place.hunk,
    originalCommit: review.commit,
    originalLine: input.line,
    originalStartLine: input.startLine ?? null,
    originalPosition: place.position,
    line: input.line,
    startLine: input.startLine ?? null,
    position: place.position,
    resolvedBy: null,
    comments: [comment],
  }
  pullOf(thread).remarks.push(made)
  return made
}

/** Answers in a thread; GitHub makes a review of its own of every answer. */
export function addReply(state: State, thread: Thread, remarks: RemarkThread, author: string | null, body: string): Remark {
  const review = addReview(state, thread, { author, body: '', commit: pullOf(thread).headSha })
  const made = newRemark(state, review, body)
  remarks.comments.push(made)
  return made
}

export interface FoundRemark {
  readonly thread: Thread
  readonly pull: PullState
  readonly remarks: RemarkThread
  readonly comment: Remark
}

export function findRemark(state: State, id: number): FoundRemark | undefined {
  return allRemarks(state).find(({ comment }) => comment.id === id)
}

/** Every review comment of the repository, oldest first. */
export function allRemarks(state: State): FoundRemark[] {
  return [...state.threads.values()]
    .flatMap((thread) => (thread.pull === undefined ? [] : remarksOf(thread, thread.pull)))
    .sort((a, b) => a.comment.id - b.comment.id)
}

/** The review comments of one pull request, oldest first. */
export function remarksOf(thread: Thread, pull: PullState): FoundRemark[] {
  const found = pull.remarks.flatMap((remarks) => remarks.comments.map((comment) => ({ thread, pull, remarks, comment })))
  return found.sort((a, b) => a.comment.id - b.comment.id)
}

/** Takes a review comment away, and its thread with the last of them. */
export function removeRemark({ pull, remarks, comment }: FoundRemark): void {
  remarks.comments.splice(remarks.comments.indexOf(comment), 1)
  if (remarks.comments.length === 0) pull.remarks.splice(pull.remarks.indexOf(remarks), 1)
}
