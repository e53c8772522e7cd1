import { z } from 'zod'
import type { Author, WatchedComment } from '../github/types.ts'
import { parseJson } from '../json.ts'
import { limits } from '../limits.ts'
import { keyForm } from './keys.ts'

const opening = '<!-- opencode:run '
const closing = ' -->'
/** Requests that a claim may name beside its own; far more than one run answers. */
const mostTaken = 100
const Key = z.string().regex(keyForm)

/**
 * What a run says of itself, hidden in its working comment: that it is at work on the thread, and on which requests. The forms of the texts are
 * what keeps them from ending the HTML comment.
 */
const Claim = z.object({
  run: z.string().regex(/^\w{1,40}$/),
  attempt: z.int().min(1),
  /** Made up by the run: two jobs of one workflow run have the same number. */
  id: z.string().regex(/^[\w-]{1,64}$/),
  request: Key,
  /** Further requests it has promised to answer: whoever waits for one of them may go. */
  taken: z.array(Key).max(mostTaken).optional(),
  /** The run came to its end without answering, and people were told: nothing is owed any more by itself. */
  ended: z.literal(true).optional(),
})
export type Claim = z.infer<typeof Claim>

/** A claim in the comment that holds it. */
export interface PostedClaim extends Claim {
  /** Id of the comment, of the conversation's own row of numbers. */
  readonly comment: number
}

/** The hidden block of a claim. Throws `ZodError` for a claim in another form: that would be a fault of ours. */
export function claimBlock(claim: Claim): string {
  const { run, attempt, id, request, taken = [], ended } = claim
  const kept = taken.filter((key) => key !== request).slice(0, mostTaken)
  return `${opening}${JSON.stringify(Claim.parse({ run, attempt, id, request, ...(kept.length > 0 && { taken: kept }), ...(ended && { ended }) }))}${closing}`
}

/** The last claim of a comment's body. Says nothing about whether it is genuine. Never throws. */
export function readClaim(body: string): Claim | undefined {
  const at = body.lastIndexOf(opening)
  const end = at < 0 ? -1 : body.indexOf(closing, at)
  if (end < 0) return undefined
  const parsed = Claim.safeParse(parseJson(body.slice(at + opening.length, end)))
  return parsed.success ? parsed.data : undefined
}

/** The requests a claim speaks of. */
export function requestsOf({ request, taken = [] }: Claim): string[] {
  return [request, ...taken]
}

/** The claims in comments of the conversation that the bot's own account wrote, in the order they were made. */
export function postedClaims(comments: readonly { readonly id: number; readonly author: Author; readonly body: string }[], viewer: string): PostedClaim[] {
  return comments
    .filter(({ author }) => author.login.toLowerCase() === viewer.toLowerCase())
    .flatMap(({ id, body }) => {
      const claim = readClaim(body)
      return claim ? [{ ...claim, comment: id }] : []
    })
    .toSorted((a, b) => a.comment - b.comment)
}

/** What is known of runs when their claims are judged. */
export interface Standing {
  readonly viewer: string
  /** Epoch ms by GitHub's clock. */
  readonly now: number
  /** Runs of which GitHub says that they are over. */
  readonly ended: ReadonlySet<string>
}

/**
 * The claims that have to be reckoned with, the one that leads first. One is dead when its run has ended or was started again, or its comment was
 * not edited for three minutes. All claims stand in the conversation, because only one row of numbers gives an order that every run sees alike:
 * whoever posts later sees what was posted earlier.
 */
export function liveClaims(comments: readonly WatchedComment[], { viewer, now, ended }: Standing): PostedClaim[] {
  const places = comments.filter(({ kind }) => kind === 'comment')
  const edited = new Map(places.map(({ id, updatedAt }) => [id, Date.parse(updatedAt)]))
  const claims = postedClaims(places, viewer)
  return claims.filter(
    ({ run, attempt, comment, ended: over }) =>
      !over &&
      !ended.has(run) &&
      !claims.some((other) => other.run === run && other.attempt > attempt) &&
      now - (edited.get(comment) ?? now) <= limits.claimSilence,
  )
}
