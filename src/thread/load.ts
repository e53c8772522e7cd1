import type { Comment } from '../github/types.ts'
import type { Session, WithParts } from '../session/message.ts'
import { type Decoded, decode, type Header, readBlock, type SessionKey, type Slice, type Turn, writeOf } from './codec.ts'
import { carriesSession } from './hidden.ts'
import { historyOf, newestAdded } from './history.ts'
import { answeredKeys, withAnswered } from './keys.ts'

export interface LoadOptions {
  /** Login of the account the token acts as: only its comments can carry the session. */
  readonly viewer: string
  readonly key?: SessionKey | undefined
  /** The input `session`: with `new` nothing is remembered except which requests were answered. */
  readonly mode: 'thread' | 'new'
  /** The comments in the threads of remarks on the diff, which may be replies too. */
  readonly remarks?: readonly Comment[] | undefined
}

/** One earlier turn as found in the thread, of whatever session. */
export interface FoundTurn {
  /** The comment that shows its reply. */
  readonly comment: number
  /** The row of numbers of that comment, where it is not the conversation's. */
  readonly row?: Header['row']
  readonly session: string
  readonly seq: number
  /** When its session was begun, in epoch ms by the runner's clock. */
  readonly began: number
  /** Ids of the comments answered up to then. */
  readonly handled: readonly number[]
  /** Hidden by a maintainer: its messages are not remembered, the comments it answered still count as answered. */
  readonly forgotten: boolean
}

/** The state of a run that was stopped in the middle, and what to go on with. */
export interface Checkpoint {
  readonly comment: number
  /** The number of the turn that was not finished; the turn that goes on with it is saved under it. */
  readonly seq: number
  /** As it was written: `work` has the edits, `taken` the requests among its messages. */
  readonly turn: Turn
  /** Its record. What counts as answered is what finished turns have answered. */
  readonly session: Session
  /** The conversation with the unfinished turn on top. A call may be half-made in it. */
  readonly messages: readonly WithParts[]
}

export interface LoadedThread {
  /** The record of the newest turn; absent when a new session begins. */
  readonly session?: Session
  readonly messages: readonly WithParts[]
  /** Number of the newest turn of the session; 0 for a new one. The next turn is saved under the number after it. */
  readonly seq: number
  /** Keys of the requests that any finished turn in the thread has answered. */
  readonly answered: ReadonlySet<string>
  /** Ids of the messages that the newest turn of the session has added: what an undo takes back. */
  readonly undoable: readonly string[]
  /** Edits that the newest turn of the session could not push. */
  readonly work?: Turn['work']
  /** What was found and not accepted, as sentences for the job summary. */
  readonly warnings: readonly string[]
  readonly turns: readonly FoundTurn[]
  /** The state of a run that was stopped in the middle: newer than every finished turn. */
  readonly checkpoint?: Checkpoint
}

/** A comment that may be a reply, of either row of numbers. */
interface Placed extends Comment {
  readonly row?: Header['row']
}

interface Found extends Decoded {
  readonly comment: number
  readonly row?: Header['row']
  readonly forgotten: boolean
}

/**
 * Rebuilds the session from the comments of a thread. Session data counts only in the bot's own comments, only in the comment it was written
 * for, only when it decodes, and only once for each number; everything else is passed over with a warning. Turns whose comment is minimised are
 * forgotten. Of several sessions in a thread the newest goes on. Never throws.
 */
export function loadThread(comments: readonly Comment[], { viewer, key, mode, remarks = [] }: LoadOptions): LoadedThread {
  const warnings = new Warnings()
  const placed = [...comments, ...remarks.map((remark): Placed => ({ ...remark, row: 'review-comment' }))]
  const found = collect(placed.toSorted(byTime), viewer, key, warnings)
  const { turns, late } = inOrder(found, warnings)
  const answered = new Set([...turns, ...late].flatMap(({ turn }) => answeredKeys(turn.session)))
  const base = { warnings: warnings.sentences(), turns: turns.map(summaryOf), answered }
  if (mode === 'new') return { ...base, messages: [], seq: 0, undoable: [] }

  const remembered = turns.filter((turn) => !turn.forgotten)
  const turnsOf = (session: string | undefined) => remembered.filter(({ header }) => header.session === session).map(({ turn }) => turn)
  const id = remembered.at(-1)?.header.session
  const ours = turnsOf(id)
  const record = ours.at(-1)?.session
  const checkpoint = newestCheckpoint(found, turns, id)
  const settled = withAnswered({ handled: [] }, [...answered])
  return {
    ...base,
    warnings: !record && base.warnings.length > 0 ? [...base.warnings, 'So a new session begins.'] : base.warnings,
    ...(record && { session: { ...record, ...settled } }),
    messages: historyOf(ours),
    seq: lastSeq(turns, id),
    ...(ours.at(-1)?.work && { work: ours.at(-1)?.work }),
    undoable: newestAdded(ours),
    ...(checkpoint && {
      checkpoint: {
        comment: checkpoint.comment,
        seq: checkpoint.header.seq,
        turn: checkpoint.turn,
        session: { ...checkpoint.turn.session, ...settled },
        messages: historyOf([...turnsOf(checkpoint.header.session), checkpoint.turn]),
      },
    }),
  }
}

/** The order of two comments, of whatever row; GitHub's times compare as text. */
function byTime(a: Placed, b: Placed): number {
  if (a.createdAt === b.createdAt) return 0
  return a.createdAt < b.createdAt ? -1 : 1
}

/** Every turn and checkpoint that the thread holds whole, in the order of the comments they begin in. */
function collect(comments: readonly Placed[], viewer: string, key: SessionKey | undefined, warnings: Warnings): Found[] {
  const writes = new Map<string, { slices: Slice[]; comments: Placed[] }>()
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
    const own = write.slices.some(({ header }) => header.part === slice.header.part) ? `${name} ${comment.row ?? ''} ${comment.id}` : name
    const into = own === name ? write : { slices: [], comments: [] }
    into.slices.push(slice)
    into.comments.push(comment)
    writes.set(own, into)
  }
  return [...writes.values()].flatMap((write): Found[] => {
    const forgotten = write.comments.some(({ minimized }) => minimized)
    const decoded = decode(write.slices)
    const first = write.comments[write.slices.findIndex(({ header }) => header.part === 1)]
    if (decoded.kind === 'turn' && first) return [{ ...decoded, comment: first.id, ...(first.row && { row: first.row }), forgotten }]
    if (decoded.kind === 'refused' && !forgotten) warnings.add(decoded.message, write.comments)
    return []
  })
}

/** The comment's share of a turn, or why it is not accepted. */
function sliceOf(comment: Placed, viewer: string, key: SessionKey | undefined): Slice | string {
  const { login } = comment.author
  if (login.toLowerCase() !== viewer.toLowerCase()) return `was posted by ${login}, and only ${viewer} is believed`
  const slice = readBlock(comment.body, key)
  if (!slice) return 'is not in the form this version reads'
  if (slice.kind === 'refused') return slice.message
  const { comment: bound, row } = slice.header
  return bound === comment.id && row === comment.row ? slice : `was written for another comment (${bound}) and copied`
}

/**
 * The finished turns by session and number. A number that was there before is not new: the earlier comment keeps it. Where two runs raced, the
 * later one's messages are not remembered, but people have its reply, so what it answered stays answered.
 */
function inOrder(found: readonly Found[], warnings: Warnings): { readonly turns: Found[]; readonly late: Found[] } {
  const turns = new Map<string, Found>()
  const late: Found[] = []
  for (const turn of found) {
    const { kind, session, seq } = turn.header
    if (kind === 'checkpoint') continue
    const earlier = turns.get(`${session} ${seq}`)
    if (!earlier) turns.set(`${session} ${seq}`, turn)
    else {
      late.push(turn)
      warnings.add(`is turn ${seq}, which comment ${earlier.comment} holds already`, [{ id: turn.comment }])
    }
  }
  return { turns: [...turns.values()].toSorted(compare), late }
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

function summaryOf({ comment, row, header, turn, forgotten }: Found): FoundTurn {
  const { created: began, handled } = turn.session
  return { comment, ...(row && { row }), session: header.session, seq: header.seq, began, handled, forgotten }
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
