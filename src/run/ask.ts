import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Verb } from '../event/trigger.ts'
import { messageOf } from '../failure.ts'
import { instructionBlock, proposedInstructions } from '../prompt/instructions.ts'
import { refOf } from '../session/fallback.ts'
import { resolveMentions } from '../session/mentions.ts'
import type { ModelRef, WithParts } from '../session/message.ts'
import type { PromptPart } from '../session/user.ts'
import { quoted } from '../thread/context.ts'
import type { Files } from '../workspace/files.ts'
import type { Assembly } from './assemble.ts'
import type { Job } from './job.ts'
import type { Knowledge } from './knowledge.ts'
import { lookIn } from './look.ts'
import { requestOf, sourceOf } from './words.ts'

type ServedVerb = Extract<Verb, { type: 'prompt' | 'command' | 'continue' }>

/** Whether what a comment asks for is built already. */
export function isServed(verb: Verb): verb is ServedVerb {
  return verb.type === 'prompt' || verb.type === 'command' || verb.type === 'continue'
}

/** What the model is told beside the request. */
interface Told {
  /** Of the thread; empty when there is nothing new. */
  readonly thread: string
  /** Whether the checked-out commit is one the session has not seen. */
  readonly moved: boolean
}

/**
 * Puts the request to the engine, with what the model is told beside it, and waits for the newest answer. `@` in a request refers to files and
 * agents as it does in a command. Throws `UnknownNameError` for a command nobody knows.
 */
export async function ask(job: Job, { engine, files }: Assembly, knowledge: Knowledge, { thread, moved }: Told): Promise<WithParts> {
  const { trigger, settings, choice } = job
  const { verb } = trigger
  const source = sourceOf(trigger)
  const told = [thread, moved ? await proposals(job, knowledge, files) : ''].filter((text) => text !== '').join('\n\n')
  const extra: PromptPart[] = told === '' ? [] : [{ type: 'text', text: told, synthetic: true }]
  // The model that the workflow names goes before one that an agent names for itself.
  const model: { model?: ModelRef; variant?: string } = {
    ...(settings.model ? { model: refOf(choice) } : {}),
    ...(settings.variant === undefined ? {} : { variant: settings.variant }),
  }
  if (verb.type === 'command') {
    // The command's own message is made from its template, so the thread comes before it.
    if (extra.length > 0) await engine.prompt({ parts: extra, source, noReply: true, ...model })
    return engine.command({ name: verb.name, arguments: verb.arguments, source, ...model })
  }
  if (verb.type === 'continue') return engine.loop()
  const text = requestOf(trigger)
  const parts: PromptPart[] = [{ type: 'text', text }, ...resolveMentions(text, lookIn(files), knowledge.agents), ...extra]
  return engine.prompt({ parts, source, ...model })
}

/** Where the checked-out branch would change the instructions of the trusted commit: shown as data, never followed (DECISIONS 7, C144). */
async function proposals({ world }: Job, { instructions }: Knowledge, files: Files): Promise<string> {
  const now = async (path: string) => {
    try {
      return await readFile(files.locate(join(files.root, path), 'read'), 'utf8')
    } catch (error) {
      world.log.info(`${path} is not read from the checkout: ${messageOf(error)}`)
      return undefined
    }
  }
  const changed = await proposedInstructions(instructions, now)
  return changed.length === 0 ? '' : world.texts('github/proposed-instructions', { text: quoted(changed.map(instructionBlock).join('\n\n')) })
}
