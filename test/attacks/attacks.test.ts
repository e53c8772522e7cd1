import { describe, expect, test } from 'vitest'
import { readCorpus, runsOf } from './corpus.ts'
import { play, told } from './play.ts'

/** Every attack of the corpus by the running action, in one of its places; `npm run attack` tries them in more. */
describe.each(readCorpus())('$file', ({ family }) => {
  const runs = runsOf(family, 'one').map((run) => [run.map(({ attack }) => attack.name).join('; '), run] as const)
  test.for(runs)('%s', { timeout: 180_000 }, async ([, run], { skip }) => {
    const played = await play(family, run)
    // Nothing was tried then.
    if (played.impossible) skip(played.impossible)
    expect(told(played)).toBe('')
  })
})
