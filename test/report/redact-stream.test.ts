import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedactor } from '../../src/report/redact.ts'
import { redactStream } from '../../src/report/redact-stream.ts'

function through(secrets: readonly string[], pieces: readonly string[]): string {
  const stream = redactStream(createRedactor(secrets))
  return pieces.map((piece) => stream.push(piece)).join('') + stream.end()
}

/** A text cut at any places into pieces. */
function pieces(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length))
}

const alphabet = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=_-.%&"\\ <ü€😀']
const secret = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 12, maxLength: 60 }).filter((text) => text.trim().length >= 12)
const cuts = fc.array(fc.nat({ max: 100_000 }), { maxLength: 30 })

/** Every way in which a secret is written, that a reader could turn back into it. */
const forms: readonly ((value: string, pad: string) => string)[] = [
  (value) => value,
  (value) => JSON.stringify(value).slice(1, -1),
  (value) => JSON.stringify(JSON.stringify(value)).slice(3, -3),
  (value) => encodeURIComponent(value),
  (value) => Buffer.from(value).toString('hex'),
  (value) => Buffer.from(value).toString('hex').replaceAll(/../g, '$& '),
  (value, pad) => Buffer.from(pad + value + pad).toString('base64'),
  (value, pad) => Buffer.from(pad + value + pad).toString('base64url'),
  (value, pad) =>
    Buffer.from(pad + value)
      .toString('base64')
      .replaceAll(/.{9}/g, '$&\n'),
]

/** The text that stands in a text, whatever way it is written there, with nothing between its letters. */
function traces(value: string): string[] {
  const bytes = Buffer.from(value)
  const inner = [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '')
    return encoded.slice([0, 2, 3][shift], encoded.length - ((shift + bytes.length) % 3 === 0 ? 0 : 1))
  })
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    bytes.toString('hex'),
    ...inner,
    ...inner.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

test('C140 no form of a secret survives, wherever it stands in a text and however that is cut into pieces', () => {
  const filler = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.nat({ max: 4_000 }).map((length) => 'lorem ipsum '.repeat(length / 12)),
  )
  fc.assert(
    fc.property(secret, filler, filler, fc.nat({ max: forms.length - 1 }), fc.string({ maxLength: 2 }), cuts, (value, before, after, which, pad, at) => {
      const plain = value.trim()
      const written = forms[which]?.(plain, pad) ?? ''
      const left = through([value], pieces(before + written + after, at))
      expect(left).toContain('[redacted]')
      const bare = left.replaceAll(/\s/g, '')
      for (const trace of traces(plain)) expect(bare).not.toContain(trace.replaceAll(/\s/g, ''))
    }),
    { numRuns: 400 },
  )
})

test('C149 a secret of several lines is caught whole, in whatever pieces it comes', () => {
  const pem = `-----BEGIN KEY-----\n${'first-line-of-the-key-0123456789\n'.repeat(40)}-----END KEY-----`
  fc.assert(
    fc.property(cuts, (at) => {
      expect(through([pem], pieces(`${'x '.repeat(3_000)}${pem}${' y'.repeat(3_000)}`, at))).toBe(`${'x '.repeat(3_000)}[redacted]${' y'.repeat(3_000)}`)
    }),
  )
})

test('however far blanks and backslashes stretch a secret, it does not slip through', () => {
  const value = 'stretch\\me-0123456789'
  const stretched = [
    Buffer.from(value).toString('hex').split('').join('\n'.repeat(500)),
    value.replace('\\', '\\'.repeat(5_000)),
    value.replace('\\', '%5C'.repeat(5_000)),
  ]
  for (const written of stretched) {
    const text = `${'before '.repeat(300)}${written}${' after'.repeat(300)}`
    expect(through([value], text.match(/[\s\S]{1,97}/g) ?? [])).toBe(`${'before '.repeat(300)}[redacted]${' after'.repeat(300)}`)
  }
})

test('a token of a known format is caught in pieces too, with what tells that it is one', () => {
  const ghp = `ghp_${'aB3dE5gH7jK9mN1pQ2sT4uV6xY8zA0cD'.repeat(2).slice(0, 36)}`
  const jwt = `eyJ${'a1'.repeat(900)}.eyJ${'b2'.repeat(900)}.${'c3'.repeat(200)}`
  const text = `${'word '.repeat(500)}${ghp} Authorization: Bearer opaque-0123456789 ${jwt}${' word'.repeat(500)}`
  const whole = createRedactor([]).redact(text)
  expect(whole).toContain('[redacted] Authorization: Bearer [redacted] [redacted] word')
  for (const length of [1, 7, 300, 1_023, 5_000]) expect(through([], text.match(new RegExp(`.{1,${length}}`, 'g')) ?? [])).toBe(whole)
})

test('a text without secrets comes out as it went in', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 5_000 }), cuts, (text, at) => {
      expect(through(['correct horse battery'], pieces(text, at))).toBe(text)
    }),
  )
})

test('most of a long output is told while it still comes', () => {
  const stream = redactStream(createRedactor(['correct horse battery']))
  let told = 0
  for (let line = 0; line < 1_000; line++) told += stream.push(`line ${line} of the output of a program\n`).length
  expect(told).toBeGreaterThan(30_000)
})
