import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fill, shellIn } from '../../src/plugin/host/shell.ts'

const $ = shellIn(tmpdir(), process.env)

test('a value is one word, a list several, and raw text is taken as it is', () => {
  expect(fill(['echo ', ' ', ' ', ''], ['a b', ['c', 'd e'], { raw: '| cat' }])).toBe("echo 'a b' 'c' 'd e' | cat")
})

test('whatever a value holds, and whatever quotes it stands in, it arrives as it is', () => {
  const templates: readonly (readonly [string, string])[] = [
    ['printf %s ', ''],
    ['printf %s "', '"'],
    ["printf %s '", "'"],
    ['printf %s \\"', '\\"'],
  ]
  const text = fc.string({ unit: fc.constantFrom('"', "'", '$', '`', '\\', '\n', ' ', 'a', '!', '(', ';') })
  fc.assert(
    fc.property(text, fc.constantFrom(...templates), (value, [before, after]) => {
      const printed = execFileSync('bash', ['-c', fill([before, after], [value])], { encoding: 'utf8' })
      expect(printed).toBe(after === '\\"' ? `"${value}"` : value)
    }),
    { numRuns: 60 },
  )
})

test('output comes as text, JSON or lines; an exit code is an error unless the caller says otherwise', async () => {
  expect(await $`echo hi`.text()).toBe('hi\n')
  expect(await $`echo '{"a":1}'`.json()).toEqual({ a: 1 })
  const lines: string[] = []
  for await (const line of $`printf 'a\nb\n'`.lines()) lines.push(line)
  expect(lines).toEqual(['a', 'b'])
  await expect($`echo why >&2; exit 4`).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining('why') })
  expect((await $`exit 4`.nothrow().quiet()).exitCode).toBe(4)
  expect(await $`pwd; echo $X`.cwd('/').env({ X: 'x', PATH: process.env.PATH }).text()).toBe('/\nx\n')
})
