import { connection } from './connection.ts'
import type { RestContext } from './context.ts'
import { account, association, type Thread, type ThreadComment } from './state.ts'

/** Repositories, accounts, issues and comments as GraphQL answers with them. */

/** Accounts as GraphQL names them: bots without `[bot]` and of type Bot (C28), nobody for a deleted account (C24). */
export function actor({ state, urls }: RestContext, login: string | null) {
  if (login === null) return null
  const { id, type } = account(state, login)
  const name = login.replace(/\[bot\]$/, '')
  const url = type === 'Bot' ? `${urls.html}/apps/${name}` : `${urls.html}/${name}`
  return { __typename: type === 'Bot' ? 'Bot' : 'User', id: `A_${id}`, databaseId: id, login: name, url }
}

/** An account where the schema has room for users only; bots keep their suffix there. */
export const user = (context: RestContext, login: string) => ({ ...actor(context, login), __typename: 'User', login })

/** A repository without what is in it; `fullName` names a fork. */
export function repository({ state, urls, repositories }: RestContext, fullName: string = repositories.own) {
  const isFork = fullName.toLowerCase() !== repositories.own.toLowerCase()
  return {
    id: `R_${isFork ? fullName : state.id}`,
    databaseId: isFork ? null : state.id,
    name: fullName.split('/')[1] ?? '',
    nameWithOwner: fullName,
    isPrivate: state.private,
    isFork,
    url: `${urls.html}/${fullName}`,
    defaultBranchRef: isFork ? null : { id: `REF_${state.defaultBranch}`, name: state.defaultBranch },
  }
}

/** What a text that somebody wrote has in common, wherever it stands. */
export function writing(context: RestContext, text: Pick<ThreadComment, 'id' | 'author' | 'body' | 'updatedAt' | 'lastEditedAt' | 'minimizedReason'>) {
  return {
    databaseId: text.id,
    // A BigInt travels as text.
    fullDatabaseId: `${text.id}`,
    author: actor(context, text.author),
    authorAssociation: association(context.state, text.author),
    body: text.body,
    updatedAt: text.updatedAt,
    lastEditedAt: text.lastEditedAt,
    isMinimized: text.minimizedReason !== null,
    minimizedReason: text.minimizedReason?.toLowerCase() ?? null,
    viewerDidAuthor: text.author?.toLowerCase() === context.state.viewer.toLowerCase(),
  }
}

/** What issues and pull requests have in common. */
export function conversation(context: RestContext, thread: Thread) {
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
    repository: repository(context),
    labels: connection('labels', thread.labels, (name) => ({ id: `LA_${name}`, name })),
    assignees: connection('assignees', thread.assignees, (login) => user(context, login)),
    comments: connection('comments', thread.comments, (comment) => ({
      id: `IC_${comment.id}`,
      ...writing(context, comment),
      createdAt: comment.createdAt,
      url: context.show.htmlUrl(thread, comment),
    })),
  }
}

export function issue(context: RestContext, thread: Thread) {
  return {
    __typename: 'Issue',
    ...conversation(context, thread),
    state: thread.closedAt === null ? 'OPEN' : 'CLOSED',
    stateReason: thread.stateReason?.toUpperCase() ?? null,
  }
}
