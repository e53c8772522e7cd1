import { GitHubError } from './errors.ts'
import type { Gateway } from './gateway.ts'

/** How far the runner's clock may differ from GitHub's, in ms. */
export const clockSkew = 120_000

/**
 * Makes something that must not be made twice: when the answer got lost, looks whether it is there before trying again (C125).
 * Throws `GitHubError` after four tries.
 */
export async function persist<T>(gateway: Gateway, create: () => Promise<T>, arrived: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await create()
    } catch (error) {
      if (!(error instanceof GitHubError) || (error.kind !== 'network' && error.kind !== 'server') || attempt > 3) throw error
      await gateway.pause(attempt ** 2)
      const there = await arrived()
      if (there) return there
    }
  }
}

/** The answer, or undefined when GitHub's word is of one of these kinds. */
export async function unless<T>(kinds: readonly GitHubError['kind'][], answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof GitHubError && kinds.includes(error.kind)) return undefined
    throw error
  }
}

/** Removes something; what is gone already needs no removing (C131). */
export async function gone(removal: Promise<unknown>): Promise<void> {
  await unless(['missing'], removal)
}
