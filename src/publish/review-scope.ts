import type { PullFacts } from '../github/types.ts'
import type { KnownFinding } from '../tool/review-finding.ts'
import { findingsIn, reviewedIn } from './review-marks.ts'

/** What our earlier reviews of a pull request said. */
export interface ReviewScope {
  /** The commit of the newest one. */
  readonly last: string | undefined
  readonly known: readonly KnownFinding[]
}

/**
 * Reads our earlier reviews by their marks, in what the bot's own account (`viewer`, a login) wrote. A thread that somebody resolved and a remark
 * that was hidden are dismissed; one that a later review of ours found dealt with is forgotten, so that it may be said again. A hidden review
 * counts as none, but what it said stays dismissed.
 */
export function reviewScope({ threads, reviews }: Pick<PullFacts, 'threads' | 'reviews'>, viewer: string): ReviewScope {
  const own = reviews.filter(({ author }) => author.login === viewer)
  const last = own
    .filter(({ minimized, body }) => !minimized && reviewedIn(body) !== undefined)
    .sort((a, b) => Date.parse(a.submittedAt) - Date.parse(b.submittedAt))
    .at(-1)
  let count = 0
  const inThreads = threads.flatMap(({ id, path, line, resolved, comments }): KnownFinding[] => {
    const [remark] = comments
    if (remark?.author.login !== viewer) return []
    const dismissed = resolved || remark.minimized
    return findingsIn(remark.body)
      .filter(({ fixed }) => fixed === undefined)
      .map((mark) => {
        if (dismissed) return { mark, path, line, dismissed }
        count += 1
        return { mark, path, line, dismissed, open: { id: `F${count}`, thread: id, remark: remark.id, body: remark.body } }
      })
  })
  const inTexts = own.flatMap(({ body, minimized }) => findingsIn(body).map((mark) => ({ mark, path: mark.path, line: mark.line, dismissed: minimized })))
  return { last: last && reviewedIn(last.body), known: [...inThreads, ...inTexts] }
}
