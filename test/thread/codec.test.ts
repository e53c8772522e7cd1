import { createHash } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { limits } from '../../src/limits.ts'
import { blockChars, commentsNeeded, type Decoded, decode, encode, type Refused, readBlock, type SessionKey, sessionKey } from '../../src/thread/codec.ts'
import { anyTurn, noise, plain, session, turn, user } from './turns.ts'

const key = sessionKey('correct horse battery staple')
const keys: fc.Arbitrary<SessionKey | undefined> = fc.constantFrom(undefined, key)
const seq = fc.integer({ min: 1, max: 1e6 })
const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const wide = Number.POSITIVE_INFINITY

/** Reads the blocks of several bodies as one turn. */
function read(bodies: readonly string[], withKey?: SessionKey): Decoded | Refused | undefined {
  const slices = bodies.map((body) => readBlock(body, withKey))
  const bad = slices.find((slice) => slice?.kind !== 'slice')
  if (bad) return bad.kind === 'refused' ? bad : undefined
  return decode(slices.flatMap((slice) => (slice?.kind === 'slice' ? [slice] : [])))
}

test('a turn comes back as it was written, sealed or not, and is one line of a hidden HTML comment', () => {
  fc.assert(
    fc.property(anyTurn, seq, id, keys, fc.constantFrom(undefined, 'checkpoint' as const), (written, number, comment, withKey, kind) => {
      const blocks = encode(written, { seq: number, key: withKey, kind }, [{ comment, chars: wide }])
      expect(blocks).toHaveLength(1)
      const [text = ''] = blocks
      expect(text).toMatch(/^<!-- opencode:session:v1 \{[^>\n]*\} [\w-]* [\w-]+ -->$/)
      expect(text.indexOf('-->')).toBe(text.length - 3)
      expect(text.length).toBeLessThanOrEqual(blockChars(written))
      const result = read([`An answer.\n\n${text}`], withKey)
      expect(result).toMatchObject({ kind: 'turn', turn: plain(written), header: { session: written.session.id, seq: number, comment, part: 1, parts: 1 } })
      expect(result).toHaveProperty('header.enc', withKey ? 'br+gcm' : 'br')
      expect(result?.kind === 'turn' && result.header.kind).toBe(kind)
    }),
  )
})

test('a turn spread over several comments keeps to the room it is given and is joined in any order, but only when complete', () => {
  const big = fc
    .tuple(anyTurn, fc.integer({ min: 200, max: 4000 }))
    .map(([some, chars]) => ({ ...some, messages: [...some.messages, user('msg_z', noise(chars))] }))
  fc.assert(
    fc.property(
      big,
      keys,
      fc.integer({ min: 320, max: 900 }),
      fc.integer({ min: 1500, max: 3000 }),
      fc.infiniteStream(fc.nat()),
      (written, withKey, first, rest, dice) => {
        const needed = commentsNeeded(written, first, rest)
        const targets = Array.from({ length: needed }, (_, index) => ({ comment: 500 + index, chars: index === 0 ? first : rest }))
        if (needed > limits.threadParts) {
          expect(() => encode(written, { seq: 1, key: withKey }, targets)).toThrow(RangeError)
          return
        }
        const blocks = encode(written, { seq: 1, key: withKey }, targets)
        expect(blocks).toHaveLength(needed)
        for (const [index, text] of blocks.entries()) if (needed > 1) expect(text.length).toBeLessThanOrEqual(targets[index]?.chars ?? 0)
        const shuffled = blocks.map((text) => ({ text, at: dice.next().value })).toSorted((a, b) => a.at - b.at)
        expect(
          read(
            shuffled.map(({ text }) => text),
            withKey,
          ),
        ).toMatchObject({ kind: 'turn', turn: plain(written) })
        if (needed > 1) expect(read(blocks.slice(1), withKey)).toMatchObject({ kind: 'refused', reason: 'incomplete' })
      },
    ),
    { numRuns: 60 },
  )
})

test('a turn that would need more comments than one may have is not written', () => {
  const long = turn(1, { messages: [user('msg_1', noise(20_000))] })
  const needed = commentsNeeded(long, 400, 1500)
  expect(needed).toBeGreaterThan(limits.threadParts)
  const targets = Array.from({ length: needed }, (_, index) => ({ comment: 1 + index, chars: index === 0 ? 400 : 1500 }))
  expect(() => encode(long, { seq: 1 }, targets)).toThrow(RangeError)
})

test('parts of two writes of the same turn are not mixed', () => {
  const write = (text: string) =>
    encode(turn(1, { messages: [user('msg_1', text)] }), { seq: 1 }, [
      { comment: 1, chars: 2000 },
      { comment: 2, chars: 9000 },
    ])
  const [one = ''] = write(noise(4000))
  const [, two = ''] = write(`x${noise(4000)}`)
  expect(read([one, two])).toMatchObject({ kind: 'refused' })
})

test('a change of any character is refused', () => {
  fc.assert(
    fc.property(anyTurn, keys, fc.nat(), fc.string({ minLength: 1, maxLength: 1, unit: 'binary-ascii' }), (written, withKey, where, other) => {
      const [text = ''] = encode(written, { seq: 1, key: withKey }, [{ comment: 1, chars: wide }])
      const at = where % text.length
      fc.pre(text[at] !== other)
      const result = read([text.slice(0, at) + other + text.slice(at + 1)], withKey)
      expect(result?.kind).not.toBe('turn')
    }),
    { numRuns: 400 },
  )
})

test('every other character of the base64 alphabet in every place of a block is refused', () => {
  for (const withKey of [undefined, key]) {
    const [text = ''] = encode(turn(1, { messages: [] }), { seq: 1, key: withKey }, [{ comment: 1, chars: wide }])
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === 'B' ? 'A' : 'B'
      expect(read([text.slice(0, at) + other + text.slice(at + 1)], withKey)?.kind, `character ${at}`).not.toBe('turn')
    }
  }
})

test('text that is not a block never throws and is never a turn', () => {
  const pieces = fc.array(fc.constantFrom('<!-- opencode:session:v1 ', '{"session":"ses_1"}', '{', ' ', 'AAAA', ' -->', '-->', '\n', '{"seq":1}', 'null'), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        pieces.map((list) => list.join('')),
      ),
      keys,
      (body, withKey) => {
        expect(read([body], withKey)?.kind).not.toBe('turn')
      },
    ),
  )
})

test('a sealed turn shows nothing of its text, and needs its key', () => {
  const [text = ''] = encode(turn(1), { seq: 1, key }, [{ comment: 1, chars: wide }])
  expect(Buffer.from(text.split(' ').at(-3) ?? '', 'base64url').includes('question')).toBe(false)
  expect(read([text], key)).toMatchObject({ kind: 'turn' })
  expect(read([text])).toMatchObject({ kind: 'refused', reason: 'key-missing' })
  expect(read([text], sessionKey('another'))).toMatchObject({ kind: 'refused', reason: 'key-wrong' })
  expect(read([text.replace('"comment":1', '"comment":2')], key)).toMatchObject({ kind: 'refused', reason: 'key-wrong' })
})

test('with a key an unsealed block is not accepted', () => {
  const blocks = encode(turn(1), { seq: 1 }, [{ comment: 1, chars: wide }])
  expect(read(blocks, key)).toMatchObject({ kind: 'refused', reason: 'unsealed' })
})

/** A block as somebody else could make it: right checksum, any content. */
function forged(content: Buffer | string, header: object): string {
  const raw = JSON.stringify({ session: 'ses_01', seq: 1, part: 1, parts: 1, comment: 1, enc: 'br', ...header })
  const payload = brotliCompressSync(content).toString('base64url')
  const mac = createHash('sha256').update(`<!-- opencode:session:v1 ${raw} ${payload}`).digest().subarray(0, 12).toString('base64url')
  return `<!-- opencode:session:v1 ${raw} ${payload} ${mac} -->`
}

test('a small block that unpacks to gigabytes is refused, naming the limit', () => {
  const bomb = forged(Buffer.alloc(limits.turnBytes + 1, ' '), {})
  expect(bomb.length).toBeLessThan(1000)
  expect(read([bomb])).toMatchObject({ kind: 'refused', reason: 'too-big', message: expect.stringContaining(String(limits.turnBytes)) })
})

test('a turn too big to be read back is not written', () => {
  const big = turn(1, { messages: [user('msg_1', 'a'.repeat(limits.turnBytes))] })
  expect(blockChars(big)).toBe(Number.POSITIVE_INFINITY)
  expect(commentsNeeded(big, 1000, 1000)).toBe(Number.POSITIVE_INFINITY)
  expect(() => encode(big, { seq: 1 }, [{ comment: 1, chars: wide }])).toThrow(RangeError)
})

test.each([
  ['no JSON', 'hello', {}, 'invalid'],
  ['JSON of another shape', '{"session":{}}', {}, 'invalid'],
  ['another session than the header says', JSON.stringify(turn(1)), { session: 'ses_02' }, 'invalid'],
  ['a part beyond the parts', JSON.stringify(turn(1)), { part: 2 }, 'malformed'],
  ['more parts than are ever written', JSON.stringify(turn(1)), { parts: 1000 }, 'malformed'],
  ['no number', JSON.stringify(turn(1)), { seq: 0 }, 'malformed'],
])('a block with %s is refused', (_, content, header, reason) => {
  expect(read([forged(content, header)])).toMatchObject({ kind: 'refused', reason })
})

test('the forged blocks of these tests are refused for their content only', () => {
  expect(read([forged(JSON.stringify(turn(1)), {})])).toMatchObject({ kind: 'turn' })
})

test('a session id that could end the comment is not written', () => {
  const odd = turn(1, { session: session({ id: 'ses_-->' }) })
  expect(() => encode(odd, { seq: 1 }, [{ comment: 1, chars: wide }])).toThrow()
})
