import type { Skill } from '../config/types.ts'
import type { Texts } from './texts.ts'

/** What the model is told of a skill before it loads it. */
type SkillSummary = Pick<Skill, 'name' | 'description' | 'location'>

/** The skills a model may load: those with a description that no rule denies, sorted by name. The skill tool offers the same. */
export function offeredSkills<S extends SkillSummary>(skills: readonly S[], isDenied: (name: string) => boolean): (S & { readonly description: string })[] {
  const offered = skills.flatMap((skill) => (skill.description && !isDenied(skill.name) ? [{ ...skill, description: skill.description }] : []))
  return offered.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The block of the system text that lists the skills (DECISIONS 14); empty when there is none. Equal input gives equal bytes. */
export function skillsBlock(skills: readonly SkillSummary[], isDenied: (name: string) => boolean, texts: Texts): string {
  const offered = offeredSkills(skills, isDenied)
  if (offered.length === 0) return ''
  const entries = offered.flatMap(({ name, description, location }) => [
    '  <skill>',
    `    <name>${oneLine(name)}</name>`,
    `    <description>${oneLine(description)}</description>`,
    `    <location>${oneLine(location)}</location>`,
    '  </skill>',
  ])
  return [texts('skills'), '<available_skills>', ...entries, '</available_skills>'].join('\n')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
