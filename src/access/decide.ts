import type { Person, Trigger } from '../event/trigger.ts'

/** What GitHub's collaborator-permission endpoint said, or why it said nothing. */
export type PermissionAnswer =
  | { readonly kind: 'known'; readonly permission: string; readonly role: string }
  | { readonly kind: 'unknown'; readonly reason: string }

/** The inputs `allowed-users` and `allowed-bots`. */
export interface AllowLists {
  readonly allowedUsers: readonly string[]
  readonly allowedBots: readonly string[]
}

export interface AccessFacts extends AllowLists {
  readonly trigger: Trigger
  /** Left out when `needsPermission` said there is no need to ask. */
  readonly permission?: PermissionAnswer
}

/** The sentence is for people: it goes to the log and the job summary. */
export type Verdict = { readonly allowed: true; readonly because: string } | { readonly allowed: false; readonly reason: string }

const writers = new Set(['admin', 'maintain', 'write'])

/** Whether the answer hangs on the permission endpoint: not for bots, whom only a list can let in, nor for people on the list, nor without an actor. */
export function needsPermission(trigger: Trigger, lists: AllowLists): boolean {
  return byListOrEvent(trigger, lists) === undefined
}

/**
 * May this actor start a run? People need write access, by the repository's own permission endpoint and never by organisation membership (C20),
 * or their login in `allowed-users`. Bots need their exact login in `allowed-bots`; the suffix `[bot]` means nothing, for anyone can
 * register one (C15–C18). An answer that is missing or unclear is a refusal (C21). For a failed workflow run the actor is who started that run.
 */
export function decide(facts: AccessFacts): Verdict {
  return byListOrEvent(facts.trigger, facts) ?? byPermission(facts.trigger.actor, facts.permission)
}

/** Whether GitHub said, without doubt, that somebody may push to this repository. */
export function mayWrite(answer: PermissionAnswer | undefined): boolean {
  return answer?.kind === 'known' && writers.has(answer.permission)
}

/** Only the workflow file and people who may write to the repository can cause these. */
const needsWriting = new Set<Trigger['event']>(['schedule', 'workflow_dispatch', 'repository_dispatch'])

function byListOrEvent(trigger: Trigger, lists: AllowLists): Verdict | undefined {
  const { actor } = trigger
  if (needsWriting.has(trigger.event)) return { allowed: true, because: `the event ${trigger.event} needs write access` }
  if (actor.type === 'Bot' || actor.login.endsWith('[bot]')) {
    const listed = lists.allowedBots.some((bot) => bare(bot) === bare(actor.login))
    return listed
      ? { allowed: true, because: `the bot ${actor.login} is listed in allowed-bots` }
      : { allowed: false, reason: `${actor.login} is a bot, and the input allowed-bots does not list it.` }
  }
  // A deleted account has no login of its own that a list could mean.
  if (actor.type !== 'Unknown' && lists.allowedUsers.some((user) => user.toLowerCase() === actor.login.toLowerCase()))
    return { allowed: true, because: `${actor.login} is listed in allowed-users` }
  return undefined
}

function byPermission(actor: Person, permission: PermissionAnswer | undefined): Verdict {
  if (!permission) return { allowed: false, reason: `Nobody asked GitHub what ${actor.login} may do in this repository, so the request is refused.` }
  if (permission.kind === 'unknown')
    return { allowed: false, reason: `GitHub did not say what ${actor.login} may do in this repository (${permission.reason}), so the request is refused.` }
  if (mayWrite(permission)) return { allowed: true, because: `${actor.login} has ${permission.permission} access` }
  return {
    allowed: false,
    reason: `${actor.login} has no write access to this repository (GitHub says "${permission.permission}"), and the input allowed-users does not list this login.`,
  }
}

function bare(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, '')
}
