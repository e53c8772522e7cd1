import { z } from 'zod'
import type { RestContext } from '../context.ts'
import { type ApiRequest, invalid, page, type Reply } from '../http.ts'
import { diffJson } from '../show-git.ts'
import { addThread, newPull, type PullState, setClosed, type Thread, timestamp } from '../state.ts'
import { checkedBody, listUrl, ok, pull, type Route } from './route.ts'

/** Pull requests: creating and finding them, with the checks GitHub makes against the git repository, and their files. */

const NewPull = z.object({
  title: z.string().optional(),
  body: z.string().nullish(),
  head: z.string().min(1),
  base: z.string().min(1),
  draft: z.boolean().optional(),
  maintainer_can_modify: z.boolean().optional(),
})

const refuse = (field: string, code: string, message?: string) =>
  invalid({ resource: 'PullRequest', code, field, ...(message === undefined ? {} : { message }) })
const custom = (message: string) => invalid({ resource: 'PullRequest', code: 'custom', message })

/** `POST /pulls`: 422 for an unknown head or base, a pull request that exists (C126), no commits between (C127), a title or body that is blank or too long. */
async function createPull(context: RestContext, request: ApiRequest): Promise<Reply> {
  const { state, repositories, show } = context
  const parsed = NewPull.safeParse(request.body)
  if (!parsed.success) throw refuse(String(parsed.error.issues[0]?.path[0] ?? 'head'), 'missing_field')
  const { title, body, base, draft, maintainer_can_modify: modify } = parsed.data
  if (title === undefined || title.trim() === '') throw refuse('title', 'missing_field')
  if ([...title].length > 256) throw refuse('title', 'custom', 'title is too long (maximum is 256 characters)')
  if ([...(body ?? '')].length > 65_536) throw refuse('body', 'custom', 'body is too long (maximum is 65536 characters)')

  const own = `${state.owner}/${state.repo}`
  const { owner, branch } = splitHead(parsed.data.head, state.owner)
  const headRepository = owner.toLowerCase() === state.owner.toLowerCase() ? own : `${owner}/${state.repo}`
  const headSha = await repositories.tip(headRepository, branch)
  const baseSha = await repositories.tip(own, base)
  if (headSha === undefined) throw refuse('head', 'invalid')
  if (baseSha === undefined) throw refuse('base', 'invalid')

  const same = (pull: PullState) => pull.head === branch && pull.base === base && pull.headRepository?.toLowerCase() === headRepository.toLowerCase()
  const open = [...state.threads.values()].find((thread) => thread.pull !== undefined && thread.closedAt === null && same(thread.pull))
  if (open !== undefined) throw custom(`A pull request already exists for ${owner}:${branch}.`)
  const made = newPull({ head: branch, headRepository, base, draft: draft ?? false, maintainerCanModify: modify ?? false, headSha })
  if (headRepository === own && (await repositories.ahead(baseSha, headSha)) === 0) throw custom(`No commits between ${base} and ${branch}`)

  const thread = addThread(state, { title, body: body ?? null, author: state.viewer, pull: made })
  await repositories.refresh()
  return ok(show.pull(thread, await repositories.diff(made)), 201)
}

/** `GET /pulls` with GitHub's filters. A `head` without an owner finds nothing (C126). */
async function listPulls(context: RestContext, request: ApiRequest): Promise<Reply> {
  const { state, repositories, show } = context
  await repositories.refresh()
  const wanted = request.query.get('state') ?? 'open'
  const head = request.query.get('head')
  const base = request.query.get('base')
  const rows: { thread: Thread; pull: PullState }[] = []
  for (const thread of state.threads.values()) {
    const { pull } = thread
    if (pull === undefined) continue
    const status = thread.closedAt === null ? 'open' : 'closed'
    const label = `${pull.headRepository?.split('/')[0] ?? ''}:${pull.head}`
    if (wanted !== 'all' && wanted !== status) continue
    if (head !== null && head.toLowerCase() !== label.toLowerCase()) continue
    if (base !== null && base !== pull.base) continue
    rows.unshift({ thread, pull })
  }
  const shown = await Promise.all(rows.map(async ({ thread, pull }) => show.pullSimple(thread, await repositories.diff(pull))))
  return page(shown, request, listUrl(context, request), (item) => item)
}

function splitHead(head: string, fallback: string): { owner: string; branch: string } {
  const colon = head.indexOf(':')
  return colon < 0 ? { owner: fallback, branch: head } : { owner: head.slice(0, colon), branch: head.slice(colon + 1) }
}

const Change = z.object({
  title: z.string().optional(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']).optional(),
  maintainer_can_modify: z.boolean().optional(),
})

async function changePull(context: RestContext, request: ApiRequest, number: string | undefined): Promise<Reply> {
  const found = await pull(context, number)
  const parsed = Change.safeParse(request.body)
  if (!parsed.success) throw refuse(String(parsed.error.issues[0]?.path[0] ?? 'state'), 'invalid')
  const { title, body, state, maintainer_can_modify: modify } = parsed.data
  const { thread } = found
  if (title !== undefined) thread.title = title
  if (body != null) {
    thread.body = body === '' ? null : checkedBody({ body }, 'PullRequest')
    thread.lastEditedAt = timestamp()
  }
  if (modify !== undefined) found.pull.maintainerCanModify = modify
  const diff = await context.repositories.diff(found.pull)
  if (state === 'open' && found.pull.merged) throw refuse('state', 'invalid', 'state cannot be changed. The pull request cannot be reopened.')
  if (state !== undefined) setClosed(thread, state === 'closed', null, diff.baseSha)
  thread.updatedAt = timestamp()
  return ok(context.show.pull(thread, diff))
}

export const pullRoutes: readonly Route[] = [
  ['GET', /^\/pulls$/, listPulls],
  ['POST', /^\/pulls$/, createPull],
  [
    'GET',
    /^\/pulls\/(\d+)$/,
    async (context, _request, [number]) => {
      const found = await pull(context, number)
      return ok(context.show.pull(found.thread, await context.repositories.diff(found.pull)))
    },
  ],
  ['PATCH', /^\/pulls\/(\d+)$/, (context, request, [number]) => changePull(context, request, number)],
  [
    'GET',
    /^\/pulls\/(\d+)\/files$/,
    async (context, request, [number]) => {
      const found = await pull(context, number)
      const { files, headSha } = await context.repositories.diff(found.pull)
      return page(files, request, listUrl(context, request), (file) => diffJson(context, context.repositories.own, headSha, file))
    },
  ],
]
