import { z } from 'zod'

/** An optional parameter; models also write `null` for one they leave out. */
export function optional<S extends z.ZodType>(schema: S) {
  return z.preprocess((value) => value ?? undefined, schema.optional()).optional()
}

/** A whole number of at least `min`; models also write `"10"` for `10`. */
export function integer(min: number, description: string) {
  const schema = z.int().min(min).describe(description)
  return optional(z.preprocess((value) => (typeof value === 'string' && /^-?\d+$/.test(value.trim()) ? Number(value) : value), schema))
}

/** A yes or no; models also write `"true"`. */
export function flag(description: string) {
  return optional(z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean().describe(description)))
}
