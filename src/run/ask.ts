import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../failure.ts'
import { instructionBlock, proposedInstructions } from '../prompt/instructions.ts'
import { refOf } from '../session/fallback.ts'
import { resolveMentions } from '../session/mentions.ts'
import type { WithParts } from '../session/message.ts'
import type { PromptPart } from '../session/user.ts'
import { quoted, visibleRequest } from '../thread/context.ts'
import type { Files } from '../workspace/files.ts'
import type { Assembly } from './assemble.ts'
import { attachmentsOf, attachmentTexts } from './attachments.ts'
import type { Job } from './job.ts'
import type { Knowledge } from './knowledge.ts'
import { lookIn } from './look.ts'
import { requestOf, sourceOf } from './words.ts'

/** What the model is told beside the request. */
export interface Told {
  /** Of the thread, the event, the diff; texts without secrets, empty ones left out. */
  readonly texts: readonly string[]
  /** The texts of people among it, for their attachments. */
  readonly people: readonly AttachedTo[]
  /** Whether the checked-out commit is one the session has not seen. */
  readonly moved: boolean
}
type AttachedTo = Parameters<typeof attachmentTexts>[2][number]

/**
 * Puts the request to the engine, with what the model is told beside it, and waits for the newest answer. `@` in a request refers to files and
 * agents as it does in a command. `notes` gets what people should know. Throws `UnknownNameError` for a command nobody knows.
 */
export async function ask(job: Job, { engine, files }: Assembly, knowledge: Knowledge, told: Told, notes: string[]): Promise<WithParts> {
  const { trigger, settings, choice, world, github, runner } = job
  const { verb } = trigger
  const source = sourceOf(trigger)
  const { text, notes: unseen } = visibleRequest(verb.type === 'command' ? verb.arguments : requestOf(trigger))
  notes.push(...unseen)
  const beside = [...told.texts, told.moved ? await proposals(job, knowledge, files) : ''].filter((each) => each !== '').join('\n\n')
  const attached = await attachmentsOf({
    from: attachmentTexts(trigger, text, told.people),
    github,
    server: { url: runner.serverUrl, token: settings.githubToken },
    texts: world.texts,
    signal: world.signal,
  })
  notes.push(...attached.notes)
  const extra: PromptPart[] = [...(beside === '' ? [] : [{ type: 'text' as const, text: beside, synthetic: true }]), ...attached.parts]
  // The model that the workflow names goes before one that an agent names for itself.
  const about = {
    source,
    ...(settings.model ? { model: refOf(choice) } : {}),
    ...(settings.variant === undefined ? {} : { variant: settings.variant }),
    ...(settings.outputSchema ? { format: { type: 'json_schema' as const, schema: settings.outputSchema, retryCount: 2 } } : {}),
  }
  if (verb.type === 'continue') {
    if (extra.length > 0) await engine.prompt({ parts: extra, noReply: true, ...about })
    return engine.loop()
  }
  if (verb.type === 'command') {
    // The command's own message is made from its template, so the thread comes before it.
    if (extra.length > 0) await engine.prompt({ parts: extra, noReply: true, ...about })
    return engine.command({ name: verb.name, arguments: text, ...about })
  }
  const parts: PromptPart[] = [{ type: 'text', text }, ...resolveMentions(text, lookIn(files), knowledge.agents), ...extra]
  return engine.prompt({ parts, ...about })
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
