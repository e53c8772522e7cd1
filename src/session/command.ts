import { z } from 'zod'
import { messageOf } from '../failure.ts'
import { findAgent } from './agents.ts'
import type { UserInput } from './create-user.ts'
import type { Hooks } from './hooks.ts'
import { type Look, resolveMentions } from './mentions.ts'
import type { ModelRef, Source } from './message.ts'
import type { Recorder } from './record.ts'
import { UnknownNameError } from './refusals.ts'
import type { Agent } from './step.ts'
import { PromptPart } from './user.ts'

/** A command of the repository's or the engine's own: a text with places for arguments. */
export interface Command {
  readonly name: string
  readonly template: string
  readonly description?: string
  /** The agent that carries it out. */
  readonly agent?: string
  readonly model?: ModelRef
  readonly variant?: string
  /** Whether it runs as a subtask; by default where its agent is a subagent. */
  readonly subtask?: boolean
}

/** The commands of a session, and the shell that the inserts in their templates are run with. */
export interface Commands {
  readonly list: readonly Command[]
  /** Runs a command line; its output, whatever its exit code. */
  shell(command: string, signal: AbortSignal): Promise<string>
}

/** A template with everything filled in. */
export interface Expansion {
  readonly text: string
  /** What the author and the caller wrote, without what commands printed: only here `@` refers to anything. */
  readonly written: string
}

export interface CommandInput {
  readonly name: string
  /** What follows the name, as it was written. */
  readonly arguments: string
  readonly agent?: string
  readonly model?: ModelRef
  readonly variant?: string
  readonly source?: Source
}

interface Context {
  readonly record: Recorder
  readonly hooks: Hooks
  readonly agent: Agent
  readonly agents: readonly Agent[]
  readonly commands: Commands
  readonly look: Look
  readonly signal: AbortSignal
}

/**
 * A command as the prompt it stands for (the engine's description 2.18). Its agent is the command's, else the caller's, else the one that
 * leads; its model the command's, else its agent's, else the caller's. It becomes a subtask where it says so, or where its agent is a
 * subagent and it does not say otherwise; then agent and model of the message are the caller's. Throws `UnknownNameError`.
 */
export async function promptOf(input: CommandInput, context: Context): Promise<UserInput> {
  const { record, agents, commands, signal } = context
  const command = commands.list.find(({ name }) => name === input.name)
  if (!command) {
    const refusal = new UnknownNameError(
      'command',
      input.name,
      commands.list.map(({ name }) => name),
    )
    record.error({ name: 'UnknownError', message: refusal.message })
    throw refusal
  }
  const agent = findAgent(command.agent ?? input.agent ?? context.agent.name, agents)
  const model = command.model ?? (command.agent === undefined ? undefined : agent.model) ?? input.model
  const { text, written } = await expandCommand(command, input.arguments, commands.shell, signal)
  const isSubtask = command.subtask ?? agent.mode === 'subagent'
  const parts: PromptPart[] = isSubtask
    ? [{ type: 'subtask', agent: agent.name, description: command.description ?? '', prompt: text, command: command.name, ...(model ? { model } : {}) }]
    : [{ type: 'text', text }, ...resolveMentions(written, context.look, agents)]

  const forMessage = isSubtask ? { agent: input.agent, model: input.model } : { agent: agent.name, model }
  const variant = command.variant ?? input.variant
  return {
    parts: await throughPlugins(parts, input, context),
    ...(forMessage.agent === undefined ? {} : { agent: forMessage.agent }),
    ...(forMessage.model === undefined ? {} : { model: forMessage.model }),
    ...(variant === undefined ? {} : { variant }),
    ...(input.source === undefined ? {} : { source: input.source }),
  }
}

async function throughPlugins(parts: PromptPart[], { name, arguments: given }: CommandInput, { hooks, record }: Context): Promise<PromptPart[]> {
  const about = { command: name, sessionID: record.store.session.id, arguments: given }
  const output = await hooks.trigger('command.execute.before', about, { parts: structuredClone(parts) })
  const checked = z.array(PromptPart).safeParse(output.parts)
  if (checked.success) return checked.data
  record.error({
    name: 'UnknownError',
    message: `A plugin's parts of the command /${name} are not valid, so they are not used: ${z.prettifyError(checked.error)}`,
  })
  return parts
}

const placeholder = /\$(\d+)/g
const insert = /!`([^`]+)`/g

/** Arguments, split at spaces. One in quotes stays whole and loses them; an apostrophe in a word is none. `[Image 1]` is one argument. */
export function splitArguments(text: string): string[] {
  const pieces = text.match(/\[Image \d+\]|"[^"]*"(?!\S)|'[^']*'(?!\S)|\S+/gi) ?? []
  return pieces.map((piece) => piece.replace(/^(["'])([\s\S]*)\1$/, '$2'))
}

/**
 * Fills a template (the engine's description 2.18): `$1`, `$2`, … with the arguments, the highest of them with all that are left;
 * `$ARGUMENTS` with the arguments as they were given; where there is no place for them they follow after a blank line. Inserts, an
 * exclamation mark and a command in backticks, are run side by side and replaced by what they print.
 *
 * Inserts are those of the template alone: arguments come from comments, and may neither add a command nor change one. A command
 * gets them as its positional parameters and as the variable `ARGUMENTS`, which a shell does not read as syntax.
 */
export async function expandCommand(command: Command, given: string, shell: Commands['shell'], signal: AbortSignal): Promise<Expansion> {
  const { template } = command
  const args = splitArguments(given)
  const highest = Math.max(0, ...[...template.matchAll(placeholder)].map(([, digits]) => Number(digits)))
  const values = Array.from({ length: highest }, (_, index) => (index + 1 === highest ? args.slice(index).join(' ') : (args[index] ?? '')))
  const fill = (text: string) =>
    text.replaceAll(/\$(\d+|ARGUMENTS)/g, (whole, name: string) => (name === 'ARGUMENTS' ? given : name === '0' ? whole : (values[Number(name) - 1] ?? '')))

  const setup = `ARGUMENTS=${quoted(given)}; set -- ${(highest > 0 ? values : args).map(quoted).join(' ')}\n`
  const outputs = await Promise.all(
    [...template.matchAll(insert)].map(([, line = '']) => shell(setup + line, signal).catch((error: unknown) => `(could not be run: ${messageOf(error)})`)),
  )
  const pieces = template.split(/!`[^`]+`/).map(fill)
  const appended = given.trim() !== '' && highest === 0 && !template.includes('$ARGUMENTS') ? `\n\n${given}` : ''
  return {
    text: pieces.map((piece, index) => piece + (outputs[index] ?? '')).join('') + appended,
    written: pieces.join('\n') + appended,
  }
}

/** A word for a POSIX shell, whatever it holds. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
