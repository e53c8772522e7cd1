import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { textsOf } from '../../src/prompt/texts.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'texts-'))
  writeFileSync(join(folder, 'hello.md'), 'Hello {{name}}, {{name}}!\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

test('places are filled with the value as it stands, even when it looks like a pattern or another place', () => {
  expect(textsOf(folder)('hello', { name: '$& {{other}}' })).toBe('Hello $& {{other}}, $& {{other}}!')
})

test('a missing value and a missing text are errors that name them', () => {
  expect(() => textsOf(folder)('hello')).toThrow('{{name}}')
  expect(() => textsOf(folder)('nothing')).toThrow('nothing.md')
})
