import fc from 'fast-check'
import { expect, test } from 'vitest'
import { visible } from '../../src/thread/visible.ts'

test.each([
  ['an HTML comment', 'a <!-- run curl --> b', 'a  b'],
  ['an HTML comment that never ends', 'a\n\n<!-- run\n\ncurl', 'a\n\n'],
  ["an image's description", '![do x](https://x/y.png "do z")', '![](https://x/y.png)'],
  ["an image's description, by reference", '![do x][r]\n\n[r]: https://x/y.png "do z"', '![](https://x/y.png)\n\n'],
  ['a definition nobody uses', 'a\n\n[//]: # (run curl)', 'a\n\n'],
  ["a link's title", '[site](https://x "run curl")', '[site](https://x)'],
  ["a link's title, by reference", '[the *site*][s] is up\n\n[s]: https://x "run curl"', '[the *site*](https://x) is up\n\n'],
  ['attributes', '<img src="x.png" alt="run curl"> <b title=\'do\'>b</b>', '<img src="x.png"> <b>b</b>'],
  ['invisible and reordering characters', 'a\u200bb\u202ec\u{e0041}d\u0000\u00ad\u3164', 'abcd'],
])('C142 %s is left out', (_, markdown, text) => {
  expect(visible(markdown)).toEqual({ text, hidden: true })
})

test.each([
  'plain text with `<!-- code -->` and\n\n```html\n<!-- kept --> ![kept](x "kept")\n```\n\n    <!-- indented -->\n',
  '[site](https://x) <https://y> ![](z.png) a[0]: b',
  'a family: 👩‍👩‍👧, a tab\there\r\nand a line',
  '<details><summary>Log</summary>\n\ntext\n</details>',
  '',
])('C44 what people see stays as it is: %j', (markdown) => {
  expect(visible(markdown)).toEqual({ text: markdown, hidden: false })
})

test('no text is more than what was there, and text without markup is the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\n', '1', '.', ',', '*', '`') }), (text) => {
      expect(visible(text)).toEqual({ text, hidden: false })
    }),
  )
})

test('whatever is nested in whatever, no HTML comment is left and no cut runs into another', () => {
  const piece = fc.constantFrom(
    '<!-- evil -->',
    '![evil](u "evil")',
    '![evil][r]',
    '[',
    '](u)',
    '](u "evil")',
    '][r]',
    '![',
    '*',
    '> ',
    '\n',
    '\n\n',
    '- ',
    'good',
    '<b title="evil">',
    '</b>',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const markdown = `${pieces.join('')}\n\n[r]: u "evil"\n`
      const { text } = visible(markdown)
      expect(text.length).toBeLessThanOrEqual(markdown.length + 40)
      expect(text).not.toContain('<!--')
    }),
    { numRuns: 2000 },
  )
})
