import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { main } from '../../src/local/start.ts'
import { threadText } from '../../src/local/tour-print.ts'
import { built, openWorld } from '../support/world.ts'

let folder: string
const printed: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tour-'))
  printed.length = 0
})
afterEach(async () => {
  const kept = /Everything is kept in (\S+)/.exec(printed.join('\n'))?.[1]
  await Promise.all([folder, ...(kept === undefined ? [] : [kept])].map((path) => rm(path, { recursive: true, force: true })))
})

const tour = (bundle: string) => main(['--tour'], { PATH: process.env.PATH }, { bundle, print: (text) => void printed.push(text) })

test('the tour plays five scenes, shows each thread, and every scene comes out as told', { timeout: 180_000 }, async () => {
  const code = await tour(built)
  const text = printed.join('\n')
  expect(text).toMatch(/All 5 scenes came out as told, in \d+\.\d s\./)
  expect(text).not.toMatch(/^ {2}NO /m)
  expect(code).toBe(0)
  expect(text).toContain('github-actions[bot] at src/format-date.js:4')
  expect(text).toContain('```suggestion')
  expect(text).toContain('bob commented\n\n  /opencode say in a comment why one is subtracted')
  expect(text).toContain('This run was stopped before it finished. alice stopped the run.')
  expect(text).toMatch(/^ {2}release: [\da-f]{7} -> [\da-f]{7}, refused\n {4}.*\n {4}error: GH006/m)
  expect(text).toContain('- Set the label `duplicate`.')
  expect(text).not.toContain('<!--')
})

test('the tour ends with status 1 and names the scenes when the action does nothing', async () => {
  const path = join(folder, 'idle.mjs')
  await writeFile(path, `console.log('I do nothing')`)
  expect(await tour(path)).toBe(1)
  const text = printed.join('\n')
  expect(text).toContain('  NO   The edit of the cancelled run is on the branch')
  expect(text).toContain('    I do nothing')
  expect(text).toMatch(/Not as told: A review .*; A comment .*; A run .*; Pushes .*; A schedule /)
})

test('a remark whose line is gone still says where it stood', async () => {
  const world = await openWorld()
  await world.push('topic', { 'a.txt': 'one\ntwo\n' }, 'main')
  const pull = await world.github.openPull({ author: 'alice', head: 'topic', title: 'Two lines' })
  await world.github.remark(pull.number, 'rita', { path: 'a.txt', line: 2, body: 'Why two?' })
  await world.push('topic', { 'a.txt': 'one\n' })
  expect(threadText(world.github.thread(pull.number))).toContain('rita at a.txt, a line that is gone')
  await world.close()
})
