import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { type Input, inputs } from '../src/settings/inputs.ts'
import { outputs } from '../src/settings/outputs.ts'

/** Three places tell people about the same contract: the code, `action.yml` and README.md. They must say the same. */

const file = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')

const action = z
  .strictObject({
    name: z.string().min(1),
    // The marketplace refuses longer ones.
    description: z.string().min(1).max(125),
    author: z.string().min(1),
    branding: z.strictObject({ icon: z.string(), color: z.enum(['white', 'black', 'yellow', 'blue', 'green', 'orange', 'red', 'purple', 'gray-dark']) }),
    inputs: z.record(z.string(), z.strictObject({ description: z.string(), required: z.literal(false), default: z.string() })),
    outputs: z.record(z.string(), z.strictObject({ description: z.string() })),
    runs: z.unknown(),
  })
  .parse(parse(file('action.yml')))

const inputEntries: readonly (readonly [string, Input])[] = Object.entries(inputs)

/** The cells of the table that README.md holds between two markers, heading left out. */
function table(marker: string): readonly string[][] {
  const [, text] = file('README.md').split(new RegExp(`<!-- /?${marker} -->`))
  const lines = (text ?? '').split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  )
}

const code = (text: string): string => (text === '' ? '' : `\`${text}\``)

test('action.yml offers exactly the inputs of the code, in its order, with its defaults and words', () => {
  const offered = Object.entries(action.inputs).map(([name, input]) => [name, input.default, input.description])
  expect(offered).toEqual(inputEntries.map(([name, input]) => [name, input.default, input.description]))
})

test('README.md lists exactly the inputs of the code', () => {
  expect(table('inputs')).toEqual(inputEntries.map(([name, input]) => [code(name), code(input.default), input.description]))
})

test('action.yml offers exactly the outputs of the code, in its order, with its words', () => {
  expect(Object.entries(action.outputs).map(([name, output]) => [name, output.description])).toEqual(Object.entries(outputs))
})

test('README.md lists exactly the outputs of the code', () => {
  expect(table('outputs')).toEqual(Object.entries(outputs).map(([name, description]) => [code(name), description]))
})

test('the runner starts the bundle with Node 24, and once more to clean up whatever happened', () => {
  expect(action.runs).toEqual({ using: 'node24', main: 'dist/index.js', post: 'dist/index.js', 'post-if': 'always()' })
})
