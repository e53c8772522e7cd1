import { z } from 'zod'
import type { Author, Comment, Viewer } from './types.ts'

/** The GraphQL nodes that several queries read, and the plain data they become. */

export const Actor = z.object({ __typename: z.string(), login: z.string() }).nullable()
export const ViewerNode = z.object({ login: z.string(), databaseId: z.number().nullish() })

/** Whether a page has a next one: pages of what is newest are read backwards, the others forwards. */
export const Older = z.object({ hasPreviousPage: z.boolean(), startCursor: z.string().nullish() })
export const Further = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() })

/** Nodes of a connection. GraphQL writes null for what the token may not see, be it one of them or all (C25). */
export const listOf = <T extends z.ZodType>(node: T) => z.array(node.nullable()).nullish()

/** What comments, remarks on the diff and reviews have alike. */
export const written = {
  fullDatabaseId: z.union([z.string(), z.number()]).nullish(),
  url: z.string(),
  body: z.string().nullish(),
  lastEditedAt: z.string().nullish(),
  isMinimized: z.boolean(),
  author: Actor,
}

/**
 * The node with the id that REST knows it by. GraphQL's `databaseId` ends at 32 bits, which comment ids have passed; the address
 * carries the id where `fullDatabaseId` is not known.
 */
export const withId = <T extends { fullDatabaseId?: string | number | null | undefined; url: string }>(node: T): T & { id: number } => ({
  ...node,
  id: Number(node.fullDatabaseId ?? /(\d+)$/.exec(node.url)?.[1]),
})
export const hasId = (node: { id: number }): boolean => Number.isSafeInteger(node.id)

export const CommentNode = z
  .object({ ...written, createdAt: z.string() })
  .transform(withId)
  .refine(hasId, 'a comment without an id')

/** A comment as the gateway hands it out. */
export const commentOf = (node: z.infer<typeof CommentNode>): Comment => ({
  id: node.id,
  author: authorOf(node.author),
  body: node.body ?? '',
  createdAt: node.createdAt,
  lastEditedAt: node.lastEditedAt ?? null,
  minimized: node.isMinimized,
  url: node.url,
})

/** Deleted accounts are `ghost` (C24); bots get the suffix that GraphQL leaves out and REST writes (C28). */
export function authorOf(actor: z.infer<typeof Actor>): Author {
  if (!actor) return { login: 'ghost', isBot: false }
  const isBot = actor.__typename === 'Bot'
  return { login: isBot ? withSuffix(actor.login) : actor.login, isBot }
}

/** The viewer is a `User` to GraphQL even when it is an app; an installation's token says which it is. */
export function viewerOf(viewer: z.infer<typeof ViewerNode>, token: string): Viewer {
  return { login: token.startsWith('ghs_') ? withSuffix(viewer.login) : viewer.login, id: viewer.databaseId ?? undefined }
}

const withSuffix = (login: string): string => (login.endsWith('[bot]') ? login : `${login}[bot]`)

/** What is there of a list. */
export const present = <T>(nodes: readonly (T | null)[] | null | undefined): T[] => (nodes ?? []).filter((node) => node !== null)

/** GitHub trims a text and may store other line ends. */
export const sameText = (a: string, b: string): boolean => a.replaceAll('\r\n', '\n').trim() === b.replaceAll('\r\n', '\n').trim()
