import { createSign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { APICallError } from 'ai'
import { z } from 'zod'
import { messageOf } from '../failure.ts'
import { fault } from './faults.ts'

/**
 * Access tokens for Google Cloud from a credentials file, by the three flows of OAuth that such files stand for (RFC 8693, RFC 7523,
 * RFC 6749). Google's own library would be as large as all of the action's engine.
 */

const address = z.url({ protocol: /^https?$/ })

/** The job's identity, which holds no key; a service account's key; a person's login. */
const Credentials = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('external_account'),
    audience: z.string(),
    subject_token_type: z.string(),
    token_url: address.default('https://sts.googleapis.com/v1/token'),
    service_account_impersonation_url: address.optional(),
    credential_source: z.object({
      url: address.optional(),
      file: z.string().optional(),
      headers: z.record(z.string(), z.string()).default({}),
      format: z.object({ type: z.string(), subject_token_field_name: z.string().optional() }).optional(),
    }),
  }),
  z.object({
    type: z.literal('service_account'),
    client_email: z.string(),
    private_key: z.string(),
    token_uri: address.default('https://oauth2.googleapis.com/token'),
  }),
  z.object({
    type: z.literal('authorized_user'),
    client_id: z.string(),
    client_secret: z.string(),
    refresh_token: z.string(),
    token_uri: address.default('https://oauth2.googleapis.com/token'),
  }),
])
type Credentials = z.infer<typeof Credentials>
type External = Extract<Credentials, { type: 'external_account' }>

const Granted = z.object({ access_token: z.string(), expires_in: z.number().default(3_600) })
const Impersonated = z.object({ accessToken: z.string(), expireTime: z.iso.datetime() })

interface Token {
  readonly value: string
  /** Until when it is good, in ms since 1970. */
  readonly until: number
}

const scope = 'https://www.googleapis.com/auth/cloud-platform'
/** A token is renewed this long before its end, in ms, so that it lasts for the request it goes with. */
const ahead = 300_000
/** Time a server of tokens has to answer, in ms. */
const patience = 30_000

/** A source of tokens that asks for one when there is none or it ends soon. Fails with an `APICallError` that names the file. */
export function googleTokens(file: string, now: () => number = Date.now): () => Promise<string> {
  let token: Promise<Token> | undefined
  return async () => {
    try {
      const kept = await token?.catch(() => undefined)
      if (kept && kept.until - ahead > now()) return kept.value
      token = tokenFor(file, now())
      return (await token).value
    } catch (error) {
      const message = `Google Cloud gave no access token for the credentials file ${file}: ${messageOf(error)}`
      const retryable = isPassing(error)
      throw fault({ url: 'https://sts.googleapis.com', provider: 'Google Cloud' }, message, { retryable, statusCode: retryable ? 503 : 401 })
    }
  }
}

/** Whether it was the server or the way to it, which may be better at another try. */
function isPassing(error: unknown): boolean {
  if (APICallError.isInstance(error)) return error.isRetryable
  // What `fetch` throws when it reached nobody, or waited too long.
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')
}

async function tokenFor(file: string, now: number): Promise<Token> {
  const found = Credentials.safeParse(JSON.parse(await readFile(file, 'utf8')))
  if (!found.success) throw new Error(`it is of no known kind. ${z.prettifyError(found.error)}`)
  const credentials = found.data
  switch (credentials.type) {
    case 'external_account':
      return ofIdentity(credentials, now)
    case 'service_account':
      return granted(credentials.token_uri, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: assertionOf(credentials, now) }, now)
    case 'authorized_user': {
      const { client_id, client_secret, refresh_token } = credentials
      return granted(credentials.token_uri, { grant_type: 'refresh_token', client_id, client_secret, refresh_token }, now)
    }
  }
}

/** Changes the job's identity for a token, and that, if the file says so, for one of a service account. */
async function ofIdentity(credentials: External, now: number): Promise<Token> {
  const { token_url, audience, subject_token_type, service_account_impersonation_url: actAs } = credentials
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience,
    scope,
    subject_token_type,
    subject_token: await identityOf(credentials),
  }
  const own = await granted(token_url, form, now)
  if (actAs === undefined) return own
  const headers = { authorization: `Bearer ${own.value}`, 'content-type': 'application/json' }
  const acting = Impersonated.parse(JSON.parse(await ask(actAs, { method: 'POST', headers, body: JSON.stringify({ scope: [scope], lifetime: '3600s' }) })))
  return { value: acting.accessToken, until: Date.parse(acting.expireTime) }
}

async function identityOf({ credential_source: { url, file, headers, format } }: External): Promise<string> {
  const text = file === undefined ? await ask(url ?? '', { headers }) : await readFile(file, 'utf8')
  if (format?.type !== 'json') return text.trim()
  const identity = z.record(z.string(), z.unknown()).parse(JSON.parse(text))[format.subject_token_field_name ?? '']
  if (typeof identity === 'string') return identity
  throw new Error('the job has no identity, which needs "permissions: id-token: write"')
}

/** A wish for a token, signed with the key of a service account. */
function assertionOf({ client_email, private_key, token_uri }: Extract<Credentials, { type: 'service_account' }>, now: number): string {
  const at = Math.floor(now / 1_000)
  const claims = { iss: client_email, scope, aud: token_uri, iat: at, exp: at + 3_600 }
  const body = [{ alg: 'RS256', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${body}.${createSign('RSA-SHA256').update(body).sign(private_key, 'base64url')}`
}

async function granted(url: string, form: Readonly<Record<string, string>>, now: number): Promise<Token> {
  const { access_token, expires_in } = Granted.parse(JSON.parse(await ask(url, { method: 'POST', body: new URLSearchParams(form) })))
  return { value: access_token, until: now + expires_in * 1_000 }
}

async function ask(url: string, init: RequestInit): Promise<string> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(patience) })
  const text = await response.text()
  if (response.ok) return text
  const message = `${new URL(url).host} answered ${response.status}: ${text.slice(0, 500)}`
  throw fault({ url, provider: 'Google Cloud' }, message, { retryable: response.status >= 500 || response.status === 429, statusCode: response.status })
}
