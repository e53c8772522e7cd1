import { buildSchema, graphql as execute, GraphQLError, type GraphQLResolveInfo, type GraphQLSchema } from 'graphql'
import { z } from 'zod'
import type { RestContext } from './context.ts'
import type { ApiRequest, Reply } from './http.ts'
import type { Diff } from './repository.ts'
import { subset } from './schema.ts'
import { account, association, type PullState, type Thread, type ThreadComment } from './state.ts'

/** A real GraphQL server over the emulator's state: documents are parsed, validated and executed by the `graphql` package. */

const Request = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()).nullish(), operationName: z.string().nullish() })

interface PageArguments {
  readonly first?: number | null
  readonly last?: number | null
  readonly after?: string | null
  readonly before?: string | null
}

let schema: GraphQLSchema | undefined

/** Answers `POST /graphql`; errors come with status 200 and their `type` beside the message, as GitHub writes them. */
export async function graphql(context: RestContext, request: ApiRequest): Promise<Reply> {
  const parsed = Request.safeParse(request.body)
  if (!parsed.success) return { status: 400, body: { message: 'Problems parsing JSON', documentation_url: 'https://docs.github.com/graphql' } }
  schema ??= buildSchema(subset)
  const { query, variables, operationName } = parsed.data
  const result = await execute({
    schema,
    source: query,
    rootValue: root(context),
    variableValues: variables ?? {},
    ...(operationName == null ? {} : { operationName }),
  })
  const errors = result.errors?.map(({ message, path, locations, extensions }) => ({
    ...(typeof extensions.type === 'string' ? { type: extensions.type } : {}),
    ...(path === undefined ? {} : { path }),
    ...(locations === undefined ? {} : { locations }),
    message,
  }))
  return { status: 200, body: { ...(result.data === undefined ? {} : { data: result.data }), ...(errors === undefined ? {} : { errors }) } }
}

const fail = (type: string, message: string) => new GraphQLError(message, { extensions: { type } })

function root(context: RestContext) {
  const { state } = context
  return {
    // For the workflow token GitHub answers with a User whose login carries the suffix, unlike every other bot in GraphQL.
    viewer: () => ({ ...actor(context, state.viewer), __typename: 'User', login: state.viewer }),
    repository: ({ owner, name }: { owner: string; name: string }) => {
      if (`${owner}/${name}`.toLowerCase() === `${state.owner}/${state.repo}`.toLowerCase()) return repository(context)
      throw fail('NOT_FOUND', `Could not resolve to a Repository with the name '${owner}/${name}'.`)
    },
  }
}

/** Accounts as GraphQL names them: bots without `[bot]` and of type Bot (C28), nobody for a deleted account (C24). */
function actor({ state, urls }: RestContext, login: string | null) {
  if (login === null) return null
  const { id, type } = account(state, login)
  const name = login.replace(/\[bot\]$/, '')
  const url = type === 'Bot' ? `${urls.html}/apps/${name}` : `${urls.html}/${name}`
  return { __typename: type === 'Bot' ? 'Bot' : 'User', id: `A_${id}`, databaseId: id, login: name, url }
}

function repository(context: RestContext) {
  const { state, urls } = context
  const find = async (number: number, wanted: 'issue' | 'pull' | 'either') => {
    const thread = state.threads.get(number)
    const kind = thread?.pull === undefined ? 'issue' : 'pull'
    const word = { issue: 'an Issue', pull: 'a PullRequest', either: 'an issue or pull request' }[wanted]
    if (thread === undefined || (wanted !== 'either' && wanted !== kind)) throw fail('NOT_FOUND', `Could not resolve to ${word} with the number of ${number}.`)
    return thread.pull === undefined ? issue(context, thread) : pullRequest(context, thread, thread.pull)
  }
  return {
    id: `R_${state.id}`,
    databaseId: state.id,
    name: state.repo,
    nameWithOwner: `${state.owner}/${state.repo}`,
    isPrivate: state.private,
    isFork: false,
    url: `${urls.html}/${state.owner}/${state.repo}`,
    defaultBranchRef: { id: `REF_${state.defaultBranch}`, name: state.defaultBranch },
    issue: ({ number }: { number: number }) => find(number, 'issue'),
    pullRequest: ({ number }: { number: number }) => find(number, 'pull'),
    issueOrPullRequest: ({ number }: { number: number }) => find(number, 'either'),
  }
}

function conversation(context: RestContext, thread: Thread) {
  return {
    id: `I_${thread.id}`,
    databaseId: thread.id,
    fullDatabaseId: `${thread.id}`,
    number: thread.number,
    title: thread.title,
    body: thread.body ?? '',
    author: actor(context, thread.author),
    authorAssociation: association(context.state, thread.author),
    createdAt: thread.createdAt,
    updatedAt: thread.updatedAt,
    lastEditedAt: thread.lastEditedAt,
    closed: thread.closedAt !== null,
    locked: thread.locked,
    url: context.show.htmlUrl(thread),
    labels: (page: PageArguments, _: unknown, info: GraphQLResolveInfo) =>
      connection('labels', thread.labels, page, info, (name) => ({ id: `LA_${name}`, name })),
    comments: (page: PageArguments, _: unknown, info: GraphQLResolveInfo) =>
      connection('comments', thread.comments, page, info, (comment) => issueComment(context, thread, comment)),
  }
}

function issue(context: RestContext, thread: Thread) {
  return { __typename: 'Issue', ...conversation(context, thread), state: thread.closedAt === null ? 'OPEN' : 'CLOSED' }
}

async function pullRequest(context: RestContext, thread: Thread, pull: PullState) {
  const { state, repositories, urls } = context
  await repositories.refresh()
  const diff: Diff = await repositories.diff(pull)
  const own = `${state.owner}/${state.repo}`
  const isOwn = pull.headRepository?.toLowerCase() === own.toLowerCase()
  const fork = {
    id: `R_${pull.headRepository}`,
    databaseId: null,
    name: pull.headRepository?.split('/')[1] ?? '',
    nameWithOwner: pull.headRepository,
    isPrivate: state.private,
    isFork: true,
    url: `${urls.html}/${pull.headRepository}`,
    defaultBranchRef: null,
  }
  return {
    __typename: 'PullRequest',
    ...conversation(context, thread),
    state: pull.merged ? 'MERGED' : thread.closedAt === null ? 'OPEN' : 'CLOSED',
    baseRefName: pull.base,
    baseRefOid: diff.baseSha,
    headRefName: pull.head,
    headRefOid: diff.headSha,
    headRepository: pull.headRepository === null ? null : isOwn ? repository(context) : fork,
    isCrossRepository: !isOwn,
    isDraft: pull.draft,
    merged: pull.merged,
    maintainerCanModify: pull.maintainerCanModify,
    additions: diff.additions,
    deletions: diff.deletions,
    changedFiles: diff.files.length,
    commits: (page: PageArguments, _: unknown, info: GraphQLResolveInfo) => connection('commits', Array.from({ length: diff.commits }), page, info, () => null),
    files: (page: PageArguments, _: unknown, info: GraphQLResolveInfo) =>
      connection('files', diff.files, page, info, ({ path, additions, deletions, change }) => ({ path, additions, deletions, changeType: change })),
  }
}

function issueComment(context: RestContext, thread: Thread, comment: ThreadComment) {
  return {
    id: `IC_${comment.id}`,
    databaseId: comment.id,
    // A BigInt travels as text.
    fullDatabaseId: `${comment.id}`,
    author: actor(context, comment.author),
    authorAssociation: association(context.state, comment.author),
    body: comment.body,
    createdAt: comment.createdAt,
    updatedAt: comment.updatedAt,
    lastEditedAt: comment.lastEditedAt,
    isMinimized: comment.minimizedReason !== null,
    minimizedReason: comment.minimizedReason?.toLowerCase() ?? null,
    viewerDidAuthor: comment.author?.toLowerCase() === context.state.viewer.toLowerCase(),
    url: context.show.htmlUrl(thread, comment),
  }
}

const cursorOf = (index: number) => Buffer.from(`cursor:v2:${index}`).toString('base64')
const indexOf = (cursor: string) => Number(Buffer.from(cursor, 'base64').toString('utf8').replace('cursor:v2:', ''))

/** One page of a connection. GitHub wants `first` or `last`, and at most 100 of them (C25). */
function connection<T>(name: string, items: readonly T[], page: PageArguments, info: GraphQLResolveInfo, show: (item: T) => unknown) {
  const { first, last, after, before } = page
  const asked = first ?? last ?? 0
  // The bare count needs no page size.
  const lists = info.fieldNodes.some(({ selectionSet }) => selectionSet?.selections.some((field) => field.kind === 'Field' && field.name.value === 'nodes'))
  if (lists && first == null && last == null)
    throw fail('MISSING_PAGINATION_BOUNDARIES', `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`)
  if (asked > 100)
    throw fail(
      'EXCESSIVE_PAGINATION',
      `Requesting ${asked} records on the \`${name}\` connection exceeds the \`${first == null ? 'last' : 'first'}\` limit of 100 records.`,
    )
  if (asked < 0) throw fail('ARGUMENT_LIMIT', `\`${first == null ? 'last' : 'first'}\` on the \`${name}\` connection cannot be less than zero.`)
  const low = after == null ? 0 : indexOf(after) + 1
  const high = before == null ? items.length : indexOf(before)
  if (!Number.isInteger(low) || !Number.isInteger(high)) throw fail('INVALID_CURSOR_ARGUMENTS', `\`${after ?? before}\` does not appear to be a valid cursor.`)
  const start = first == null ? Math.max(low, high - asked) : low
  const end = first == null ? high : Math.min(high, low + asked)
  const shown = items.slice(start, end)
  return {
    totalCount: items.length,
    nodes: shown.map(show),
    pageInfo: {
      startCursor: shown.length === 0 ? null : cursorOf(start),
      endCursor: shown.length === 0 ? null : cursorOf(start + shown.length - 1),
      hasPreviousPage: start > 0,
      hasNextPage: end < items.length,
    },
  }
}
