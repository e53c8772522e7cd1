import { rm } from 'node:fs/promises'
import { LocalError } from '../../errors.ts'
import { branchesOf, noteMoves } from '../activity.ts'
import { closedBy } from '../closing.ts'
import type { RestContext } from '../context.ts'
import { attach, type NewAttachment } from '../files.ts'
import { type Person, writeCommit } from '../objects.ts'
import { copyRepository } from '../push.ts'
import { mergedTree } from '../repository.ts'
import type { PushMatch, PushRule, PushWords } from '../rules.ts'
import { type RunInput, type RunState, setRun } from '../runs.ts'
import { account, setClosed, type Thread } from '../state.ts'
import { targetOf } from './threads.ts'

/** What people and machines do to repositories, done by a test. */
export interface BranchesByHand {
  /** Copies the repository to another owner; returns `owner/name`. */
  fork(owner: string): Promise<string>
  /** Deletes a fork: its pull requests stay, with nobody to push to (C91). */
  deleteFork(repository: string): Promise<void>
  /** Merges a pull request into its base and closes the issues it names. */
  merge(number: number, input?: { by?: string; method?: 'merge' | 'squash'; deleteBranch?: boolean }): Promise<Thread>
  deleteBranch(branch: string, input?: { by?: string; repository?: string }): Promise<void>
  /** Notes who moved which branches while `act` runs; for pushes that don't go over the wire. */
  moving<T>(repository: string, actor: string, act: () => Promise<T>): Promise<T>
  /** Refuses pushes that match, in GitHub's words, `times` times (always unless told otherwise). Moves by the Git data API too. */
  refusePush(match: PushMatch, words: PushWords, times?: number): void
  /** Makes a workflow run or changes the one with this id. */
  run(id: number | string, input: RunInput): RunState
  /** Keeps an attachment; returns the address to write into a text. */
  attach(input: NewAttachment): string
}

export function branchesByHand(context: () => RestContext, rules: PushRule[]): BranchesByHand {
  const { state, repositories } = context()
  const moving: BranchesByHand['moving'] = async (repository, actor, act) => {
    const before = await branchesOf(repositories, repository)
    const done = await act()
    await noteMoves(state, repositories, repository, before, actor)
    await repositories.refresh()
    return done
  }
  const deleteBranch: BranchesByHand['deleteBranch'] = (branch, { by = state.owner, repository = repositories.own } = {}) =>
    moving(repository, by, async () => void (await context().git(repository, ['update-ref', '-d', `refs/heads/${branch}`])))

  return {
    async fork(owner) {
      const name = `${owner}/${state.repo}`
      account(state, owner)
      await copyRepository(repositories, repositories.own, name)
      return name
    },
    async deleteFork(repository) {
      await rm(repositories.path(repository), { recursive: true, force: true, maxRetries: 5 })
      for (const { pull } of state.threads.values()) if (pull?.headRepository?.toLowerCase() === repository.toLowerCase()) pull.headRepository = null
    },
    async merge(number, { by = state.owner, method = 'merge', deleteBranch: drop = false } = {}) {
      await repositories.refresh()
      const { thread, pull } = targetOf(context(), number)
      const base = await repositories.tip(repositories.own, pull.base)
      if (base === undefined) throw new LocalError(`There is no branch ${pull.base}.`, 'Push it first.')
      const tree = await mergedTree(repositories.path(repositories.own), repositories.env, base, pull.headSha)
      if (tree === undefined) throw new LocalError(`#${number} conflicts with ${pull.base}.`, 'Merge something else.')
      const { id } = account(state, by)
      const author: Person = { name: by, email: `${id}+${by}@users.noreply.github.com` }
      const message = method === 'merge' ? `Merge pull request #${number}\n\n${thread.title}` : `${thread.title} (#${number})`
      const committer = { name: 'GitHub', email: 'noreply@github.com' }
      const parents = method === 'merge' ? [base, pull.headSha] : [base]
      const commit = await writeCommit(context(), { tree, parents, message, author, committer })
      const before = await branchesOf(repositories, repositories.own)
      await context().git(repositories.own, ['update-ref', `refs/heads/${pull.base}`, commit])
      await noteMoves(state, repositories, repositories.own, before, by, 'pr_merge')
      pull.merged = true
      pull.mergeCommit = commit
      setClosed(thread, true, null, base)
      for (const issue of closedBy(state, thread)) setClosed(issue, true, 'completed')
      if (drop && pull.headRepository !== null) await deleteBranch(pull.head, { by, repository: pull.headRepository })
      return thread
    },
    deleteBranch,
    moving,
    refusePush: (match, words, times = Number.POSITIVE_INFINITY) => void rules.push({ match, words, left: times }),
    run(id, input) {
      const headSha = input.headSha ?? '0'.repeat(40)
      return setRun(state.runs, Number(id), input, { headSha, actor: state.owner })
    },
    attach: (input) => attach(state, context().urls, input),
  }
}
