import { LocalError } from '../errors.ts'
import type { RemarkThread, ReviewState } from './reviews.ts'
import type { CheckState, RunState } from './runs.ts'

/** What the emulated GitHub remembers: plain data, to set up and to look at. */

export type Role = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none'

export interface Account {
  /** As REST writes it: bots end in `[bot]`. */
  readonly login: string
  readonly id: number
  readonly type: 'User' | 'Bot' | 'Organization'
}

export const reactionKinds = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const
export type ReactionKind = (typeof reactionKinds)[number]

export interface Reaction {
  readonly id: number
  readonly user: string
  readonly content: ReactionKind
  readonly createdAt: string
}

export interface ThreadComment {
  readonly id: number
  /** Null once the account was deleted (C24). */
  author: string | null
  body: string
  readonly createdAt: string
  updatedAt: string
  lastEditedAt: string | null
  /** Why a maintainer hid it (C27); null while it is shown. */
  minimizedReason: 'SPAM' | 'ABUSE' | 'OFF_TOPIC' | 'OUTDATED' | 'DUPLICATE' | 'RESOLVED' | null
  readonly reactions: Reaction[]
}

export interface PullState {
  readonly head: string
  /** `owner/name` of the repository the head lies in; null once a fork was deleted. */
  headRepository: string | null
  readonly base: string
  draft: boolean
  merged: boolean
  maintainerCanModify: boolean
  /** The head's commit when it was last seen; what GitHub shows once the branch is gone. */
  headSha: string
  /** Where the base was when the pull request was closed; null while it is open, since the base moves on. */
  closedBase: string | null
  mergeCommit: string | null
  readonly reviews: ReviewState[]
  readonly remarks: RemarkThread[]
  readonly checks: CheckState[]
}

export type CloseReason = 'completed' | 'not_planned' | 'duplicate'

/** An issue or, with `pull`, a pull request. */
export interface Thread {
  readonly id: number
  readonly number: number
  title: string
  body: string | null
  author: string | null
  readonly createdAt: string
  updatedAt: string
  lastEditedAt: string | null
  closedAt: string | null
  stateReason: CloseReason | null
  locked: boolean
  labels: string[]
  assignees: string[]
  readonly comments: ThreadComment[]
  readonly reactions: Reaction[]
  readonly pull?: PullState
}

/** A branch that moved, as the activity list tells it. */
export interface Activity {
  readonly id: number
  /** `owner/name` in lower case. */
  readonly repository: string
  readonly ref: string
  readonly before: string
  readonly after: string
  readonly type: 'push' | 'force_push' | 'branch_creation' | 'branch_deletion' | 'pr_merge'
  readonly actor: string
  readonly at: string
}

/** One push over the wire, accepted or not. */
export interface PushAttempt {
  readonly repository: string
  readonly refs: readonly { readonly ref: string; readonly before: string; readonly after: string }[]
  /** What was said to the pusher when it was refused by a rule. */
  readonly refused: string | undefined
}

export interface Attachment {
  readonly id: string
  readonly name: string
  readonly bytes: Buffer
  readonly type: string | undefined
  readonly status: number
  /** Where the signed address sends on to, instead of answering. */
  readonly redirect: string | undefined
  /** Leaves the length out of the answer's head, so that a reader has to count by itself. */
  readonly lengthless: boolean
}

export interface State {
  readonly owner: string
  readonly repo: string
  readonly id: number
  private: boolean
  defaultBranch: string
  readonly createdAt: string
  readonly token: string
  /** Login of the account the token belongs to. */
  readonly viewer: string
  readonly accounts: Map<string, Account>
  readonly roles: Map<string, Role>
  readonly threads: Map<number, Thread>
  /** Labels of the repository that no thread need carry. */
  readonly labels: Set<string>
  readonly runs: Map<number, RunState>
  readonly activity: Activity[]
  readonly pushes: PushAttempt[]
  /** Commits that GitHub signed itself. */
  readonly signed: Set<string>
  readonly attachments: Map<string, Attachment>
  /** Last id given out; ids of threads and their comments rise over everything. */
  lastId: number
  /** Review comments and reviews have rows of their own, so an id alone does not say what it is of. */
  readonly rows: { remark: number; review: number }
}

/** What there is to say about a new repository. */
export interface NewState {
  readonly owner?: string
  readonly repo?: string
  readonly token?: string
  readonly viewer?: string
  readonly private?: boolean
  readonly defaultBranch?: string
  readonly labels?: readonly string[]
}

export const newState = (input: NewState): State => ({
  owner: input.owner ?? 'octo',
  repo: input.repo ?? 'demo',
  id: 700_001,
  private: input.private ?? false,
  defaultBranch: input.defaultBranch ?? 'main',
  createdAt: timestamp(),
  token: input.token ?? 'ghs_localtokenlocaltokenlocaltoken0000',
  viewer: input.viewer ?? 'github-actions[bot]',
  accounts: new Map(),
  roles: new Map(),
  threads: new Map(),
  labels: new Set(input.labels ?? []),
  runs: new Map(),
  activity: [],
  pushes: [],
  signed: new Set(),
  attachments: new Map(),
  lastId: 1_000_000,
  rows: { remark: 1_000_000, review: 1_000_000 },
})

/** GitHub's time: ISO 8601 to the second. */
export const timestamp = (at: number = Date.now()): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

export function nextId(state: State): number {
  state.lastId += 1
  return state.lastId
}

/** The account of a login, made on first mention so that a test need not list everybody who ever wrote something. */
export function account(state: State, login: string): Account {
  const known = state.accounts.get(login.toLowerCase())
  if (known !== undefined) return known
  const made: Account = { login, id: login === 'github-actions[bot]' ? 41_898_282 : nextId(state), type: login.endsWith('[bot]') ? 'Bot' : 'User' }
  state.accounts.set(login.toLowerCase(), made)
  return made
}

/** The thread with a number. Throws `LocalError`: a test asks for what it made. */
export function threadOf(state: State, number: number): Thread {
  const found = state.threads.get(number)
  if (found === undefined) throw new LocalError(`There is no issue or pull request #${number}.`, 'Open it first.')
  return found
}

export function findComment(state: State, id: number): { thread: Thread; comment: ThreadComment } | undefined {
  for (const thread of state.threads.values()) {
    const comment = thread.comments.find((item) => item.id === id)
    if (comment !== undefined) return { thread, comment }
  }
  return undefined
}

/** Adds a comment without asking whether the author may; requests are checked by the routes. */
export function addComment(state: State, thread: Thread, author: string | null, body: string): ThreadComment {
  if (author !== null) account(state, author)
  const comment: ThreadComment = { id: nextId(state), ...writtenNow(author, body) }
  thread.comments.push(comment)
  thread.updatedAt = comment.createdAt
  return comment
}

/** What a text of somebody has when it was just written. */
export function writtenNow(author: string | null, body: string) {
  const now = timestamp()
  return { author, body, createdAt: now, updatedAt: now, lastEditedAt: null, minimizedReason: null, reactions: [] }
}

export function editComment(comment: ThreadComment, body: string): void {
  comment.body = body
  comment.updatedAt = timestamp()
  comment.lastEditedAt = comment.updatedAt
}

/** Closes or opens a thread again. A pull request keeps the base it had when it was closed. */
export function setClosed(thread: Thread, closed: boolean, reason: CloseReason | null, base: string | null = null): void {
  thread.updatedAt = timestamp()
  thread.closedAt = closed ? thread.updatedAt : null
  thread.stateReason = closed && thread.pull === undefined ? (reason ?? 'completed') : null
  if (thread.pull !== undefined) thread.pull.closedBase = closed ? base : null
}

interface NewThread {
  readonly title: string
  readonly body?: string | null
  readonly author: string | null
  readonly labels?: readonly string[]
  readonly assignees?: readonly string[]
  readonly pull?: PullState
}

/** A pull request's own part, with nothing said about it yet. */
export const newPull = (input: Pick<PullState, 'head' | 'base' | 'headRepository' | 'draft' | 'maintainerCanModify' | 'headSha'>): PullState => ({
  ...input,
  merged: false,
  closedBase: null,
  mergeCommit: null,
  reviews: [],
  remarks: [],
  checks: [],
})

/** Opens an issue, or a pull request when `pull` is given; issues and pull requests share one row of numbers. */
export function addThread(state: State, input: NewThread): Thread {
  if (input.author !== null) account(state, input.author)
  const now = timestamp()
  const thread: Thread = {
    id: nextId(state),
    number: Math.max(0, ...state.threads.keys()) + 1,
    title: input.title,
    body: input.body ?? null,
    author: input.author,
    createdAt: now,
    updatedAt: now,
    lastEditedAt: null,
    closedAt: null,
    stateReason: null,
    locked: false,
    labels: [...(input.labels ?? [])],
    assignees: [...(input.assignees ?? [])],
    comments: [],
    reactions: [],
    ...(input.pull === undefined ? {} : { pull: input.pull }),
  }
  state.threads.set(thread.number, thread)
  return thread
}

/** The role somebody has: what was set, `admin` for the owner, and everybody may read what is public. */
export function roleOf(state: State, login: string): Role {
  return state.roles.get(login.toLowerCase()) ?? (login.toLowerCase() === state.owner.toLowerCase() ? 'admin' : state.private ? 'none' : 'read')
}

export const mayWrite = (state: State, login: string): boolean => ['admin', 'maintain', 'write'].includes(roleOf(state, login))

/** GitHub's `author_association`, from the role somebody has here. */
export function association(state: State, login: string | null): string {
  if (login !== null && login.toLowerCase() === state.owner.toLowerCase()) return 'OWNER'
  const role = login === null ? undefined : state.roles.get(login.toLowerCase())
  return role === undefined || role === 'none' || role === 'read' ? 'NONE' : 'COLLABORATOR'
}
