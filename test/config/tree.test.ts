import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { below, foldersTo, lookAhead } from '../../src/config/tree.ts'
import { loadInstructions } from '../../src/prompt/instructions.ts'
import { fakeTree } from '../support/tree.ts'

test('a repository without anything costs one listing, for configuration and instructions together', async () => {
  const tree = fakeTree({ 'src/a.ts': '', 'README.md': '' })
  const ahead = await lookAhead(tree, 'src')
  await loadConfig({ tree: ahead, directory: 'src', env: {}, texts: () => '' })
  await loadInstructions({ tree: ahead, directory: 'src', env: {} })
  expect(tree.asked).toEqual({ lists: 1, reads: 0 })
})

test('one with everything costs a listing and a batch of reads', async () => {
  const tree = fakeTree({
    'opencode.json': '{"model": "a/b"}',
    'AGENTS.md': 'Be kind.',
    '.opencode/agent/a.md': 'A',
    '.opencode/command/c.md': 'C',
    '.opencode/tool/t.ts': 'export {}',
    '.claude/skills/s/SKILL.md': '---\nname: s\n---\n',
    'src/.opencode/opencode.jsonc': '{}',
    'src/AGENTS.md': 'Be quick.',
  })
  const ahead = await lookAhead(tree, 'src')
  const config = await loadConfig({ tree: ahead, directory: 'src', env: {}, texts: () => '' })
  const { blocks } = await loadInstructions({ tree: ahead, directory: 'src', env: {} })
  expect(tree.asked).toEqual({ lists: 1, reads: 1 })
  expect(config.sources).toHaveLength(4)
  expect(blocks).toHaveLength(2)
})

test('what was not looked at is still there for who asks', async () => {
  const ahead = await lookAhead(fakeTree({ 'AGENTS.md': 'x', 'docs/a.md': 'A', '.opencode/tool/t.ts': 'T' }), '')
  expect(await ahead.list()).toHaveLength(3)
  expect(await ahead.list(['docs', '.opencode'])).toEqual(['.opencode/tool/t.ts', 'docs/a.md'])
  const files = await ahead.read(['docs/a.md', '.opencode/tool/t.ts', 'AGENTS.md', '.opencode/gone.md', 'gone'])
  expect([...files].map(([path, { bytes }]) => [path, bytes?.toString()]).toSorted()).toEqual([
    ['.opencode/tool/t.ts', 'T'],
    ['AGENTS.md', 'x'],
    ['docs/a.md', 'A'],
  ])
})

test('folders lead from the root to the working directory', () => {
  expect(foldersTo('')).toEqual([''])
  expect(foldersTo('a/b')).toEqual(['', 'a', 'a/b'])
})

test.each([
  ['', './a/../b', 'b'],
  ['x/y', '../z', 'x/z'],
  ['x', '..', ''],
  ['x', '../..', undefined],
  ['', '/etc', undefined],
  ['', '~/a', undefined],
  ['x', '..\\..\\a', undefined],
])('from %j the path %j leads to %j', (folder, path, target) => {
  expect(below(folder, path)).toBe(target)
})

test('the front doors load no parser', async () => {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
  const script = `
    import { registerHooks } from 'node:module'
    const seen = []
    registerHooks({ resolve(name, context, next) { seen.push(name); return next(name, context) } })
    await Promise.all(['config/load.ts', 'config/tree.ts', 'prompt/instructions.ts', 'prompt/skills.ts'].map((file) => import(${JSON.stringify(`file://${join(root, 'src')}/`)} + file)))
    console.log(JSON.stringify(seen.filter((name) => !name.startsWith('.') && !name.startsWith('file:') && !name.startsWith('node:'))))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: root })
  const packages = JSON.parse(stdout.trim())
  expect(packages).toContain('picomatch')
  for (const heavy of ['zod', 'yaml', 'jsonc-parser', 'fastest-levenshtein']) expect(packages).not.toContain(heavy)
})
