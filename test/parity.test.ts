import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/** The pages that say which test pins which behaviour, or proves which defence, are held against the tests. */
const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')

/** Rows of the tables of a page, without their heads, as cells. */
const rowsOf = (page: string): string[][] => {
  const lines = read(page).split('\n')
  const isRule = (line: string | undefined) => line?.startsWith('|---') === true
  return lines
    .filter((line, index) => line.startsWith('| ') && !isRule(line) && !isRule(lines[index + 1]))
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    )
}
const itemsOf = (cells: readonly string[]) => cells.flatMap((cell) => cell.split('<br>')).map((text) => text.trim())
const testOf = (item: string) => {
  const [, file, name] = /^(test\/\S+\.test\.ts) > (.+)$/.exec(item) ?? []
  return file === undefined || name === undefined ? undefined : { file, name }
}

describe.each([
  ['docs/parity.md', 100],
  ['test/cases/README.md', 100],
  ['docs/security.md', 50],
] as const)('%s', (page, least) => {
  test('names only tests that exist', () => {
    const named = rowsOf(page)
      .flatMap(itemsOf)
      .map(testOf)
      .filter((found) => found !== undefined)
    expect(named.length).toBeGreaterThan(least)
    const missing = named.filter(({ file, name }) => {
      const text = existsSync(`${root}${file}`) ? read(file) : ''
      return !["'", '"', '`'].some((quote) => text.includes(`${quote}${name}${quote}`))
    })
    expect(missing).toEqual([])
  })

  test('has a test, a reason or an open issue for every row', () => {
    // The table of trust has no column for tests.
    const open = rowsOf(page).filter(
      (cells) =>
        !(page === 'docs/security.md' && cells.length === 2) &&
        !itemsOf(cells).some((item) => testOf(item) !== undefined || /^doesn’t apply: |\bissue \d/.test(item)),
    )
    expect(open).toEqual([])
  })
})

test('every case number comes once', () => {
  const numbers = rowsOf('test/cases/README.md').map(([first]) => first)
  expect(numbers.filter((number) => !/^C\d{2,3}$/.test(number ?? ''))).toEqual([])
  expect(new Set(numbers).size).toBe(numbers.length)
})
