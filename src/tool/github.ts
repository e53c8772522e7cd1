import type { Texts } from '../prompt/texts.ts'
import { finish } from './draft.ts'
import { type ReviewSetting, reviewTool } from './review.ts'
import type { ReviewIntent } from './review-finding.ts'
import type { Tool } from './tool.ts'
import { type TriageIntent, type TriageSetting, triageTools } from './triage.ts'
import { type Found, searchIssuesTool } from './triage-search.ts'
import type { Truncate } from './truncate.ts'

export interface GitHubToolOptions {
  readonly texts: Texts
  readonly truncate: Truncate
  /** The issue or pull request the run is about. */
  readonly triage: TriageSetting
  /** Only on pull requests. */
  readonly review?: ReviewSetting | undefined
  search(words: string, count: number): Promise<readonly Found[]>
}

/** What the model wants done on GitHub besides its work and its words. */
export interface Intents {
  readonly triage: TriageIntent
  readonly review?: ReviewIntent
}

/** The tools for what is done on GitHub itself. They only collect; what they collected is published after the run. */
export function githubTools(options: GitHubToolOptions): { readonly tools: readonly Tool[]; intents(): Intents } {
  const { texts, truncate, triage: setting } = options
  const triage = triageTools(setting)
  const review = options.review && reviewTool(options.review)
  const drafts = [...(review ? [review.tool] : []), ...triage.tools, searchIssuesTool(options.search, setting.number)]
  return {
    tools: drafts.map((each) => finish(each, texts(`tools/${each.id}`), truncate)),
    intents() {
      const reviewed = review?.intent()
      return { triage: triage.intent(), ...(reviewed ? { review: reviewed } : {}) }
    },
  }
}
