import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { trustedPath } from '../../src/workspace/programs.ts'
import { tempFolder } from '../support/closing.ts'

const system = ['/usr/bin', '/bin']

test.skipIf(process.platform === 'win32')('C146 we run no program from a folder in which the agent may have put it', () => {
  const base = tempFolder()
  const folders = ['home/.local/bin', 'work/node_modules/.bin', 'temp/bin', 'tools/node/bin'].map((name) => join(base, name))
  for (const folder of folders) mkdirSync(folder, { recursive: true })
  const alias = join(base, 'alias')
  symlinkSync(join(base, 'home/.local/bin'), alias)
  const env = {
    HOME: join(base, 'home'),
    GITHUB_WORKSPACE: join(base, 'work'),
    RUNNER_TEMP: join(base, 'temp'),
    RUNNER_TOOL_CACHE: join(base, 'tools'),
    PATH: [...folders, alias, '.', 'node_modules/.bin', join(base, 'missing'), ...system].join(delimiter),
  }
  expect(trustedPath(env).split(delimiter)).toEqual(system)
})

test.skipIf(process.platform === 'win32')('where there is no other folder the path stays as it is', () => {
  const folder = join(tempFolder(), 'open')
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  expect(trustedPath({ PATH: folder })).toBe(folder)
})
