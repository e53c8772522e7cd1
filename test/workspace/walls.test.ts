import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { wallsFor } from '../../src/workspace/walls.ts'
import { tempFolder } from '../support/closing.ts'

/** A machine as the runner lays it out: `base/runner` with its node, `base/work` with actions, workspace and temporary files. */
function machine(folders: readonly string[] = []) {
  const base = tempFolder()
  const inside = (...parts: string[]) => join(base, ...parts)
  const made = ['home', 'work/_temp/opencode/outputs', 'work/_actions/we/us/v1/dist', 'work/demo/demo', 'runner/externals/node24/bin', 'runner/bin', ...folders]
  for (const folder of made) mkdirSync(inside(folder), { recursive: true })
  const places = {
    root: inside('work/demo/demo'),
    temp: inside('work/_temp'),
    outputs: inside('work/_temp/opencode/outputs'),
    assets: inside('work/_actions/we/us/v1/dist'),
    node: inside('runner/externals/node24/bin/node'),
  }
  const env = { HOME: inside('home'), RUNNER_WORKSPACE: inside('work/demo'), PATH: '/usr/bin' }
  return { inside, places, env }
}

describe('the walls of the sandbox', () => {
  it('close the actions of the job and the runner, so that no later step runs what a command left there', () => {
    const { inside, places, env } = machine()
    const { frozen } = wallsFor({ ...places, env })
    expect(frozen).toEqual(
      expect.arrayContaining([inside('work/_actions'), inside('work/_actions/we/us/v1'), inside('runner/externals'), inside('runner/bin')]),
    )
  })

  it('leave the workspace open where the runner holds it, and close what is beside it', () => {
    const { inside, places, env } = machine(['runner/_work/demo/demo'])
    const { frozen } = wallsFor({ ...places, root: inside('runner/_work/demo/demo'), env })
    expect(frozen).not.toContain(inside('runner'))
    expect(frozen).toEqual(expect.arrayContaining([inside('runner/externals'), inside('runner/bin')]))
  })

  it('close only the bundle of an action that lies in the workspace itself', () => {
    const { inside, places, env } = machine(['work/demo/demo/dist'])
    const { frozen } = wallsFor({ ...places, assets: inside('work/demo/demo/dist'), env })
    expect(frozen).toContain(inside('work/demo/demo/dist'))
    expect(frozen).not.toContain(inside('work/demo/demo'))
  })

  it('name files by where they really are, and nothing that is not there', () => {
    const { inside, places, env } = machine()
    writeFileSync(inside('key.json'), '{}')
    symlinkSync(inside('key.json'), inside('link.json'))
    writeFileSync(join(places.root, 'gha-creds-1.json'), '{}')
    const more = { GOOGLE_APPLICATION_CREDENTIALS: inside('link.json'), GITHUB_ENV: inside('gone'), AWS_WEB_IDENTITY_TOKEN_FILE: 'relative' }
    expect(wallsFor({ ...places, env: { ...env, ...more } }).blanked).toEqual([inside('key.json'), join(places.root, 'gha-creds-1.json')])
  })

  it('take folders of the path below the home folder for places where programs could be put, also those that are missing', () => {
    const { inside, places, env } = machine(['home/bin', 'work/demo/demo/node_modules/.bin'])
    const path = [inside('home/bin'), inside('home/.local/bin'), join(places.root, 'node_modules/.bin'), 'relative/bin', '/usr/bin'].join(':')
    expect(wallsFor({ ...places, env: { ...env, PATH: path } }).programs).toEqual([inside('home/bin'), inside('home/.local/bin')])
  })
})
