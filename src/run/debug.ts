import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../failure.ts'
import { inspected } from '../model/inspect.ts'
import type { Model } from '../model/model.ts'
import { redactedJson } from '../report/redact.ts'
import type { Job } from './job.ts'

/**
 * With the input `debug-prompt`, or `OPENCODE_DEBUG_PROMPT=1`, the newest request to the model stands in `opencode-prompt-SESSION.json` of the
 * runner's temporary folder, in the fields the seeds name, without secrets (DECISIONS 19).
 */
export async function withDebugExport(
  { world, settings, runner }: Job,
  model: Model,
  session: { readonly id: string; readonly agent: string },
): Promise<Model> {
  if (!settings.debugPrompt && world.env.OPENCODE_DEBUG_PROMPT !== '1') return model
  const file = join(runner.temp, `opencode-prompt-${session.id}.json`)
  world.log.info(`Requests to the model are written to ${file}.`)
  return inspected(model, (request) => {
    const text = redactedJson({ sessionID: session.id, model: model.info, agent: session.agent, ...request }, world.redactor, 2)
    try {
      writeFileSync(file, `${text}\n`)
    } catch (error) {
      world.log.warning(`The request could not be written to ${file}: ${messageOf(error)}`)
    }
  })
}
