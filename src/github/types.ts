/** What the gateway hands out. Plain data, named after what GitHub calls it. */

export interface Author {
  /** `ghost` when the account was deleted; bots carry the `[bot]` suffix, as in REST. */
  readonly login: string
  readonly isBot: boolean
}

export interface Comment {
  /** REST's numeric id. */
  readonly id: number
  readonly author: Author
  readonly body: string
  readonly createdAt: string
  readonly lastEditedAt: string | null
  readonly minimized: boolean
  readonly url: string
}

export interface ChangedFile {
  readonly path: string
  readonly change: string
  readonly additions: number
  readonly deletions: number
}

export interface PullFacts {
  readonly baseRef: string
  readonly headRef: string
  readonly headSha: string
  /** `owner/name`, or null when the fork was deleted. */
  readonly headRepository: string | null
  readonly isFork: boolean
  readonly merged: boolean
  readonly draft: boolean
  readonly maintainerCanModify: boolean
  readonly additions: number
  readonly deletions: number
  readonly commits: number
  readonly changedFiles: number
  readonly files: readonly ChangedFile[]
}

/** Whom the token acts as. */
export interface Viewer {
  /** `[bot]` suffix included. */
  readonly login: string
  readonly id: number | undefined
}

/** An issue or pull request with its whole conversation, oldest comment first. */
export interface Discussion {
  readonly viewer: Viewer
  readonly defaultBranch: string
  readonly number: number
  readonly url: string
  readonly title: string
  readonly body: string
  readonly author: Author
  readonly createdAt: string
  readonly state: string
  readonly locked: boolean
  readonly labels: readonly string[]
  readonly comments: readonly Comment[]
  readonly pull?: PullFacts
}

export interface PostedComment {
  readonly id: number
  readonly url: string
}

export interface PullRequest {
  readonly number: number
  readonly url: string
}

export type Permission = { readonly kind: 'known'; readonly permission: string; readonly role: string } | { readonly kind: 'unknown'; readonly reason: string }

/** Where GitHub is and who we are to it. No host is written in the code. */
export interface Connection {
  readonly token: string
  readonly apiUrl: string
  readonly graphqlUrl: string
  readonly owner: string
  readonly repo: string
}

/** The gateway: typed calls named after what they do. Every method throws `GitHubError` (errors.ts) when GitHub refuses for good. */
export interface GitHub {
  /** The collaborator-permission endpoint; answers 404 and final errors as `unknown`, so that the caller fails closed. */
  permission(login: string): Promise<Permission>
  /** Whom the token acts as, and the repository's default branch: one request, for runs without an issue or PR. */
  repository(): Promise<{ readonly viewer: Viewer; readonly defaultBranch: string }>
  /** One issue or PR and its whole conversation, all pages. */
  discussion(number: number): Promise<Discussion>
  createComment(number: number, body: string): Promise<PostedComment>
  updateComment(id: number, body: string): Promise<PostedComment>
  deleteComment(id: number): Promise<void>
  /** Sets the eyes reaction on a comment or on the issue itself; returns its id. */
  react(target: { comment: number } | { issue: number }): Promise<number>
  unreact(target: { comment: number } | { issue: number }, reaction: number): Promise<void>
  createPull(input: { title: string; body: string; head: string; base: string; draft: boolean }): Promise<PullRequest>
  /** The open pull request of a branch of this repository. */
  findPull(head: string, base?: string): Promise<PullRequest | undefined>
  /** Requests sent so far, for the job summary and the bench. */
  readonly requests: number
}
