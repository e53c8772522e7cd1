import { createHash } from 'node:crypto'
import type { Comment, Discussion, PullFacts } from '../github/types.ts'
import type { Session } from '../session/message.ts'
import { counted } from '../text.ts'
import { checksDigest, checksSection, linkedSection } from './context/checks.ts'
import type { Place } from './context/hunk.ts'
import { type Asked, everything, isLater, newest } from './context/moment.ts'
import { opening, titleAndBody } from './context/opening.ts'
import { type Section, tell } from './context/sections.ts'
import { commentsSection, type Listening, placePiece, reviewsSection, threadsSection } from './context/talk.ts'
import { type Access, type Row, Teller, type Told, unseenNote } from './context/teller.ts'

export { accessOf } from './context/access.ts'
export { eventBlock } from './context/event.ts'
export { quoted } from './context/quote.ts'
export { type Access, type Told, visibleRequest } from './context/teller.ts'

/** What decides how much of a thread a model is told. */
export interface ContextInput {
  /** Title and body as the event quoted them, which is what the requester saw (C141). */
  readonly subject?: { readonly title: string; readonly body: string } | undefined
  /** What asks, and the time the event was made; what was written or edited later is not read. */
  readonly trigger?: Asked | undefined
  /** Where the remark that asks stands on the diff. */
  readonly place?: (Place & { readonly thread: number }) | undefined
  /** What the session was told before; absent at its first turn. */
  readonly seen?: Session['seen']
  /** True for what says nothing new: the session's own replies, what it took as requests, further parts of its memory. */
  readonly isOwn: (comment: Comment, row: Row) => boolean
  /** What writers may do here, by login. Absent when nobody asked; whoever is not in it is unknown. */
  readonly access?: ReadonlyMap<string, Access> | undefined
  /** Looks up a text of `prompts/`. */
  readonly texts: (name: string, values: Readonly<Record<string, string>>) => string
  /** Characters the text may have; at least 2,000. */
  readonly budget: number
}

export interface Context {
  /** For the model; empty when there is nothing new. */
  readonly text: string
  /** To be stored with the session, so that the next turn tells only what is new. */
  readonly seen: NonNullable<Session['seen']>
  /** Sentences for people about what was left out. */
  readonly notes: readonly string[]
  /** The texts of people that it tells, as readers see them, newest of each kind last. */
  readonly told: readonly Told[]
}

/** Characters that are read for each that may be told. Reading takes time, and a thread may be made of nothing but what can't be seen. */
const readPerTold = 20
/** What stands around the sections, in characters. */
const frame = 500

/**
 * What the model is told about the thread it was called from: everything at the first turn, what is new at later ones; the place of a remark that
 * asks, always. The newest of each kind is kept when it gets too long, and what is missing is said (C25). Depends on nothing but its arguments, so
 * that repeating a turn gives the same bytes.
 */
export function contextFor(discussion: Discussion, input: ContextInput): Context {
  const { pull } = discussion
  const { budget, seen, texts, trigger } = input
  const title = input.subject?.title ?? discussion.title
  const body = input.subject?.body ?? discussion.body
  const teller = new Teller(input.access, budget * readPerTold, discussion.viewer.login)
  const now = seenNow(discussion, title, body, input)
  const words = wordsOf(discussion, title, body, now, input, teller)

  const listening: Listening = { asked: trigger, seen, isOwn: input.isOwn, teller, longest: budget / 4 }
  const thread = pull?.threads.find(({ comments }) => comments.some(({ id }) => id === input.place?.thread || id === trigger?.remark))
  const place = input.place && placePiece(input.place, thread, { ...listening, longest: budget / 6 })
  const moved = seen && pull && seen.head !== now.head ? `The head of the pull request is now ${pull.headSha}.` : undefined
  const head = [words?.text, moved, place?.text].filter((text) => text !== undefined)

  const sections = [
    ...(pull ? aboutPull(pull, now, input, teller) : []),
    ...(pull ? [reviewsSection(pull, listening), threadsSection(pull, listening, thread)] : []),
  ]
  const room = budget - head.join('\n').length - frame
  const { lines, chosen, notes } = tell([...sections, commentsSection(discussion.comments, listening)], room, teller)

  const pieces = [...(place ? [place] : []), ...chosen]
  const allNotes = [
    ...(words?.notes ?? []),
    ...notes,
    ...unseenNote(
      'in what was written here',
      pieces.flatMap(({ removed }) => removed),
    ),
    ...lateNote(discussion, input),
  ]
  const told = [...(words?.told ?? []), ...pieces.flatMap((piece) => piece.told)]
  const all = [...head, ...lines]
  if (all.length === 0) return { text: '', seen: now, notes: allNotes, told }
  const values = { kind: pull ? 'pull request' : 'issue', number: String(discussion.number) }
  const trust = input.access ? [texts('github/trust', {})] : []
  return { text: [texts(seen ? 'github/update' : 'github/context', values), ...trust, ...all].join('\n'), seen: now, notes: allNotes, told }
}

/** Title and text at the first turn and when they were changed, with all that is known of the subject at the first. */
function wordsOf(discussion: Discussion, title: string, body: string, now: Context['seen'], { seen, budget }: ContextInput, teller: Teller) {
  if (!seen) return opening(discussion, title, body, budget, teller)
  return seen.subject === now.subject ? undefined : titleAndBody(discussion, title, body, budget, teller)
}

/** Issues it closes, at the first turn; results of checks then and when others fail. */
function aboutPull(pull: PullFacts, now: Context['seen'], { seen, budget }: ContextInput, teller: Teller): Section[] {
  return [...(seen ? [] : [linkedSection(pull.closes, teller, budget / 8)]), ...(seen && seen.checks === now.checks ? [] : [checksSection(pull, teller)])]
}

function seenNow(discussion: Discussion, title: string, body: string, { trigger, seen }: ContextInput): NonNullable<Session['seen']> {
  const { pull } = discussion
  const { comment, remark, review } = newest(discussion, trigger, seen)
  const subject = createHash('sha256')
    .update(JSON.stringify([title, body]))
    .digest('hex')
    .slice(0, 16)
  const checks = pull && checksDigest(pull)
  return {
    comment,
    subject,
    ...(pull && { head: pull.headSha }),
    ...(remark > 0 && { remark }),
    ...(review > 0 && { review }),
    ...(checks !== undefined && { checks }),
  }
}

function lateNote(discussion: Discussion, { trigger, isOwn }: ContextInput): string[] {
  const late = [...everything(discussion)].filter(([comment, row]) => isLater(comment, row, trigger) && !isOwn(comment, row)).length
  return late > 0 ? [`${counted(late, 'comment')} written or edited after the request ${late === 1 ? 'was' : 'were'} not shown to the model.`] : []
}
