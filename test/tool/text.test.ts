import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cut } from '../../src/text.ts'
import { clean, decode, encode, lineEnd } from '../../src/tool/text.ts'

describe('cleaning for a model', () => {
  it('takes out escapes, control characters and halves of pairs (C38)', () => {
    expect(clean('a\0b\u001b[31mred\u001b[0m\u001b]0;title\u0007 \ud83d end\b')).toBe('abred \uFFFD end')
    expect(clean('tab\t line\r\nnext\f')).toBe('tab\t line\nnext\f')
  })

  it('leaves well-formed text without control characters for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const result = clean(text)
        expect(result.isWellFormed()).toBe(true)
        expect(/(?![\t\n\r\f])\p{Cc}/u.test(result)).toBe(false)
      }),
    )
  })
})

describe('decoding and encoding', () => {
  it('gives the same bytes back for any text, with or without a mark (C66, C74)', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', '\r\n', '\n', '\t') })
    fc.assert(
      fc.property(text, fc.constantFrom('utf8', 'utf16le', 'utf16be'), fc.boolean(), (whole, encoding, mark) => {
        const bytes = encode(whole, { encoding, bom: encoding === 'utf8' ? mark : true })
        const decoded = decode(bytes)
        expect(decoded).toMatchObject({ text: whole, encoding, exact: true })
        expect(decoded && encode(decoded.text, decoded)).toEqual(bytes)
      }),
    )
  })

  it('does not call a cut character binary (C74)', () => {
    expect(decode(Buffer.from(`${'a'.repeat(7_999)}漢`))).toMatchObject({ exact: true })
    expect(decode(Buffer.from('89504e470d0a1a0a0000000d', 'hex'))).toBeUndefined()
    expect(decode(Buffer.from([1, 2, 3, 0xff, 4, 5]))).toBeUndefined()
  })

  it('takes the line end of most lines', () => {
    expect([lineEnd('a\r\nb\r\nc\n'), lineEnd('a\nb\r\nc\n'), lineEnd('a')]).toEqual(['\r\n', '\n', undefined])
  })
})

describe('cutting', () => {
  it('never leaves half of a pair (C75)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, max) => {
        const result = cut(text, max)
        expect(result.isWellFormed()).toBe(true)
        expect(text.startsWith(result)).toBe(true)
        expect(result.length).toBeGreaterThanOrEqual(Math.min(text.length, max - 1))
        expect(result.length).toBeLessThanOrEqual(max)
      }),
    )
  })
})
