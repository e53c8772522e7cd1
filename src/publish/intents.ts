import type { GitHub, PostedComment } from '../github/types.ts'
import type { Intents } from '../tool/github.ts'
import { publishReview } from './review.ts'
import type { Safe } from './review-body.ts'
import { publishTriage } from './triage.ts'

export interface PublishedIntents {
  readonly review: PostedComment | undefined
  /** Sentences for the reply about what was done. */
  readonly done: readonly string[]
  /** Sentences for the reply about what was not. */
  readonly notes: readonly string[]
  /** Findings that no review holds, as Markdown for the reply, safe already; most often empty. */
  readonly findings: string
}

/**
 * Carries out what the model wanted done on GitHub to the issue or pull request `number`. `safe` makes its words fit to be posted. What GitHub
 * refuses is a note; no finding is lost.
 */
export async function publishIntents(github: GitHub, number: number, intents: Intents, safe: Safe): Promise<PublishedIntents> {
  const review = intents.review && (await publishReview(github, number, intents.review, safe))
  const triage = await publishTriage(github, number, intents.triage)
  return {
    review: review?.posted,
    done: [...(review?.done ?? []), ...triage.done],
    notes: [...(review?.notes ?? []), ...triage.notes],
    findings: review?.rest ?? '',
  }
}
