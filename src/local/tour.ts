import { demoFiles } from './demo-repository.ts'
import { rule, seconds } from './print.ts'
import type { Env } from './process.ts'
import { cancelScene, refusalScene, steeringScene } from './tour-scenes.ts'
import { reviewScene, sweepScene } from './tour-scenes-hub.ts'
import { openStage, type Scene } from './tour-stage.ts'
import { createWorld } from './world.ts'

const scenes: readonly Scene[] = [reviewScene, steeringScene, cancelScene, refusalScene, sweepScene]

interface Tour {
  readonly env: Env
  /** The built action. */
  readonly bundle: string
  readonly print: (text: string) => void
}

/** Plays the scenes one after the other in one repository. Returns the exit status: 0 when each came out as told, else 1. */
export async function playTour({ env, bundle, print }: Tour): Promise<number> {
  const users = { alice: 'write', bob: 'write', eve: 'read' } as const
  const options = { env, bundle, keep: true, seed: { files: demoFiles }, owner: 'octo', repo: 'day-by-day', users, labels: ['bug', 'duplicate', 'question'] }
  const started = performance.now()
  const stage = openStage(print)
  const world = await createWorld({ ...options, script: stage.script })
  const faults: string[] = []
  try {
    print(`A tour in ${scenes.length} scenes: an emulated GitHub, a git remote, a model that follows a script, and the action's own program.`)
    print(`Everything is kept in ${world.folder}`)
    for (const [index, scene] of scenes.entries()) {
      print(`\n${rule}\n${index + 1}. ${scene.name}\n${rule}\n`)
      const claims = await scene.play(stage.at(world))
      print('\nCame out as told?')
      for (const { told, holds } of claims) print(`  ${holds ? 'yes' : 'NO '}  ${told}`)
      if (claims.some(({ holds }) => !holds)) faults.push(scene.name)
    }
  } finally {
    await world.close()
  }
  const time = seconds(performance.now() - started)
  print(`\n${faults.length === 0 ? `All ${scenes.length} scenes came out as told, in ${time}.` : `Not as told: ${faults.join('; ')}.`}`)
  return faults.length === 0 ? 0 : 1
}
