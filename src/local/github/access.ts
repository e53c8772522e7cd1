import type { RestContext } from './context.ts'
import { inspectPush, readPush, refusedPush } from './push.ts'
import { judge, type PushedRef, type PushRefusal } from './rules.ts'
import { mayWrite } from './state.ts'

/** Who may push where. */

/** GitHub's no at the door: the workflow's token is good for its own repository only (C93). */
export async function forbidPush(
  { state, repositories }: RestContext,
  repository: string,
  writes: boolean,
): Promise<{ status: number; text: string } | undefined> {
  if (!repositories.exists(repository)) return { status: 404, text: 'Repository not found.' }
  if (!writes || repository === repositories.own.toLowerCase()) return undefined
  const [owner = ''] = repository.split('/')
  const { viewer } = state
  if (owner === viewer.toLowerCase()) return undefined
  const denied = { status: 403, text: `Permission to ${repository}.git denied to ${viewer}.` }
  return viewer.endsWith('[bot]') || !mayWrite(state, viewer) ? denied : undefined
}

/** A maintainer may push to the branches of a fork that open pull requests come from, where their authors allow it. */
function maintainerMay({ state, repositories }: RestContext, repository: string, ref: string): boolean {
  if (repository === repositories.own.toLowerCase() || repository.startsWith(`${state.viewer.toLowerCase()}/`)) return true
  return [...state.threads.values()].some(
    ({ pull, closedAt }) =>
      closedAt === null && pull?.headRepository?.toLowerCase() === repository && pull.maintainerCanModify && `refs/heads/${pull.head}` === ref,
  )
}

/** Looks at a push before git does: notes it, and answers it when a rule refuses it. */
export async function receivePush(context: RestContext, repository: string, body: Buffer, encoding: string | undefined): Promise<Buffer | undefined> {
  const { state, rules, repositories } = context
  const push = readPush(body, encoding)
  // Git asks with an empty push first whether it may.
  if (push.refs.length === 0) return undefined
  let refusal: PushRefusal | undefined
  if (!push.refs.every(({ ref }) => maintainerMay(context, repository, ref))) refusal = { reason: 'permission denied', remote: [] }
  else if (rules.some(({ left }) => left > 0)) {
    const pushed: PushedRef[] = await inspectPush(repositories, repository, push)
    refusal = judge(rules, state, pushed)
  }
  const words = refusal === undefined ? undefined : [refusal.reason, ...refusal.remote].join('\n')
  state.pushes.push({ repository, refs: push.refs, refused: words })
  return refusal === undefined ? undefined : refusedPush(push.refs, refusal)
}
