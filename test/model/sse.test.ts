import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventParser, encodeEvent, type ServerEvent } from '../../src/model/sse.ts'

function parse(pieces: readonly string[]): ServerEvent[] {
  const parser = new EventParser()
  return [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()]
}

const data = fc.string().filter((text) => text !== '' && !text.includes('\r'))
const name = fc.string({ minLength: 1 }).filter((text) => !/[\r\n]/.test(text))
const event = fc.oneof(fc.record({ data }), fc.record({ name, data }))

test('what is written is read back, wherever it is cut and whichever line end it uses (C154)', () => {
  fc.assert(
    fc.property(fc.array(event), fc.constantFrom('\n', '\r\n', '\r'), fc.integer({ min: 1, max: 7 }), (events, end, size) => {
      const text = events.map(encodeEvent).join('').replaceAll('\n', end)
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      expect(parse(pieces)).toEqual(events)
    }),
  )
})

test('C154: comments, blank events, other fields and a missing space after the colon', () => {
  expect(parse([': PROCESSING\n\n', 'id: 7\nretry: 10\n\n', 'event: x\ndata:a\ndata: b\n\n', 'data\n\n'])).toEqual([{ name: 'x', data: 'a\nb' }])
})

test('C154: the last event counts without its blank line and without its line end', () => {
  expect(parse(['data: a\n\ndata: b'])).toEqual([{ data: 'a' }, { data: 'b' }])
  expect(parse(['data: a\r\n\r\ndata: b\r'])).toEqual([{ data: 'a' }, { data: 'b' }])
})
