import { LocalError } from '../../errors.ts'
import type { RestContext } from '../context.ts'
import { Refusal } from '../http.ts'
import { type NewReview, submitReview } from '../placing.ts'
import { addReply, type NewRemark, type Remark, type ReviewState, remarksOf, removeRemark } from '../reviews.ts'
import type { CheckState } from '../runs.ts'
import { editComment, type ThreadComment, timestamp } from '../state.ts'
import { remarkOf, reviewOf, targetOf } from './threads.ts'

/** What people do in reviews, done by a test. */
export interface ReviewsByHand {
  /** Submits a review; its remarks must be on the diff. */
  review(number: number, input: NewReview): Promise<ReviewState>
  /** A single remark on a line, as the button "Add single comment" makes it. */
  remark(number: number, author: string | null, input: NewRemark): Promise<Remark>
  /** Answers in the thread of any remark in it. */
  reply(remark: number, author: string | null, body: string): Remark
  editRemark(id: number, body: string): void
  deleteRemark(id: number): void
  minimiseRemark(id: number, reason?: ThreadComment['minimizedReason']): void
  editReview(id: number, body: string): void
  minimiseReview(id: number, reason?: ThreadComment['minimizedReason']): void
  /** Marks the thread of a remark as resolved by somebody, or as open again with null. */
  resolve(remark: number, by: string | null): void
  /** Sets the checks and statuses of a pull request's head. */
  checks(number: number, checks: readonly CheckState[]): void
}

export function reviewsByHand(context: () => RestContext): ReviewsByHand {
  const submit = async (number: number, input: NewReview) => {
    try {
      return await submitReview(context(), targetOf(context(), number), input)
    } catch (error) {
      if (error instanceof Refusal) throw new LocalError(`The review can't be: ${JSON.stringify(error.reply.body)}`, 'Remark on lines of the diff.')
      throw error
    }
  }
  return {
    review: submit,
    async remark(number, author, input) {
      const review = await submit(number, { author, body: '', remarks: [input] })
      const { thread, pull } = targetOf(context(), number)
      const found = remarksOf(thread, pull).find(({ comment }) => comment.review === review.id)
      if (found === undefined) throw new LocalError('The remark was not made.', 'This is a fault of the emulator.')
      return found.comment
    },
    reply(remark, author, body) {
      const { thread, remarks } = remarkOf(context(), remark)
      return addReply(context().state, thread, remarks, author, body)
    },
    editRemark: (id, body) => editComment(remarkOf(context(), id).comment, body),
    deleteRemark: (id) => removeRemark(remarkOf(context(), id)),
    minimiseRemark(id, reason = 'OUTDATED') {
      remarkOf(context(), id).comment.minimizedReason = reason
    },
    editReview(id, body) {
      const { review } = reviewOf(context(), id)
      review.body = body
      review.updatedAt = timestamp()
      review.lastEditedAt = review.updatedAt
    },
    minimiseReview(id, reason = 'OUTDATED') {
      reviewOf(context(), id).review.minimizedReason = reason
    },
    resolve(remark, by) {
      remarkOf(context(), remark).remarks.resolvedBy = by
    },
    checks(number, checks) {
      const { pull } = targetOf(context(), number)
      pull.checks.splice(0, pull.checks.length, ...checks)
    },
  }
}
