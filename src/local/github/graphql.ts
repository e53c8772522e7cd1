import { buildSchema, graphql as execute, type GraphQLSchema } from 'graphql'
import { z } from 'zod'
import { fail } from './connection.ts'
import type { RestContext } from './context.ts'
import { issue, repository, user } from './graphql-issue.ts'
import { pullRequest, reviewThread } from './graphql-pull.ts'
import type { ApiRequest, Reply } from './http.ts'
import { subset } from './schema.ts'

/** A real GraphQL server over the emulator's state: documents are parsed, validated and executed by the `graphql` package. */

const Request = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()).nullish(), operationName: z.string().nullish() })

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

interface ThreadInput {
  readonly input: { readonly threadId: string; readonly clientMutationId?: string }
}

function root(context: RestContext) {
  const { state } = context
  const thread = (id: string) => {
    for (const item of state.threads.values()) {
      const remarks = item.pull?.remarks.find((entry) => entry.id === id)
      if (remarks !== undefined && item.pull !== undefined) return { thread: item, pull: item.pull, remarks }
    }
    throw fail('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`)
  }
  const resolve =
    (resolvedBy: string | null) =>
    ({ input }: ThreadInput) => {
      const found = thread(input.threadId)
      found.remarks.resolvedBy = resolvedBy
      return { clientMutationId: input.clientMutationId ?? null, thread: reviewThread(context, found) }
    }
  return {
    // For the workflow token GitHub answers with a User whose login carries the suffix, unlike every other bot in GraphQL.
    viewer: () => user(context, state.viewer),
    repository: ({ owner, name }: { owner: string; name: string }) => {
      if (`${owner}/${name}`.toLowerCase() === context.repositories.own.toLowerCase()) return { ...repository(context), ...numbered(context) }
      throw fail('NOT_FOUND', `Could not resolve to a Repository with the name '${owner}/${name}'.`)
    },
    node: ({ id }: { id: string }) => reviewThread(context, thread(id)),
    resolveReviewThread: resolve(state.viewer),
    unresolveReviewThread: resolve(null),
  }
}

/** The fields of a repository that take a number. */
function numbered(context: RestContext) {
  const find = async (number: number, wanted: 'issue' | 'pull' | 'either') => {
    const thread = context.state.threads.get(number)
    const kind = thread?.pull === undefined ? 'issue' : 'pull'
    const word = { issue: 'an Issue', pull: 'a PullRequest', either: 'an issue or pull request' }[wanted]
    if (thread === undefined || (wanted !== 'either' && wanted !== kind)) throw fail('NOT_FOUND', `Could not resolve to ${word} with the number of ${number}.`)
    return thread.pull === undefined ? issue(context, thread) : pullRequest(context, thread, thread.pull)
  }
  return {
    issue: ({ number }: { number: number }) => find(number, 'issue'),
    pullRequest: ({ number }: { number: number }) => find(number, 'pull'),
    issueOrPullRequest: ({ number }: { number: number }) => find(number, 'either'),
  }
}
