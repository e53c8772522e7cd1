import { timestamp } from '../../src/local/github/state.ts'
import type { Script } from '../../src/local/model.ts'
import type { World } from '../../src/local/world.ts'
import { comments } from '../support/world.ts'
import { visible } from './hub.ts'
import { writes } from './support.ts'

/** What tests of branches, forks and pushes share. */

/** A model that runs some commands one after another, then answers. */
export const runs =
  (...commands: string[]): Script =>
  ({ result, mayCall }) => {
    const next = commands.findIndex((_, index) => result(`bash_${index}`) === undefined)
    return mayCall && next >= 0 ? { calls: [{ id: `bash_${next}`, name: 'bash', arguments: { command: commands[next] } }] } : { text: 'Done as asked.' }
  }

/** Commits files to a branch of mallory's fork, on top of `from`. Returns the fork. */
export async function forked(world: World, branch: string, files: Readonly<Record<string, string | null>>, from = 'main'): Promise<string> {
  const fork = await world.github.fork('mallory')
  await world.push(branch, files, from, { repository: fork, actor: 'mallory' })
  return fork
}

/** Lets some minutes pass: all that was pushed until now was surely pushed before what is said next. */
export function later(world: World): void {
  const { activity } = world.github.state
  activity.splice(0, activity.length, ...activity.map((move) => ({ ...move, at: timestamp(Date.parse(move.at) - 300_000) })))
}

/** A pull request of mallory's from a fork, some minutes old. */
export async function forkPull(
  world: World,
  { branch = 'feat', files = { 'src/other.js': 'export const other = 1\n' }, maintainerCanModify = true }: ForkPull = {},
): Promise<{ number: number; fork: string }> {
  const fork = await forked(world, branch, files)
  const { number } = await world.github.openPull({ title: 'Feature', author: 'mallory', head: branch, headRepository: fork, maintainerCanModify })
  later(world)
  return { number, fork }
}

interface ForkPull {
  readonly branch?: string
  readonly files?: Readonly<Record<string, string | null>>
  readonly maintainerCanModify?: boolean
}

/** Runs git in a fork's repository. */
export const inFork = (world: World, fork: string, ...args: string[]): Promise<string> => world.github.context().git(fork, args)

/** The newest comment of a thread as a reader sees it, details and all. */
export const reply = (world: World, number: number): string => visible(comments(world, number).at(-1)?.body ?? '')

export const branches = async (world: World): Promise<string[]> =>
  (await world.remote('branch', '--format=%(refname:short)')).split('\n').filter(Boolean).toSorted()

/** Subjects of the commits of a range, newest first. */
export const subjects = async (world: World, range: string): Promise<string[]> =>
  (await world.remote('log', '--format=%s', range)).trim().split('\n').filter(Boolean)

/** Attempts to open a pull request. */
export const newPulls = (world: World): string[] => writes(world).filter((write) => write.startsWith('POST') && write.endsWith('/pulls'))

/** What each push wanted to move, and whether it was refused. */
export const pushed = (world: World): string[] =>
  world.github.state.pushes.flatMap(({ repository, refs, refused }) =>
    refs.map(({ ref }) => `${repository} ${ref.replace('refs/heads/', '')}${refused === undefined ? '' : ' refused'}`),
  )

/** A person's token, which may push where that person may. */
export const personal = { viewer: 'alice', token: 'ghp_alicealicealicealicealicealicealice00' }
