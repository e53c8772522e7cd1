import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inWords, visible } from '../../src/thread/visible.ts'

test.each([
  ['an HTML comment', 'a <!-- run curl --> b', 'a  b', '1 HTML comment'],
  ['an HTML comment that never ends', 'a\n\n<!-- run\n\ncurl', 'a\n\n', '1 HTML comment'],
  ['an HTML comment that goes on behind its block', '<div>\n<!-- run\n\ncurl\n\n<div> --> c', '<div>\n c', '1 HTML comment'],
  ['a comment that ends as only browsers know', '<div>\n<!-- run curl --!> b', '<div>\n b', '1 HTML comment'],
  ['what browsers take for a comment', '<div>\n<!x run> <?run?> </ curl> b', '<div>\n   b', '3 HTML comments'],
  ['a comment made of what another leaves', 'a <!<!-- x -->-- run curl --> b', 'a  b', '2 HTML comments'],
  ['an element that is not shown', 'a <span hidden>run curl</span> b', 'a  b', '1 hidden element'],
  [
    'an element that is not shown, across blocks',
    'a\n\n<div style="display: none">\n\nrun *curl*\n\n<div>x</div>\n\n</div>\n\nb',
    'a\n\n\n\nb',
    '1 hidden element',
  ],
  ['a style with an escape in it', 'a <i style="dis\\70lay/**/:none">run</i> b', 'a  b', '1 hidden element'],
  ['an invisible element that never ends', 'a\n\n<p style="opacity:0">\n\nrun curl', 'a\n\n', '1 hidden element'],
  ['a template', 'a <template>run curl</template> b', 'a  b', '1 hidden element'],
  ['a script', '<script>\nrun\n\ncurl\n</script>\nb', '\nb', '1 hidden element'],
  ['a drawing with its title', 'a <svg><title>run curl</title></svg> b', 'a  b', '1 hidden element'],
  ["an image's description", '![do x](https://x/y.png "do z")', '![](https://x/y.png)', '1 image description'],
  ["an image's description, by reference", '![do x][r]\n\n[r]: https://x/y.png "do z"', '![](https://x/y.png)\n\n', '1 image description, 1 link definition'],
  ['a definition nobody uses', 'a\n\n[//]: # (run curl)', 'a\n\n', '1 link definition'],
  ["a link's title", '[site](https://x "run curl")', '[site](https://x)', '1 link title'],
  ["a link's title, by reference", '[the *site*][s] is up\n\n[s]: https://x "run curl"', '[the *site*](https://x) is up\n\n', '1 link definition'],
  ['a link without text', 'a [](https://x/run-curl) b', 'a  b', '1 link without text'],
  ['attributes', '<img src="x.png" alt="run curl"> <b title=\'do\' aria-label=x>b</b>', '<img src="x.png"> <b>b</b>', '3 HTML attributes'],
  ['attributes of a picture', '<picture><source media="run curl"><img alt="run"></picture>', '<picture><source><img></picture>', '1 HTML attribute'],
  ['attributes nobody knows', '<b run curl="x y" open and=follow id="x" width=10>b</b>', '<b open width=10>b</b>', '3 HTML attributes'],
  ['a sentence of tags', '<a1> <b1> <c1> <d1> <e1> <f1> <run> <curl> <now> b', '         b', '9 unknown HTML tags'],
  ['attributes in a quote', '> <div\n> title="run curl">\n> b', '> <div>\n> b', '1 HTML attribute'],
  ['a quote in a tag that never ends, before what looks like the end', "<p a='x> run</p>\n\ncurl", '', '1 hidden element'],
  ['a quote in a tag that never ends', '<div title="\n\nrun curl\n\n">', '', '1 hidden element'],
  ['references to invisible characters', 'a&#8203;b&zwnj;c&#xE0041;d &amp; &#65;', 'abcd &amp; &#65;', '3 invisible characters'],
  ['a reference that another leaves', 'a&#82&#8203;03;b', 'ab', '2 invisible characters'],
  ['words behind the language of code', '```js run curl\ncode <!-- x -->\n```', '```js\ncode <!-- x -->\n```', '1 note on a code block'],
  [
    'cells beyond the columns of a table',
    '| a | b |\n|---|---|\n| 1 | 2 | run curl |\n| 3 | 4',
    '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4',
    '1 table cell too many',
  ],
  ['footnotes nobody refers to', 'a[^1]\n\n[^1]: seen\n[^2]: run curl\n\n    and more\n\nb', 'a[^1]\n\n[^1]: seen\n\n\nb', '1 unused footnote'],
  ['a footnote of one word', 'a\n\n[^x]: run', 'a\n\n', '1 unused footnote'],
  ['invisible and reordering characters', 'a\u200bb\u202ec\u{e0041}d\u0000\u00ad\u3164\u2800\u034f\u{e0100}\ufe0f', 'abcd', '10 invisible characters'],
  ['invisible characters in code', '`a\u200bb\u202e`\n\n```\nc\u{e0041}\n```', '`ab`\n\n```\nc\n```', '3 invisible characters'],
])('C142 %s is left out', (_, markdown, text, removed) => {
  const shown = visible(markdown)
  expect(shown.text).toBe(text)
  expect(inWords(shown.removed)).toBe(removed)
})

test.each([
  'plain text with `<!-- code -->` and\n\n```html\n<!-- kept --> ![kept](x "kept")\n```\n\n    <!-- indented -->\n',
  '```tsx\n<Tooltip title="We\'ll do it" placement="top">\n```\n\n`<Tooltip title="We\'ll do it">`',
  '[site](https://x) <https://y> ![](z.png) a[0]: b',
  'a family: 👩‍👩‍👧, a heart ❤️, a hand 👍🏽, a key 1️⃣, a tab\there\r\nand a line',
  'می‌خواهم and क्‍ष and ١٢ end ۝',
  '<details open><summary>Log</summary>\n\ntext\n</details>',
  '<img src="https://x/y?a=1&b=2" width="100" height=50> <a href="https://x">x</a><br/>',
  'we load it by a <script> tag, or a <template>; a < b && c > d; List<T>',
  '| a | b |\n|---|---|\n| 1 | `x \\| y` |\n\nno table | here\n--- | --- | ---\na | b | c | d',
  'see[^1] and [^Two]\n\n[^1]: the first\n[^two]: https://x',
  '~~~diff\n- a\n+ b\n~~~\n\n```c++\n```\n\n```suggestion\n<b title="x">\n```',
  '&lt;!-- shown --&gt; &copy; &nbsp;',
  '',
])('C44 what people see stays as it is: %j', (markdown) => {
  expect(visible(markdown)).toEqual({ text: markdown, removed: new Map() })
})

test('C142 where an address of a definition is used, it is written out and nobody is alarmed', () => {
  expect(visible('[docs] and ![][pic]\n\n[docs]: https://x/a(b)\n[pic]: <https://x/a b.png>')).toEqual({
    text: '[docs](<https://x/a(b)>) and ![](<https://x/a b.png>)\n\n\n',
    removed: new Map(),
  })
})

test.each([
  ['<img width="1024" height="768" alt="image" src="https://x/y" />', '<img width="1024" height="768" src="https://x/y" />'],
  ['<img alt="Screenshot 2026-01-02 at 10.11.12" src="https://x/y">', '<img src="https://x/y">'],
  ['![image](https://x/y)', '![](https://x/y)'],
])('what GitHub or a system calls a pasted picture goes without alarm: %s', (markdown, text) => {
  expect(visible(markdown)).toEqual({ text, removed: new Map() })
})

test('text without markup is the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\n', '1', '.', ',', '*', '`') }), (text) => {
      expect(visible(text)).toEqual({ text, removed: new Map() })
    }),
  )
})

const piece = fc.constantFrom(
  '<!-- evil -->',
  '<!--',
  '-->',
  '--!>',
  '<!',
  '<',
  '![evil](u "evil")',
  '![evil][r]',
  '[',
  '](u)',
  '](u "evil")',
  '][r]',
  '[r]: u "evil"\n',
  '[^1]',
  '\n[^2]: evil',
  '![',
  '*',
  '> ',
  '\n',
  '\n\n',
  '- ',
  '    ',
  'good',
  '<b title="evil">',
  '</b>',
  '<span hidden>',
  '</span>',
  '<div style="display:none">',
  '</div>',
  '<div\n',
  '<script>',
  '</script>',
  '"',
  '&#8203;',
  '&#82',
  '03;',
  '\u200b',
  '\ufe0f',
  '👩',
  '\u200d',
  'ن',
  '\u{e0041}',
  '`',
  '```',
  '```js evil\n',
  '\n```\n',
  '~~~',
  '|',
  '|---|\n',
  '\\',
)
const forbidden = /\u2800|(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}|(?![\t\n\r])\p{Cc}/u

test('whatever is nested in whatever, looking again finds nothing more', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const markdown = `${pieces.join('')}\n\n[r]: u "evil"\n`
      const { text } = visible(markdown)
      expect(text.length).toBeLessThanOrEqual(markdown.length + 60)
      expect(visible(text)).toEqual({ text, removed: new Map() })
      expect(text).not.toMatch(forbidden)
    }),
    { numRuns: 4000 },
  )
})

test('whatever stands around it, no whole HTML comment is left outside code', () => {
  const around = fc.constantFrom(
    '<!-- evil -->',
    '![evil][r]',
    '[',
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
    '|',
  )
  fc.assert(
    fc.property(fc.array(around, { maxLength: 25 }), (pieces) => {
      expect(visible(`${pieces.join('')}\n\n[r]: u "evil"\n`).text).not.toContain('<!--')
    }),
    { numRuns: 2000 },
  )
})

test('any text at all loses its invisible characters, and the answer is its own answer', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (markdown) => {
      const { text } = visible(markdown)
      expect(text).not.toMatch(forbidden)
      expect(visible(text)).toEqual({ text, removed: new Map() })
    }),
    { numRuns: 2000 },
  )
})

test('C44 code between fences stays byte for byte, whatever it looks like', () => {
  const line = fc.array(piece, { maxLength: 8 }).map((pieces) =>
    pieces
      .join('')
      .replaceAll(/[`~\n]|\p{Default_Ignorable_Code_Point}/gu, '')
      .trimEnd(),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.array(piece, { maxLength: 4 }), (lines, before) => {
      const code = `\`\`\`html\n${lines.join('\n')}\n\`\`\``
      const words = before.join('').replaceAll(/[^a-z*]/g, '')
      expect(visible(`${words}\n\n${code}\n\n<!-- evil -->`).text).toContain(code)
    }),
  )
})

const long = 64_000
test.each([
  ['quotes', '>'.repeat(long)],
  ['lists', '1. '.repeat(long / 3)],
  ['quotes with code', '> ```\n\n'.repeat(long / 7)],
  ['brackets', '*[a]('.repeat(long / 5)],
  ['marks', '*a_ '.repeat(long / 4)],
  ['headings', 'a\n-\n'.repeat(long / 4)],
])('C142 what is hidden in a hostile mass of %s is left out all the same, and code in a fence stays', (_, mass) => {
  const code = '```\n<!-- kept -->\n```'
  const hidden = 'a\u200b &zwnj; <!-- evil --> ![evil](evil) [l](u "evil") <b title="evil">b</b> <i hidden>evil</i>\n\n[d]: evil "evil\nevil"\n\n'
  const { text, removed } = visible(`${code}\n\n${hidden}${mass}`)
  expect(text.startsWith(code)).toBe(true)
  expect(text).not.toContain('evil')
  expect(inWords(removed)).toMatch(/2 invisible characters.* 1 HTML comment/)
})
