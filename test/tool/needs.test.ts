import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allowAll } from '../../src/tool/permission.ts'
import { type Bench, bench } from './kit.ts'

async function needsOf(b: Bench, id: string, input: unknown) {
  const needs = await b.tools.find((tool) => tool.id === id)?.permission?.(input, allowAll)
  return needs?.map(({ permission, patterns }) => [permission, ...patterns])
}

describe('what the built-in tools need', async () => {
  it('is the path from the workspace root, wherever the call starts from', async () => {
    const b = bench({ files: { 'pkg/src/a.ts': 'x\n' }, directory: 'pkg' })
    expect(await needsOf(b, 'read', { filePath: 'src/a.ts' })).toEqual([['read', 'pkg/src/a.ts']])
    expect(await needsOf(b, 'read', { filePath: join(b.root, 'pkg/./src/../src/a.ts') })).toEqual([['read', 'pkg/src/a.ts']])
    expect(await needsOf(b, 'edit', { filePath: 'src/a.ts', oldString: 'x', newString: 'y' })).toEqual([['edit', 'pkg/src/a.ts']])
    expect(await needsOf(b, 'write', { filePath: '../new.ts', content: '' })).toEqual([['edit', 'new.ts']])
    expect(await needsOf(b, 'list', {})).toEqual([['list', 'pkg']])
    expect(await needsOf(b, 'list', { path: '..' })).toEqual([['list', '.']])
  })

  it('is the pattern of a search, the text of a command, and nothing special for the todo list', async () => {
    const b = bench()
    expect(await needsOf(b, 'glob', { pattern: 'src/*.ts', path: 'x' })).toEqual([['glob', 'src/*.ts']])
    expect(await needsOf(b, 'grep', { pattern: 'TODO', include: '*.ts' })).toEqual([['grep', 'TODO']])
    expect(await needsOf(b, 'bash', { command: ' git status\n' })).toEqual([['bash', 'git status']])
    expect(await needsOf(b, 'todowrite', { todos: [] })).toEqual([['todowrite', '*']])
    expect(await needsOf(b, 'todoread', {})).toEqual([['todowrite', '*']])
  })

  it('is both names of a file that is reached by a link', async () => {
    const b = bench()
    mkdirSync(join(b.root, 'docs'))
    writeFileSync(join(b.root, '.env'), 'KEY=1\n')
    symlinkSync('../.env', join(b.root, 'docs/notes.txt'))
    expect(await needsOf(b, 'read', { filePath: 'docs/notes.txt' })).toEqual([['read', 'docs/notes.txt', '.env']])
  })

  it('is the full path of a saved output', async () => {
    const b = bench()
    const saved = join(b.save, 'tool_1.txt')
    writeFileSync(saved, 'x')
    expect(await needsOf(b, 'read', { filePath: saved })).toEqual([['read', saved]])
  })

  it('is nothing when the arguments get no further', async () => {
    expect(await needsOf(bench(), 'read', { filePath: 1 })).toEqual([])
  })
})
