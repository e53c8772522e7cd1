import type { Comment } from '../github/types.ts'
import type { Session, WithParts } from '../session/message.ts'
import { type Decoded, decode, readBlock, type SessionKey, type Slice, type Turn, writeOf } from './codec.ts'
import { carriesSession } from './hidden.ts'
import { historyOf } from './history.ts'

export interface LoadOptions {
  /** Login of the account the token acts as: only its comments can carry the session. */
  readonly viewer: string
  readonly key?: SessionKey | undefined
  /** The input `session`: with `new` nothing is remembered except which comments were answered. */
  readonly mode: 'thread' | 'new'
}

/** One earlier turn as found in the thread, of whatever session. */
export interface FoundTurn {
  /** The comment that shows its reply. */
  readonly comment: number
  readonly session: string
  readonly seq: number
  /** Ids of the comments answered up to then. */
  readonly handled: readonly number[]
  /** Hidden by a maintainer: its messages are not remembered, the comments it answered still count as answered. */
  readonly forgotten: boolean
}

export interface Checkpoint {
  readonly comment: number
  readonly seq: number
  readonly turn: Turn
}

export interface LoadedThread {
  /** The record of the newest turn; absent when a new session begins. */
  readonly session?: Session
  readonly messages: readonly WithParts[]
  /** Number of the newest turn of the session; 0 for a new one. The next turn is saved under the number after it. */
  readonly seq: number
  /** What was found and not accepted, as sentences for the job summary. */
  readonly warnings: readonly string[]
  readonly turns: readonly FoundTurn[]
  /** The state of a run that was stopped in the middle: newer than every finished turn. */
  readonly checkpoint?: Checkpoint
}

interface Found extends Decoded {
  readonly comment: number
  readonly forgotten: boolean
}

/**
 * Rebuilds the session from the comments of a thread. Session data counts only in the bot's own comments, only in the comment it was written
 * for, only when it decodes, and only once for each number; everything else is passed over with a warning. Turns whose comment is minimised are
 * forgotten. Of several sessions in a thread the newest goes on. Never throws.
 */
export function loadThread(comments: readonly Comment[], { viewer, key, mode }: LoadOptions): LoadedThread {
  const warnings = new Warnings()
  const found = collect(comments, viewer, key, warnings)
  const turns = inOrder(found, warnings)
  const base = { warnings: warnings.sentences(), turns: turns.map(summaryOf) }
  if (mode === 'new') return { ...base, messages: [], seq: 0 }

  const remembered = turns.filter((turn) => !turn.forgotten)
  const id = remembered.at(-1)?.header.session
  const ours = remembered.filter(({ header }) => header.session === id)
  const record = ours.at(-1)?.turn.session
  const handled = new Set(turns.flatMap(({ turn }) => turn.session.handled))
  const checkpoint = newestCheckpoint(found, turns, id)
  return {
    warnings: !record && base.warnings.length > 0 ? [...base.warnings, 'So a new session begins.'] : base.warnings,
    turns: base.turns,
    ...(record && { session: { ...record, handled: [...handled] } }),
    messages: historyOf(ours.map(({ turn }) => turn)),
    seq: lastSeq(turns, id),
    ...(checkpoint && { checkpoint: { comment: checkpoint.comment, seq: checkpoint.header.seq, turn: checkpoint.turn } }),
  }
}

/** Every turn and checkpoint that the thread holds whole, in the order of the comments they begin in. */
function collect(comments: readonly Comment[], viewer: string, key: SessionKey | undefined, warnings: Warnings): Found[] {
  const writes = new Map<string, { slices: Slice[]; comments: Comment[] }>()
  for (const comment of comments) {
    if (!carriesSession(comment.body)) continue
    const slice = sliceOf(comment, viewer, key)
    if (typeof slice === 'string') {
      if (!comment.minimized) warnings.add(slice, [comment])
      continue
    }
    const name = writeOf(slice.header)
    const write = writes.get(name) ?? { slices: [], comments: [] }
    // A write has each part once; a second one is another write of the same turn, to be judged by itself.
    const own = write.slices.some(({ header }) => header.part === slice.header.part) ? `${name} ${comment.id}` : name
    const into = own === name ? write : { slices: [], comments: [] }
    into.slices.push(slice)
    into.comments.push(comment)
    writes.set(own, into)
  }
  return [...writes.values()].flatMap((write): Found[] => {
    const forgotten = write.comments.some(({ minimized }) => minimized)
    const decoded = decode(write.slices)
    const first = write.comments[write.slices.findIndex(({ header }) => header.part === 1)]
    if (decoded.kind === 'turn' && first) return [{ ...decoded, comment: first.id, forgotten }]
    if (decoded.kind === 'refused' && !forgotten) warnings.add(decoded.message, write.comments)
    return []
  })
}

/** The comment's share of a turn, or why it is not accepted. */
function sliceOf(comment: Comment, viewer: string, key: SessionKey | undefined): Slice | string {
  const { login } = comment.author
  if (login.toLowerCase() !== viewer.toLowerCase()) return `was posted by ${login}, and only ${viewer} is believed`
  const slice = readBlock(comment.body, key)
  if (!slice) return 'is not in the form this version reads'
  if (slice.kind === 'refused') return slice.message
  return slice.header.comment === comment.id ? slice : `was written for another comment (${slice.header.comment}) and copied`
}

/** The finished turns by session and number. A number that was there before is not new: the earlier comment keeps it. */
function inOrder(found: readonly Found[], warnings: Warnings): Found[] {
  const turns = new Map<string, Found>()
  for (const turn of found) {
    const { kind, session, seq } = turn.header
    if (kind === 'checkpoint') continue
    const earlier = turns.get(`${session} ${seq}`)
    if (!earlier) turns.set(`${session} ${seq}`, turn)
    else warnings.add(`is turn ${seq}, which comment ${earlier.comment} holds already`, [{ id: turn.comment }])
  }
  return [...turns.values()].toSorted((a, b) => compare(a, b))
}

function compare(a: Found, b: Found): number {
  if (a.header.session !== b.header.session) return a.header.session < b.header.session ? -1 : 1
  return a.header.seq - b.header.seq || a.comment - b.comment
}

function lastSeq(turns: readonly Found[], session: string | undefined): number {
  return Math.max(0, ...turns.filter(({ header }) => header.session === session).map(({ header }) => header.seq))
}

/** The newest checkpoint, unless its turn was finished after all or its session is older than the one that goes on. */
function newestCheckpoint(found: readonly Found[], turns: readonly Found[], session: string | undefined): Found | undefined {
  return found
    .filter(({ header, forgotten }) => header.kind === 'checkpoint' && !forgotten)
    .filter(({ header }) => header.session >= (session ?? '') && header.seq > lastSeq(turns, header.session))
    .toSorted(compare)
    .at(-1)
}

function summaryOf({ comment, header, turn, forgotten }: Found): FoundTurn {
  return { comment, session: header.session, seq: header.seq, handled: turn.session.handled, forgotten }
}

/** Reasons for not believing a comment, each said once with the comments it holds for. */
class Warnings {
  readonly #reasons = new Map<string, number[]>()

  add(reason: string, comments: readonly { readonly id: number }[]): void {
    this.#reasons.set(reason, [...(this.#reasons.get(reason) ?? []), ...comments.map(({ id }) => id)])
  }

  sentences(): string[] {
    return [...this.#reasons].map(([reason, ids]) => {
      const shown = ids.slice(0, 5).join(', ')
      const more = ids.length > 5 ? ` and ${ids.length - 5} more` : ''
      return `The session data of comment ${shown}${more} ${reason}; it is not used.`
    })
  }
}
