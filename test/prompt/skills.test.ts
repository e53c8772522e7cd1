import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { offeredSkills, skillsBlock } from '../../src/prompt/skills.ts'
import { textsOf } from '../../src/prompt/texts.ts'

const texts = textsOf(join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'prompts'))
const skills = [
  { name: 'release', description: 'How to\n  release', location: '.opencode/skill/release/SKILL.md' },
  { name: 'bare', location: '.opencode/skill/bare/SKILL.md' },
  { name: 'Audit', description: 'How to audit', location: '.claude/skills/audit/SKILL.md' },
  { name: 'secret', description: 'Hidden', location: '.opencode/skill/secret/SKILL.md' },
]
const isDenied = (name: string) => name === 'secret'

test('lists skills with a description that no rule denies, sorted by name', () => {
  expect(offeredSkills(skills, isDenied).map(({ name }) => name)).toEqual(['Audit', 'release'])
  expect(skillsBlock(skills, isDenied, texts)).toBe(`${texts('skills')}
<available_skills>
  <skill>
    <name>Audit</name>
    <description>How to audit</description>
    <location>.claude/skills/audit/SKILL.md</location>
  </skill>
  <skill>
    <name>release</name>
    <description>How to release</description>
    <location>.opencode/skill/release/SKILL.md</location>
  </skill>
</available_skills>`)
})

test('gives the same bytes in whatever order skills are found', () => {
  expect(skillsBlock(skills.toReversed(), isDenied, texts)).toBe(skillsBlock(skills, isDenied, texts))
})

test('is left out when no skill may be used', () => {
  expect(skillsBlock(skills, () => true, texts)).toBe('')
  expect(skillsBlock([], isDenied, texts)).toBe('')
})
