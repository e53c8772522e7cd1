import { APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } from 'ai'
import { isRecord, parseJson } from '../json.ts'
import { numberOf, streamErrorOf, textOf } from './wire.ts'

/**
 * Every way in which a model call can fail, as one kind of error: `APICallError` with a message for people, the HTTP status or
 * its equivalent, and whether another try may help. An abort by the run's own signal stays what it is.
 */

/** Where the call went, for the error. */
export interface Where {
  readonly url: string
  /** How the provider is named in messages. */
  readonly provider: string
}

interface Facts {
  readonly statusCode?: number
  readonly retryable: boolean
  readonly responseBody?: string
  readonly cause?: unknown
}

/** An error of our own making about a call. */
export function fault(where: Where, message: string, { statusCode, retryable, responseBody, cause }: Facts): APICallError {
  return new APICallError({
    message,
    url: where.url,
    // The request repeats the whole conversation; an error has no need of it.
    requestBodyValues: {},
    isRetryable: retryable,
    cause,
    ...(statusCode === undefined ? {} : { statusCode }),
    ...(responseBody === undefined ? {} : { responseBody }),
  })
}

/** The answer stopped without saying that it was finished (C151). */
export function brokenOff(where: Where, cause?: unknown): APICallError {
  return fault(where, `The answer of ${where.provider} broke off before it was finished.`, { retryable: true, cause })
}

/** A page for people came where an answer for machines was due, as proxies and login walls send (C163). */
export function htmlFault(where: Where, status: number, body: string): APICallError {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(body)?.[1]?.trim()
  const advice = status === 401 || status === 403 ? ' A gateway or proxy stands before it and refused the request.' : ''
  return fault(where, `${where.provider} returned HTML (status ${status})${title ? `: ${title}` : ''}.${advice}`, {
    statusCode: status,
    retryable: status >= 500,
    responseBody: body.slice(0, 2_000),
  })
}

/** An error that a server wrote into its answer, with the status its code or type stands for (C152). */
export function reportedFault(where: Where, reported: unknown): APICallError | undefined {
  if (!isRecord(reported)) return undefined
  const error = streamErrorOf({ error: reported })
  if (error === undefined || textOf(reported.message) === undefined) return undefined
  const statusCode = numberOf(reported.statusCode) ?? statusOf(error.code, error.type)
  const retryable = typeof reported.isRetryable === 'boolean' ? reported.isRetryable : isTransient(statusCode, error.code, error.type)
  return fault(where, error.message, {
    retryable,
    responseBody: JSON.stringify({ error }),
    ...(statusCode === undefined ? {} : { statusCode }),
  })
}

/** Turns whatever a provider package threw or reported into the one kind of error. */
export function clarify(error: unknown, where: Where): unknown {
  if (APICallError.isInstance(error)) return clarifyCall(error, where)
  if (InvalidResponseDataError.isInstance(error) && error.data === undefined) return brokenOff(where, error)
  if (InvalidResponseDataError.isInstance(error)) return unreadable(where, error.data, error)
  if (JSONParseError.isInstance(error)) return unreadable(where, error.text, error)
  if (TypeValidationError.isInstance(error)) return unfitting(where, error)
  if (error instanceof Error) return error
  return reportedFault(where, error) ?? error
}

/** A package refuses events that lack a field it knows, those that tell of an error among them. */
function unfitting(where: Where, error: TypeValidationError): APICallError {
  const told = isRecord(error.value) ? streamErrorOf(error.value) : undefined
  return reportedFault(where, told) ?? unreadable(where, error.value, error)
}

function clarifyCall(error: APICallError, where: Where): APICallError {
  // What the body stream threw arrives wrapped in a sentence that says nothing.
  if (APICallError.isInstance(error.cause)) return error.cause
  const body = error.responseBody?.trim() ?? ''
  if (error.statusCode !== undefined && body.startsWith('<')) return htmlFault(where, error.statusCode, body)
  if (error.data !== undefined || !body.startsWith('{')) return error
  const message = bodyMessage(body)
  if (message === undefined || error.message.includes(message)) return error
  return new APICallError({
    message,
    url: error.url,
    requestBodyValues: {},
    responseBody: body,
    isRetryable: error.isRetryable,
    cause: error,
    ...(error.statusCode === undefined ? {} : { statusCode: error.statusCode }),
    ...(error.responseHeaders === undefined ? {} : { responseHeaders: error.responseHeaders }),
  })
}

/** The sentence in an error body that the package's schema didn't fit. */
function bodyMessage(body: string): string | undefined {
  const value = parseJson(body)
  return isRecord(value) ? (streamErrorOf(value)?.message ?? textOf(value.message) ?? textOf(value.detail)) : undefined
}

function unreadable(where: Where, data: unknown, cause: unknown): APICallError {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? String(data))
  return fault(where, `${where.provider} sent something that can't be read as an answer: ${text.slice(0, 200)}`, {
    retryable: true,
    responseBody: text.slice(0, 2_000),
    cause,
  })
}

const statuses: readonly (readonly [RegExp, number])[] = [
  [/insufficient_quota|usage_not_included|rate_limit|too_many_requests|resource_exhausted/, 429],
  [/authentication|invalid_api_key|unauthenticated/, 401],
  [/permission|forbidden/, 403],
  [/not_found/, 404],
  [/context_length|invalid|bad_request|request_too_large/, 400],
  [/overloaded|unavailable/, 503],
  [/timeout|deadline/, 504],
  [/server_error|api_error|internal/, 500],
]

function statusOf(code: string | number | undefined, type: string | undefined): number | undefined {
  if (typeof code === 'number') return code >= 400 && code < 600 ? code : undefined
  const words = `${code ?? ''} ${type ?? ''}`.toLowerCase()
  return statuses.find(([pattern]) => pattern.test(words))?.[1]
}

/** Without any status the benefit of the doubt is one more bounded try; a quota that is used up won't come back in time. */
function isTransient(status: number | undefined, code: string | number | undefined, type: string | undefined): boolean {
  if (/insufficient_quota|usage_not_included/.test(`${code ?? ''} ${type ?? ''}`)) return false
  return status === undefined || status === 408 || status === 409 || status === 429 || status >= 500
}
