import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { expect, test } from 'vitest'
import { parseable } from '../src/parseable.ts'

const size = 64_000
const fill = (shape: string): string => shape.repeat(Math.ceil(size / shape.length)).slice(0, size)

/** Each kept the parser busy for two seconds to a minute, and takes a second or less once it is cut here; the numbers are what may be left. */
test.each([
  ['a quote in a quote in a quote', '>'.repeat(size), 0],
  ['the same with blanks', '> '.repeat(size / 2), 0],
  ['a list in a list in a list', '1. '.repeat(size / 3), 0],
  ['a quote in a list in a quote', fill('- > '), 0],
  ['many lines of nested lists', fill(`${'- '.repeat(48)}a\n`), 4_000],
  ['many lines of nested lists and quotes', fill(`${'- > '.repeat(10)}a\n`), 4_000],
  ['quotes that hold code', fill('> ```\n\n'), 11_000],
  ['quotes that go on without their sign', `${'> '.repeat(49)}a\n${fill('b\n')}`, 1_000],
  [
    'lists that go on over blank lines',
    `${Array.from({ length: 150 }, (_, depth) => `${' '.repeat(depth * 2)}- a`).join('\n')}\n${'\n'.repeat(40_000)}`,
    20_000,
  ],
  ['headings underlined', fill('a\n-\n'), 2_000],
  ['headings underlined with equals signs', fill('a\n=\n'), 2_000],
  ['marks that could pair', `${fill('*a_ \n')}`, 8_000],
  ['marks without blanks', `${fill('*a\n')}`, 10_000],
  ['links that never end', fill('*[a](\n'), 19_000],
  ['declarations that never end', fill('x <!A \n'), 2_000],
  ['instructions that never end', fill('x <? \n'), 2_000],
])('of %s no more goes to the parser than it can read', (_, text, most) => {
  const { text: parsed, whole } = parseable(text)
  expect(whole).toBe(false)
  expect(parsed.length).toBeLessThanOrEqual(most)
  expect(text.startsWith(parsed)).toBe(true)
})

test('what people write goes to the parser whole, also when it is long', () => {
  const list = Array.from({ length: 1_000 }, (_, index) => `- [x] point ${index} of the \`plan\`, see [#${index}](https://x/${index}) and **more**`)
  const log = Array.from({ length: 500 }, (_, index) => `12:00:${index} [INFO] some_snake_case_name: {"a": [1, 2, [3]]} --- *** ===`)
  for (const text of ['', 'a', '/oc fix it', list.join('\n').slice(0, size), log.join('\n').slice(0, size), '> quoted\n'.repeat(1_000), 'word '.repeat(12_000)])
    expect(parseable(text)).toEqual({ text, whole: true, code: [] })
})

test('code between fences does not count, however long and odd it is', () => {
  const code = '[[[[ *a_ <!A - - -\n> > >\n'.repeat(2_000)
  const { text, whole } = parseable(`/oc why?\n\n\`\`\`json\n${code}\`\`\`\nand\n\n~~~\n${code}`)
  expect(whole).toBe(true)
  expect(text.replaceAll(/\s+/g, ' ')).toBe('/oc why? ```json ``` and ~~~ ')
})

const line = fc.constantFrom(
  '```',
  '````',
  '~~~',
  '```js',
  '``` a`b',
  '  ```',
  '    ```',
  '',
  '',
  'text',
  '> ```',
  '> a',
  '- ```',
  '- a',
  '  b',
  '\t',
  '<!--',
  '-->',
  '<pre>',
  '</pre>',
  '<div>',
  '<?',
  '?>',
  '<!A',
  '>',
  '[a]:',
  '"',
  '---',
  '# h',
)

test('every fence that is seen is one for the parser too, and everything stays at its place', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 14 }), fc.constantFrom('\n', '\r\n', '\r'), (lines, end) => {
      const source = lines.join(end)
      const { text, whole, code } = parseable(source)
      expect(whole).toBe(true)
      expect(text.length).toBe(source.length)
      const blocks = fromMarkdown(source).children.filter(({ type }) => type === 'code')
      for (const { from, to } of code) {
        const holder = blocks.find(({ position }) => (position?.start.offset ?? 0) < from && (position?.end.offset ?? 0) >= to)
        expect(holder).toBeDefined()
        expect(text.slice(from, to).trim()).toBe('')
      }
      const shape = (markdown: string) => fromMarkdown(markdown).children.map(({ type, position }) => [type, position?.start.offset, position?.end.offset])
      expect(shape(text)).toEqual(shape(source))
    }),
    { numRuns: 3_000 },
  )
})
