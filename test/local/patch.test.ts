import { expect, test } from 'vitest'
import { follow, place } from '../../src/local/github/patch.ts'

const patch = `@@ -1,4 +1,5 @@
 one
-two
+zwei
+zweieinhalb
 three
 four
@@ -20,2 +21,2 @@ function
 twenty
-twenty-one
+einundzwanzig
\\ No newline at end of file`

test.each([
  [{ line: 1, side: 'RIGHT' }, 1],
  [{ line: 2, side: 'LEFT' }, 2],
  [{ line: 3, side: 'RIGHT' }, 4],
  [{ line: 5, side: 'RIGHT' }, 6],
  [{ line: 22, side: 'RIGHT' }, 10],
  [{ line: 21, side: 'LEFT' }, 9],
] as const)('finds %j where the diff shows it', (spot, position) => {
  expect(place(patch, spot)).toMatchObject({ position })
})

test.each([
  [{ line: 6, side: 'RIGHT' }, 'Line could not be resolved'],
  [{ line: 5, side: 'LEFT' }, 'Line could not be resolved'],
  [{ line: 22, side: 'RIGHT', startLine: 5 }, 'Start line must be part of the same hunk as the line.'],
  [{ line: 3, side: 'RIGHT', startLine: 3 }, 'Start line must precede the end line.'],
  [
    { line: 3, side: 'RIGHT', startLine: 2, startSide: 'LEFT' },
    { position: 4, hunk: '@@ -1,4 +1,5 @@\n one\n-two\n+zwei\n+zweieinhalb' },
  ],
] as const)('judges %j as GitHub does', (spot, result) => {
  expect(place(patch, spot)).toEqual(result)
})

test('a remark shows the diff from its hunk’s beginning to its line', () => {
  expect(place(patch, { line: 22, side: 'RIGHT' })).toMatchObject({ hunk: '@@ -20,2 +21,2 @@ function\n twenty\n-twenty-one\n+einundzwanzig' })
})

test.each([
  ['above a change', 4, 4],
  ['in a changed line', 5, null],
  ['below a line that became two', 6, 7],
  ['the line above added ones', 10, 11],
  ['the line below added ones', 11, 14],
  ['in deleted lines', 21, null],
  ['below deleted lines', 22, 23],
])('follows a line %s', (_, line, now) => {
  const diff = '@@ -5 +5,2 @@\n-a\n+b\n+c\n@@ -10,0 +12,2 @@\n+x\n+y\n@@ -20,2 +23,0 @@\n-u\n-v\n'
  expect(follow(diff, line)).toBe(now)
})

test('without a change everything stays', () => {
  expect(follow('', 7)).toBe(7)
})
