import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

test('the front doors of MCP and plugins load no MCP client', () => {
  const doors = ['mcp/room.ts', 'plugin/room.ts'].map((door) => pathToFileURL(join(import.meta.dirname, '../../src', door)).href)
  const script = `
    const { registerHooks } = await import('node:module')
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    for (const door of ${JSON.stringify(doors)}) await import(door)
    console.log(loaded.filter((url) => url.includes('node_modules')).map((url) => /node_modules\\/((@[^/]+\\/)?[^/]+)/.exec(url)[1]).join(' '))`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(new Set(output.trim().split(' '))).toEqual(new Set(['zod']))
})
