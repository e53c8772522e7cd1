import { LocalError } from '../errors.ts'

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
}

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
  locked: boolean
  labels: string[]
  readonly comments: ThreadComment[]
  readonly reactions: Reaction[]
  readonly pull?: PullState
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
  /** Last id given out; ids rise over everything, as GitHub's do. */
  lastId: number
}

/** GitHub's time: ISO 8601 to the second. */
export const timestamp = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z')

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
  const now = timestamp()
  const comment: ThreadComment = {
    id: nextId(state),
    author,
    body,
    createdAt: now,
    updatedAt: now,
    lastEditedAt: null,
    minimizedReason: null,
    reactions: [],
  }
  thread.comments.push(comment)
  thread.updatedAt = now
  return comment
}

export function editComment(comment: ThreadComment, body: string): void {
  comment.body = body
  comment.updatedAt = timestamp()
  comment.lastEditedAt = comment.updatedAt
}

interface NewThread {
  readonly title: string
  readonly body?: string | null
  readonly author: string | null
  readonly labels?: readonly string[]
  readonly pull?: PullState
}

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
    locked: false,
    labels: [...(input.labels ?? [])],
    comments: [],
    reactions: [],
    ...(input.pull === undefined ? {} : { pull: input.pull }),
  }
  state.threads.set(thread.number, thread)
  return thread
}

/** GitHub's `author_association`, from the role somebody has here. */
export function association(state: State, login: string | null): string {
  if (login !== null && login.toLowerCase() === state.owner.toLowerCase()) return 'OWNER'
  const role = login === null ? undefined : state.roles.get(login.toLowerCase())
  return role === undefined || role === 'none' || role === 'read' ? 'NONE' : 'COLLABORATOR'
}
