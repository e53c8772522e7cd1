import type { Session } from '../session/message.ts'

/**
 * A request has a key, by which runs know it from each other's: `comment:1`, `review-comment:2`, `review:3`, `subject:4` for an issue's or
 * pull request's own text, and `event:5` (a run's number) for what nobody wrote.
 */
export const keyForm = /^(?:comment|review-comment|review|subject|event):\d{1,20}$/

const commentKey = /^comment:(\d+)$/

/** The keys of what a session has answered. */
export function answeredKeys({ handled, answered = [] }: Pick<Session, 'handled' | 'answered'>): string[] {
  return [...handled.map((id) => `comment:${id}`), ...answered]
}

/** What a session has answered once these are answered too. An event is over with its run, so its key is not kept. */
export function withAnswered(
  { handled, answered = [] }: Pick<Session, 'handled' | 'answered'>,
  keys: readonly string[],
): Pick<Session, 'handled' | 'answered'> {
  const ids = keys.flatMap((key) => commentKey.exec(key)?.[1] ?? []).map(Number)
  const others = keys.filter((key) => !commentKey.test(key) && !key.startsWith('event:'))
  const all = [...new Set([...answered, ...others])]
  return { handled: [...new Set([...handled, ...ids])], ...(all.length > 0 && { answered: all }) }
}
