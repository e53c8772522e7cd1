import { readFile } from 'node:fs/promises'
import { messageOf } from '../failure.ts'
import { isRecord, parseJson } from '../json.ts'
import { EventError } from './errors.ts'
import { checkEvent } from './read.ts'

/**
 * The payload in the file that the runner names in GITHUB_EVENT_PATH.
 * Throws `EventError` naming the event when it is not supported, the path is empty, or the file is missing or not a JSON object (C13).
 */
export async function readPayload(event: string, path: string): Promise<unknown> {
  checkEvent(event)
  const hint = 'The runner writes this file before each job; a step must not change GITHUB_EVENT_PATH.'
  const failed = (what: string, cause?: unknown) => new EventError(`The payload of the event "${event}" can't be read: ${what}.`, hint, { cause })
  if (path === '') throw failed('GITHUB_EVENT_PATH is not set')
  const json = await readFile(path, 'utf8').catch((error: unknown) => {
    throw failed(`GITHUB_EVENT_PATH names a file that does not open (${messageOf(error)})`, error)
  })
  const payload = parseJson(json)
  if (!isRecord(payload)) throw failed(`${path} does not hold a JSON object`)
  return payload
}
