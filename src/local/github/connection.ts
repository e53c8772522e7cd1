import { GraphQLError, type GraphQLResolveInfo } from 'graphql'

/** Pages of GraphQL lists, by GitHub's rules. */

export interface PageArguments {
  readonly first?: number | null
  readonly last?: number | null
  readonly after?: string | null
  readonly before?: string | null
}

export const fail = (type: string, message: string) => new GraphQLError(message, { extensions: { type } })

const cursorOf = (index: number) => Buffer.from(`cursor:v2:${index}`).toString('base64')
const indexOf = (cursor: string) => Number(Buffer.from(cursor, 'base64').toString('utf8').replace('cursor:v2:', ''))

/** A resolver for one page of a connection. GitHub wants `first` or `last`, and at most 100 of them (C25). */
export const connection =
  <T>(name: string, items: readonly T[], show: (item: T) => unknown) =>
  (page: PageArguments, _: unknown, info: GraphQLResolveInfo) => {
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
    if (!Number.isInteger(low) || !Number.isInteger(high))
      throw fail('INVALID_CURSOR_ARGUMENTS', `\`${after ?? before}\` does not appear to be a valid cursor.`)
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
