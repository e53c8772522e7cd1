import { z } from 'zod'
import { messageOf } from '../failure.ts'
import { parseJson } from '../json.ts'
import { matches, missingModel, overflow, passing, permanent, quota, rateLimit, transient } from './error-patterns.ts'
import type { MessageError } from './message.ts'

/** What went wrong with a model step, and what the provider's headers say about trying again. */
export interface Fault {
  readonly error: MessageError
  readonly headers?: Readonly<Record<string, string>>
}

/** The parts of the AI SDK's errors we read; matched by shape, so that the SDK need not be loaded to classify. */
const ApiCall = z.object({
  name: z.enum(['AI_APICallError', 'AI_StreamProviderError']),
  message: z.string(),
  statusCode: z.number().optional(),
  responseHeaders: z.record(z.string(), z.string()).optional(),
  responseBody: z.string().optional(),
  isRetryable: z.boolean().optional(),
  type: z.string().optional(),
  code: z.union([z.string(), z.number()]).optional(),
  data: z.unknown(),
  cause: z.unknown(),
})
const Coded = z.object({ code: z.string() })
const Body = z.object({
  message: z.string().optional(),
  error: z
    .union([z.string(), z.object({ message: z.string().optional(), code: z.union([z.string(), z.number()]).nullish(), type: z.string().nullish() })])
    .optional(),
})

/** Characters of a provider's answer that are quoted to a person. */
const QUOTE = 500

/** Names of the SDK's errors for an answer that broke off or was no answer: asking again may well work (C151). */
const BROKEN_ANSWER = new Set([
  'AI_InvalidResponseDataError',
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_EmptyResponseBodyError',
  'AI_NoOutputGeneratedError',
  'AI_NoContentGeneratedError',
])

/**
 * Classifies whatever a model call threw or its stream reported. `aborted` says whether the run's own signal had fired:
 * an abort that was not ours (an idle limit, a dropped socket) is a fault that passes.
 */
export function fromError(thrown: unknown, context: { readonly aborted: boolean; readonly providerID?: string }): Fault {
  if (context.aborted) return { error: { name: 'MessageAbortedError', message: 'The run was stopped.' } }

  const call = ApiCall.safeParse(thrown)
  if (call.success) return fromCall(call.data, context.providerID ?? '')

  if (thrown instanceof Error) {
    if (thrown.name === 'AI_LoadAPIKeyError') return { error: { name: 'ProviderAuthError', message: thrown.message } }
    if (thrown.name === 'AI_RetryError' && 'lastError' in thrown) return fromError(thrown.lastError, context)
    if (BROKEN_ANSWER.has(thrown.name)) return { error: { name: 'APIError', message: thrown.message.slice(0, QUOTE), retryable: true } }
    const code = systemCode(thrown)
    if (code === 'ECONNRESET') return { error: { name: 'APIError', message: 'The connection to the model was reset (ECONNRESET).', code, retryable: true } }
    if (code?.startsWith('Z_')) return { error: { name: 'APIError', message: `The model's answer could not be unpacked (${code}).`, code, retryable: true } }
    if (thrown.name === 'AbortError' || thrown.name === 'TimeoutError')
      return { error: { name: 'APIError', message: `The model stopped answering: ${thrown.message}`, retryable: true } }
    const text = [thrown.message, code, thrown.cause === undefined ? '' : messageOf(thrown.cause)].filter(Boolean).join(': ')
    return fromText(text || thrown.name, 'UnknownError')
  }
  return fromUnknown(thrown)
}

/** The code of a system's error, which stands at the error itself or at one behind it. */
function systemCode(thrown: unknown): string | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { data } = Coded.safeParse(error)
    if (data) return data.code
  }
  return undefined
}

function fromCall(call: z.infer<typeof ApiCall>, providerID: string): Fault {
  const body = Body.safeParse(call.responseBody === undefined ? call.data : parseJson(call.responseBody)).data
  const inner = typeof body?.error === 'object' ? body.error : undefined
  const code = String(call.code ?? inner?.code ?? systemCode(call.cause) ?? '')
  const message = describe(call, body, inner?.message)
  const text = [message, code, call.type, inner?.type, call.responseBody].filter(Boolean).join('\n')
  const status = call.statusCode
  const facts = { ...(status === undefined ? {} : { statusCode: status }), ...(code === '' ? {} : { code }) }
  const headers = call.responseHeaders ? { headers: call.responseHeaders } : {}

  if (isOverflow(text, status, code)) return { error: { name: 'ContextOverflowError', message, retryable: false, ...facts } }
  if (isMissingModel(text, status)) return { error: { name: 'ModelNotFoundError', message, retryable: false, ...facts } }
  if (status === 401 || status === 403) return { error: { name: 'ProviderAuthError', message, retryable: false, ...facts } }
  return { error: { name: 'APIError', message, retryable: isRetryable(text, status, call, providerID), ...facts }, ...headers }
}

function isOverflow(text: string, status: number | undefined, code: string): boolean {
  if (status === 413 || code === 'context_length_exceeded') return true
  return status !== 429 && matches(overflow, text) && !matches(rateLimit, text)
}

/** Providers answer 404, or 400 like other faults of a request; some say 403 for a model that is not for us. */
function isMissingModel(text: string, status: number | undefined): boolean {
  return (status === undefined || (status >= 400 && status < 429)) && matches(missingModel, text)
}

/** One layer of retries decides by status and wording; a proxy's own "not retryable" on a passing 429 is not believed (C57). */
function isRetryable(text: string, status: number | undefined, call: z.infer<typeof ApiCall>, providerID: string): boolean {
  if (matches(quota, text) && !matches(passing, text)) return false
  if (status !== undefined && status >= 500) return true
  if (status === 429 || status === 408 || status === 409) return true
  // OpenAI answers 404 for a moment when a model is being rolled out; a model that isn't there stays so.
  if (status === 404) return providerID.startsWith('openai') && !matches(permanent, text)
  if (status !== undefined && status >= 400) return matches(passing, text)
  // Within a stream there is no status: what isn't plainly permanent passes (C152).
  return call.name === 'AI_StreamProviderError' ? !matches(permanent, text) : call.isRetryable === true || matches(transient, text)
}

function describe(call: z.infer<typeof ApiCall>, body: z.infer<typeof Body> | undefined, inner: string | undefined): string {
  const status = call.statusCode === undefined ? '' : ` (status ${call.statusCode})`
  const raw = call.responseBody?.trim() ?? ''
  if (/^<(!doctype|html)/i.test(raw))
    return `The provider returned HTML${status} instead of an answer: a gateway or proxy is in the way, or the base URL is wrong.`
  const words = inner ?? (typeof body?.error === 'string' ? body.error : body?.message) ?? (raw && parseJson(raw) === undefined ? raw : '')
  const own = call.message.trim()
  const text = own && words && !own.includes(words) ? `${own}: ${words}` : words || own
  return (text || `The provider gave no reason${status || '.'}`).slice(0, QUOTE)
}

function fromUnknown(thrown: unknown): Fault {
  const body = Body.safeParse(thrown).data
  const inner = typeof body?.error === 'object' ? body.error : undefined
  const code = String(inner?.code ?? '')
  const words = inner?.message ?? (typeof body?.error === 'string' ? body.error : body?.message)
  if (inner || words !== undefined) {
    const text = [words, code, inner?.type].filter(Boolean).join('\n')
    const message = (words ?? text).slice(0, QUOTE)
    if (isOverflow(text, undefined, code)) return { error: { name: 'ContextOverflowError', message, retryable: false } }
    const facts = code === '' ? {} : { code }
    if (isMissingModel(text, undefined)) return { error: { name: 'ModelNotFoundError', message, retryable: false, ...facts } }
    const final = (matches(quota, text) && !matches(passing, text)) || matches(permanent, text)
    return { error: { name: 'APIError', message, retryable: !final, ...facts } }
  }
  return fromText(messageOf(thrown), 'UnknownError')
}

function fromText(text: string, name: 'UnknownError'): Fault {
  const message = text.slice(0, QUOTE)
  if (isOverflow(text, undefined, '')) return { error: { name: 'ContextOverflowError', message, retryable: false } }
  return { error: { name: matches(transient, text) ? 'APIError' : name, message, retryable: matches(transient, text) && !matches(quota, text) } }
}
