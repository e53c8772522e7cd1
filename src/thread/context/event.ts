import { withoutInvisible } from '../visible-characters.ts'
import { attributes, clip, quoted } from './quote.ts'

/** An event that nobody wrote in a thread. */
interface Event {
  readonly event: string
  /** Of a schedule: its line in the workflow file. */
  readonly cron?: string
  /** Of a repository dispatch: its type, and what its sender brought along, as JSON text. */
  readonly type?: string
  readonly payload?: string
}

/**
 * What an event outside of threads brings along, as quoted data: the line of a schedule, the type and payload of a repository dispatch. Empty for other
 * events. `budget` is in characters.
 */
export function eventBlock(
  { event, cron, type, payload }: Event,
  texts: (name: string, values: Readonly<Record<string, string>>) => string,
  budget: number,
): string {
  if (event === 'schedule' && cron !== undefined) return `${texts('github/event', { event })}\n<github_schedule${attributes({ cron })} />`
  if (event !== 'repository_dispatch') return ''
  const { text } = clip(quoted(withoutInvisible(payload ?? '').text), budget)
  return [texts('github/event', { event }), `<github_dispatch${attributes({ type })}>`, ...(text === '' ? [] : [text]), '</github_dispatch>'].join('\n')
}
