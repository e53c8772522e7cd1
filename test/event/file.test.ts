import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EventError } from '../../src/event/errors.ts'
import { readPayload } from '../../src/event/file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'event-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function fileWith(text: string): Promise<string> {
  const path = join(folder, 'event.json')
  await writeFile(path, text)
  return path
}

async function failure(event: string, path: string): Promise<EventError> {
  const error = await readPayload(event, path).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof EventError) return error
  throw new Error('reading the payload did not fail as it should', { cause: error })
}

test('the payload is the object in the file', async () => {
  expect(await readPayload('issues', await fileWith('{"action":"opened"}'))).toEqual({ action: 'opened' })
})

test('a path that is not set is named, with the event (C13)', async () => {
  const { message } = await failure('issues', '')
  expect(message).toContain('GITHUB_EVENT_PATH is not set')
  expect(message).toContain('"issues"')
})

test('a file that is not there is named (C13)', async () => {
  expect((await failure('issues', join(folder, 'missing.json'))).message).toContain('missing.json')
})

test.each(['', '{"action":', '[]', 'null', '"x"'])('a file that holds %j is no payload (C13)', async (text) => {
  expect((await failure('issues', await fileWith(text))).message).toContain('does not hold a JSON object')
})

test('an event that is not supported is said before anything about its file (C13)', async () => {
  expect((await failure('push', '')).message).toBe('The event "push" is not supported.')
})
