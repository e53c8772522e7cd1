import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const room = new URL('../../src/model/', import.meta.url).href

/** The packages that a program of its own asks for while it imports the room, and while it opens a model. */
async function packagesOf(then: string): Promise<string[]> {
  const program = `
    import { registerHooks } from 'node:module'
    const seen = new Set()
    registerHooks({ resolve(name, context, next) { if (/^(ai|@ai-sdk\\/(openai|openai-compatible|anthropic|google))$/.test(name)) seen.add(name); return next(name, context) } })
    const { chooseModel } = await import('${room}choose.ts')
    const { openModel } = await import('${room}open.ts')
    const choice = chooseModel({ model: { providerID: 'anthropic', modelID: 'claude-sonnet-5' }, apiKey: 'k', env: {} })
    ${then}
    console.log(JSON.stringify([...seen]))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  return JSON.parse(stdout)
}

test('choosing a model loads no provider package', async () => {
  expect(await packagesOf('')).toEqual([])
})

test('opening a model loads the one package it needs', async () => {
  expect((await packagesOf('await openModel(choice)')).toSorted()).toEqual(['@ai-sdk/anthropic', 'ai'])
})
