import { mkdir } from 'node:fs/promises'
import { LocalError } from '../errors.ts'
import { createGitServer } from '../git-server.ts'
import { type Env, git } from '../process.ts'
import type { RestContext } from './context.ts'
import { createHooks, type Exchange, type Hooks } from './journal.ts'
import { barePath, openRepositories } from './repository.ts'
import { represent } from './represent.ts'
import { listen } from './server.ts'
import {
  account,
  addComment,
  addThread,
  editComment,
  findComment,
  type Role,
  type State,
  type Thread,
  type ThreadComment,
  threadOf,
  timestamp,
} from './state.ts'

export interface GitHubOptions {
  /** Folder that holds the bare repositories, one per `owner/name.git`; made when missing. */
  readonly root: string
  readonly env: Env
  readonly owner?: string
  readonly repo?: string
  readonly token?: string
  /** Whom the token acts as; the workflow token's bot unless told otherwise. */
  readonly viewer?: string
  /** Roles of people in the repository. People not named here don't exist for the permission endpoint until they write something. */
  readonly users?: Readonly<Record<string, Role>>
  readonly private?: boolean
  readonly defaultBranch?: string
}

/** GitHub on this machine: one repository with its issues, pull requests and git remote. */
export interface EmulatedGitHub extends Pick<Hooks, 'fault' | 'before'> {
  readonly url: string
  readonly apiUrl: string
  readonly graphqlUrl: string
  /** Path of the bare repository. */
  readonly bare: string
  readonly state: State
  readonly journal: readonly Exchange[]
  /** State as REST and webhooks write it, for payloads. */
  context(): RestContext
  openIssue(input: { title: string; body?: string; author: string | null; labels?: readonly string[] }): Thread
  /** Opens a pull request by somebody other than the token. The branches must exist; `headRepository` names a fork's bare repository under the root. */
  openPull(input: {
    title: string
    body?: string
    author: string | null
    head: string
    base?: string
    headRepository?: string
    draft?: boolean
  }): Promise<Thread>
  comment(number: number, author: string | null, body: string): ThreadComment
  editComment(id: number, body: string): void
  deleteComment(id: number): void
  minimise(id: number, reason?: ThreadComment['minimizedReason']): void
  lock(number: number): void
  closeThread(number: number): void
  thread(number: number): Thread
  close(): Promise<void>
}

/** Starts an emulated GitHub with an empty repository. Throws `LocalError` when git is missing. */
export async function createGitHub(options: GitHubOptions): Promise<EmulatedGitHub> {
  const state: State = {
    owner: options.owner ?? 'octo',
    repo: options.repo ?? 'demo',
    id: 700_001,
    private: options.private ?? false,
    defaultBranch: options.defaultBranch ?? 'main',
    createdAt: timestamp(),
    token: options.token ?? 'ghs_localtokenlocaltokenlocaltoken0000',
    viewer: options.viewer ?? 'github-actions[bot]',
    accounts: new Map(),
    roles: new Map(),
    threads: new Map(),
    lastId: 1_000_000,
  }
  account(state, state.viewer)
  for (const [login, role] of Object.entries(options.users ?? {})) {
    account(state, login)
    state.roles.set(login.toLowerCase(), role)
  }
  const own = `${state.owner}/${state.repo}`
  const bare = barePath(options.root, own)
  await mkdir(bare, { recursive: true })
  await git(bare, options.env, ['init', '--quiet', '--bare', `--initial-branch=${state.defaultBranch}`])

  const repositories = openRepositories(options.root, options.env, state)
  const hooks = createHooks()
  const journal: Exchange[] = []
  const context = (): RestContext => {
    const urls = { html: server.url, api: `${server.url}/api/v3` }
    return { state, urls, show: represent(state, urls), repositories }
  }
  const gitServer = createGitServer({
    root: options.root,
    env: options.env,
    token: state.token,
    isPrivate: () => state.private,
    pushed: () => repositories.refresh(),
  })
  const server = await listen({ hooks, journal, git: gitServer, context })
  const commentOf = (id: number) => {
    const found = findComment(state, id)
    if (found === undefined) throw new LocalError(`There is no comment ${id}.`, 'Post it first.')
    return found
  }

  return {
    url: server.url,
    apiUrl: `${server.url}/api/v3`,
    graphqlUrl: `${server.url}/api/graphql`,
    bare,
    state,
    journal,
    context,
    fault: hooks.fault,
    before: hooks.before,
    openIssue: (input) => addThread(state, input),
    async openPull({ head, base = state.defaultBranch, headRepository = own, draft = false, ...input }) {
      const headSha = await repositories.tip(headRepository, head)
      if (headSha === undefined) throw new LocalError(`${headRepository} has no branch ${head}.`, 'Push it first.')
      const pull = { head, base, headRepository, draft, merged: false, maintainerCanModify: headRepository !== own, headSha }
      const thread = addThread(state, { ...input, pull })
      await repositories.refresh()
      return thread
    },
    comment: (number, author, body) => addComment(state, threadOf(state, number), author, body),
    editComment: (id, body) => editComment(commentOf(id).comment, body),
    deleteComment(id) {
      const { thread, comment } = commentOf(id)
      thread.comments.splice(thread.comments.indexOf(comment), 1)
    },
    minimise(id, reason = 'OUTDATED') {
      commentOf(id).comment.minimizedReason = reason
    },
    lock(number) {
      threadOf(state, number).locked = true
    },
    closeThread(number) {
      threadOf(state, number).closedAt = timestamp()
    },
    thread: (number) => threadOf(state, number),
    close: server.close,
  }
}
