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

/** A remark on the diff with its replies. */
export interface ReviewThread {
  /** GraphQL's id, by which it is resolved. */
  readonly id: string
  readonly path: string
  /** Null when the line is gone. */
  readonly line: number | null
  readonly startLine: number | null
  readonly side: 'LEFT' | 'RIGHT'
  readonly resolved: boolean
  readonly outdated: boolean
  /** The piece of the diff the remark is about. */
  readonly hunk: string
  /** Oldest first. Their ids are those of review comments, a row of numbers of its own. */
  readonly comments: readonly Comment[]
}

/** A submitted review; what it says about lines is in the threads. */
export interface Review {
  readonly id: number
  readonly author: Author
  readonly body: string
  readonly state: string
  readonly submittedAt: string
  readonly lastEditedAt: string | null
  readonly minimized: boolean
  /** The head it was made for. */
  readonly commit: string | null
  readonly url: string
}

/** An issue of the same repository that a pull request says it closes. */
export interface LinkedIssue {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly state: string
  readonly author: Author
}

/** The result of a check or status of the head commit. */
export interface Check {
  readonly name: string
  /** In upper case, as GraphQL says it: SUCCESS, FAILURE, PENDING, …; how far it is (QUEUED, IN_PROGRESS) while it goes on. */
  readonly conclusion: string
  readonly url: string | null
  /** Title and summary, 2,000 characters at the most. */
  readonly summary: string
}

export interface PullFacts {
  readonly baseRef: string
  readonly baseSha: string
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
  readonly reviews: readonly Review[]
  readonly threads: readonly ReviewThread[]
  /** The first twenty. */
  readonly closes: readonly LinkedIssue[]
  /** The first hundred; empty where the token may not read them. */
  readonly checks: readonly Check[]
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

/** What a reaction is set on. */
export type ReactionTarget = { readonly comment: number } | { readonly reviewComment: number } | { readonly issue: number }

/** A comment as the watch sees it: REST's fields. */
export interface WatchedComment {
  readonly kind: 'comment' | 'review-comment'
  readonly id: number
  readonly author: Author
  readonly body: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly url: string
}

/** Looks at a thread again and again by conditional requests; an unchanged thread costs nothing of the rate limit. */
export interface Watch {
  /**
   * Everything written or edited since five minutes before the watch began (a run that still lives was edited since), oldest first; undefined when nothing
   * changed since the last look. The first look always tells what there is. Edits of our own are changes too; what was deleted is
   * missing. A watch that begins before the discussion is read lets nothing slip between the two.
   * Throws `GitHubError`; what was seen until then comes with the next look.
   */
  look(): Promise<readonly WatchedComment[] | undefined>
}

/** A file of a diff as GitHub shows it; `patch` is missing for binary and very large files. */
export interface DiffFile {
  readonly path: string
  readonly previousPath: string | undefined
  readonly status: string
  readonly patch: string | undefined
}

export interface LineRemark {
  readonly path: string
  readonly body: string
  readonly line: number
  readonly side: 'LEFT' | 'RIGHT'
  readonly startLine?: number
  readonly startSide?: 'LEFT' | 'RIGHT'
}

/** A job of a failed workflow run. */
export interface FailedJob {
  readonly name: string
  readonly url: string
  /** Names of the steps that failed. */
  readonly steps: readonly string[]
  /** The last 200 kB of its log; empty when it can't be had. */
  readonly log: string
}

export interface FoundIssue {
  readonly number: number
  readonly title: string
  readonly state: string
  readonly isPull: boolean
  readonly url: string
}

export interface TreeEntry {
  readonly path: string
  readonly mode: '100644' | '100755' | '120000' | '160000'
  /** Null removes the path. */
  readonly sha: string | null
}

/** A push to a branch, as the activity list tells it. */
export interface BranchPush {
  readonly actor: string
  readonly at: string
  readonly before: string
  readonly after: string
}

/** The gateway: typed calls named after what they do. Every method throws `GitHubError` (errors.ts) when GitHub refuses for good. */
export interface GitHub {
  /** The collaborator-permission endpoint; answers 404 as `unknown`, so that the caller fails closed. */
  permission(login: string): Promise<Permission>
  /** Whom the token acts as, and the repository's default branch: one request, for runs without an issue or PR. */
  repository(): Promise<{ readonly viewer: Viewer; readonly defaultBranch: string }>
  /** One issue or PR and its whole conversation, all pages. */
  discussion(number: number): Promise<Discussion>
  watch(number: number, isPull: boolean): Watch

  createComment(number: number, body: string): Promise<PostedComment>
  updateComment(id: number, body: string): Promise<PostedComment>
  deleteComment(id: number): Promise<void>
  /** Answers in the thread of a remark on the diff. GitHub takes no replies to replies: `remark` is the one that began the thread. */
  replyToRemark(pull: number, remark: number, body: string): Promise<PostedComment>
  updateRemark(id: number, body: string): Promise<PostedComment>
  deleteRemark(id: number): Promise<void>
  /** Posts one review with event COMMENT, for which GitHub wants a body. Throws when a remark stands outside of the diff (C138). */
  createReview(pull: number, input: { commit: string; body: string; remarks: readonly LineRemark[] }): Promise<PostedComment>
  /** By the thread's GraphQL id. The workflow token needs `contents: write` for it. */
  resolveThread(id: string): Promise<void>
  /** Sets the eyes reaction; returns its id. */
  react(target: ReactionTarget): Promise<number>
  unreact(target: ReactionTarget, reaction: number): Promise<void>

  createPull(input: { title: string; body: string; head: string; base: string; draft: boolean }): Promise<PullRequest>
  /** The open pull request of a branch of this repository. */
  findPull(head: string, base?: string): Promise<PullRequest | undefined>
  /** The state of a pull request, for a session that has one. */
  pullState(number: number): Promise<{ readonly state: 'OPEN' | 'CLOSED' | 'MERGED'; readonly headRef: string }>
  /** The files of a pull request with their patches, all pages; GitHub lists 3,000 at the most. */
  pullFiles(number: number): Promise<readonly DiffFile[]>
  /** What changed since two commits parted, 300 files at the most; undefined when GitHub does not know one of them any more. */
  compare(base: string, head: string): Promise<readonly DiffFile[] | undefined>

  /** Names of the labels the repository has. */
  labels(): Promise<readonly string[]>
  /** GitHub makes labels that it does not know. */
  addLabels(number: number, labels: readonly string[]): Promise<void>
  /** Also when it is not there. */
  removeLabel(number: number, label: string): Promise<void>
  /** GitHub passes over people who can't be assigned. */
  assign(number: number, logins: readonly string[]): Promise<void>
  close(number: number, reason: 'completed' | 'not_planned'): Promise<void>
  /** Issues and pull requests of this repository that match words; qualifiers, quotes and operators among them are left out. */
  search(words: string, count: number): Promise<readonly FoundIssue[]>

  /** Whether a workflow run still goes on; `unknown` when the token may not know. */
  runState(id: string): Promise<'live' | 'ended' | 'unknown'>
  /** The jobs of a run's newest attempt that failed or ran out of time, ten at the most. */
  failedJobs(run: number): Promise<readonly FailedJob[]>
  /**
   * The newest hundred moves of a branch of a repository (`owner/name`), newest first: pushes, forced ones, merges, and making it
   * (`before` is all zeros). Undefined when the token may not know.
   */
  pushes(repository: string, branch: string): Promise<readonly BranchPush[] | undefined>
  /** The commit a branch of this repository points to; undefined when there is none. */
  branchTip(branch: string): Promise<string | undefined>

  /** The Git data API, for commits that GitHub signs. */
  createBlob(content: Buffer): Promise<string>
  createTree(base: string, entries: readonly TreeEntry[]): Promise<string>
  createCommit(input: { message: string; tree: string; parents: readonly string[] }): Promise<string>
  createBranch(branch: string, commit: string): Promise<void>
  /** Moves a branch forward, never by force: throws `invalid` when the commit does not follow on the branch. */
  moveBranch(branch: string, commit: string): Promise<void>

  /** The comment's or description's body as HTML, whose addresses of attachments are signed (C41). */
  bodyHtml(target: { readonly comment: number } | { readonly reviewComment: number } | { readonly issue: number }): Promise<string>

  /** Requests sent so far, for the job summary and the bench. */
  readonly requests: number
}
