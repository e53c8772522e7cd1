import type { RestContext } from '../context.ts'
import { type ApiRequest, notFound, page, type Reply } from '../http.ts'
import { commitJson, diffJson } from '../show-git.ts'
import { listUrl, ok } from './route.ts'

/** What is read of a repository's branches, a fork's too: activity, tips, comparisons. */

/** A route of any repository that is here; `repository` is `owner/name`. */
export type BranchHandler = (context: RestContext, request: ApiRequest, repository: string, parameters: readonly string[]) => Reply | Promise<Reply>

const activity: BranchHandler = (context, request, repository) => {
  const { state, show } = context
  const ref = request.query.get('ref')
  const actor = request.query.get('actor')
  const type = request.query.get('activity_type')
  const found = state.activity.filter(
    (item) =>
      item.repository === repository.toLowerCase() &&
      (ref === null || item.ref === ref || item.ref === `refs/heads/${ref}`) &&
      (actor === null || item.actor.toLowerCase() === actor.toLowerCase()) &&
      (type === null || item.type === type),
  )
  if (request.query.get('direction') !== 'asc') found.reverse()
  return page(found, request, listUrl(context, request), (item) => ({
    id: item.id,
    node_id: Buffer.from(`PUSH:${item.id}`).toString('base64url'),
    before: item.before,
    after: item.after,
    ref: item.ref,
    timestamp: item.at,
    activity_type: item.type,
    actor: show.user(item.actor),
  }))
}

const branch: BranchHandler = async (context, _request, repository, [name = '']) => {
  const sha = await context.repositories.tip(repository, name)
  if (sha === undefined) throw notFound()
  const url = `${context.urls.api}/repos/${repository}/branches/${encodeURIComponent(name)}`
  return ok({
    name,
    commit: await commitJson(context, repository, sha),
    _links: { self: url, html: `${context.urls.html}/${repository}/tree/${name}` },
    protected: false,
    protection: { enabled: false, required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] } },
    protection_url: `${url}/protection`,
  })
}

const commit: BranchHandler = async (context, _request, repository, [name = '']) => {
  const sha = (await context.repositories.tip(repository, name)) ?? (await context.repositories.commit(repository, name))
  if (sha === undefined) throw notFound()
  return ok(await commitJson(context, repository, sha))
}

const compare: BranchHandler = async (context, request, repository, [basehead = '']) => {
  const { repositories, urls } = context
  const [from = '', to = ''] = basehead.split('...')
  const find = async (name: string) => (await repositories.tip(repository, name)) ?? (await repositories.commit(repository, name))
  const [base, head] = await Promise.all([find(from), find(to)])
  if (base === undefined || head === undefined) throw notFound()
  const { git } = context
  const merge = (await git(repository, ['merge-base', base, head])).trim()
  const commits = (await git(repository, ['rev-list', '--reverse', `${base}..${head}`])).split('\n').filter((line) => line !== '')
  const behind = Number(await git(repository, ['rev-list', '--count', `${head}..${base}`]))
  const url = `${urls.html}/${repository}/compare/${basehead}`
  const shown = page(commits, request, listUrl(context, request), (sha) => ({ sha }))
  return {
    ...shown,
    body: {
      url: `${urls.api}/repos/${repository}/compare/${basehead}`,
      html_url: url,
      permalink_url: url,
      diff_url: `${url}.diff`,
      patch_url: `${url}.patch`,
      base_commit: await commitJson(context, repository, base),
      merge_base_commit: await commitJson(context, repository, merge),
      status: commits.length === 0 ? (behind === 0 ? 'identical' : 'behind') : behind === 0 ? 'ahead' : 'diverged',
      ahead_by: commits.length,
      behind_by: behind,
      total_commits: commits.length,
      commits: await Promise.all(commits.slice(0, 250).map((sha) => commitJson(context, repository, sha))),
      // At most 300 files, all on the first page.
      files: (await repositories.between(base, head)).slice(0, 300).map((file) => diffJson(context, repository, head, file)),
    },
  }
}

export const branchRoutes: readonly (readonly [method: string, path: RegExp, handler: BranchHandler])[] = [
  ['GET', /^$/, ({ show }, _request, repository) => ok(show.fullRepository(repository))],
  ['GET', /^\/activity$/, activity],
  ['GET', /^\/branches\/([^/]+)$/, branch],
  ['GET', /^\/commits\/([^/]+)$/, commit],
  ['GET', /^\/compare\/([^/]+)$/, compare],
]
