import { describe, expect, it } from 'vitest'
import type { Skill } from '../../src/tool/skill.ts'
import { bench } from './kit.ts'

const skill = (name: string, files: readonly string[] = []): Skill => ({
  name,
  location: `.opencode/skills/${name}/SKILL.md`,
  body: `\nDo ${name} well.\n\nSee scripts/run.sh.\n`,
  files,
})
const withSkills = (...skills: Skill[]) => bench({ repository: false, skills })

describe('a skill', () => {
  it('is given with its folder and its files', async () => {
    const b = withSkills(skill('release', ['.opencode/skills/release/z.md', '.opencode/skills/release/scripts/run.sh']))
    const { output, title } = await b.call('skill', { name: 'release' })
    expect(title).toBe('release')
    expect(output).toBe(
      [
        '<skill_content name="release">',
        'Do release well.',
        '',
        'See scripts/run.sh.',
        '',
        'Folder of this skill, which its relative paths start from: .opencode/skills/release',
        '<skill_files>',
        '.opencode/skills/release/scripts/run.sh',
        '.opencode/skills/release/z.md',
        '</skill_files>',
        '</skill_content>',
      ].join('\n'),
    )
  })

  it('shows ten files at most and says how many there are besides', async () => {
    const files = Array.from({ length: 12 }, (_, at) => `s/${String(at).padStart(2, '0')}`)
    const { output } = await withSkills(skill('big', files)).call('skill', { name: 'big' })
    expect(output).toContain('s/09\n(2 more)\n</skill_files>')
    expect(output).not.toContain('s/10')
    expect((await withSkills(skill('none')).call('skill', { name: 'none' })).output).not.toContain('skill_files')
  })

  it('that does not exist is answered with those that do, in order', async () => {
    expect(await withSkills(skill('b'), skill('a')).failure('skill', { name: 'c' })).toBe('There is no skill c. The skills are: a, b.')
  })

  it('needs a permission with its name', () => {
    const tool = withSkills(skill('a')).tools.find(({ id }) => id === 'skill')
    expect(tool?.permission?.({ name: 'a' }, [])).toEqual([{ permission: 'skill', patterns: ['a'] }])
  })

  it('has no tool when there is none, and is not listed in the tool’s description', () => {
    expect(withSkills().tools.some(({ id }) => id === 'skill')).toBe(false)
    expect(withSkills(skill('release')).tools.find(({ id }) => id === 'skill')?.description).not.toContain('release')
  })
})
