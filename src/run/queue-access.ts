import { type AllowLists, decide, needsPermission } from '../access/decide.ts'
import type { Trigger } from '../event/trigger.ts'
import { messageOf } from '../failure.ts'
import type { GitHub } from '../github/types.ts'

/** Whether the actor of a request may ask for something. */
export type Authorise = (trigger: Trigger) => Promise<boolean>

/**
 * The gate for the requests of a thread, the same as for the run's own. Where GitHub does not answer the request is not let in, `onTrouble` gets a
 * sentence, and the next time it is asked again.
 */
export function gate(lists: AllowLists, github: Pick<GitHub, 'permission'>, onTrouble: (note: string) => void): Authorise {
  return async (trigger) => {
    if (!needsPermission(trigger, lists)) return decide({ trigger, ...lists }).allowed
    const { login } = trigger.actor
    try {
      return decide({ trigger, ...lists, permission: await github.permission(login) }).allowed
    } catch (error) {
      onTrouble(`A request of ${login} has to wait, because GitHub did not say what ${login} may do here: ${messageOf(error)}`)
      return false
    }
  }
}
