import { GitHubError } from '../github/errors.ts'
import type { GitHub, PostedComment } from '../github/types.ts'
import { limits } from '../limits.ts'
import { blockChars, commentsNeeded, encode, type SessionKey, type Turn } from './codec.ts'
import { neutralise } from './hidden.ts'
import { prune } from './prune.ts'

/** UTF-8 bytes that the visible text of a reply may have, so that the turn's memory keeps at least 25,000 characters beside it (C122). */
export const visibleBudget = 40_000
/** Characters of hidden data that every further comment takes, beside the longest line it may show. */
const continuationRoom = roomBeside(continuationLine(limits.threadParts, limits.threadParts))

export interface SaveRequest {
  /** Number of the issue or pull request. */
  readonly issue: number
  /** The comment to turn into the reply; absent where there is none yet. */
  readonly comment?: { readonly id: number } | undefined
  /** What readers see: whole Markdown of at most `visibleBudget` bytes, every fence closed. */
  readonly body: string
  readonly turn: Turn
  readonly seq: number
  readonly key?: SessionKey | undefined
}

export interface Saved {
  readonly comment: PostedComment
  /** Comments that were needed beside the reply to hold the turn. */
  readonly continuations: number
  /** What a person should know, in sentences: what the memory leaves out, what could not be written. */
  readonly notes: readonly string[]
}

type Writer = Pick<GitHub, 'createComment' | 'updateComment' | 'deleteComment'>

interface Plan {
  readonly turn: Turn
  readonly comments: number
  readonly notes: readonly string[]
}

/**
 * Posts the reply of a turn with the turn's memory hidden in it. A new comment is created with the visible text alone and edited
 * afterwards: the memory is bound to the comment's id, and the notification mail stays clean. A given comment is edited once; where that is
 * refused, a new one takes its place (C139). A turn that does not fit even when pruned goes on in further comments.
 * What fails after the visible reply is up becomes a note. Throws `GitHubError` only when the reply itself can't be posted.
 */
export async function saveTurn(github: Writer, request: SaveRequest): Promise<Saved> {
  const visible = neutralise(request.body).trimEnd()
  const plan = planFor(visible, request)
  const notes = [...plan.notes]
  let place = request.comment
  if (place && plan.comments === 1) {
    try {
      return { comment: await attach(github, request, plan, visible, place.id, []), continuations: 0, notes }
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error
      if (isRefused(error)) {
        notes.push(await leaveBehind(github, place.id, error))
        place = undefined
      }
    }
  }
  const reply = await say(github, request.issue, place, visible, notes)
  if (plan.comments === 0) return { comment: reply, continuations: 0, notes }

  const further: PostedComment[] = []
  try {
    for (let part = 2; part <= plan.comments; part++) further.push(await github.createComment(request.issue, continuationLine(part, plan.comments)))
    return { comment: await attach(github, request, plan, visible, reply.id, further), continuations: further.length, notes }
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    notes.push(`The reply was posted, but its memory could not be added to it, so the next turn will not know of this one: ${error.message}`)
    notes.push(...(await removeAll(github, further)))
    return { comment: reply, continuations: 0, notes }
  }
}

/** What is kept of the turn, and over how many comments; none when it is too long for any number that is allowed. */
function planFor(visible: string, { turn, seq }: SaveRequest): Plan {
  const room = roomBeside(visible)
  const pruned = prune(turn, room, blockChars)
  const left = pruned.left.length > 0 ? [`To fit the comment, the thread's memory of turn ${seq} leaves out ${listed(pruned.left)}.`] : []
  const comments = commentsNeeded(pruned.turn, room, continuationRoom)
  if (comments <= limits.threadParts) return { turn: pruned.turn, comments, notes: left }
  return { turn: pruned.turn, comments: 0, notes: [`Turn ${seq} is too long to be remembered: it would take more than ${limits.threadParts} comments.`] }
}

/** Edits the hidden blocks into their comments, the reply's last: until then nothing of the turn counts. */
async function attach(
  github: Writer,
  { seq, key }: SaveRequest,
  plan: Plan,
  visible: string,
  reply: number,
  further: readonly PostedComment[],
): Promise<PostedComment> {
  const targets = [{ comment: reply, chars: roomBeside(visible) }, ...further.map(({ id }) => ({ comment: id, chars: continuationRoom }))]
  const blocks = encode(plan.turn, { seq, key }, targets)
  const [first = '', ...rest] = blocks.map((block, index) => `${index === 0 ? visible : continuationLine(index + 1, plan.comments)}\n\n${block}`)
  for (const [index, { id }] of further.entries()) await github.updateComment(id, rest[index] ?? '')
  return await github.updateComment(reply, first)
}

/** Posts the visible text alone: into the given comment where that works, else as a new one. */
async function say(github: Writer, issue: number, place: { readonly id: number } | undefined, visible: string, notes: string[]): Promise<PostedComment> {
  if (!place) return await github.createComment(issue, visible)
  try {
    return await github.updateComment(place.id, visible)
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    notes.push(await leaveBehind(github, place.id, error))
    return await github.createComment(issue, visible)
  }
}

/** Takes a comment away that can't be edited any more, so that it does not go on saying that the bot is at work. Says how that went. */
async function leaveBehind(github: Writer, id: number, error: GitHubError): Promise<string> {
  const why = `The reply is a new comment, because comment ${id} could not be edited: ${error.message}`
  if (error.kind === 'missing') return why
  const failed = await removeAll(github, [{ id }])
  return [why, ...failed].join(' ')
}

/** Deletes comments; returns a sentence for each that stays. */
async function removeAll(github: Writer, comments: readonly { readonly id: number }[]): Promise<string[]> {
  const results = await Promise.allSettled(comments.map(({ id }) => github.deleteComment(id)))
  return comments.flatMap(({ id }, index) => (results[index]?.status === 'rejected' ? [`Comment ${id} is of no use now and could not be deleted.`] : []))
}

function isRefused(error: GitHubError): boolean {
  return error.kind === 'forbidden' || error.kind === 'missing'
}

/** Characters left for a hidden block. UTF-8 bytes are never fewer than characters, so they are what is counted. */
function roomBeside(visible: string): number {
  return limits.commentChars - Buffer.byteLength(visible) - 2
}

function continuationLine(part: number, parts: number): string {
  return `<sub>Part ${part} of ${parts} of what opencode remembers of the reply above. Without it that turn is forgotten.</sub>`
}

function listed(items: readonly string[]): string {
  return items.length > 1 ? `${items.slice(0, -1).join(', ')} and ${items.at(-1)}` : items.join('')
}
