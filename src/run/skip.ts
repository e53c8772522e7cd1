import { withinBudget } from '../access/budget.ts'
import { ownDoing } from '../access/own.ts'
import { askingOf } from '../event/asking.ts'
import { answeredKeys } from '../thread/keys.ts'
import type { Request } from './job.ts'
import { keyOf } from './queue.ts'
import type { Scene } from './scene.ts'

/**
 * Why a run has nothing to do although its request passed the gate: it was answered already, also in a turn that a maintainer hid, for nobody wants
 * that twice; our own push caused it; or there were too many requests within the hour. Undefined where it has something to do.
 */
export function whyNot({ trigger, runner }: Request, scene: Scene): string | undefined {
  const { thread, viewer } = scene
  if (trigger.verb.type !== 'cancel' && thread.answered.has(keyOf(trigger, runner.runId))) return 'This request was answered already.'
  const own = ownDoing(trigger, { viewer: viewer.login, landings: (thread.session?.landings ?? []).map(({ to }) => to) })
  if (own !== undefined) return own
  if (!askingOf(trigger) || trigger.verb.type === 'cancel') return undefined
  const verdict = withinBudget({ actor: trigger.actor.login, now: Date.now(), ...answeredTimes(scene, trigger.actor.login) })
  return verdict.allowed ? undefined : verdict.reason
}

/** When the requests that this thread has answered were made. */
function answeredTimes({ thread, discussion }: Scene, login: string): { byActor: string[]; inThread: string[] } {
  const answered = new Set([...thread.answered, ...(thread.session ? answeredKeys(thread.session) : [])])
  const requests = (discussion?.comments ?? []).filter(({ id }) => answered.has(`comment:${id}`))
  const own = requests.filter(({ author }) => author.login.toLowerCase() === login.toLowerCase())
  return { byActor: own.map(({ createdAt }) => createdAt), inThread: requests.map(({ createdAt }) => createdAt) }
}
