import { z } from 'zod'
import { branchesOf, noteMoves } from '../activity.ts'
import type { RestContext } from '../context.ts'
import { notFound, Refusal, type Reply, unprocessable } from '../http.ts'
import { writeCommit, writeTree } from '../objects.ts'
import { inspectMove, isForward } from '../push.ts'
import { judge } from '../rules.ts'
import { gitCommitJson, refJson } from '../show-git.ts'
import { account } from '../state.ts'
import { ok, type Route } from './route.ts'

/** The Git data API: real objects in the bare repository, and branches moved to them by GitHub's rules. */

const Blob = z.object({ content: z.string(), encoding: z.enum(['utf-8', 'base64']).default('utf-8') })
const Tree = z.object({
  base_tree: z.string().optional(),
  tree: z.array(
    z.object({
      path: z.string().min(1),
      mode: z.enum(['100644', '100755', '040000', '160000', '120000']),
      type: z.enum(['blob', 'tree', 'commit']).optional(),
      sha: z.string().nullish(),
      content: z.string().optional(),
    }),
  ),
})
const Person = z.object({ name: z.string(), email: z.string(), date: z.string().optional() })
const Commit = z.object({
  message: z.string().min(1),
  tree: z.string(),
  parents: z.array(z.string()).default([]),
  author: Person.optional(),
  committer: Person.optional(),
})
const NewRef = z.object({ ref: z.string(), sha: z.string() })
const Move = z.object({ sha: z.string(), force: z.boolean().default(false) })

function read<T>(shape: z.ZodType<T>, body: unknown): T {
  const parsed = shape.safeParse(body)
  if (!parsed.success) throw unprocessable('Invalid request.')
  return parsed.data
}

const zero = '0'.repeat(40)
const ownOf = ({ repositories }: RestContext) => repositories.own
const apiOf = (context: RestContext) => `${context.urls.api}/repos/${ownOf(context)}/git`

async function typeOf(context: RestContext, sha: string): Promise<string | undefined> {
  if (!/^[0-9a-f]{40}$/.test(sha)) return undefined
  const answer = (await context.git(ownOf(context), ['cat-file', '--batch-check=%(objecttype)'], { input: `${sha}\n` })).trim()
  return answer.endsWith('missing') ? undefined : answer
}

/** Moves or makes a branch, if no rule of the repository forbids it, and notes who did. */
async function setRef(context: RestContext, ref: string, before: string | undefined, after: string): Promise<void> {
  const { state, repositories, rules } = context
  const own = ownOf(context)
  const change = { ref, before: before ?? zero, after }
  const refused = rules.length === 0 ? undefined : judge(rules, state, [await inspectMove(repositories, own, change)])
  if (refused !== undefined) {
    // The API says of workflow files no more than that the app may not.
    if (refused.reason.includes('workflow')) throw new Refusal(403, 'Resource not accessible by integration')
    throw unprocessable(['Repository rule violations found', '', ...refused.remote.filter((line) => line.startsWith('-')), ''].join('\n'))
  }
  const known = await branchesOf(repositories, own)
  await context.git(own, ['update-ref', ref, after])
  await noteMoves(state, repositories, own, known, state.viewer)
  await repositories.refresh()
}

async function makeCommit(context: RestContext, body: unknown): Promise<Reply> {
  const { state } = context
  const { message, tree, parents, author, committer } = read(Commit, body)
  if ((await typeOf(context, tree)) !== 'tree') throw unprocessable('Tree SHA does not exist')
  for (const parent of parents) if ((await typeOf(context, parent)) !== 'commit') throw unprocessable('Parent SHA does not exist or is not a commit object')
  const { id, login } = account(state, state.viewer)
  const own = { name: login, email: `${id}+${login}@users.noreply.github.com` }
  const isApp = login.endsWith('[bot]')
  const made = await writeCommit(context, {
    tree,
    parents,
    message,
    author: author ?? own,
    // GitHub commits for an app that names nobody, and only then does it sign.
    committer: committer ?? author ?? (isApp ? { name: 'GitHub', email: 'noreply@github.com' } : own),
  })
  if (isApp && author === undefined && committer === undefined) state.signed.add(made)
  return ok(await gitCommitJson(context, ownOf(context), made), 201)
}

export const dataRoutes: readonly Route[] = [
  [
    'POST',
    /^\/git\/blobs$/,
    async (context, request) => {
      const { content, encoding } = read(Blob, request.body)
      const sha = (
        await context.git(ownOf(context), ['hash-object', '-w', '--stdin'], { input: Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8') })
      ).trim()
      return ok({ sha, url: `${apiOf(context)}/blobs/${sha}` }, 201)
    },
  ],
  [
    'POST',
    /^\/git\/trees$/,
    async (context, request) => {
      const { tree, base_tree: base } = read(Tree, request.body)
      if (base !== undefined && (await typeOf(context, base)) === undefined) throw unprocessable('base_tree is not a valid tree oid')
      for (const entry of tree)
        if (entry.sha != null && entry.mode !== '160000' && (await typeOf(context, entry.sha)) === undefined)
          throw unprocessable(`tree.sha ${entry.sha} is not a valid ${entry.type ?? 'blob'}`)
      const sha = await writeTree(context, base, tree)
      return ok(await treeJson(context, sha, false), 201)
    },
  ],
  [
    'GET',
    /^\/git\/trees\/([^/]+)$/,
    async (context, request, [name = '']) => {
      const sha = (await context.git(ownOf(context), ['rev-parse', '--verify', '--quiet', `${name}^{tree}`]).catch(() => '')).trim()
      if (sha === '') throw notFound()
      return ok(await treeJson(context, sha, request.query.get('recursive') !== null))
    },
  ],
  ['POST', /^\/git\/commits$/, (context, request) => makeCommit(context, request.body)],
  [
    'GET',
    /^\/git\/commits\/([0-9a-f]{40})$/,
    async (context, _request, [sha = '']) => {
      if ((await typeOf(context, sha)) !== 'commit') throw notFound()
      return ok(await gitCommitJson(context, ownOf(context), sha))
    },
  ],
  [
    'GET',
    /^\/git\/ref\/(.+)$/,
    async (context, _request, [name = '']) => {
      const ref = `refs/${name}`
      const sha = await context.repositories.commit(ownOf(context), ref)
      if (sha === undefined) throw notFound()
      return ok(refJson(context, ownOf(context), ref, sha))
    },
  ],
  [
    'GET',
    /^\/git\/matching-refs\/(.+)$/,
    async (context, _request, [name = '']) => {
      const known = await branchesOf(context.repositories, ownOf(context))
      return ok([...known].filter(([ref]) => ref.startsWith(`refs/${name}`)).map(([ref, sha]) => refJson(context, ownOf(context), ref, sha)))
    },
  ],
  [
    'POST',
    /^\/git\/refs$/,
    async (context, request) => {
      const { ref, sha } = read(NewRef, request.body)
      if (!/^refs\/[^/]+\/./.test(ref)) throw unprocessable('Reference name is not valid')
      if ((await context.repositories.commit(ownOf(context), ref)) !== undefined) throw unprocessable('Reference already exists')
      if ((await typeOf(context, sha)) !== 'commit') throw unprocessable('Object does not exist')
      await setRef(context, ref, undefined, sha)
      return ok(refJson(context, ownOf(context), ref, sha), 201)
    },
  ],
  [
    'PATCH',
    /^\/git\/refs\/(.+)$/,
    async (context, request, [name = '']) => {
      const { sha, force } = read(Move, request.body)
      const ref = `refs/${name}`
      const before = await context.repositories.commit(ownOf(context), ref)
      if (before === undefined) throw unprocessable('Reference does not exist')
      if ((await typeOf(context, sha)) !== 'commit') throw unprocessable('Object does not exist')
      if (!force && !(await isForward(context.repositories, ownOf(context), before, sha))) throw unprocessable('Update is not a fast forward')
      await setRef(context, ref, before, sha)
      return ok(refJson(context, ownOf(context), ref, sha))
    },
  ],
  [
    'DELETE',
    /^\/git\/refs\/(.+)$/,
    async (context, _request, [name = '']) => {
      const { repositories, state } = context
      const own = ownOf(context)
      const known = await branchesOf(repositories, own)
      if (!known.has(`refs/${name}`)) throw unprocessable('Reference does not exist')
      await context.git(own, ['update-ref', '-d', `refs/${name}`])
      await noteMoves(state, repositories, own, known, state.viewer)
      return { status: 204 }
    },
  ],
]

async function treeJson(context: RestContext, sha: string, recursive: boolean): Promise<object> {
  const text = await context.git(ownOf(context), ['ls-tree', '-z', '-l', ...(recursive ? ['-r', '-t'] : []), sha])
  const rows = text.split('\0').filter((row) => row !== '')
  return {
    sha,
    url: `${apiOf(context)}/trees/${sha}`,
    truncated: false,
    tree: rows.map((row) => {
      const [facts = '', path = ''] = row.split('\t')
      const [mode, type, id, size = '-'] = facts.split(/\s+/)
      return { path, mode, type, sha: id, ...(size === '-' ? {} : { size: Number(size) }), url: `${apiOf(context)}/${type}s/${id}` }
    }),
  }
}
