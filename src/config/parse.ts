import type { z } from 'zod'
import { messageOf } from '../failure.ts'
import type { JsonObject } from '../json.ts'
import { ConfigError } from './errors.ts'
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from './jsonc.ts'
import { lowered } from './lower.ts'
import { plainOf } from './plain.ts'
import { strangersIn } from './strangers.ts'
import { type Filled, type Reference, referencesIn, substitute } from './substitute.ts'
import type { Environment, Place } from './variables.ts'

/** The text of a configuration and where it comes from. */
export interface Source {
  /** For people: `.opencode/opencode.json`, `the input config`. */
  readonly name: string
  readonly text: string
  /** Folder of the tree that `{file:PATH}` and plugin paths start from. */
  readonly folder: string
}

/** A configuration that fits the schema, as it was written but for references and older names. */
export interface Parsed {
  readonly value: JsonObject
  readonly secrets: readonly string[]
  /** Sentences for people about what was ignored. */
  readonly notes: readonly string[]
}

/** What a source refers to, for the one who reads the files. Throws `ConfigError` when the text is nested too deeply to be looked at. */
export function references(source: Source): Reference[] {
  return guarded(source, () => referencesIn(source.text))
}

/**
 * Reads JSON with comments and trailing commas, fills in `{env:}` and `{file:}`, and checks the result against a schema. `files` holds the text
 * of each file that is referred to. Throws `ConfigError`, and nothing else, naming file, line and column.
 */
export function parseConfig(source: Source, schema: z.ZodType, env: Environment, files: ReadonlyMap<string, string>): Parsed {
  return guarded(source, () => {
    const filled = substitute(source.text, referencesIn(source.text), env, files)
    const root = rootOf(source, filled)
    if (root === undefined) return { value: {}, secrets: [], notes: [] }
    const dropped: Place[] = []
    const { value, notes } = lowered(plainOf(readValue(root, [], dropped)))
    const at = (place: Place) => where(source, filled, nodeAt(root, place).offset)
    const result = schema.safeParse(value)
    if (!result.success) throw misfit(source, result.error.issues, at)
    return {
      value,
      secrets: filled.secrets,
      notes: [
        ...filled.notes.map((note) => `${placeIn(source, note.at)}: ${note.message}`),
        ...dropped.map((place) => `${at(place)}: the key ${JSON.stringify(place.at(-1))} was ignored.`),
        ...notes.map(({ place, message }) => `${at(place)}: ${message}`),
        ...strangersIn(schema, value).map(({ place, key, nearest }) => `${at(place)}: ${unknownKey(key, nearest)}`),
      ],
    }
  })
}

/** What to say of a key nobody knows. */
export function unknownKey(key: string, nearest: string | undefined): string {
  return `the key ${JSON.stringify(key)} is unknown and was ignored.${nearest === undefined ? '' : ` Did you mean ${JSON.stringify(nearest)}?`}`
}

/** The readable form of what a schema found, one fault a line. `at` says where a place is. */
export function faultsOf(issues: readonly z.core.$ZodIssue[], at: (place: Place) => string): string[] {
  const faults = issues.flatMap(deepest).map(({ path, message }) => {
    const place = path.filter((key) => typeof key !== 'symbol')
    const name = place.length === 0 ? '' : `${place.join('.')} `
    return `${at(place)}: ${name}${message.charAt(0).toLowerCase()}${message.slice(1)}`
  })
  return [...new Set(faults)]
}

/** Of a value that fits none of several forms, the faults of the form it comes closest to. */
function deepest(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const depth = (issues: readonly z.core.$ZodIssue[]) => Math.max(...issues.map(({ path }) => path.length))
  const best = issue.errors.reduce((a, b) => (depth(b) > depth(a) ? b : a))
  if (depth(best) === 0) {
    const words = issue.errors.flat().flatMap((inner) => (inner.code === 'invalid_value' ? inner.values.map((value) => JSON.stringify(value)) : []))
    return [{ ...issue, message: `has none of the allowed forms${words.length === 0 ? '' : `; a word must be one of ${words.join(', ')}`}` }]
  }
  return best.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(deepest)
}

function rootOf(source: Source, filled: Filled): Node | undefined {
  const errors: ParseError[] = []
  const root = parseTree(filled.text, errors, { allowTrailingComma: true })
  if (filled.text.trim() === '') return undefined
  const [error] = errors
  if (error !== undefined) {
    const what = printParseErrorCode(error.error)
      .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      .trim()
    throw new ConfigError(
      `${where(source, filled, error.offset)}: this is not valid JSON (${what})`,
      `Correct ${source.name}; comments and trailing commas are fine.`,
    )
  }
  if (root?.type === 'object') return root
  throw new ConfigError(`${where(source, filled, root?.offset ?? 0)}: a configuration must be an object`, 'Begin it with { and end it with }.')
}

/** The value of a node. A key that would change what an object is (C148) is left out, and its place noted. */
function readValue(node: Node, place: Place, dropped: Place[]): unknown {
  if (node.type === 'array') return (node.children ?? []).map((child, index) => readValue(child, [...place, index], dropped))
  if (node.type !== 'object') return node.value
  const entries = (node.children ?? []).flatMap(({ children: [key, value] = [] }): [string, unknown][] => {
    if (key === undefined || value === undefined) return []
    const name = String(key.value)
    if (name !== '__proto__') return [[name, readValue(value, [...place, name], dropped)]]
    dropped.push([...place, name])
    return []
  })
  return Object.fromEntries(entries)
}

/** The key or value at a place, or what is nearest above it. */
function nodeAt(root: Node, place: Place): Node {
  for (let length = place.length; length > 0; length--) {
    const found = findNodeAtLocation(root, place.slice(0, length))
    if (found) return found.parent?.type === 'property' ? found.parent : found
  }
  return root
}

function where(source: Source, filled: Filled, offset: number): string {
  return placeIn(source, filled.origin(offset))
}

/** Where an offset of a text is, for people: `opencode.json:3:7`. */
export function placeIn(source: Source, offset: number): string {
  const before = source.text.slice(0, offset).split('\n')
  return `${source.name}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}

function misfit(source: Source, issues: readonly z.core.$ZodIssue[], at: (place: Place) => string): ConfigError {
  const faults = faultsOf(issues, at)
  const message = faults.length === 1 ? `${faults[0]}` : `${source.name} has ${faults.length} faults:\n${faults.map((fault) => `- ${fault}`).join('\n')}`
  return new ConfigError(message, 'Correct it and run again; docs/config.schema.json of opencode-action describes every key.')
}

/** Parsers go down into what they read; text that is nested a hundred thousand levels deep ends them. */
function guarded<T>(source: Source, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(`${source.name} can't be read: ${messageOf(error)}`, 'Write it as plain JSON, without needless nesting.', { cause: error })
  }
}
