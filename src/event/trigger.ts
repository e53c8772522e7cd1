/** What a webhook asks for, in our own words. Everything downstream reads this and never the payload. */

export interface Person {
  readonly login: string
  readonly id?: number
  readonly type: 'User' | 'Bot' | 'Organization' | 'Unknown'
}

/** What the text after the trigger word asks for (DESIGN, "Verbs after the trigger"). */
export type Verb =
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'command'; readonly name: string; readonly arguments: string }
  | { readonly type: 'shell'; readonly command: string }
  | { readonly type: 'continue' }
  | { readonly type: 'cancel' }
  | { readonly type: 'undo' }
  | { readonly type: 'help' }

export interface Repository {
  readonly owner: string
  readonly name: string
  readonly defaultBranch?: string
  readonly private?: boolean
}

interface Common {
  readonly repository: Repository
  readonly actor: Person
  readonly verb: Verb
}

/** The issue or PR the event is about, as the payload quoted it: the text the requester saw. */
export interface Subject {
  readonly number: number
  readonly isPull: boolean
  readonly title: string
  readonly body: string
  readonly author: string
  readonly locked: boolean
  readonly state: string
  /** When it was opened, as GitHub says it. */
  readonly createdAt?: string
}

/** The comment, review or line remark that asks. */
export interface Asking {
  readonly id: number
  readonly url: string
  readonly body: string
  /** When it was written or submitted, as GitHub says it. */
  readonly createdAt: string
}

/** A review as it was sent off. */
export interface Submitted extends Asking {
  readonly state: string
  /** The commit the reviewer looked at. */
  readonly commit?: string
}

/** Where a remark on the diff stands. */
export interface Spot {
  readonly path: string
  /** In the newest version of the file; null when the line is outdated (C12). */
  readonly line: number | null
  readonly startLine: number | null
  /** Where it stood when it was written. */
  readonly originalLine: number | null
  readonly side: 'LEFT' | 'RIGHT'
  /** Empty for a remark on the whole file. */
  readonly hunk: string
  /** The commit that `originalLine` and `hunk` speak of. */
  readonly commit: string
  /** The remark that began this one's thread; replies go under it. */
  readonly thread: number
}

/** The head of the pull request as the event saw it. */
export interface EventHead {
  readonly sha: string
  readonly ref: string
  /** `owner/name`; null when the fork was deleted (C91). */
  readonly repository: string | null
}

interface Called extends Common {
  readonly subject: Subject
}

interface Opened extends Called {
  readonly action: string
  /** Set when the text of the issue or pull request itself asks; otherwise the input `prompt` alone does. */
  readonly asks?: true
}

export type Trigger =
  | (Called & { readonly event: 'issue_comment'; readonly comment: Asking })
  | (Called & { readonly event: 'pull_request_review_comment'; readonly comment: Asking; readonly spot: Spot; readonly head: EventHead })
  | (Called & { readonly event: 'pull_request_review'; readonly review: Submitted; readonly head: EventHead })
  | (Opened & { readonly event: 'issues' })
  | (Opened & { readonly event: 'pull_request' | 'pull_request_target'; readonly head: EventHead })
  | (Common & { readonly event: 'schedule'; readonly cron: string })
  | (Common & { readonly event: 'workflow_dispatch' })
  | (Common & {
      readonly event: 'repository_dispatch'
      readonly type: string
      /** What the sender brought along, as JSON text; a long one is cut. */
      readonly payload: string
    })
  | (Common & {
      readonly event: 'workflow_run'
      readonly run: { readonly id: number; readonly name: string; readonly url: string; readonly branch: string | null; readonly sha: string }
      /** The pull request of this repository whose head was tested. */
      readonly pull?: number
    })

/** Reading an event ends in a trigger, or in nothing to do with the sentence that says why. */
export type Reading = { readonly kind: 'trigger'; readonly trigger: Trigger } | { readonly kind: 'nothing'; readonly reason: string }
