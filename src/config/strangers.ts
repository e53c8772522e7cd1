import { closest, distance } from 'fastest-levenshtein'
import { z } from 'zod'
import type { Place } from './variables.ts'

/** A key that a schema does not name. */
export interface Stranger {
  readonly place: Place
  readonly key: string
  /** The known key that was meant, most likely. */
  readonly nearest: string | undefined
}

/**
 * The keys of a value that its schema does not know. An object that hands on unknown keys has a stranger only where one is a known key in
 * another spelling, such as `baseUrl`.
 */
export function strangersIn(schema: z.core.$ZodType, value: unknown, place: Place = []): Stranger[] {
  if (schema instanceof z.ZodOptional) return strangersIn(schema.unwrap(), value, place)
  if (Array.isArray(value)) {
    return schema instanceof z.ZodArray ? value.flatMap((item, index) => strangersIn(schema.element, item, [...place, index])) : []
  }
  if (typeof value !== 'object' || value === null) return []
  if (schema instanceof z.ZodUnion) {
    const fitting = schema.options.find((option) => z.safeParse(option, value).success)
    return fitting === undefined ? [] : strangersIn(fitting, value, place)
  }
  const entries = Object.entries(value)
  if (schema instanceof z.ZodRecord) return entries.flatMap(([key, item]) => strangersIn(schema.valueType, item, [...place, key]))
  if (!(schema instanceof z.ZodObject)) return []
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape
  const known = Object.keys(shape)
  const isLoose = schema.def.catchall !== undefined
  return entries.flatMap(([key, item]): Stranger[] => {
    const inner = Object.hasOwn(shape, key) ? shape[key] : undefined
    if (inner) return strangersIn(inner, item, [...place, key])
    const nearest = isLoose ? known.find((name) => plain(name) === plain(key)) : nearestOf(key, known)
    return isLoose && nearest === undefined ? [] : [{ place: [...place, key], key, nearest }]
  })
}

/** A known word so much like this one that it was meant, most likely. */
function nearestOf(word: string, known: readonly string[]): string | undefined {
  const swapped = known.find((name) => letters(name) === letters(word))
  if (swapped !== undefined || known.length === 0) return swapped
  const nearest = closest(plain(word), known.map(plain))
  const found = known.find((name) => plain(name) === nearest)
  return distance(plain(word), nearest) <= Math.max(1, Math.floor(word.length / 3)) ? found : undefined
}

/** Equal for words in which letters changed places, which edits count twice. */
function letters(word: string): string {
  return [...plain(word)].sort().join('')
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[_-]/g, '')
}
