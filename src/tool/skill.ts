import { dirname } from 'node:path'
import { z } from 'zod'
import { type Draft, draft } from './draft.ts'
import { ToolError } from './errors.ts'
import { need } from './needs.ts'

/** Instructions for a kind of task, as the trusted commit has them. */
export interface Skill {
  readonly name: string
  /** Path of its `SKILL.md`, relative to the working directory, as tools take it. */
  readonly location: string
  readonly body: string
  /** Paths of the other files in its folder, likewise. */
  readonly files: readonly string[]
}

const shownFiles = 10

/** Loads a skill's instructions by its name. Which skills there are stands in the system prompt (DECISIONS 14); without any there is no such tool. */
export function skillTool(skills: readonly Skill[]): Draft | undefined {
  if (skills.length === 0) return undefined
  const parameters = z.object({ name: z.string().min(1).describe('Name of the skill') })
  return draft(
    'skill',
    parameters,
    ({ name }) => need('skill', name),
    async ({ name }) => {
      const skill = skills.find((each) => each.name === name)
      if (!skill) {
        const names = skills.map((each) => each.name).sort()
        throw new ToolError(`There is no skill ${name}.`, `The skills are: ${names.join(', ')}.`)
      }
      return { title: name, output: shown(skill), metadata: { name, location: skill.location } }
    },
  )
}

function shown({ name, location, body, files }: Skill): string {
  const sample = files.toSorted().slice(0, shownFiles)
  const more = files.length > sample.length ? [`(${files.length - sample.length} more)`] : []
  const list = files.length > 0 ? ['<skill_files>', ...sample, ...more, '</skill_files>'] : []
  return [
    `<skill_content name="${name}">`,
    body.trim(),
    '',
    `Folder of this skill, which its relative paths start from: ${dirname(location)}`,
    ...list,
    '</skill_content>',
  ].join('\n')
}
