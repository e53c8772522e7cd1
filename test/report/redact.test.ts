import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedactor } from '../../src/report/redact.ts'

const key = 'q7/Zk+"9\\x w=ü&end'

test.each([
  ['as it is', key],
  ['in JSON', JSON.stringify({ key })],
  ['in JSON in JSON', JSON.stringify(JSON.stringify({ key }))],
  ['URL-encoded', encodeURIComponent(key)],
  ['URL-encoded in small letters', encodeURIComponent(key).toLowerCase().replace('q7%2fzk', 'q7%2fZk')],
  ['as a form field', new URLSearchParams({ key }).toString()],
  ['hex', Buffer.from(key).toString('hex')],
  ['hex in capitals', Buffer.from(key).toString('hex').toUpperCase()],
  ['a hex dump', (Buffer.from(key).toString('hex').match(/../g) ?? []).join(' ')],
  ['base64', Buffer.from(key).toString('base64')],
  ['base64url', Buffer.from(key).toString('base64url')],
  ['base64 in broken lines', Buffer.from(`KEY=${key}\nA=1\n`).toString('base64').replaceAll(/.{7}/g, '$&\n')],
])('C140 a known secret is masked %s', (_, text) => {
  const masked = createRedactor([key]).redact(`before ${text} after`)
  expect(masked).toMatch(/^before .*\[redacted\].* after$/s)
  expect(masked.replaceAll('[redacted]', '').length).toBeLessThan(40)
})

const token = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=_-.%&"\\ '),
  minLength: 12,
  maxLength: 60,
})
const secret = token.filter((text) => text.trim().length >= 12 && !'[redacted]'.includes(text.trim()))

test('no form of a secret survives, wherever it stands', () => {
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
      const { redact } = createRedactor([value])
      const plain = value.trim()
      const bytes = Buffer.from(plain)
      for (const form of [plain, JSON.stringify(plain).slice(1, -1), encodeURIComponent(plain), bytes.toString('hex')]) {
        const masked = redact(`${before}${form}${after}`)
        expect(masked).toContain('[redacted]')
        expect(masked).not.toContain(form)
      }
    }),
  )
})

test('base64 of a text that holds a secret gives none of its inner bytes away, at every alignment', () => {
  fc.assert(
    fc.property(
      secret,
      fc.uint8Array({ maxLength: 9 }),
      fc.uint8Array({ maxLength: 9 }),
      fc.constantFrom<BufferEncoding>('base64', 'base64url'),
      (value, before, after, encoding) => {
        const plain = value.trim()
        const packed = Buffer.concat([before, Buffer.from(plain), after]).toString(encoding)
        const left = createRedactor([value]).redact(packed)
        expect(left).toContain('[redacted]')
        // What is left belongs to the neighbours, but for a character at each end that mixes their bits.
        expect(left.replace('[redacted]', '').replaceAll('=', '').length).toBeLessThanOrEqual(Math.ceil(((before.length + after.length) * 4) / 3) + 4)
      },
    ),
  )
})

test('texts without a secret stay as they are', () => {
  const { redact } = createRedactor(['correct horse battery staple'])
  for (const text of [
    '',
    'task-2024-10-11-release-notes-draft',
    'eyJ is how a JWT begins',
    'sk-cube-grid-animation-delay',
    'ghp_ is a prefix',
    '```js\nconst AKIA = 1\n```',
  ])
    expect(redact(text)).toBe(text)
})

test('redacting twice changes nothing more', () => {
  fc.assert(
    fc.property(fc.array(secret, { maxLength: 3 }), fc.array(fc.oneof(fc.string(), secret), { maxLength: 6 }), (secrets, pieces) => {
      const { redact } = createRedactor(secrets)
      const once = redact(pieces.join(' '))
      expect(redact(once)).toBe(once)
    }),
  )
})

test('C149 a secret is trimmed and its lines are masked one by one, short ones not', () => {
  const pem = 'first-line-of-the-key\n{\nab\nsecond-line-of-the-key\n'
  const { redact } = createRedactor([pem, '', 'short'])
  expect(redact('{ ab short second-line-of-the-key')).toBe('{ ab short [redacted]')
  expect(redact(`x ${pem.trim()} y`)).toBe('x [redacted] y')
  expect(redact(`x ${pem.trim().replaceAll('\n', '\r\n')} y`)).toBe('x [redacted] y')
  expect(redact(JSON.stringify({ pem }))).toBe('{"pem":"[redacted]\\n"}')
})

test('a secret that becomes known later is masked from then on', () => {
  const redactor = createRedactor([])
  expect(redactor.redact('minted-token-1')).toBe('minted-token-1')
  redactor.add('minted-token-1\n')
  expect(redactor.redact('a minted-token-1 b')).toBe('a [redacted] b')
})

const filler = (length: number): string => 'aB3dE5gH7jK9mN1pQ2sT4uV6xY8zA0cD'.repeat(4).slice(0, length)
test.each([
  ['a GitHub token', `ghp_${filler(36)}`],
  ['a workflow token', `ghs_${filler(36)}`],
  ['a workflow token in the long form', `ghs_${filler(36)}.${filler(40)}.${filler(40)}`],
  ['a fine-grained token', `github_pat_${filler(22)}_${filler(59)}`],
  ['an OpenAI key', `sk-proj-${filler(60)}`],
  ['an old OpenAI key', `sk-${filler(48)}`],
  ['an Anthropic key', `sk-ant-api03-${filler(80)}`],
  ['a Google key', `AIza${filler(35)}`],
  ['an AWS key id', 'AKIAIOSFODNN7EXAMPLE'],
  ['a Slack token', `xoxb-${filler(12)}-${filler(24)}`],
  ['a JWT', `eyJ${filler(20)}.eyJ${filler(40)}.${filler(43)}`],
  ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${filler(64)}\n${filler(64)}\n-----END RSA PRIVATE KEY-----`],
  ['a private key in JSON', `-----BEGIN PRIVATE KEY-----\\n${filler(64)}\\n-----END PRIVATE KEY-----`],
])('C140 %s that nobody told of is masked', (_, text) => {
  for (const [before, after] of [
    ['', ''],
    ['"', '"'],
    ['Bearer ', ', next'],
    ['line\\n', '\\nline'],
    ['\u001b[32m', '\u001b[0m'],
  ])
    expect(createRedactor([]).redact(`${before}${text}${after}`)).toBe(`${before}[redacted]${after}`)
})

test('C140 a private key that was cut off is masked as far as it goes', () => {
  expect(createRedactor([]).redact(`a\n-----BEGIN OPENSSH PRIVATE KEY-----\n${filler(64)}\n${filler(9)} … and so on`)).toBe('a\n[redacted]… and so on')
})

test('a long text of secrets-to-be is redacted in one pass without blowing up', () => {
  const { redact } = createRedactor(['\\'.repeat(40), 'a'.repeat(200), `${' '.repeat(20)}b`.repeat(9)])
  expect(redact('\\'.repeat(20_000))).toContain('[redacted]')
  expect(redact(' '.repeat(20_000))).toBe(' '.repeat(20_000))
})

test.each([
  ['in JSON as Go and Python write it', 'q7\\/Zk+\\"9\\\\x w=\\u00fc\\u0026end'],
  ['in HTML', 'q7/Zk+&quot;9\\x w=ü&amp;end'],
])('C140 a known secret is masked %s', (_, text) => {
  expect(createRedactor([key]).redact(text)).toBe('[redacted]')
})

test('a token that a text shows is then masked in every other form', () => {
  const shown = `hf_${'aBcDeFgHiJ'.repeat(4)}1`
  const packed = Buffer.from(`x ${shown}`).toString('base64')
  const redactor = createRedactor([])
  expect(redactor.redact(packed)).toBe(packed)
  redactor.learn(`the token is ${shown}, keep it`)
  expect(redactor.redact(packed)).toContain('[redacted]')
})

test('what a program asks the runner to mask is masked from then on', () => {
  const redactor = createRedactor([])
  redactor.learn('one\n  ::add-mask::minted 100%25 secret%0Asecond line of it\n##[add-mask]another-secret\n::debug::not-a-secret')
  expect(redactor.redact('minted 100% secret, second line of it, another-secret, not-a-secret')).toBe('[redacted], [redacted], [redacted], not-a-secret')
})

test('a program can not blot out everything by asking for it', () => {
  const redactor = createRedactor([])
  redactor.learn(Array.from({ length: 5_000 }, (_, index) => `::add-mask::word-${index}-number`).join('\n'))
  redactor.learn('::add-mask::short')
  expect(redactor.redact('short word-0-number word-4999-number')).toBe('short [redacted] word-4999-number')
})

test('it tells how many different secrets of each kind it took out, and none of their values', () => {
  const redactor = createRedactor(['secret-of-this-run'])
  expect(redactor.redactions()).toEqual([])
  const github = `ghp_${filler(36)}`
  for (let times = 0; times < 3; times++) redactor.redact(`secret-of-this-run ${github} AKIA${'A1B2'.repeat(4)} AKIA${'C3D4'.repeat(4)}`)
  expect(redactor.redactions()).toEqual([
    { kind: 'AWS key id', count: 2 },
    { kind: 'GitHub token', count: 1 },
    { kind: 'secret of this run', count: 1 },
  ])
})

test('a text holds a secret only where that was added and can be there by no chance', () => {
  const redactor = createRedactor(['-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----'])
  redactor.add('short-1')
  redactor.learn('ghp_0123456789abcdefghijABCDEFGHIJ012345')
  for (const text of ['-----BEGIN PRIVATE KEY-----', 'short-1', 'ghp_0123456789abcdefghijABCDEFGHIJ012345', '']) expect(redactor.holds(text)).toBe(false)
  for (const text of ['x MIIEvQIBADANBgkqhkiG9w0BAQEF', Buffer.from('MIIEvQIBADANBgkqhkiG9w0BAQEF').toString('base64')]) expect(redactor.holds(text)).toBe(true)
})
