import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encode, readBlock } from '../../src/thread/codec.ts'
import { carriesSession, isContinuation, isOurs, neutralise, stripHidden } from '../../src/thread/hidden.ts'
import { turn } from './turns.ts'

const [block = ''] = encode(turn(1), { seq: 1 }, [{ comment: 1, chars: 60_000 }])

test('the visible part of a reply is its text, wherever the hidden block stands', () => {
  expect(stripHidden(`Done.\n\n${block}`)).toBe('Done.')
  expect(stripHidden(`One ${block}two ${block}\nthree`)).toBe('One two \nthree')
  expect(stripHidden('Done.\n\n<!-- opencode:session:v1 {"unfinished')).toBe('Done.')
})

test('HTML comments of other people are left in place', () => {
  expect(stripHidden('Text <!-- a note --> more')).toBe('Text <!-- a note --> more')
})

test('a reply is known by its hidden block', () => {
  expect(isOurs(`Done.\n\n${block}`)).toBe(true)
  expect(carriesSession(`Done.\n\n${block}`)).toBe(true)
  expect(carriesSession('<!-- opencode:session:v9 x -->')).toBe(true)
  expect(isOurs('<!-- opencode:other -->')).toBe(true)
  expect(carriesSession('<!-- opencode:other -->')).toBe(false)
  expect(isOurs('I ran opencode:session myself')).toBe(false)
})

test('a further part of a long turn is known from the reply it belongs to', () => {
  const targets = [1, 2].map((comment) => ({ comment, chars: block.length - 10 }))
  expect(encode(turn(1), { seq: 1 }, targets).map(isContinuation)).toEqual([false, true])
  expect(isContinuation(`Done.\n\n${block}`)).toBe(false)
})

test('text that repeats a block is posted as text and read as nothing', () => {
  const echoed = neutralise(`The comment says ${block} and <!--\n OpenCode:session -->`)
  expect(isOurs(echoed)).toBe(false)
  expect(readBlock(echoed)).toBeUndefined()
  expect(echoed).toContain('&lt;!-- opencode:session:v1')
  expect(neutralise(echoed)).toBe(echoed)
})

test('no text is still ours after being made safe, and other text is unchanged', () => {
  const pieces = fc
    .array(fc.constantFrom('<!--', '<', '!--', ' ', '\n', 'opencode:', 'OPENCODE:session:v1 ', '-->', '{', 'x'), { maxLength: 15 })
    .map((list) => list.join(''))
  fc.assert(
    fc.property(fc.oneof(pieces, fc.string()), (text) => {
      const safe = neutralise(text)
      expect(isOurs(safe)).toBe(false)
      if (!isOurs(text)) expect(safe).toBe(text)
      expect(isOurs(stripHidden(text))).toBe(false)
    }),
  )
})
