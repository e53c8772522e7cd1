/** An object as JSON has it. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is an object with keys: no list, and not `null`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One object laid over another: objects in them are merged deeply, lists and everything else are replaced. */
export function mergeDeep(under: JsonObject, over: JsonObject): JsonObject {
  const changes = Object.entries(over).map(([key, value]): [string, unknown] => {
    const below = Object.hasOwn(under, key) ? under[key] : undefined
    return [key, isRecord(below) && isRecord(value) ? mergeDeep(below, value) : value]
  })
  return { ...under, ...Object.fromEntries(changes) }
}

/** What a JSON text says; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
