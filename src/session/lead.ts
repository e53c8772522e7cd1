import { messageOf } from '../failure.ts'
import type { Model } from '../model/model.ts'
import { type ModelLine, modelLine, nameOf, type OpenModel, refOf } from './fallback.ts'
import type { ModelRef, User } from './message.ts'
import type { Recorder } from './record.ts'
import type { Agent } from './step.ts'

/** The newest message of a user, who says which agent and model are to answer. */
const newestUser = ({ store }: Recorder): User | undefined => {
  const info = store.messages().findLast(({ info }) => info.role === 'user')?.info
  return info?.role === 'user' ? info : undefined
}

/** The agent that answers: the one the newest message names, else the one that leads the session. */
export function leaderOf({ record, agent, agents }: { readonly record: Recorder; readonly agent: Agent; readonly agents: readonly Agent[] }): Agent {
  const name = newestUser(record)?.agent
  return agents.find((each) => each.name === name) ?? agent
}

interface Options {
  readonly model: Model
  readonly fallbacks?: readonly OpenModel[]
  readonly openModel?: (ref: ModelRef) => Promise<Model>
}

/**
 * The models that answer: those of the session, unless the newest message names another; it is opened then, with the session's
 * fallbacks behind it. A model that can't be opened ends the run: the error says so, also to listeners.
 */
export async function lineFor(current: ModelLine, { model, fallbacks, openModel }: Options, record: Recorder): Promise<ModelLine> {
  const wanted = newestUser(record)?.model
  const inLine = [refOf(current.current), ...current.takeovers.map(({ from }) => from)].map(nameOf)
  if (!wanted || inLine.includes(nameOf(wanted))) return current
  if (nameOf(refOf(model)) === nameOf(wanted)) return modelLine(model, fallbacks)
  if (!openModel) return current
  try {
    return modelLine(await openModel(wanted), fallbacks)
  } catch (error) {
    record.error({ name: 'UnknownError', message: `The model ${nameOf(wanted)} could not be opened: ${messageOf(error)}` })
    throw error
  }
}
