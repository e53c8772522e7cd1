import type { Discussion, Permission } from '../../github/types.ts'
import type { Session } from '../../session/message.ts'
import { everything } from './moment.ts'
import type { Access } from './teller.ts'

/**
 * What the people whose words are new may do here, as GitHub says it: of at most `most` people, those who wrote last. Bots are known as such without
 * asking. Whoever is not asked about, and whoever GitHub says nothing about, is unknown. Never throws.
 */
export async function accessOf(
  discussion: Discussion,
  seen: Session['seen'],
  permission: (login: string) => Promise<Permission>,
  most: number,
): Promise<ReadonlyMap<string, Access>> {
  const news = [...everything(discussion)].filter(([{ id, author }, row]) => id > (seen?.[row] ?? 0) && isPerson(author))
  const byTime = news.sort(([a], [b]) => Date.parse(b.createdAt) - Date.parse(a.createdAt)).map(([{ author }]) => author.login)
  const first = seen || !isPerson(discussion.author) ? [] : [discussion.author.login]
  const logins = [...new Set([...first, ...byTime])].slice(0, most)
  const levels = await Promise.all(logins.map(async (login): Promise<[string, Access]> => [login, levelOf(await permission(login).catch(() => undefined))]))
  return new Map(levels)
}

/** A deleted account is `ghost` to everybody; nothing can be known about it. */
const isPerson = ({ login, isBot }: Discussion['author']): boolean => !isBot && login !== 'ghost'

function levelOf(found: Permission | undefined): Access {
  if (found?.kind !== 'known') return 'unknown'
  return found.permission === 'admin' || found.permission === 'write' ? 'write' : 'read'
}
