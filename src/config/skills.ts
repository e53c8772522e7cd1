import { posix } from 'node:path'
import { z } from 'zod'
import { messageOf } from '../failure.ts'
import type { TreeFile } from '../workspace/types.ts'
import type { SkillPath } from './layout.ts'
import { FrontMatterError, readMarkdown } from './markdown.ts'
import { textOf } from './tree.ts'
import type { Skill } from './types.ts'

const FrontMatter = z.object({ name: z.string().min(1), description: z.string().optional() })

/**
 * The skills of SKILL.md files, sorted by name. One that can't be read is left out, and of two with the same name the earlier; both with a note.
 */
export async function readSkills(
  found: readonly SkillPath[],
  files: ReadonlyMap<string, TreeFile>,
  directory: string,
  notes: string[],
): Promise<readonly Skill[]> {
  const shown = (path: string) => posix.relative(directory, path)
  const skills = new Map<string, Skill>()
  for (const { path, files: others } of found) {
    const file = files.get(path)
    const text = file && textOf(file)
    if (text === undefined) continue
    const skill = await readSkill({ path: shown(path), files: others.map(shown) }, text)
    if ('fault' in skill) {
      notes.push(`The skill ${path} was left out: ${skill.fault}.`)
      continue
    }
    const earlier = skills.get(skill.name)
    if (earlier && earlier.location !== shown(path))
      notes.push(`There are two skills named ${JSON.stringify(skill.name)}: ${skill.location} is used, ${earlier.location} is not.`)
    skills.set(skill.name, skill)
  }
  return [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function readSkill({ path, files }: SkillPath, text: string): Promise<Skill | { readonly fault: string }> {
  try {
    const { data, body } = await readMarkdown(text)
    const front = FrontMatter.safeParse(data)
    if (!front.success) return { fault: 'its front matter needs a name, and a description that is text' }
    const description = front.data.description?.trim()
    return { name: front.data.name, ...(description ? { description } : {}), location: path, body, files }
  } catch (error) {
    if (error instanceof FrontMatterError) return { fault: `its front matter is not valid YAML (${messageOf(error)})` }
    throw error
  }
}
