import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { createGitHub, type EmulatedGitHub, type GitHubOptions } from './github/github.ts'
import { account } from './github/state.ts'
import { type Script, type ScriptedModel, startModel } from './model.ts'
import { type Env, git } from './process.ts'
import { type Job, newRunId, type RunInput, type RunResult, startStep } from './runner.ts'

export interface WorldOptions extends Omit<GitHubOptions, 'root' | 'env'> {
  /** The machine's environment; only the path is used. */
  readonly env: Env
  /** What lies in the repository at first; or `clone`, a repository on this machine that is copied, branches and all. */
  readonly seed: { readonly files: Readonly<Record<string, string>> } | { readonly clone: string; readonly branch: string }
  /** The built action, `dist/index.js`. */
  readonly bundle: string
  /** What the model says; without it there is no model. */
  readonly script?: Script
  /** Leaves the folder behind on close. */
  readonly keep?: boolean
}

export interface CheckoutOptions {
  /** Branch or commit; the default branch unless told otherwise. */
  readonly ref?: string
  /** Commits of history, 1 as in actions/checkout; `full` for all of it. */
  readonly depth?: number | 'full'
  /** Folder of the workspace, for a second runner beside the first. */
  readonly at?: string
  /** Leaves the token in the clone's configuration, as actions/checkout does by default. */
  readonly persistCredentials?: boolean
}

/** A machine with one repository on it: GitHub, git remote, model, runner. */
export interface World {
  readonly folder: string
  readonly env: Env
  readonly bundle: string
  readonly github: EmulatedGitHub
  readonly model: ScriptedModel | undefined
  /** The newest checkout; empty before the first. */
  readonly workspace: string
  readonly temp: string
  /** A fresh clone as actions/checkout leaves it; becomes `workspace`. */
  checkout(options?: CheckoutOptions): Promise<string>
  /** Commits files to a branch of the remote as somebody else would; a null removes one. Returns the commit. */
  push(branch: string, files: Readonly<Record<string, string | null>>, from?: string): Promise<string>
  /** Runs git in the bare repository of the remote. */
  remote(...args: string[]): Promise<string>
  close(): Promise<void>
}

/** Sets everything up in a new temp folder. Throws `LocalError` when git is missing. */
export async function createWorld(options: WorldOptions): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'opencode-action-'))
  const temp = join(folder, 'runner-temp')
  const { env, bundle, seed, script, keep = false, ...rest } = options
  await Promise.all([temp, join(folder, 'home'), join(folder, 'remote')].map((path) => mkdir(path, { recursive: true })))
  const branch = 'clone' in seed ? seed.branch : (rest.defaultBranch ?? 'main')
  const github = await createGitHub({ ...rest, defaultBranch: branch, root: join(folder, 'remote'), env })
  let pushes = 0
  let workspace = ''

  const world: Omit<World, 'workspace' | 'model'> = {
    folder,
    env,
    bundle,
    github,
    temp,
    async checkout({ ref = branch, depth = 1, persistCredentials = false, at = github.state.repo } = {}) {
      // A job finds its workspace where the job before it had it.
      workspace = join(folder, 'work', at, github.state.repo)
      await rm(workspace, { recursive: true, force: true, maxRetries: 5 })
      await mkdir(workspace, { recursive: true })
      await cloneInto(workspace, github, env, { ref, depth, persistCredentials })
      return workspace
    },
    async push(target, files, from = target) {
      pushes += 1
      const clone = join(folder, 'other', `${pushes}`)
      await git(folder, env, ['clone', '--quiet', '--branch', from, github.bare, clone])
      if (target !== from) await git(clone, env, ['checkout', '--quiet', '-b', target])
      await commitFiles(clone, env, files, 'Work of somebody else')
      await git(clone, env, ['push', '--quiet', 'origin', `HEAD:refs/heads/${target}`])
      return (await git(clone, env, ['rev-parse', 'HEAD'])).trim()
    },
    remote: (...args) => git(github.bare, env, args),
    async close() {
      await Promise.all([github.close(), model?.close()])
      if (!keep) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  let model: ScriptedModel | undefined
  try {
    if (script !== undefined) model = await startModel(script)
    if ('clone' in seed) await git(github.bare, env, ['fetch', '--quiet', '--no-tags', '--update-shallow', seed.clone, `+HEAD:refs/heads/${branch}`])
    else await plant(join(folder, 'seed'), github, env, seed.files)
  } catch (error) {
    await world.close()
    throw error
  }
  return {
    ...world,
    model,
    get workspace() {
      return workspace
    },
  }
}

async function plant(clone: string, github: EmulatedGitHub, env: Env, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(clone, { recursive: true })
  await git(clone, env, ['init', '--quiet', `--initial-branch=${github.state.defaultBranch}`])
  await commitFiles(clone, env, files, 'Start')
  await git(clone, env, ['push', '--quiet', github.bare, 'HEAD'])
}

async function commitFiles(clone: string, env: Env, files: Readonly<Record<string, string | null>>, message: string): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(clone, name)
    if (content === null) await rm(path)
    else {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
  }
  await git(clone, env, ['add', '--all'])
  await git(clone, env, ['commit', '--quiet', '--message', message])
}

/** The same steps as actions/checkout: init, fetch one ref by an extra header, check the branch out. */
async function cloneInto(path: string, github: EmulatedGitHub, env: Env, options: Required<Omit<CheckoutOptions, 'at'>>): Promise<void> {
  const { state, url } = github
  const key = `http.${url}/.extraheader`
  const header = `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${state.token}`).toString('base64')}`
  const { ref, depth } = options
  const isCommit = /^[0-9a-f]{40}$/.test(ref)
  await git(path, env, ['init', '--quiet', `--initial-branch=${state.defaultBranch}`])
  await git(path, env, ['remote', 'add', 'origin', `${url}/${state.owner}/${state.repo}`])
  await git(path, env, ['config', '--local', 'gc.auto', '0'])
  await git(path, env, ['config', '--local', key, header])
  const spec = depth === 'full' ? ['+refs/heads/*:refs/remotes/origin/*'] : isCommit ? [ref] : [`+refs/heads/${ref}:refs/remotes/origin/${ref}`]
  await git(path, env, ['fetch', '--quiet', '--no-tags', ...(depth === 'full' ? [] : [`--depth=${depth}`]), 'origin', ...spec])
  await git(path, env, isCommit ? ['checkout', '--quiet', '--detach', ref] : ['checkout', '--quiet', '-B', ref, `refs/remotes/origin/${ref}`])
  if (!options.persistCredentials) await git(path, env, ['config', '--local', '--unset-all', key])
}

const Sender = z.object({ sender: z.object({ login: z.string() }).optional() })

/** Runs the built action in a world as the runner would run a step that `uses` it, in the newest checkout or a first one. */
export async function runAction(world: World, input: RunInput): Promise<RunResult> {
  return startStep(await jobOf(world, input), withToken(world, input))
}

/** Runs the action once more as the runner's post step, with the state its main step saved. */
export async function runPost(world: World, input: RunInput, state: RunResult['state']): Promise<RunResult> {
  return startStep(await jobOf(world, input), withToken(world, input), state)
}

/** The token is an input with a default, `github.token`. */
const withToken = (world: World, input: RunInput): RunInput => ({ ...input, inputs: { 'github-token': world.github.state.token, ...input.inputs } })

async function jobOf(world: World, input: RunInput): Promise<Job> {
  const { state, url, apiUrl, graphqlUrl } = world.github
  const workspace = input.workspace ?? (world.workspace || (await world.checkout()))
  const runId = newRunId()
  return {
    folder: join(world.folder, 'runs', runId),
    temp: world.temp,
    home: join(world.folder, 'home'),
    workspace,
    bundle: input.bundle ?? world.bundle,
    urls: { server: url, api: apiUrl, graphql: graphqlUrl },
    repository: { owner: state.owner, name: state.repo, id: state.id, ownerId: account(state, state.owner).id },
    branch: state.defaultBranch,
    sha: (await git(workspace, world.env, ['rev-parse', 'HEAD'])).trim(),
    actor: Sender.safeParse(input.payload).data?.sender?.login ?? state.owner,
    runId,
    machine: world.env,
  }
}
