import { GitHubError } from '../github/errors.ts'
import type { DiffFile, Discussion, GitHub } from '../github/types.ts'
import type { KnownFinding } from '../tool/review-finding.ts'
import { type Brief, type BriefInput, reviewBrief } from './review-brief.ts'
import { reviewScope } from './review-scope.ts'

/** A pull request that can be reviewed: what the tool `review` and the prompt need of it. */
export interface ReviewDesk {
  /** The commit that is reviewed. */
  readonly head: string
  /** What earlier reviews of ours said. */
  readonly known: readonly KnownFinding[]
  /** The files of its diff, asked for once. Throws `GitHubError`. */
  files(): Promise<readonly DiffFile[]>
  /** What a model is told when a review is asked for; empty, with a note, where GitHub does not show the diff. */
  brief(how: Pick<BriefInput, 'texts' | 'budget'>): Promise<Brief>
}

/** Opens a pull request for review; undefined for an issue. Asks GitHub nothing yet. */
export function openReview(github: GitHub, { number, pull, viewer }: Discussion): ReviewDesk | undefined {
  if (!pull) return undefined
  const scope = reviewScope(pull, viewer.login)
  let asked: Promise<readonly DiffFile[]> | undefined
  const files = (): Promise<readonly DiffFile[]> => {
    asked ??= github.pullFiles(number).catch((error: unknown) => {
      asked = undefined
      throw error
    })
    return asked
  }
  return {
    head: pull.headSha,
    known: scope.known,
    files,
    async brief(how) {
      const { last } = scope
      try {
        const [all, since] = await Promise.all([files(), last === undefined || last === pull.headSha ? undefined : github.compare(last, pull.headSha)])
        return reviewBrief({ pull, files: all, scope, since, ...how })
      } catch (error) {
        if (!(error instanceof GitHubError)) throw error
        return { text: '', notes: [`The diff was not shown to the model. ${error.message}`] }
      }
    },
  }
}
