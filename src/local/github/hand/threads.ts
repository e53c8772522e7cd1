import { LocalError } from '../../errors.ts'
import type { RestContext } from '../context.ts'
import { type FoundRemark, findRemark, pullOf, type ReviewState } from '../reviews.ts'
import {
  addComment,
  addThread,
  type CloseReason,
  editComment,
  findComment,
  newPull,
  setClosed,
  type Thread,
  type ThreadComment,
  threadOf,
  timestamp,
} from '../state.ts'

/** What people do to issues, pull requests and comments, done by a test. */
export interface ThreadsByHand {
  openIssue(input: { title: string; body?: string; author: string | null; labels?: readonly string[]; assignees?: readonly string[] }): Thread
  /** Opens a pull request by somebody other than the token. The branches must exist; `headRepository` names a fork. */
  openPull(input: {
    title: string
    body?: string
    author: string | null
    head: string
    base?: string
    headRepository?: string
    draft?: boolean
    /** Whether maintainers may push to the fork's branch; yes unless told otherwise. */
    maintainerCanModify?: boolean
  }): Promise<Thread>
  comment(number: number, author: string | null, body: string): ThreadComment
  editComment(id: number, body: string): void
  deleteComment(id: number): void
  minimise(id: number, reason?: ThreadComment['minimizedReason']): void
  /** Makes a comment look as if it had been written, edited, and never touched since, so many seconds earlier. */
  age(id: number, seconds: number): void
  /** Edits the title or body of an issue or pull request. */
  editThread(number: number, change: { title?: string; body?: string }): void
  lock(number: number): void
  /** Closes an issue, or a pull request without merging it. */
  closeThread(number: number, reason?: CloseReason): void
  reopen(number: number): void
  thread(number: number): Thread
}

export function threadsByHand(context: () => RestContext): ThreadsByHand {
  const { state, repositories } = context()
  const commentOf = (id: number) => {
    const found = findComment(state, id)
    if (found === undefined) throw new LocalError(`There is no comment ${id}.`, 'Post it first.')
    return found
  }
  return {
    openIssue: (input) => addThread(state, input),
    async openPull({ head, base = state.defaultBranch, headRepository = repositories.own, draft = false, maintainerCanModify, ...input }) {
      const headSha = await repositories.tip(headRepository, head)
      if (headSha === undefined) throw new LocalError(`${headRepository} has no branch ${head}.`, 'Push it first.')
      const isFork = headRepository !== repositories.own
      const pull = newPull({ head, base, headRepository, draft, maintainerCanModify: maintainerCanModify ?? isFork, headSha })
      const thread = addThread(state, { ...input, pull })
      await repositories.refresh()
      return thread
    },
    comment: (number, author, body) => addComment(state, threadOf(state, number), author, body),
    editComment: (id, body) => editComment(commentOf(id).comment, body),
    deleteComment(id) {
      const { thread, comment } = commentOf(id)
      thread.comments.splice(thread.comments.indexOf(comment), 1)
    },
    minimise(id, reason = 'OUTDATED') {
      commentOf(id).comment.minimizedReason = reason
    },
    age(id, seconds) {
      const { comment } = commentOf(id)
      const earlier = (time: string) => timestamp(Date.parse(time) - seconds * 1000)
      Object.assign(comment, {
        createdAt: earlier(comment.createdAt),
        updatedAt: earlier(comment.updatedAt),
        lastEditedAt: comment.lastEditedAt === null ? null : earlier(comment.lastEditedAt),
      })
    },
    editThread(number, change) {
      const thread = threadOf(state, number)
      Object.assign(thread, change)
      thread.updatedAt = timestamp()
      thread.lastEditedAt = thread.updatedAt
    },
    lock(number) {
      threadOf(state, number).locked = true
    },
    closeThread(number, reason) {
      setClosed(threadOf(state, number), true, reason ?? null)
    },
    reopen(number) {
      setClosed(threadOf(state, number), false, null)
    },
    thread: (number) => threadOf(state, number),
  }
}

/** A review comment with its thread. Throws `LocalError`: a test asks for what it made. */
export function remarkOf({ state }: RestContext, id: number): FoundRemark {
  const found = findRemark(state, id)
  if (found === undefined) throw new LocalError(`There is no review comment ${id}.`, 'Post it first.')
  return found
}

/** A review by its id. Throws `LocalError`. */
export function reviewOf({ state }: RestContext, id: number): { thread: Thread; review: ReviewState } {
  for (const thread of state.threads.values()) {
    const review = thread.pull?.reviews.find((item) => item.id === id)
    if (review !== undefined) return { thread, review }
  }
  throw new LocalError(`There is no review ${id}.`, 'Submit it first.')
}

/** The pull request with a number, ready for its routes. Throws `LocalError`. */
export function targetOf({ state }: RestContext, number: number) {
  const thread = threadOf(state, number)
  return { thread, pull: pullOf(thread) }
}
