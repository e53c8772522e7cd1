import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CheckoutOptions, cloneInto, commitFiles, type Files, plant } from './checkout.ts'
import { createGitHub, type EmulatedGitHub, type GitHubOptions } from './github/github.ts'
import { type Script, type ScriptedModel, startModel } from './model.ts'
import { type Env, git } from './process.ts'

export type { CheckoutOptions } from './checkout.ts'
export { runAction, runPost } from './job.ts'

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

export interface PushOptions {
  /** Who pushes, for the activity list; the owner unless told otherwise. */
  readonly actor?: string
  /** A fork, `owner/name`. */
  readonly repository?: string
  readonly message?: string
  /** Puts the branch on top of `from`, whatever was on it. */
  readonly force?: boolean
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
  push(branch: string, files: Files, from?: string, options?: PushOptions): Promise<string>
  /** A second machine beside the first: a checkout and a temp folder of its own, to be spread into a run's input. */
  machine(name: string, options?: CheckoutOptions): Promise<{ workspace: string; temp: string }>
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
    async machine(name, { ref = branch, depth = 1, persistCredentials = false } = {}) {
      const made = { workspace: join(folder, 'work', name, github.state.repo), temp: join(folder, `runner-temp-${name}`) }
      for (const path of [made.workspace, made.temp]) {
        await rm(path, { recursive: true, force: true, maxRetries: 5 })
        await mkdir(path, { recursive: true })
      }
      await cloneInto(made.workspace, github, env, { ref, depth, persistCredentials })
      return made
    },
    async push(target, files, from = target, { actor = github.state.owner, repository, message = 'Work of somebody else', force = false } = {}) {
      pushes += 1
      const clone = join(folder, 'other', `${pushes}`)
      const { repositories } = github.context()
      const name = repository ?? repositories.own
      await git(folder, env, ['clone', '--quiet', '--branch', from, repositories.path(name), clone])
      if (target !== from) await git(clone, env, ['checkout', '--quiet', ...(force ? ['--no-track', '-B'] : ['-b']), target])
      await commitFiles(clone, env, files, message)
      await github.moving(name, actor, () => git(clone, env, ['push', '--quiet', ...(force ? ['--force'] : []), 'origin', `HEAD:refs/heads/${target}`]))
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
