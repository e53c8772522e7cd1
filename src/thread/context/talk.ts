import type { Comment, PullFacts, Review, ReviewThread } from '../../github/types.ts'
import type { Session } from '../../session/message.ts'
import { hunkLines, type Place, placeAttributes } from './hunk.ts'
import { type Asked, isLater, isNewRemark } from './moment.ts'
import type { Section } from './sections.ts'
import { leftOut, type Piece, type Row, spoken, type Teller } from './teller.ts'

/** What decides which of the things people wrote are told. */
export interface Listening {
  readonly asked: Asked | undefined
  readonly seen: Session['seen']
  /** True for what says nothing new: the session's own replies, what it took as requests, further parts of its memory. */
  readonly isOwn: (comment: Comment, row: Row) => boolean
  readonly teller: Teller
  /** Characters of one text at the most. */
  readonly longest: number
}

/** The comments of the conversation. */
export function commentsSection(comments: readonly Comment[], listening: Listening): Section {
  const { seen, teller, longest } = listening
  const told = comments.filter((comment) => isReadable(comment, 'comment', listening) && comment.id > (seen?.comment ?? 0)).toReversed()
  const pieces = lazily(told, (comment) => teller.comment(comment, 'comment', longest))
  return { tag: 'github_comments', what: 'comment', weight: 4, size: told.length, pieces }
}

const verdicts = ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED']

/** Reviews that say something of their own; what they say about lines is in the threads. */
export function reviewsSection({ reviews }: PullFacts, listening: Listening): Section {
  const { seen, teller, longest } = listening
  const told = reviews
    .filter((review) => isReadable(spoken(review), 'review', listening) && review.id > (seen?.review ?? 0))
    .filter(({ body, state }) => body.trim() !== '' || verdicts.includes(state))
    .toReversed()
  const pieces = lazily(told, (review) => teller.tagged('github_review', reviewFacts(review, teller), spoken(review), 'review', longest))
  return { tag: 'github_reviews', what: 'review', weight: 2, size: told.length, pieces }
}

function reviewFacts(review: Review, teller: Teller) {
  return {
    ...teller.author(review.author),
    at: review.submittedAt,
    state: review.state.toLowerCase().replaceAll('_', ' '),
    commit: review.commit ?? undefined,
  }
}

/** Open threads on the diff in which something was said, each with its place; of those that are resolved only how many there are. */
export function threadsSection({ threads, reviews }: PullFacts, listening: Listening, except: ReviewThread | undefined): Section {
  const { seen } = listening
  const told = threads
    .filter((thread) => !thread.resolved && thread !== except)
    .map((thread) => ({ thread, news: thread.comments.filter((remark) => isReadable(remark, 'remark', listening) && isNewRemark(remark, seen, reviews)) }))
    .filter(({ news }) => news.length > 0)
    .sort((a, b) => (b.news.at(-1)?.id ?? 0) - (a.news.at(-1)?.id ?? 0))
  const resolved = seen ? 0 : threads.filter((thread) => thread.resolved && thread !== except).length
  const pieces = lazily(told, ({ thread, news }) => threadPiece(thread, news, listening))
  return { tag: 'github_review_threads', what: 'review thread', weight: 4, size: told.length, pieces, lead: leftOut(resolved, 'resolved thread') }
}

/** A thread with what is new in it; the remark that began it says what the rest is about. */
function threadPiece(thread: ReviewThread, news: readonly Comment[], listening: Listening): Piece {
  const { teller, longest } = listening
  const [first] = thread.comments
  const begin = first && !news.includes(first) && !first.minimized && !isLater(first, 'remark', listening.asked) ? [first] : []
  const newest: Piece[] = []
  let used = 0
  for (const remark of news.toReversed()) {
    const piece = teller.comment(remark, 'remark', longest / 2)
    used += piece.text.length
    if (newest.length > 0 && used > longest) break
    newest.unshift(piece)
  }
  const before = begin.map((remark) => teller.comment(remark, 'remark', longest / 8))
  const between = leftOut(news.length - newest.length, 'comment')
  return joined(`<github_review_thread${placeAttributes(thread)}>`, hunkLines(thread.hunk, longest / 2), before, between, newest, '</github_review_thread>')
}

/**
 * The place of the remark that asks, with the lines it stands under and what was said there before, in order (C29). `place` is as the event told it.
 */
export function placePiece(place: Place, thread: ReviewThread | undefined, listening: Listening): Piece {
  const { teller, longest, asked } = listening
  const before = (thread?.comments ?? []).filter((remark) => remark.id !== asked?.remark && !remark.minimized && !isLater(remark, 'remark', asked))
  const newest: Piece[] = []
  let used = 0
  for (const remark of before.toReversed()) {
    const piece = teller.comment(remark, 'remark', longest / 2)
    used += piece.text.length
    if (used > longest) break
    newest.unshift(piece)
  }
  const missing = leftOut(before.length - newest.length, 'earlier comment')
  return joined(`<github_place_of_request${placeAttributes(place)}>`, hunkLines(place.hunk, longest), [], missing, newest, '</github_place_of_request>')
}

function joined(open: string, hunk: readonly string[], first: readonly Piece[], between: readonly string[], rest: readonly Piece[], close: string): Piece {
  const pieces = [...first, ...rest]
  return {
    text: [open, ...hunk, ...first.map(({ text }) => text), ...between, ...rest.map(({ text }) => text), close].join('\n'),
    told: pieces.flatMap(({ told }) => told),
    removed: pieces.flatMap(({ removed }) => removed),
  }
}

function isReadable(comment: Comment, row: Row, { asked, isOwn }: Listening): boolean {
  return !comment.minimized && comment.id !== asked?.[row] && !isLater(comment, row, asked) && !isOwn(comment, row)
}

function* lazily<T>(items: readonly T[], make: (item: T) => Piece): Generator<Piece> {
  for (const item of items) yield make(item)
}
