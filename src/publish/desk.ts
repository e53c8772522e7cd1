import { GitHubError } from '../github/errors.ts'
import type { GitHub, PostedComment } from '../github/types.ts'

/** Where the bot sits in a thread while it works: the reaction on the request and the comment that becomes the reply. */
export interface Desk {
  /** Absent where the conversation is locked: the work is done all the same (C124). */
  readonly comment: PostedComment | undefined
  readonly reaction: number | undefined
  readonly notes: readonly string[]
  /** Replaces the comment's text, by a new comment where the old one can't be edited any more (C139). */
  say(body: string): Promise<PostedComment | undefined>
  /** Takes the reaction away by its id (C131). Never fails a run. */
  leave(): Promise<void>
}

export interface Place {
  readonly number: number
  /** The comment that asked; absent when the issue itself did. */
  readonly request: number | undefined
}

/**
 * Sets the reaction and posts the working comment, both at once.
 * Throws `GitHubError` when commenting is not allowed at all, since then nobody would hear the answer.
 */
export async function openDesk(github: GitHub, place: Place, body: string): Promise<Desk> {
  const target = place.request === undefined ? { issue: place.number } : { comment: place.request }
  const [reaction, comment] = await Promise.allSettled([github.react(target), github.createComment(place.number, body)])
  const id = reaction.status === 'fulfilled' ? reaction.value : undefined
  if (comment.status === 'rejected' && !isLocked(comment.reason)) {
    await desk(github, place, undefined, id).leave()
    throw comment.reason
  }
  return desk(github, place, comment.status === 'fulfilled' ? comment.value : undefined, id)
}

/** The desk of a run without a thread: nobody to talk to. */
export const silentDesk: Desk = {
  comment: undefined,
  reaction: undefined,
  notes: [],
  say: () => Promise.resolve(undefined),
  leave: () => Promise.resolve(),
}

/** The desk of a run that ended without leaving it; used by the clean-up step. */
export function desk(github: GitHub, place: Place, comment: PostedComment | undefined, reaction: number | undefined): Desk {
  const target = place.request === undefined ? { issue: place.number } : { comment: place.request }
  return {
    comment,
    reaction,
    notes: comment ? [] : ['The conversation is locked, so the answer could not be posted there.'],
    async say(text) {
      if (!comment) return undefined
      try {
        return await github.updateComment(comment.id, text)
      } catch (error) {
        if (!(error instanceof GitHubError)) throw error
        return await github.createComment(place.number, text)
      }
    },
    async leave() {
      if (reaction === undefined) return
      await github.unreact(target, reaction).catch(() => undefined)
    },
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof GitHubError && error.kind === 'locked'
}
