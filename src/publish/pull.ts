import { GitHubError, NoCommitsError } from '../github/errors.ts'
import type { GitHub, PullRequest } from '../github/types.ts'
import type { Why } from './ladder.ts'

/** What happens with a branch that no pull request shows: the input `pull-request`. */
export type PullMode = 'create' | 'draft' | 'link' | 'never'

export interface NewPull {
  readonly title: string
  readonly body: string
}

/** What shows a branch. */
export type Shown =
  | { readonly kind: 'pull'; readonly pull: PullRequest & { readonly operation: 'created' | 'updated' }; readonly notes: readonly string[] }
  /** No pull request, because none is meant to be there, or for that reason. */
  | { readonly kind: 'none'; readonly why?: Why }
  /** The branch has nothing that the base has not (C127). */
  | { readonly kind: 'empty' }

/**
 * Sees to it that a pull request shows a branch of this repository: the one it has, or a new one, a plain one where GitHub has no drafts. That it can't be
 * opened is an answer, for the work is on the remote all the same (C137).
 */
export async function showPull(github: GitHub, input: NewPull & { head: string; base: string }, mode: PullMode, isNew: boolean): Promise<Shown> {
  try {
    const open = isNew ? undefined : await github.findPull(input.head)
    if (open) return { kind: 'pull', pull: { ...open, operation: 'updated' }, notes: [] }
    if (mode === 'link' || mode === 'never') return { kind: 'none' }
    return await create(github, input, mode === 'draft')
  } catch (error) {
    if (error instanceof NoCommitsError) return { kind: 'empty' }
    if (error instanceof GitHubError) return { kind: 'none', why: { reason: `${error.message}.`, hint: error.hint } }
    throw error
  }
}

async function create(github: GitHub, { title, body, head, base }: NewPull & { head: string; base: string }, draft: boolean): Promise<Shown> {
  try {
    return { kind: 'pull', pull: { ...(await github.createPull({ title, body, head, base, draft })), operation: 'created' }, notes: [] }
  } catch (error) {
    if (!(draft && error instanceof GitHubError && /draft pull requests are not supported/i.test(error.said))) throw error
    const pull = await github.createPull({ title, body, head, base, draft: false })
    return { kind: 'pull', pull: { ...pull, operation: 'created' }, notes: ['The pull request is no draft: GitHub has none in this repository.'] }
  }
}
