import fc from 'fast-check'
import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { expect, test } from 'vitest'
import { codeSpan, cutMarkdown, fenced, plainWords, selfContained, size, tableCell } from '../../src/report/markdown.ts'

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

test('a code span holds any text in one line, with nothing of it as markup', () => {
  expect(codeSpan('a `b` c', 50)).toBe('``a `b` c``')
  expect(codeSpan('`x`', 50)).toBe('`` `x` ``')
  expect(codeSpan(' a\n\tb\u0000\u2028c ', 50)).toBe('`a b c`')
  expect(codeSpan('x'.repeat(60), 50)).toBe(`\`${'x'.repeat(50)}…\``)
  expect(codeSpan(' \n', 50)).toBe('')
})

test('words of somebody else hold no markup, wherever it stands', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab1 @#*_`<>[]()~|\\&!-+.:/\n') }), (text) => {
      const words = plainWords(text, 200)
      const tree = fromMarkdown(`- ${words}`)
      const kinds: string[] = []
      let shown = ''
      const visit = (node: Nodes): void => {
        kinds.push(node.type)
        if (node.type === 'text') shown += node.value
        if ('children' in node) node.children.forEach(visit)
      }
      visit(tree)
      expect(kinds.filter((kind) => !['root', 'list', 'listItem', 'paragraph', 'text'].includes(kind))).toEqual([])
      expect(shown).not.toMatch(/[@#]\w/)
      expect(shown.replaceAll('\u200b', '')).toBe(text.replaceAll('\n', ' ').replaceAll(/ +/g, ' ').trim())
    }),
  )
})

test('a table cell is one line and no more columns', () => {
  expect(tableCell('a | b\nc')).toBe('a \\| b c')
})
