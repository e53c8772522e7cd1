import { isRecord, type JsonObject } from '../json.ts'

/** The object itself; anything else counts as an empty one. */
export function plainOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {}
}

/** What an object has of its own under a key. */
export function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** The object without a key. */
export function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))
}
