import { askGit, git } from '../process.ts'
import type { Repositories } from './repository.ts'
import { type Activity, account, nextId, type State, timestamp } from './state.ts'

/** Who moved which branch when: what the activity list tells, noted at every push. */

export type Branches = ReadonlyMap<string, string>

const zero = '0'.repeat(40)

/** The branches of a repository with their tips. */
export async function branchesOf(repositories: Repositories, repository: string): Promise<Branches> {
  if (!repositories.exists(repository)) return new Map()
  const text = await git(repositories.path(repository), repositories.env, ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads'])
  return new Map(
    text
      .split('\n')
      .filter((row) => row !== '')
      .map((row): [string, string] => {
        const space = row.lastIndexOf(' ')
        return [row.slice(0, space), row.slice(space + 1)]
      }),
  )
}

/** Notes every branch that is not where it was. `type` says how it moved where git can't tell. */
export async function noteMoves(
  state: State,
  repositories: Repositories,
  repository: string,
  before: Branches,
  actor: string,
  type?: Activity['type'],
): Promise<void> {
  account(state, actor)
  const after = await branchesOf(repositories, repository)
  for (const ref of new Set([...before.keys(), ...after.keys()])) {
    const [from = zero, to = zero] = [before.get(ref), after.get(ref)]
    if (from === to) continue
    const found = type ?? (await typeOf(repositories, repository, from, to))
    state.activity.push({ id: nextId(state), repository: repository.toLowerCase(), ref, before: from, after: to, type: found, actor, at: timestamp() })
  }
}

async function typeOf(repositories: Repositories, repository: string, before: string, after: string): Promise<Activity['type']> {
  if (before === zero) return 'branch_creation'
  if (after === zero) return 'branch_deletion'
  const forward = await askGit(repositories.path(repository), repositories.env, ['merge-base', '--is-ancestor', before, after])
  return forward === undefined ? 'force_push' : 'push'
}
