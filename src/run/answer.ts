import { fenced } from '../report/markdown.ts'
import type { WithParts } from '../session/message.ts'
import { ask, type Told } from './ask.ts'
import type { Assembly } from './assemble.ts'
import { ModelFailure } from './complaints.ts'
import type { ThreadInbox } from './inbox.ts'
import type { Job } from './job.ts'
import type { Knowledge } from './knowledge.ts'

/** What the engine is given to work with in one turn. */
interface Work {
  readonly job: Job
  readonly assembly: Assembly
  readonly knowledge: Knowledge
  readonly told: Told
  readonly inbox: Pick<ThreadInbox, 'arrived'>
  readonly stop: AbortSignal
  /** Gets what people should know. */
  readonly notes: string[]
}

/**
 * Has the engine answer the request, and what arrives until there is nothing more to answer. Throws `ModelFailure` when the model could not, or the run
 * was stopped.
 */
export async function answer({ job, assembly, knowledge, told, inbox, stop, notes }: Work): Promise<WithParts> {
  const { engine } = assembly
  const { verb } = job.trigger
  let last = verb.type === 'shell' ? await engine.shell({ command: verb.command }) : await ask(job, assembly, knowledge, told, notes)
  while (!stop.aborted && !failure(last) && (await inbox.arrived())) last = await engine.loop()
  const error = failure(last)
  if (stop.aborted) throw new ModelFailure({ name: 'MessageAbortedError', message: reasonOf(stop) })
  if (error) throw new ModelFailure(error)
  return last
}

function failure({ info }: WithParts) {
  return info.role === 'assistant' ? info.error : undefined
}

function reasonOf({ reason }: AbortSignal): string {
  return typeof reason === 'string' ? reason : 'The run was stopped.'
}

/** What a command that a person had run has printed, as the answer; undefined for answers of the model. */
export function shellAnswer({ parts }: WithParts): string | undefined {
  const [part, ...others] = parts
  if (part?.type !== 'tool' || others.length > 0 || part.tool !== 'bash' || part.state.status !== 'completed') return undefined
  return fenced('', `$ ${String(part.state.input.command)}\n${part.state.output}`)
}
