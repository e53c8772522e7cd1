import { stripVTControlCharacters } from 'node:util'

/** Control characters other than tab, line feed and carriage return. */
const controls = /[^\P{Cc}\t\n\r]/gu
/** Halves of surrogate pairs. */
const halves = /\p{Surrogate}/gu
const dirty = /[^\P{Cc}\t\n\r]|\p{Surrogate}/u

/** Text as every backend accepts it: no terminal escapes, no control characters, no lone surrogates (C38). */
export function clean(text: string): string {
  if (!dirty.test(text)) return text
  return stripVTControlCharacters(text).replace(controls, '').replace(halves, '\uFFFD')
}

/** The same for every text inside a JSON value. */
export function cleanDeep(value: unknown): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map(cleanDeep)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [clean(key), cleanDeep(inner)]))
}

/** A tool name every backend accepts in a history: letters, digits, `_` and `-`, 1 to 64 of them (C164). */
export function cleanToolName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64) || 'unnamed'
}

/** At most `length` characters of a text, never ending inside a surrogate pair. */
export function excerpt(text: string, length: number): string {
  return text.length <= length ? text : `${clean(text.slice(0, length))}…`
}
