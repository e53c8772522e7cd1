import { expect, test } from 'vitest'
import { familyOf } from '../../src/prompt/family.ts'

test.each([
  ['claude-opus-5-5', 'claude'],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude'],
  ['anthropic/claude-sonnet-4.5', 'claude'],
  ['gemini-3.8-flash', 'gemini'],
  ['gpt-5.4', 'gpt'],
  ['gpt-6-sol', 'gpt'],
  ['gpt-5.2-codex', 'codex'],
  ['o3', 'reasoning'],
  ['o4-mini', 'reasoning'],
  ['openai/o1-pro', 'reasoning'],
  ['deepseek-reasoner', 'reasoning'],
  ['deepseek/deepseek-r1-0528', 'reasoning'],
  ['deepseek-chat', 'default'],
  ['openai/gpt-oss-120b', 'default'],
  ['qwen3-coder', 'default'],
  ['foo3', 'default'],
])('%s belongs to the family %s', (id, family) => {
  expect(familyOf(id)).toBe(family)
})
