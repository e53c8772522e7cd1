import { GitHubError } from '../github/errors.ts'
import type { GitHub, PostedComment } from '../github/types.ts'
import { limits } from '../limits.ts'
import { blockChars, commentsNeeded, encode, type SessionKey, type Turn } from './codec.ts'
import { neutralise } from './hidden.ts'
import { prune } from './prune.ts'
import { inConversation, type Voice } from './voice.ts'

/** UTF-8 bytes that the visible text of a reply may have, so that the turn's memory keeps at least 25,000 characters beside it (C122). */
export const visibleBudget = 40_000
/** What readers are told below a reply whose memory could not be written. */
export const forgotten = '> The next turn will not know of this one: its memory could not be written.'
/** Characters of hidden data that every further comment takes, beside the longest line it may show. */
const continuationRoom = roomBeside(continuationLine(limits.threadParts, limits.threadParts))

export interface SaveRequest {
  /** Number of the issue or pull request. */
  readonly issue: number
  /** Where the reply stands; without it, in the conversation. */
  readonly voice?: Voice | undefined
  /** The comment to turn into the reply, of the voice's own row; absent where the reply is a fresh one. */
  readonly comment?: { readonly id: number } | undefined
  /** The working comment in the conversation, to be deleted once a fresh reply stands. */
  readonly working?: { readonly id: number } | undefined
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

/** What is written, and where. */
interface Writing {
  readonly request: SaveRequest
  readonly visible: string
  readonly turn: Turn
  /** How many comments the turn takes; none when it is too long for any number that is allowed. */
  readonly comments: number
  readonly voice: Voice
  /** Takes the further comments: remarks on a diff are no place for them. */
  readonly conversation: Voice
  /** Filled in as it goes. */
  readonly notes: string[]
}

/**
 * Posts the reply of a turn with the turn's memory hidden in it. A fresh reply is created with the visible text alone and edited
 * afterwards: the memory is bound to the comment's id, and the notification mail stays clean. A given comment is edited once, when everything
 * else is written, so that until then it keeps the checkpoint it may hold; where that is refused, a fresh one takes its place (C139). A turn that
 * does not fit even when pruned goes on in further comments. What fails beside the visible reply becomes a note. Throws `GitHubError` only when
 * the reply itself can't be posted.
 */
export async function saveTurn(github: Writer, request: SaveRequest): Promise<Saved> {
  const conversation = inConversation(github, request.issue)
  const visible = neutralise(request.body).trimEnd()
  const writing = { request, visible, conversation, voice: request.voice ?? conversation, ...planFor(visible, request) }
  const saved = await post(writing)
  if (request.working) writing.notes.push(...(await removeAll(conversation, [request.working])))
  return { ...saved, notes: writing.notes }
}

/** What is kept of the turn, and over how many comments. */
function planFor(visible: string, { turn, seq }: SaveRequest): Pick<Writing, 'turn' | 'comments' | 'notes'> {
  const room = roomBeside(visible)
  const pruned = prune(turn, room, blockChars)
  const left = pruned.left.length > 0 ? [`To fit the comment, the thread's memory of turn ${seq} leaves out ${listed(pruned.left)}.`] : []
  const comments = commentsNeeded(pruned.turn, room, continuationRoom)
  if (comments <= limits.threadParts) return { turn: pruned.turn, comments, notes: left }
  return { turn: pruned.turn, comments: 0, notes: [`Turn ${seq} is too long to be remembered: it would take more than ${limits.threadParts} comments.`] }
}

async function post(writing: Writing): Promise<Omit<Saved, 'notes'>> {
  const { request, visible, voice, comments, notes } = writing
  const given = request.comment
  const fresh = given ? undefined : await voice.create(visible)
  const place = fresh ?? given
  if (!place || comments === 0) return { comment: fresh ?? (await say(writing)), continuations: 0 }

  const further = await orRefusal(spread(writing, place.id))
  if (further instanceof GitHubError) return unremembered(writing, fresh, further, [])
  const edited = await orRefusal(remember(writing, place.id, further))
  if (!(edited instanceof GitHubError)) return { comment: edited, continuations: further.length }
  if (fresh || !isRefused(edited)) return unremembered(writing, fresh, edited, further)

  notes.push(await leaveBehind(voice, place.id, edited))
  const moved = await voice.create(visible)
  const again = await orRefusal(remember(writing, moved.id, further))
  return again instanceof GitHubError ? unremembered(writing, moved, again, further) : { comment: again, continuations: further.length }
}

/** Creates the further comments and writes their shares. What can't be filled is taken away again. */
async function spread(writing: Writing, reply: number): Promise<PostedComment[]> {
  const { comments, conversation, notes } = writing
  const further: PostedComment[] = []
  try {
    for (let part = 2; part <= comments; part++) further.push(await conversation.create(continuationLine(part, comments)))
    const [, ...blocks] = blocksOf(writing, reply, further)
    for (const [index, { id }] of further.entries()) await conversation.update(id, `${continuationLine(index + 2, comments)}\n\n${blocks[index] ?? ''}`)
    return further
  } catch (error) {
    notes.push(...(await removeAll(conversation, further)))
    throw error
  }
}

/** Edits the reply's own share into it, the last of all: until then nothing of the turn counts. */
async function remember(writing: Writing, reply: number, further: readonly PostedComment[]): Promise<PostedComment> {
  const [block = ''] = blocksOf(writing, reply, further)
  return await writing.voice.update(reply, `${writing.visible}\n\n${block}`)
}

function blocksOf({ request, visible, turn, voice }: Writing, reply: number, further: readonly PostedComment[]): string[] {
  const { seq, key } = request
  const first = { comment: reply, row: voice.row, chars: roomBeside(visible) }
  return encode(turn, { seq, key }, [first, ...further.map(({ id }) => ({ comment: id, chars: continuationRoom }))])
}

/** What is left when the memory can't be written: the visible reply, and a note. */
async function unremembered(
  writing: Writing,
  shown: PostedComment | undefined,
  error: GitHubError,
  further: readonly PostedComment[],
): Promise<Omit<Saved, 'notes'>> {
  const comment = shown ?? (await say({ ...writing, visible: `${writing.visible}\n\n${forgotten}` }))
  const why = `The reply was posted, but its memory could not be added to it, so the next turn will not know of this one: ${error.message}`
  writing.notes.push(why, ...(await removeAll(writing.conversation, further)))
  return { comment, continuations: 0 }
}

/** Posts the visible text alone: into the given comment where that works, else as a fresh one. */
async function say({ request, voice, visible, notes }: Writing): Promise<PostedComment> {
  const { comment } = request
  if (!comment) return await voice.create(visible)
  const edited = await orRefusal(voice.update(comment.id, visible))
  if (!(edited instanceof GitHubError)) return edited
  notes.push(await leaveBehind(voice, comment.id, edited))
  return await voice.create(visible)
}

/** Takes a comment away that can't be edited any more, so that it does not go on saying that the bot is at work. Says how that went. */
async function leaveBehind(voice: Voice, id: number, error: GitHubError): Promise<string> {
  const why = `The reply is a new comment, because comment ${id} could not be edited: ${error.message}`
  if (error.kind === 'missing') return why
  const failed = await removeAll(voice, [{ id }])
  return [why, ...failed].join(' ')
}

/** Deletes comments; returns a sentence for each that stays. One that is gone already is none. */
async function removeAll(voice: Voice, comments: readonly { readonly id: number }[]): Promise<string[]> {
  const results = await Promise.allSettled(comments.map(({ id }) => voice.remove(id)))
  return comments.flatMap(({ id }, index) => {
    const result = results[index]
    const stays = result?.status === 'rejected' && !(result.reason instanceof GitHubError && result.reason.kind === 'missing')
    return stays ? [`Comment ${id} is of no use now and could not be deleted.`] : []
  })
}

/** What GitHub refuses is handed back; everything else is a fault of ours and thrown. */
async function orRefusal<T>(call: Promise<T>): Promise<T | GitHubError> {
  return await call.catch((error: unknown) => {
    if (error instanceof GitHubError) return error
    throw error
  })
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
