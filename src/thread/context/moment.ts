import type { Comment, Discussion, Review } from '../../github/types.ts'
import type { Session } from '../../session/message.ts'
import { type Row, spoken } from './teller.ts'

/** What asks, and when the event was made. What was written or edited later is not read (C141). */
export interface Asked {
  /** Ids of the comment, the remark on the diff, or the review that asks; it is not told, being the request. */
  readonly comment?: number | undefined
  readonly remark?: number | undefined
  readonly review?: number | undefined
  readonly at: string
}

/** Whether something was written or edited after the request. */
export function isLater({ id, createdAt, lastEditedAt }: Comment, row: Row, asked: Asked | undefined): boolean {
  const own = asked?.[row]
  if (!asked || id === own) return false
  const at = Date.parse(asked.at)
  const edited = lastEditedAt !== null && Date.parse(lastEditedAt) >= at
  return edited || Date.parse(createdAt) > at || (own !== undefined && id > own)
}

/** Everything people wrote, with the row of numbers its ids are from. */
export function* everything({ comments, pull }: Discussion): Generator<readonly [Comment, Row]> {
  for (const comment of comments) yield [comment, 'comment']
  for (const review of pull?.reviews ?? []) yield [spoken(review), 'review']
  for (const thread of pull?.threads ?? []) for (const remark of thread.comments) yield [remark, 'remark']
}

/** The newest ids of each row that there are at the moment of the request. */
export function newest(discussion: Discussion, asked: Asked | undefined, seen: Session['seen']): { comment: number; remark: number; review: number } {
  const found = {
    comment: Math.max(seen?.comment ?? 0, asked?.comment ?? 0),
    remark: Math.max(seen?.remark ?? 0, asked?.remark ?? 0),
    review: Math.max(seen?.review ?? 0, asked?.review ?? 0),
  }
  for (const [comment, row] of everything(discussion)) if (!isLater(comment, row, asked)) found[row] = Math.max(found[row], comment.id)
  return found
}

/**
 * Whether a remark is new since the session last looked. Remarks of a review get their ids when they are drafted, and are there for others only when
 * the review is sent off: then they may be older, by their ids, than what was seen.
 */
export function isNewRemark(remark: Comment, seen: Session['seen'], reviews: readonly Review[]): boolean {
  if (remark.id > (seen?.remark ?? 0)) return true
  const at = Date.parse(remark.createdAt)
  const sent = reviews.find(({ author, submittedAt }) => author.login === remark.author.login && Date.parse(submittedAt) >= at)
  return sent !== undefined && sent.id > (seen?.review ?? 0) && Date.parse(sent.submittedAt) > at
}
