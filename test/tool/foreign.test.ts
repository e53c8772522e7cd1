import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foreignName, sentence, uniqueName } from '../../src/tool/foreign.ts'

test('a name says where the tool comes from, in letters every provider takes', () => {
  expect(foreignName('my server', 'do.it/now')).toBe('my_server_do_it_now')
  expect(foreignName('größe')).toBe('gr__e')
})

test('every name is short and plain, and the same for the same pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 80 }), { minLength: 1, maxLength: 3 }), (pieces) => {
      const name = foreignName(...pieces)
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      expect(foreignName(...pieces)).toBe(name)
    }),
  )
})

test('long names that begin alike stay different', () => {
  const long = 'x'.repeat(80)
  expect(foreignName(`${long}1`)).not.toBe(foreignName(`${long}2`))
})

test('no name is given twice', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'a_2', 'x'.repeat(64))), (names) => {
      const taken = new Set<string>()
      const given = names.map((name) => uniqueName(name, taken))
      expect(new Set(given).size).toBe(names.length)
      expect(given.every((name) => name.length <= 64)).toBe(true)
    }),
  )
})

test('a text that another sentence follows ends like one', () => {
  expect([sentence('It broke'), sentence('Broke!\n'), sentence('(sic)')]).toEqual(['It broke.', 'Broke!', '(sic)'])
})
