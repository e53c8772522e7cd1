import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { configSchema } from '../../scripts/config-schema.ts'

const published: unknown = JSON.parse(readFileSync(new URL('../../docs/config.schema.json', import.meta.url), 'utf8'))

test('docs/config.schema.json is what the code checks by', () => {
  expect(published).toEqual(configSchema())
})

test('the published schema accepts a configuration as people have it, and refuses a wrong one', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(configSchema())
  const good = {
    $schema: 'https://opencode.ai/config.json',
    model: 'anthropic/claude-sonnet-4-5',
    permission: { edit: 'allow', bash: { '*': 'deny', 'git *': 'allow' } },
    agent: { review: { mode: 'subagent', steps: 5, effort: 'high' } },
    mcp: { a: { type: 'local', command: ['npx', 'a'] }, b: { enabled: false } },
    share: 'auto',
    github: { triage: { labels: ['bug', 'area/*'], assign: true, close: false } },
  }
  expect(validate(good)).toBe(true)
  const faults = [
    { model: 'gpt' },
    { permission: { bash: 'no' } },
    { agent: { a: { steps: 0 } } },
    { mcp: { a: { type: 'local' } } },
    { modle: 'a/b' },
    { github: { triage: { labels: 'bug' } } },
    { github: { triage: { close: ['x'] } } },
  ]
  for (const wrong of faults) {
    expect([wrong, validate(wrong)]).toEqual([wrong, false])
  }
})
