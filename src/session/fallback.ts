import { messageOf } from '../failure.ts'
import type { Model } from '../model/model.ts'
import type { MessageError, ModelRef } from './message.ts'

/** Opens a model when it is needed. */
export type OpenModel = () => Promise<Model>

/** A model that took over from another. */
export interface Takeover {
  readonly from: ModelRef
  readonly to: ModelRef
  /** What was wrong with the first, as it said itself. */
  readonly because: string
}

/** The model of a session, and those that wait to take over. */
export interface ModelLine {
  /** The model in use. */
  readonly current: Model
  readonly takeovers: readonly Takeover[]
  /**
   * Puts the next model that can be opened in place of the one that failed, for the rest of the session; undefined when none is left.
   * One that can't be opened is passed over. Subtasks that work side by side meet the same failure at the same time: for all of them one model
   * takes over.
   */
  next(failed: Model, because: string): Promise<Takeover | undefined>
}

/** A line of models: the first is in use, the others are opened when it is their turn. */
export function modelLine(first: Model, fallbacks: readonly OpenModel[] = []): ModelLine {
  const waiting = [...fallbacks]
  const takeovers: Takeover[] = []
  let current = first
  let changing: Promise<Takeover | undefined> = Promise.resolve(undefined)
  const change = async (because: string) => {
    const reasons = [because]
    for (let open = waiting.shift(); open; open = waiting.shift()) {
      try {
        const model = await open()
        const takeover = { from: refOf(current), to: refOf(model), because: reasons.join(' ') }
        takeovers.push(takeover)
        current = model
        return takeover
      } catch (error) {
        reasons.push(`The next model could not be opened: ${messageOf(error)}`)
      }
    }
    return undefined
  }
  return {
    get current() {
      return current
    },
    takeovers,
    next(failed, because) {
      changing = changing.then(() => (current === failed ? change(because) : { from: refOf(failed), to: refOf(current), because }))
      return changing
    },
  }
}

/**
 * Whether another model may do better with the same request: this one is not there, refuses us, has no quota left or keeps failing.
 * Not when the conversation is too long, when the content is refused, or when we were stopped.
 */
export function mayFallBack({ name, code }: MessageError): boolean {
  return code !== 'invalid_prompt' && (name === 'APIError' || name === 'ProviderAuthError' || name === 'ModelNotFoundError')
}

/** The name of a model as people write it. */
export const nameOf = ({ providerID, modelID }: ModelRef): string => `${providerID}/${modelID}`

/** The reference of a model. */
export const refOf = ({ info }: { readonly info: ModelRef }): ModelRef => ({ providerID: info.providerID, modelID: info.modelID })
