import fc from 'fast-check'
import type { DiffLine } from '../../src/tool/review-diff.ts'

/** A change of a file, and the patch GitHub would show of it. */
export interface Changed {
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly patch: string
}

const context = 3

/** Texts that look like the marks of a patch, and plain ones. */
const text = fc.oneof(fc.constantFrom('', '@@ -1,2 +3,4 @@', '+', '-', '\\ No newline at end of file', ' a', '\t}'), fc.string({ maxLength: 12 }).map(oneLine))
const mark = fc.oneof({ arbitrary: fc.constant(' ' as const), weight: 8 }, fc.constantFrom('+' as const, '-' as const))

/** Changes of files of up to sixty lines, with at least one changed line. */
export const changed: fc.Arbitrary<Changed> = fc
  .array(fc.tuple(mark, text), { minLength: 1, maxLength: 60 })
  .filter((lines) => lines.some(([sign]) => sign !== ' '))
  .map((lines) => ({
    before: lines.flatMap(([sign, line]) => (sign === '+' ? [] : [line])),
    after: lines.flatMap(([sign, line]) => (sign === '-' ? [] : [line])),
    patch: patchOf(lines),
  }))

/** The unified diff of lines with their signs, three lines of context round each change. */
export function patchOf(lines: readonly (readonly [DiffLine['mark'], string])[]): string {
  const near = (index: number): boolean => lines.slice(Math.max(0, index - context), index + context + 1).some(([sign]) => sign !== ' ')
  const out: string[] = []
  let left = 1
  let right = 1
  for (let at = 0; at < lines.length; ) {
    if (!near(at)) {
      left += 1
      right += 1
      at += 1
      continue
    }
    let end = at
    while (end < lines.length && near(end)) end += 1
    const hunk = lines.slice(at, end)
    const old = hunk.filter(([sign]) => sign !== '+').length
    const fresh = hunk.filter(([sign]) => sign !== '-').length
    // An empty side is counted from the line before it; a count of one is left out.
    const span = (from: number, count: number): string => `${count === 0 ? from - 1 : from}${count === 1 ? '' : `,${count}`}`
    out.push(`@@ -${span(left, old)} +${span(right, fresh)} @@ function f() {`, ...hunk.map(([sign, line]) => `${sign}${line}`))
    left += old
    right += fresh
    at = end
  }
  return [...out, '\\ No newline at end of file'].join('\n')
}

function oneLine(value: string): string {
  return value.replaceAll('\n', ' ')
}
