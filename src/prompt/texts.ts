import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Looks up a text of `prompts/` by its path without `.md`, and fills its `{{name}}` places. */
export type Texts = (name: string, values?: Readonly<Record<string, string>>) => string

/**
 * The texts of one folder, read when first asked for.
 * Throws when a text or a value for one of its places is missing: both are faults of ours, found by the tests.
 */
export function textsOf(directory: string): Texts {
  const seen = new Map<string, string>()
  return (name, values = {}) => {
    const text = seen.get(name) ?? readFileSync(join(directory, `${name}.md`), 'utf8').trimEnd()
    seen.set(name, text)
    return text.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => {
      const value = values[key]
      if (value === undefined) throw new Error(`prompts/${name}.md has no value for {{${key}}}`)
      return value
    })
  }
}
