import type { Trigger } from '../event/trigger.ts'

export interface OwnFacts {
  /** Whom the token acts as, with the suffix `[bot]` where it is one. */
  readonly viewer: string
  /** The commits that the session's turns have pushed. */
  readonly landings: readonly string[]
}

/**
 * Why an event starts nothing that our own push or pull request caused; undefined when somebody else did, or somebody asked in writing. A run for such
 * an event ends as skipped, not as failed, so that no check stays red (C16), even where `allowed-bots` lists us. With the token of a person the login
 * tells nothing: that person pushes as well, so the commit has to be one of ours.
 */
export function ownDoing(trigger: Trigger, { viewer, landings }: OwnFacts): string | undefined {
  if (trigger.event !== 'pull_request' && trigger.event !== 'pull_request_target' && trigger.event !== 'workflow_run') return undefined
  const isBot = viewer.toLowerCase().endsWith('[bot]')
  if (isBot && trigger.actor.login.toLowerCase() === viewer.toLowerCase()) return `${viewer} caused this event, and that is the action itself.`
  const pushed = pushedIn(trigger)
  return pushed !== undefined && landings.includes(pushed) ? `The commit ${pushed.slice(0, 7)} was pushed by an earlier run of the action itself.` : undefined
}

/** The commit whose push the event comes from; none for what people do to a pull request later, such as labelling it. */
function pushedIn(trigger: Extract<Trigger, { event: 'pull_request' | 'pull_request_target' | 'workflow_run' }>): string | undefined {
  if (trigger.event === 'workflow_run') return trigger.run.sha
  return trigger.action === 'synchronize' ? trigger.head.sha : undefined
}
