import { ModelError } from '../../src/model/errors.ts'

/** The error with which a choice of models is refused; anything else fails the test. */
export function refusal(work: () => unknown): ModelError {
  try {
    work()
  } catch (error) {
    if (error instanceof ModelError) return error
    throw error
  }
  throw new Error('nothing was refused')
}
