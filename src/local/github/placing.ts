import type { RestContext } from './context.ts'
import { unprocessable } from './http.ts'
import { place } from './patch.ts'
import { addRemark, addReview, type NewRemark, type ReviewState } from './reviews.ts'
import type { PullState, Thread } from './state.ts'

/** Puts a review with its remarks on the diff of the real repositories. */

export interface NewReview {
  readonly author: string | null
  readonly body: string
  readonly state?: ReviewState['state']
  /** The head it was made for; the newest unless told otherwise. */
  readonly commit?: string
  readonly remarks?: readonly NewRemark[]
}

/** All or nothing: one remark that is not on the diff refuses the whole review (C138). Throws `Refusal`. */
export async function submitReview({ state, repositories }: RestContext, target: { thread: Thread; pull: PullState }, input: NewReview): Promise<ReviewState> {
  const { thread, pull } = target
  await repositories.refresh()
  const commit = input.commit ?? pull.headSha
  if ((await repositories.commit(repositories.own, commit)) === undefined) throw unprocessable('Unprocessable Entity', `No commit found for SHA: ${commit}`)
  const { baseSha } = await repositories.diff(pull)
  const files = await repositories.between(baseSha, commit)
  const placed = (input.remarks ?? []).map((remark) => {
    const file = files.find(({ path }) => path === remark.path)
    if (file === undefined) throw unprocessable('Unprocessable Entity', 'Path could not be resolved')
    const found = place(file.patch ?? '', { line: remark.line, side: remark.side ?? 'RIGHT', startLine: remark.startLine })
    if (typeof found === 'string') throw unprocessable('Unprocessable Entity', found)
    return { remark, found }
  })
  const review = addReview(state, thread, { author: input.author, body: input.body, commit, ...(input.state === undefined ? {} : { state: input.state }) })
  for (const { remark, found } of placed) addRemark(state, thread, review, remark, found)
  return review
}
