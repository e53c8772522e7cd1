import { EventError } from '../../src/event/errors.ts'
import { readEvent } from '../../src/event/read.ts'
import type { ReadingSettings } from '../../src/event/reading.ts'

export const settings: ReadingSettings = { triggers: ['/opencode', '/oc'], repository: { owner: 'octo', name: 'demo' } }
export const withPrompt: ReadingSettings = { ...settings, prompt: 'Answer in French.' }

/** The error that reading an event ends in. */
export function failureOf(name: string, payload: unknown, given = settings): EventError {
  try {
    readEvent(name, payload, given)
  } catch (error) {
    if (error instanceof EventError) return error
    throw error
  }
  throw new Error(`${name} was read without an error`)
}
