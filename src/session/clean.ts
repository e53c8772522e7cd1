import { clean } from '../text.ts'

/** A JSON value in which every text is one that every backend accepts (C38). */
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
