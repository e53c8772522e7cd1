import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commitMessage, pullTitle, titleOf } from '../../src/publish/message.ts'

test.each([
  ['fix the date parsing', 'Fix the date parsing'],
  ['\n\n## Fix `it`\nmore', 'Fix `it`'],
  ['**`Fix it`**', 'Fix it'],
  ['- "Fix it"', 'Fix it'],
  ['> "quoted" words', '"quoted" words'],
  ['日付を直す', '日付を直す'],
  ['```\n---\n', ''],
])('the title of %j is %j', (text, title) => {
  expect(titleOf(text, 72)).toBe(title)
})

test('C46 a long request is cut at a word, below the limit', () => {
  const title = titleOf('please fix all of the many date parsing faults that were found in the module last week', 72)
  expect(title).toMatch(/^Please fix .*…$/)
  expect(title.length).toBeLessThanOrEqual(72)
})

test('C114 the trailers stand apart from the subject', () => {
  expect(commitMessage('fix it', 'x', ['Co-authored-by: alice <1+alice@users.noreply.github.com>'])).toBe(
    'Fix it\n\nCo-authored-by: alice <1+alice@users.noreply.github.com>\n',
  )
})

test('a request without words takes the fallback', () => {
  expect(commitMessage('', 'Broken dates', [])).toBe('Broken dates\n')
  expect(commitMessage('…', '🔥', [])).toBe('Changes by opencode\n')
})

test('C46 the pull request takes the title of the issue, cut to what GitHub accepts', () => {
  expect(pullTitle('Dates are parsed wrongly', 'fix it')).toBe('Dates are parsed wrongly')
  expect(pullTitle('x'.repeat(700), 'fix it').length).toBeLessThanOrEqual(256)
  expect(pullTitle(undefined, 'update the changelog')).toBe('Update the changelog')
})

test('C119 a title is always one well-formed line without NUL', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const title = titleOf(text, 60)
      expect(title).not.toMatch(/[\r\n\0]/)
      expect(title.length).toBeLessThanOrEqual(60)
    }),
  )
})
