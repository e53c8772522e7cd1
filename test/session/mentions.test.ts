import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Look, mentions, resolveMentions } from '../../src/session/mentions.ts'

describe('references in a text', () => {
  test.each([
    ['@README.md', ['README.md']],
    ['look at @src/a.ts please', ['src/a.ts']],
    ['@src/a.ts, @src/b.ts', ['src/a.ts', 'src/b.ts']],
    ['See @src/a.ts.', ['src/a.ts']],
    ['Is it @src/a.ts? Or @src/b.ts!', ['src/a.ts', 'src/b.ts']],
    ['(as in @src/a.ts)', ['src/a.ts']],
    ['@.github/workflows/ci.yml and @.env.example', ['.github/workflows/ci.yml', '.env.example']],
    ['@app/[id]/page(1).tsx', ['app/[id]/page(1).tsx']],
    ['@a-b_c/d#e.ts', ['a-b_c/d#e.ts']],
    ['@~/notes.txt', ['~/notes.txt']],
    ['line\n@x/y\n', ['x/y']],
    ['@src/a.ts twice: @src/a.ts', ['src/a.ts']],
    ['"@src/a.ts"', ['src/a.ts']],
    ['@explore find it', ['explore']],
    ['write to me@example.org', []],
    ['`@param` and `@src/a.ts`', []],
    ['@ and @. and @...', []],
  ])('%j refers to %j', (text, names) => {
    expect(mentions(text)).toEqual(names)
  })

  test('whatever the text, names are free of spaces, commas and backticks, not empty, and each comes once', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('@', 'a', '.', '/', '`', ',', ' ', ')', '(', '"', '\n') }), (text) => {
        const names = mentions(text)
        expect(names.filter((name) => name === '' || /[\s,`]/.test(name) || /[.!?:;'"]$/.test(name))).toEqual([])
        expect(new Set(names).size).toBe(names.length)
      }),
    )
  })
})

describe('what they lead to', () => {
  const look: Look = (path) => {
    if (path === 'src') return { kind: 'folder', path: '/repo/src' }
    return path.startsWith('src/') || path === 'explore.md' ? { kind: 'file', path: `/repo/${path}` } : undefined
  }
  const agents = [{ name: 'explore' }, { name: 'src' }, { name: 'summary', hidden: true }]

  test('files and folders by their address, agents where no file has the name, nothing for the rest', () => {
    expect(resolveMentions('@src/a.ts @src @explore @nobody @summary', look, agents)).toEqual([
      { type: 'file', mime: 'text/plain', url: 'file:///repo/src/a.ts', filename: 'src/a.ts', source: { path: 'src/a.ts' } },
      { type: 'file', mime: 'application/x-directory', url: 'file:///repo/src', filename: 'src', source: { path: 'src' } },
      { type: 'agent', name: 'explore' },
    ])
  })

  test('a name with # or a space in its path becomes an address that leads back to it', () => {
    expect(resolveMentions('@src/a#1.ts', look, [])).toMatchObject([{ url: 'file:///repo/src/a%231.ts' }])
  })
})
