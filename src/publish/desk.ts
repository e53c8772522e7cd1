import { GitHubError } from '../github/errors.ts'
import type { GitHub, PostedComment, ReactionTarget } from '../github/types.ts'
import { forgotten } from '../thread/save.ts'

/** What readers are told where a comment of a run that is over could not be changed. */
const unedited = 'A comment above could not be changed and may still say that this run is at work.'

/** Where the bot sits in a thread while it works: the reaction on the request and the comment that becomes the reply. */
export interface Desk {
  /** Absent where the conversation is locked, for the work is done all the same (C124), and where no comment is wished for. */
  readonly comment: PostedComment | undefined
  readonly reaction: number | undefined
  readonly notes: readonly string[]
  /**
   * Replaces the comment's text, by a new comment where there is none that can be edited (C139). `write` gives the text for a comment, which what is hidden
   * in it is bound to by its id; without one, what readers see.
   */
  say(write: (comment: number | undefined) => Promise<string>): Promise<PostedComment | undefined>
  /** Takes the reaction away by its id (C131). Never fails a run. */
  leave(): Promise<void>
  /** Takes the comment away too: another run does the work. Never fails a run. */
  vacate(): Promise<void>
}

export interface Place {
  readonly number: number
  /** What the reaction is set on: whatever asked. */
  readonly request: ReactionTarget
}

/**
 * Sets the reaction and posts the working comment, both at once; without a `body` only the reaction.
 * Throws `GitHubError` when commenting is not allowed at all, since then nobody would hear the answer.
 */
export async function openDesk(github: GitHub, place: Place, body: string | undefined): Promise<Desk> {
  const posting = body === undefined ? undefined : github.createComment(place.number, body)
  const [reaction, comment] = await Promise.allSettled([github.react(place.request), posting])
  const id = reaction.status === 'fulfilled' ? reaction.value : undefined
  if (comment.status === 'fulfilled') return desk(github, place, comment.value, id, body === undefined ? 'quiet' : 'open')
  if (isLocked(comment.reason)) return desk(github, place, undefined, id, 'locked')
  await desk(github, place, undefined, id).leave()
  throw comment.reason
}

/** The desk of a run without a thread, or that writes nothing: nobody to talk to. */
export const silentDesk: Desk = {
  comment: undefined,
  reaction: undefined,
  notes: [],
  say: () => Promise.resolve(undefined),
  leave: () => Promise.resolve(),
  vacate: () => Promise.resolve(),
}

/** The desk of a run that ended without leaving it; used by the clean-up step. */
export function desk(
  github: GitHub,
  { number, request }: Place,
  comment: PostedComment | undefined,
  reaction: number | undefined,
  state: 'open' | 'quiet' | 'locked' = 'open',
): Desk {
  const leave = async () => {
    if (reaction !== undefined) await github.unreact(request, reaction).catch(() => undefined)
  }
  return {
    comment,
    reaction,
    notes: state === 'locked' ? ['The conversation is locked, so the answer could not be posted there.'] : [],
    async say(write) {
      if (state === 'locked') return undefined
      if (!comment) return state === 'quiet' ? await github.createComment(number, await write(undefined)) : undefined
      try {
        return await github.updateComment(comment.id, await write(comment.id))
      } catch (error) {
        if (!(error instanceof GitHubError)) throw error
        return await sayAnew(github, number, comment.id, write)
      }
    },
    leave,
    async vacate() {
      await Promise.all([leave(), comment && github.deleteComment(comment.id).catch(() => undefined)])
    },
  }
}

/** In a new comment, in place of one that can't be edited. Where the new one can't either, the old one stays: it may hold an earlier checkpoint. */
async function sayAnew(github: GitHub, number: number, old: number, write: (comment: number | undefined) => Promise<string>): Promise<PostedComment> {
  const fresh = await github.createComment(number, `${await write(undefined)}\n\n${forgotten} ${unedited}`)
  try {
    const whole = await github.updateComment(fresh.id, await write(fresh.id))
    await github.deleteComment(old).catch(() => undefined)
    return whole
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    return fresh
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof GitHubError && error.kind === 'locked'
}
