import { z } from 'zod'
import type { RestContext } from '../context.ts'
import { invalid, page, Refusal, type Reply } from '../http.ts'
import { account, mayWrite, type Role, roleOf, setClosed, type Thread, timestamp } from '../state.ts'
import { checkedBody, listUrl, ok, type Route, thread } from './route.ts'

/** Issues themselves: state, labels, assignees, and who may do what. */

const Names = z.array(z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)])).min(1)
const Labels = z.union([z.object({ labels: Names }).transform(({ labels }) => labels), Names])
const Assignees = z.object({ assignees: z.array(z.string()) })
const Change = z.object({
  title: z.string().nullish(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']).nullish(),
  state_reason: z.enum(['completed', 'not_planned', 'duplicate', 'reopened']).nullish(),
  labels: Names.optional(),
  assignees: z.array(z.string()).optional(),
})

/** What a role may do, as the permission endpoint's old names for it. */
const permissionOf: Record<Role, string> = { admin: 'admin', maintain: 'write', write: 'write', triage: 'read', read: 'read', none: 'none' }

function permission({ state, show }: RestContext, login: string): Reply {
  const known = state.accounts.get(login.toLowerCase())
  if (known === undefined) throw new Refusal(404, `${login} is not a user`)
  const role = roleOf(state, login)
  const permissions = {
    pull: role !== 'none',
    triage: role !== 'none' && role !== 'read',
    push: permissionOf[role] === 'write' || role === 'admin',
    maintain: role === 'maintain' || role === 'admin',
    admin: role === 'admin',
  }
  return ok({ permission: permissionOf[role], role_name: role, user: { ...show.user(account(state, login).login), permissions, role_name: role } })
}

/** Labels that are there already, in GitHub's spelling of them; unknown ones are made, as GitHub does for who may write. */
function addLabels({ state }: RestContext, target: Thread, names: readonly string[]): void {
  for (const name of names) {
    const known = allLabels(state).find((label) => label.toLowerCase() === name.toLowerCase()) ?? name
    state.labels.add(known)
    if (!target.labels.includes(known)) target.labels.push(known)
  }
  target.updatedAt = timestamp()
}

const allLabels = ({ labels, threads }: RestContext['state']): string[] => [...new Set([...labels, ...[...threads.values()].flatMap((item) => item.labels)])]

/** People who may not be assigned are left out without a word, as GitHub does. */
const assignable = ({ state }: RestContext, logins: readonly string[]) =>
  logins.filter((login) => state.accounts.has(login.toLowerCase()) && mayWrite(state, login))

export const issueRoutes: readonly Route[] = [
  ['GET', /^\/collaborators\/([^/]+)\/permission$/, (context, _request, [login = '']) => permission(context, login)],
  ['GET', /^\/labels$/, (context, request) => page(allLabels(context.state), request, listUrl(context, request), context.show.label)],
  ['GET', /^\/issues\/(\d+)$/, (context, _request, [number]) => ok(context.show.issue(thread(context, number)))],
  [
    'PATCH',
    /^\/issues\/(\d+)$/,
    async (context, request, [number]) => {
      const found = thread(context, number)
      const parsed = Change.safeParse(request.body ?? {})
      if (!parsed.success) throw invalid({ resource: 'Issue', code: 'invalid', field: String(parsed.error.issues[0]?.path[0] ?? '') })
      const { title, body, state, state_reason: reason, labels, assignees } = parsed.data
      if (title != null) found.title = title
      if (body != null) {
        found.body = body === '' ? null : checkedBody({ body }, 'Issue')
        found.lastEditedAt = timestamp()
      }
      if (labels !== undefined) {
        found.labels = []
        addLabels(context, found, labels)
      }
      if (assignees !== undefined) found.assignees = assignable(context, assignees)
      if (state != null) {
        const base = found.pull === undefined ? null : (await context.repositories.diff(found.pull)).baseSha
        setClosed(found, state === 'closed', reason == null || reason === 'reopened' ? null : reason, base)
      }
      return ok(context.show.issue(found))
    },
  ],
  [
    'GET',
    /^\/issues\/(\d+)\/labels$/,
    (context, request, [number]) => page(thread(context, number).labels, request, listUrl(context, request), context.show.label),
  ],
  [
    'POST',
    /^\/issues\/(\d+)\/labels$/,
    (context, request, [number]) => {
      const found = thread(context, number)
      const names = Labels.safeParse(request.body)
      if (!names.success) throw invalid({ resource: 'Label', code: 'missing_field', field: 'name' })
      addLabels(context, found, names.data)
      return ok(found.labels.map(context.show.label))
    },
  ],
  [
    'DELETE',
    /^\/issues\/(\d+)\/labels\/([^/]+)$/,
    (context, _request, [number, name = '']) => {
      const found = thread(context, number)
      const index = found.labels.findIndex((label) => label.toLowerCase() === name.toLowerCase())
      if (index < 0) throw new Refusal(404, 'Label does not exist')
      found.labels.splice(index, 1)
      return ok(found.labels.map(context.show.label))
    },
  ],
  ...(['POST', 'DELETE'] as const).map(
    (method): Route => [
      method,
      /^\/issues\/(\d+)\/assignees$/,
      (context, request, [number]) => {
        const found = thread(context, number)
        const logins = Assignees.safeParse(request.body).data?.assignees ?? []
        const kept = found.assignees.filter((login) => !logins.includes(login))
        found.assignees = method === 'POST' ? [...kept, ...assignable(context, logins)] : kept
        found.updatedAt = timestamp()
        return ok(context.show.issue(found), method === 'POST' ? 201 : 200)
      },
    ],
  ),
]
