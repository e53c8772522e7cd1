import { isRecord } from '../json.ts'

/** Reading values of unknown shape that came over the wire. */

/** A text that says something, or a number written as one; blank text is nothing. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** A number, also where it was sent as text. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined
}

/** What a server says went wrong, wherever in its object it says it. */
export interface StreamError {
  readonly message: string
  readonly code?: string | number
  readonly type?: string
}

/**
 * The error in an object that came instead of an answer, or in the middle of one: `{error: {…}}`, `{error: "…"}`, an object
 * that only holds a message beside a code, or anything in an event named `error` (C152).
 */
export function streamErrorOf(value: Record<string, unknown>, event?: string): StreamError | undefined {
  const inner = value.error
  if (inner !== undefined && inner !== null && inner !== false) return isRecord(inner) ? described(inner, value) : described({ message: inner }, value)
  const flat = value.choices === undefined && value.message !== undefined && (value.code ?? value.type ?? value.status) !== undefined
  return flat || event === 'error' ? described(value, {}) : undefined
}

function described(error: Record<string, unknown>, outer: Record<string, unknown>): StreamError {
  const code = codeOf(error.code) ?? codeOf(error.status) ?? codeOf(error.statusCode) ?? codeOf(outer.code) ?? codeOf(outer.status)
  const type = textOf(error.type)
  return {
    message: textOf(error.message) ?? textOf(error.detail) ?? JSON.stringify(error.message ?? error),
    ...(code === undefined ? {} : { code }),
    ...(type === undefined ? {} : { type }),
  }
}

function codeOf(value: unknown): string | number | undefined {
  return numberOf(value) ?? textOf(value)
}
