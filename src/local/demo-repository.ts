/** The repository of the demo: a small library whose test fails because months are counted from zero. */

const source = `/** Reads a date written as 2024-03-01 or 01.03.2024 and returns midnight UTC of that day. */
export function parseDate(text) {
  const iso = /^(\\d{4})-(\\d{2})-(\\d{2})$/.exec(text)
  const german = /^(\\d{2})\\.(\\d{2})\\.(\\d{4})$/.exec(text)
  const [year, month, day] = iso ? iso.slice(1).map(Number) : german ? german.slice(1).map(Number).reverse() : []
  if (year === undefined) throw new RangeError(\`Not a date: \${text}\`)
  return new Date(Date.UTC(year, month, day))
}
`

const test = `import assert from "node:assert/strict"
import test from "node:test"
import { parseDate } from "../src/parse-date.js"

test("reads an ISO date", () => {
  assert.equal(parseDate("2024-03-01").toISOString(), "2024-03-01T00:00:00.000Z")
})

test("reads a German date", () => {
  assert.equal(parseDate("24.12.2023").toISOString(), "2023-12-24T00:00:00.000Z")
})

test("refuses what is no date", () => {
  assert.throws(() => parseDate("yesterday"), RangeError)
})
`

export const demoFiles: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify({ name: 'day-by-day', version: '1.0.0', type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'README.md': '# day by day\n\nReads dates as people write them. `npm test` runs the tests.\n',
  'AGENTS.md': 'Plain JavaScript, no dependencies. Run the tests with `node --test` before you finish.\n',
  'src/parse-date.js': source,
  'test/parse-date.test.js': test,
}

/** Lines the scripted model replaces; kept beside the files they must be found in. */
export const monthFix = {
  oldString: 'return new Date(Date.UTC(year, month, day))',
  newString: 'return new Date(Date.UTC(year, month - 1, day))',
}

export const leapFix = {
  oldString: `  ${monthFix.newString}\n`,
  newString: `  const date = new Date(Date.UTC(year, month - 1, day))
  // Date.UTC rolls 30 February over into March.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) throw new RangeError(\`No such day: \${text}\`)
  return date
`,
}

const lastTest = 'test("refuses what is no date", () => {'

export const leapTest = {
  oldString: lastTest,
  newString: `test("refuses a day the month does not have", () => {
  assert.equal(parseDate("2024-02-29").toISOString(), "2024-02-29T00:00:00.000Z")
  assert.throws(() => parseDate("2023-02-29"), RangeError)
  assert.throws(() => parseDate("31.04.2024"), RangeError)
})

${lastTest}`,
}
