import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const room = new URL('../../src/model/', import.meta.url).href

/** The packages that a program of its own asks for while it imports the room, and while it opens a model. */
async function packagesOf(then: string, model = 'anthropic/claude-sonnet-5'): Promise<string[]> {
  const program = `
    import { registerHooks } from 'node:module'
    const seen = new Set()
    registerHooks({ resolve(name, context, next) { if (/^(ai|@ai-sdk\\/(?!provider|gateway)[a-z-]+)$/.test(name)) seen.add(name); return next(name, context) } })
    const { chooseModel, parseModelRef } = await import('${room}choose.ts')
    const { openModel } = await import('${room}open.ts')
    const choice = chooseModel({ model: parseModelRef('${model}'), apiKey: 'k', env: { AWS_REGION: 'us-east-1', AZURE_RESOURCE_NAME: 'acme' } })
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

test.each([
  ['amazon-bedrock/qwen.qwen3-32b-v1:0', '@ai-sdk/amazon-bedrock'],
  ['azure/gpt-5.4', '@ai-sdk/openai'],
  ['azure/claude-sonnet-4-6', '@ai-sdk/anthropic'],
  ['google-vertex/gemini-2.5-pro', '@ai-sdk/google'],
  ['mistral/devstral-latest', '@ai-sdk/openai-compatible'],
])('%s is spoken to through %s alone', async (model, npm) => {
  expect((await packagesOf('await openModel(choice)', model)).toSorted()).toEqual([npm, 'ai'])
})
