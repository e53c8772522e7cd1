import { fileURLToPath } from 'node:url'
import { createWorld, type World, type WorldOptions } from '../../src/local/world.ts'
import { violations } from './validate.ts'

/** The committed bundle, unless another build is to be tried. */
export const built = process.env.OPENCODE_ACTION_BUNDLE ?? fileURLToPath(new URL('../../dist/index.js', import.meta.url))

/** A world on loopback whose GitHub is held against GitHub's own descriptions: `close` throws when anything on the wire broke them. */
export async function openWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = await createWorld({
    env: process.env,
    bundle: built,
    seed: { files: { 'README.md': '# Demo\n' } },
    users: { alice: 'write', rita: 'read' },
    ...options,
  })
  const { close } = world
  return Object.defineProperties(
    {
      ...world,
      async close() {
        await close()
        const found = violations(world.github.journal)
        if (found.length > 0) throw new Error(`The wire broke GitHub's descriptions:\n${found.join('\n')}`)
      },
    },
    { workspace: { get: () => world.workspace, enumerable: true } },
  )
}

/** The visible comments of a thread, oldest first: who wrote what. */
export function comments(world: World, number: number): { author: string | null; body: string }[] {
  return world.github.thread(number).comments.map(({ author, body }) => ({ author, body }))
}
