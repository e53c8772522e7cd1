import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesWildcard } from '../../src/tool/wildcard.ts'

describe('a wildcard', () => {
  test.each([
    ['*', '', true],
    ['*', 'a/b\nc', true],
    ['src/*', 'src/a/b.ts', true],
    ['src/*', 'srcs/a', false],
    ['*.env', 'deep/down/.env', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a?c', 'a/c', true],
    ['?', '😀', true],
    ['git *', 'git status', true],
    ['git *', 'git', true],
    ['git *', 'gitk', false],
    ['git *', 'git ', true],
    ['*a*b', 'xxaxxbxxb', true],
    ['*a*b', 'xxaxxbxxc', false],
    ['A', 'a', false],
    ['read', 'reader', false],
    ['ad', 'read', false],
  ])('%j fits %j: %j', (pattern, text, fits) => {
    expect(matchesWildcard(text, pattern)).toBe(fits)
  })

  test('takes every other character as it is, those of regular expressions too', () => {
    const odd = '.+^$(){}[]|-#'
    expect(matchesWildcard(`a${odd}b`, `a${odd}b`)).toBe(true)
    expect(matchesWildcard('aXb', 'a.b')).toBe(false)
    expect(matchesWildcard('aab', 'a+b')).toBe(false)
  })

  test('knows no difference between backslashes and slashes', () => {
    expect(matchesWildcard('src\\a\\b.ts', 'src/*')).toBe(true)
    expect(matchesWildcard('src/a', 'src\\*')).toBe(true)
  })

  test('means the same as the expression it stands for', () => {
    const piece = fc.constantFrom('a', 'b', ' ', '/', '*', '?', '\n')
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.constantFrom('a', 'b', ' ', '/', '\n')), (pattern, text) => {
        const source = pattern.map((one) => (one === '*' ? '[^]*' : one === '?' ? '[^]' : one)).join('')
        const expression = source.endsWith(' [^]*') ? `${source.slice(0, -5)}( [^]*)?` : source
        expect(matchesWildcard(text.join(''), pattern.join(''))).toBe(new RegExp(`^(?:${expression})$`).test(text.join('')))
      }),
    )
  })

  test('is done soon, whatever a model writes', () => {
    expect(matchesWildcard('a'.repeat(20_000), `${'*a'.repeat(20)}*b`)).toBe(false)
  })
})
