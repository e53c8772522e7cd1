import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutMarkdown, fenced, selfContained, size } from '../../src/report/markdown.ts'

test('text that fits is left alone', () => {
  expect(cutMarkdown('short', 100, 'note')).toBe('short')
})

test('C122 a long answer is cut at a line, its open fence is closed, and the note follows as a paragraph', () => {
  const text = `Intro\n\n\`\`\`ts\n${'const x = 1\n'.repeat(1000)}\`\`\`\n`
  const cut = cutMarkdown(text, 500, '*cut*')
  expect(size(cut)).toBeLessThanOrEqual(500)
  expect(cut).toMatch(/const x = 1\n```\n\n\*cut\*$/)
})

test('a fence that was closed before the cut is not closed again', () => {
  const cut = cutMarkdown(`~~~\ncode\n~~~\n${'words and words\n'.repeat(100)}`, 300, 'note')
  expect(cut.match(/~~~/g)).toHaveLength(2)
})

test('C122 the cut text always fits, whatever it is made of, and never ends in half a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 40, max: 300 }), (text, max) => {
      const cut = cutMarkdown(text, max, 'note')
      expect(size(cut)).toBeLessThanOrEqual(Math.max(max, 0))
      expect(cut.isWellFormed()).toBe(true)
    }),
  )
})

test('a fence is longer than any run of backticks inside', () => {
  expect(fenced('md', 'a ```` b')).toBe('`````md\na ```` b\n`````')
})

test.each([
  ['```js\ncode', '```js\ncode\n```'],
  ['a <!-- b', 'a &lt;!-- b'],
  ['a <!-- b --> c', 'a <!-- b --> c'],
  ['~~~~\n```\n~~~~', '~~~~\n```\n~~~~'],
])('%j is made self-contained as %j', (text, expected) => {
  expect(selfContained(text)).toBe(expected)
})
