import { messageOf } from '../failure.ts'
import type { JsonObject } from '../json.ts'
import { ConfigError } from './errors.ts'
import type { Layer } from './layout.ts'
import { FrontMatterError, readMarkdown } from './markdown.ts'
import { faultsOf, unknownKey } from './parse.ts'
import { AgentEntry, CommandEntry } from './schema.ts'
import { strangersIn } from './strangers.ts'

/**
 * An agent, mode or command that a Markdown file describes, as a configuration. Its front matter are the fields, its body the prompt or the
 * template. Throws `ConfigError` when the fields don't fit; what OpenCode passes over in silence, front matter that is no YAML and modes that don't
 * fit, is passed over with a note.
 */
export async function readLayer(layer: Exclude<Layer, { kind: 'config' }>, text: string, notes: string[]): Promise<JsonObject> {
  const { kind, path, name } = layer
  const markdown = await readMarkdown(text).catch((error: unknown) => {
    if (!(error instanceof FrontMatterError)) throw error
    notes.push(`${path} was left out: its front matter is not valid YAML (${messageOf(error)}).`)
    return undefined
  })
  if (markdown === undefined) return {}
  const { data, body } = markdown
  const value: JsonObject = kind === 'command' ? { ...data, template: body } : { ...data, ...(body === '' ? {} : { prompt: body }) }
  const schema = kind === 'command' ? CommandEntry : AgentEntry
  const result = schema.safeParse(value)
  if (!result.success) {
    const message = faultsOf(result.error.issues, () => path).join('; ')
    if (kind !== 'mode') throw new ConfigError(message, `Correct the front matter of ${path}.`)
    notes.push(`${message}; the mode was left out.`)
    return {}
  }
  for (const { key, nearest } of strangersIn(schema, value)) notes.push(`${path}: ${unknownKey(key, nearest)}`)
  return { [kind]: { [name]: value } }
}
