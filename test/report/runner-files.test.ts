import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pairFor } from '../../src/report/runner-files.ts'

/** The runner's way: `name<<delimiter`, then lines up to the delimiter on a line of its own. */
function read(file: string): [string, string][] {
  const lines = file.split('\n')
  const pairs: [string, string][] = []
  for (let line = lines.shift(); line !== undefined && line !== ''; line = lines.shift()) {
    const [name = '', delimiter = ''] = line.split('<<')
    const value: string[] = []
    for (let next = lines.shift(); next !== delimiter; next = lines.shift()) value.push(next ?? '')
    pairs.push([name, value.join('\n')])
  }
  return pairs
}

test('C135 a value is read back unchanged, whatever it looks like', () => {
  const hostile = 'EOF\nghadelimiter_x\nname=value\nother<<EOF\n%0A\r\n::set-output name=a::b\n'
  expect(read(pairFor('response', hostile) + pairFor('steps', '3'))).toEqual([
    ['response', hostile],
    ['steps', '3'],
  ])
})

test('C135 every text is read back unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(read(pairFor('a', value))).toEqual([['a', value]])
    }),
  )
})
