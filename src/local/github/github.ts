import { mkdir } from 'node:fs/promises'
import { createGitServer } from '../git-server.ts'
import { type Env, git, gitWith } from '../process.ts'
import { forbidPush, receivePush } from './access.ts'
import { type Branches, branchesOf, noteMoves } from './activity.ts'
import type { RestContext } from './context.ts'
import { type BranchesByHand, branchesByHand } from './hand/branches.ts'
import { type ReviewsByHand, reviewsByHand } from './hand/reviews.ts'
import { type ThreadsByHand, threadsByHand } from './hand/threads.ts'
import { createHooks, type Exchange, type Hooks } from './journal.ts'
import { barePath, openRepositories } from './repository.ts'
import { represent } from './represent.ts'
import type { PushRule } from './rules.ts'
import { listen } from './server.ts'
import { account, newState, type Role, type State } from './state.ts'

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
  /** Labels of the repository. */
  readonly labels?: readonly string[]
}

/** GitHub on this machine: one repository with its issues, pull requests, forks and git remote. */
export interface EmulatedGitHub extends Pick<Hooks, 'fault' | 'before'>, ThreadsByHand, ReviewsByHand, BranchesByHand {
  readonly url: string
  readonly apiUrl: string
  readonly graphqlUrl: string
  /** The host of attachments and logs. */
  readonly filesUrl: string
  /** Path of the bare repository. */
  readonly bare: string
  readonly state: State
  readonly journal: readonly Exchange[]
  /** State as REST and webhooks write it, for payloads. */
  context(): RestContext
  close(): Promise<void>
}

/** Starts an emulated GitHub with an empty repository. Throws `LocalError` when git is missing. */
export async function createGitHub(options: GitHubOptions): Promise<EmulatedGitHub> {
  const { root, env } = options
  const state = newState(options)
  account(state, state.viewer)
  for (const [login, role] of Object.entries(options.users ?? {})) {
    account(state, login)
    state.roles.set(login.toLowerCase(), role)
  }
  const repositories = openRepositories(root, env, state)
  const bare = barePath(root, repositories.own)
  await mkdir(bare, { recursive: true })
  await git(bare, env, ['init', '--quiet', '--bare', `--initial-branch=${state.defaultBranch}`])

  const hooks = createHooks()
  const journal: Exchange[] = []
  const rules: PushRule[] = []
  const context = (): RestContext => {
    const urls = { html: server.url, api: `${server.url}/api/v3`, files: server.files }
    return {
      state,
      urls,
      show: represent(state, urls),
      repositories,
      rules,
      git: (repository, args, input) => gitWith(repositories.path(repository), env, args, input),
    }
  }
  const before = new Map<string, Branches>()
  const gitServer = createGitServer({
    root,
    env,
    token: state.token,
    isPrivate: () => state.private,
    forbid: (repository, writes) => forbidPush(context(), repository, writes),
    async receive(repository, body, encoding) {
      before.set(repository, await branchesOf(repositories, repository))
      return receivePush(context(), repository, body, encoding)
    },
    async pushed(repository) {
      await noteMoves(state, repositories, repository, before.get(repository) ?? new Map(), state.viewer)
      await repositories.refresh()
    },
  })
  const server = await listen({ hooks, journal, git: gitServer, context })

  return {
    url: server.url,
    apiUrl: `${server.url}/api/v3`,
    graphqlUrl: `${server.url}/api/graphql`,
    filesUrl: server.files,
    bare,
    state,
    journal,
    context,
    fault: hooks.fault,
    before: hooks.before,
    ...threadsByHand(context),
    ...reviewsByHand(context),
    ...branchesByHand(context, rules),
    close: server.close,
  }
}
