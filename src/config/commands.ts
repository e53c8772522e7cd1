import type { Command } from '../session/command.ts'
import type { CommandEntry } from './schema.ts'
import type { Skill } from './types.ts'

/** `/init` and `/review`; the repository may have its own under these names. */
export function builtinCommands(texts: (name: string) => string): readonly Command[] {
  return [
    { name: 'init', description: 'Write or improve AGENTS.md, the instructions for agents.', template: texts('commands/init') },
    { name: 'review', description: 'Review the pull request, a branch or a commit.', template: texts('commands/review'), subtask: true },
  ]
}

/** All commands: the built-in ones as the configuration replaces them, its own, and skills where the name is free (the engine's description 2.18). */
export function commandsOf(entries: Readonly<Record<string, CommandEntry>>, skills: readonly Skill[], texts: (name: string) => string): Command[] {
  const commands = new Map(builtinCommands(texts).map((command) => [command.name, command]))
  for (const [name, entry] of Object.entries(entries)) commands.set(name, toCommand(name, entry))
  for (const { name, description, body } of skills) {
    if (!commands.has(name)) commands.set(name, { name, template: body, ...(description === undefined ? {} : { description }) })
  }
  return [...commands.values()]
}

function toCommand(name: string, { template, description, agent, model, variant, subtask }: CommandEntry): Command {
  const slash = model?.indexOf('/') ?? -1
  return {
    name,
    template,
    ...(description === undefined ? {} : { description }),
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model: { providerID: model.slice(0, slash), modelID: model.slice(slash + 1) } }),
    ...(variant === undefined ? {} : { variant }),
    ...(subtask === undefined ? {} : { subtask }),
  }
}
