import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lookIn } from '../../src/run/look.ts'
import { confine } from '../../src/workspace/files.ts'

let base: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'look-')))
  for (const folder of ['root', 'root/.git', 'root/app', 'root/app/src']) mkdirSync(join(base, folder))
  for (const file of ['root/a.ts', 'root/app/b.ts', 'root/.git/config', 'secret']) writeFileSync(join(base, file), '')
  symlinkSync('../secret', join(base, 'root/link'))
})
afterEach(() => rmSync(base, { recursive: true }))

test('references lead to files and folders from the root, else from the working directory, and nowhere else', () => {
  const root = join(base, 'root')
  const look = lookIn(confine({ root, directory: join(root, 'app') }))
  expect(look('a.ts')).toEqual({ kind: 'file', path: join(root, 'a.ts') })
  expect(look('b.ts')).toEqual({ kind: 'file', path: join(root, 'app/b.ts') })
  expect(look('app/src')).toEqual({ kind: 'folder', path: join(root, 'app/src') })
  expect(look('src')).toEqual({ kind: 'folder', path: join(root, 'app/src') })
  for (const name of ['gone.ts', '../secret', '../../secret', 'link', '.git/config', join(base, 'secret')]) expect(look(name)).toBeUndefined()
})
