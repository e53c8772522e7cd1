import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type SystemInput, systemText } from '../../src/prompt/system.ts'
import { textsOf } from '../../src/prompt/texts.ts'

const input: SystemInput = {
  texts: textsOf(join(import.meta.dirname, '../../prompts')),
  model: { name: 'Test Model', providerID: 'test', modelID: 'test-model' },
  environment: { directory: '/repo', isGit: true, platform: 'linux' },
  created: Date.UTC(2026, 8, 15, 23, 30),
  recentFiles: [],
  blocks: [],
}

test('base prompt, environment, blocks and the user’s own text stand in that order, joined by newlines', () => {
  const text = systemText({ ...input, blocks: ['<github>here</github>', 'Instructions'], userSystem: 'Be kind' })
  expect(text.startsWith('You are opencode')).toBe(true)
  expect(text.endsWith('</env>\n<github>here</github>\nInstructions\nBe kind')).toBe(true)
})

test('an agent’s prompt replaces the base prompt', () => {
  expect(systemText({ ...input, agentPrompt: 'You review.' })).toMatch(/^You review\.\nYou are powered by/)
})

test('the environment names model, folder, git, platform and the day the session began, in UTC', () => {
  const text = systemText(input)
  for (const part of ['Test Model', 'test/test-model', '/repo', 'git repository: yes', 'linux', 'Tue, 15 Sep 2026']) expect(text).toContain(part)
})

test('the recently changed files are named, twenty at the most; without any there is no block', () => {
  expect(systemText(input)).not.toContain('<files>')
  const text = systemText({ ...input, recentFiles: Array.from({ length: 30 }, (_, n) => `src/${n}.ts`) })
  expect(text).toContain('<files>\n  src/0.ts\n')
  expect(text).toContain('  src/19.ts\n</files>')
})

test('the base prompt stays short', () => {
  expect(input.texts('base').length).toBeLessThan(2500)
})
