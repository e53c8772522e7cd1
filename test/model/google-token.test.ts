import { generateKeyPairSync, verify } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { googleTokens } from '../../src/model/google-token.ts'
import { type RawReply, rawServer } from '../support/raw-sse.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'google-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function fileOf(content: object | string): Promise<string> {
  const file = join(folder, 'credentials.json')
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const json = (value: object, status = 200): RawReply => ({ status, headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(value)] })
const grant = (access_token: string) => json({ access_token, expires_in: 3_600, token_type: 'Bearer' })

/** What google-github-actions/auth leaves for workload identity, at a server of the test. */
const identity = (url: string, more: object = {}) => ({
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/g',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: `${url}/sts`,
  credential_source: {
    url: `${url}/identity?audience=a`,
    headers: { Authorization: 'Bearer request' },
    format: { type: 'json', subject_token_field_name: 'value' },
  },
  ...more,
})

test('the job’s identity is changed for a token, as RFC 8693 has it', async () => {
  await using server = await rawServer(json({ value: 'github' }), grant('cloud'))
  expect(await googleTokens(await fileOf(identity(server.url)))()).toBe('cloud')
  const [asked, exchanged] = server.requests
  expect(asked).toMatchObject({ method: 'GET', path: '/identity?audience=a', headers: { authorization: 'Bearer request' } })
  expect(Object.fromEntries(new URLSearchParams(exchanged?.body))).toEqual({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/g',
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    subject_token: 'github',
  })
})

test('with a service account to act as, the token is changed once more', async () => {
  const acting = json({ accessToken: 'service', expireTime: new Date(Date.now() + 3_600_000).toISOString() })
  await using server = await rawServer(json({ value: 'github' }), grant('cloud'), acting)
  expect(await googleTokens(await fileOf(identity(server.url, { service_account_impersonation_url: `${server.url}/act` })))()).toBe('service')
  expect(server.requests[2]).toMatchObject({ method: 'POST', path: '/act', headers: { authorization: 'Bearer cloud' } })
})

test('an identity may also lie in a file', async () => {
  await using server = await rawServer(grant('cloud'))
  const token = join(folder, 'token')
  await writeFile(token, 'from-file\n')
  expect(await googleTokens(await fileOf(identity(server.url, { credential_source: { file: token } })))()).toBe('cloud')
  expect(new URLSearchParams(server.requests[0]?.body).get('subject_token')).toBe('from-file')
})

test('a token is kept until shortly before its end, and asked for again after a failure', async () => {
  let now = 1_000_000
  await using server = await rawServer(json({ value: 'a' }), json({}, 503), json({ value: 'a' }), grant('first'), json({ value: 'b' }), grant('second'))
  const tokens = googleTokens(await fileOf(identity(server.url)), () => now)
  await expect(tokens()).rejects.toThrow('503')
  expect([await tokens(), await tokens()]).toEqual(['first', 'first'])
  now += 3_299_000
  expect(await tokens()).toBe('first')
  now += 2_000
  expect(await tokens()).toBe('second')
})

test('a key of a service account signs the wish for a token and is not sent', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await using server = await rawServer(grant('cloud'))
  const file = await fileOf({ type: 'service_account', client_email: 'bot@p.test', private_key: key, token_uri: `${server.url}/token` })
  expect(await googleTokens(file, () => 5_000)()).toBe('cloud')
  const form = new URLSearchParams(server.requests[0]?.body)
  expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
  const [head, claims, signature] = (form.get('assertion') ?? '').split('.')
  expect(verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature ?? '', 'base64url'))).toBe(true)
  expect(JSON.parse(Buffer.from(claims ?? '', 'base64url').toString())).toEqual({
    iss: 'bot@p.test',
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    aud: `${server.url}/token`,
    iat: 5,
    exp: 3_605,
  })
  expect(server.requests[0]?.body).not.toContain('PRIVATE')
})

test('a person’s login is renewed', async () => {
  await using server = await rawServer(grant('cloud'))
  const login = { type: 'authorized_user', client_id: 'i', client_secret: 's', refresh_token: 'r', token_uri: `${server.url}/token` }
  expect(await googleTokens(await fileOf(login))()).toBe('cloud')
  expect(server.requests[0]?.body).toBe('grant_type=refresh_token&client_id=i&client_secret=s&refresh_token=r')
})

test.each([
  ['is missing', undefined, 'ENOENT'],
  ['is no JSON', 'no', 'JSON'],
  ['is of another kind', { type: 'gdch_service_account' }, 'no known kind'],
])('a file that %s is an error that names it, and no other try is made', async (_, content, why) => {
  const file = content === undefined ? join(folder, 'missing.json') : await fileOf(content)
  await expect(googleTokens(file)()).rejects.toMatchObject({
    message: expect.stringMatching(new RegExp(`${file}.*${why}`, 's')),
    statusCode: 401,
    isRetryable: false,
  })
})

test('a server that is down for a while may be asked again', async () => {
  await using server = await rawServer(json({}, 503))
  const file = await fileOf(identity(server.url))
  await expect(googleTokens(file)()).rejects.toMatchObject({ isRetryable: true, statusCode: 503 })
  await server[Symbol.asyncDispose]()
  await expect(googleTokens(file)()).rejects.toMatchObject({ isRetryable: true, statusCode: 503 })
})

test('a job without an identity is told the permission it lacks', async () => {
  await using server = await rawServer(json({ message: 'no' }))
  await expect(googleTokens(await fileOf(identity(server.url)))()).rejects.toThrow('id-token: write')
})
