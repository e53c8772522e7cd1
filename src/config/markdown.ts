import { messageOf } from '../failure.ts'
import { isRecord, type JsonObject } from '../json.ts'

/** A Markdown file with front matter. */
export interface Markdown {
  readonly data: JsonObject
  readonly body: string
}

/** Why front matter can't be read: half a sentence. */
export class FrontMatterError extends Error {
  override readonly name = 'FrontMatterError'
}

const fence = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/

/**
 * Splits a text into its front matter and its body. Front matter that is no YAML is read again with every plain value that holds a colon taken as
 * text (`description: Review: be strict`). Keys without a value count as not written. Throws `FrontMatterError`.
 */
export async function readMarkdown(text: string): Promise<Markdown> {
  const whole = text.replaceAll('\r\n', '\n')
  const match = fence.exec(whole)
  if (!match) return { data: {}, body: whole.trim() }
  const [block, written = ''] = match
  const { parseDocument } = await import('./yaml.ts')
  const read = (yaml: string): unknown => {
    const document = parseDocument(yaml, { logLevel: 'silent' })
    const [error] = document.errors
    if (error) throw error
    const value: unknown = document.toJS({ maxAliasCount: 50 })
    return value
  }
  const body = whole.slice(block.length).trim()
  try {
    return { data: cleaned(attempt(read, written)), body }
  } catch (error) {
    throw new FrontMatterError(messageOf(error).split('\n')[0] ?? '', { cause: error })
  }
}

function attempt(read: (yaml: string) => unknown, written: string): unknown {
  try {
    return read(written)
  } catch (error) {
    const tolerant = quoted(written)
    if (tolerant === written) throw error
    return read(tolerant)
  }
}

/** The same front matter with plain values that hold a colon as block strings. Quoted values, lists, maps and what is a block already stay as they are. */
function quoted(written: string): string {
  return written
    .split('\n')
    .map((line) => {
      const [, key, value] = /^([\w-]+):[ \t]+(.*\S)[ \t]*$/.exec(line) ?? []
      if (key === undefined || value === undefined || !value.includes(':') || /^["'[{|>&*#!]/.test(value)) return line
      return `${key}: |-\n  ${value}`
    })
    .join('\n')
}

/** A JSON object of it: no empty values, no key that would change what an object is (C148). */
function cleaned(value: unknown): JsonObject {
  if (value === null || value === undefined) return {}
  if (!isRecord(value) || value instanceof Date) throw new Error('it has to be a list of keys with values')
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
      if (item === null || item === undefined || key === '__proto__') return []
      return [[key, isRecord(item) ? cleaned(item) : item]]
    }),
  )
}
