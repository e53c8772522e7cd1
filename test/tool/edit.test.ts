import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splice } from '../../src/tool/splice.ts'
import { withLineEnd } from '../../src/tool/text.ts'
import { bench } from './kit.ts'

describe('what an edit inserts', () => {
  const dollars = "cost=$$5; re='$&'; x=$`y`; $1; $'"
  for (const [name, end] of [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
  ] as const) {
    it(`is inserted byte for byte, dollar signs too, in ${name} files (C64)`, async () => {
      const b = bench({ files: { a: `x${end}PLACEHOLDER${end}`, b: `PLACEHOLDER${end}PLACEHOLDER${end}` } })
      await b.call('edit', { filePath: 'a', oldString: 'PLACEHOLDER', newString: dollars })
      await b.call('edit', { filePath: 'b', oldString: 'PLACEHOLDER', newString: dollars, replaceAll: true })
      expect(b.text('a')).toBe(`x${end}${dollars}${end}`)
      expect(b.text('b')).toBe(`${dollars}${end}${dollars}${end}`)
    })
  }
})

describe('line ends and marks', () => {
  it('keeps a CRLF file CRLF when the model writes LF, and calls an edit of line ends alone no change (C65)', async () => {
    const b = bench({ files: { a: 'a\r\nb\r\nc\r\n' } })
    const { metadata } = await b.call('edit', { filePath: 'a', oldString: 'a\nb', newString: 'a\nB' })
    expect(b.text('a')).toBe('a\r\nB\r\nc\r\n')
    expect(metadata).toMatchObject({ path: 'a', additions: 1, deletions: 1 })
    expect(await b.failure('edit', { filePath: 'a', oldString: 'a\r\nB', newString: 'a\nB' })).toMatch(/^No change to a/)
    expect(b.text('a')).toBe('a\r\nB\r\nc\r\n')
  })

  it('keeps the byte-order mark, whether or not the model repeats it (C66)', async () => {
    const b = bench({ files: { a: '\uFEFFfoo' } })
    await b.call('edit', { filePath: 'a', oldString: 'foo', newString: 'bar' })
    expect(b.text('a')).toBe('\uFEFFbar')
    await b.call('edit', { filePath: 'a', oldString: '\uFEFFbar', newString: '\uFEFFbaz' })
    expect(b.text('a')).toBe('\uFEFFbaz')
    await b.call('edit', { filePath: 'new', oldString: '', newString: 'foo' })
    expect(b.text('new')).toBe('foo')
  })

  it('keeps UTF-16 files UTF-16', async () => {
    const b = bench({ files: { a: Buffer.from('\uFEFFgrün\r\nrot\r\n', 'utf16le'), b: Buffer.from('\uFEFFab', 'utf16le').swap16() } })
    await b.call('edit', { filePath: 'a', oldString: 'rot', newString: 'blau\nrot' })
    await b.call('edit', { filePath: 'b', oldString: 'b', newString: 'c' })
    expect(b.bytes('a').toString('utf16le')).toBe('\uFEFFgrün\r\nblau\r\nrot\r\n')
    expect(b.bytes('b').swap16().toString('utf16le')).toBe('\uFEFFac')
  })

  it('changes nothing but the place it was asked to, for any mix of line ends', () => {
    const piece = fc.constantFrom('\r\n', '\n', '\rx', 'x', 'é', '😀', '\uFEFF', '')
    const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, text, text, (before, old, after, next) => {
        const start = withLineEnd(before, '\n').length
        const result = splice(before + old + after, [{ start, end: start + withLineEnd(old, '\n').length, text: withLineEnd(next, '\n') }])
        expect(withLineEnd(result, '\n')).toBe(withLineEnd(before + next + after, '\n'))
        expect(result.startsWith(before)).toBe(true)
        expect(result.endsWith(after)).toBe(true)
      }),
    )
  })

  it('leaves files of one kind of line end that kind, whatever the texts of the model have', async () => {
    const line = fc.constantFrom('a', 'b', '$&', '', 'long line')
    const end = fc.constantFrom('\n', '\r\n')
    await fc.assert(
      fc.asyncProperty(
        end,
        end,
        end,
        fc.array(line, { minLength: 2, maxLength: 4 }),
        fc.boolean(),
        fc.boolean(),
        async (fileEnd, oldEnd, newEnd, lines, mark, replaceAll) => {
          const b = bench({ files: { f: `${mark ? '\uFEFF' : ''}start${fileEnd}OLD${fileEnd}MORE${fileEnd}end${fileEnd}` } })
          await b.call('edit', { filePath: 'f', oldString: `OLD${oldEnd}MORE`, newString: lines.join(newEnd), replaceAll })
          expect(b.text('f')).toBe(`${mark ? '\uFEFF' : ''}${['start', ...lines, 'end', ''].join(fileEnd)}`)
        },
      ),
      { numRuns: 25 },
    )
  })
})

describe('tolerant matches', () => {
  const twoBlocks = 'def a():\n    if x:\n        y = 1\n\ndef b():\n    if x:\n        y = 1\n'

  it('refuses an oldString that fits two places and names their lines (C67)', async () => {
    const b = bench({ files: { a: twoBlocks } })
    const exact = await b.failure('edit', { filePath: 'a', oldString: '        y = 1\n', newString: '        y = 2\n' })
    expect(exact).toContain('2 places of a, at lines 3, 7')
    const tolerant = await b.failure('edit', { filePath: 'a', oldString: '  if x:\n      y = 1', newString: '  if x:\n      y = 2' })
    expect(tolerant).toContain('2 places of a (indentation differs), at lines 2, 6')
    expect(b.text('a')).toBe(twoBlocks)
  })

  it('says that a match was tolerant, gives the new lines the indentation of the file and leaves the neighbours alone (C67)', async () => {
    const b = bench({ files: { 'a.py': 'class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n' } })
    const { output, metadata } = await b.call('edit', {
      filePath: 'a.py',
      oldString: 'def f(self):\n    return 1\n',
      newString: 'def f(self):\n    if self:\n        return 3\n    return 1\n',
    })
    expect(b.text('a.py')).toBe('class A:\n    def f(self):\n        if self:\n            return 3\n        return 1\n\n    def g(self):\n        return 2\n')
    expect(output).toContain('tolerant match')
    expect(output).toContain('lines 2-3')
    expect(metadata).toMatchObject({ tolerant: 'indentation differs', additions: 2, deletions: 0 })
  })

  it('turns blanks of the model into the tabs of the file', async () => {
    const b = bench({ files: { a: 'if (a) {\n\tif (b) {\n\t\tc()\n\t}\n}\n' } })
    await b.call('edit', { filePath: 'a', oldString: '    if (b) {\n        c()\n    }', newString: '    if (b) {\n        c()\n        d()\n    }' })
    expect(b.text('a')).toBe('if (a) {\n\tif (b) {\n\t\tc()\n\t\td()\n\t}\n}\n')
  })

  it('refuses when the new indentation cannot be told', async () => {
    const b = bench({ files: { a: 'def f():\n    if x:\n        y = 1\n' } })
    expect(await b.failure('edit', { filePath: 'a', oldString: 'if x:\ny = 1', newString: 'if x:\ny = 1\nz = 2' })).toContain(
      'lines 2-3 of a only with another indentation',
    )
  })

  for (const [name, content, oldString, newString, expected] of [
    ['white space at line ends', 'a  \nb\nc\n', 'a\nb', 'a\nB', 'a  \nB\nc\n'],
    ['white space inside lines', 'x =  1\ny  = 2\n', 'x = 1\ny = 2', 'x = 1\ny = 3', 'x =  1\ny = 3\n'],
    ['white space inside part of a line', 'let  a  = 1 // keep\n', 'let a = 1', 'let a = 2', 'let a = 2 // keep\n'],
    ['escaped characters', 'say("hi")\nbye\n', 'say(\\"hi\\")\\nbye', 'say(\\"ho\\")\\nbye', 'say("ho")\nbye\n'],
    ['white space around the text', 'one two three\n', '\n two \n', '\n zwei \n', 'one zwei three\n'],
    [
      'a remembered middle',
      'begin\n  const total = sum(items)\n  return total\nend\n',
      'begin\n  const total = sum(item)\n  return total\nend',
      'begin\n  return 0\nend',
      'begin\n  return 0\nend\n',
    ],
    ['a missing last line end', 'a\nlast', '  last\n', '  final\n', 'a\nfinal'],
  ] as const) {
    it(`bridges ${name}`, async () => {
      const b = bench({ files: { a: content } })
      const { output } = await b.call('edit', { filePath: 'a', oldString, newString })
      expect(b.text('a')).toBe(expected)
      expect(output).toContain('tolerant')
    })
  }

  it('refuses a tolerant match that is much larger than what was asked for', async () => {
    const wide = `a${' '.repeat(700)}b\nc d\n`
    const b = bench({ files: { a: wide } })
    expect(await b.failure('edit', { filePath: 'a', oldString: 'a b\nc  d', newString: 'x' })).toContain('much larger than oldString')
    expect(b.text('a')).toBe(wide)
  })

  it('replaces every occurrence only where it is exact', async () => {
    const b = bench({ files: { a: 'f(1)\nf(1)\naaa\n' } })
    const { output } = await b.call('edit', { filePath: 'a', oldString: 'f(1)', newString: 'g(2)', replaceAll: 'true' })
    expect(output).toContain('2 places')
    await b.call('edit', { filePath: 'a', oldString: 'aa', newString: 'b', replaceAll: true })
    expect(b.text('a')).toBe('g(2)\ng(2)\nba\n')
    expect(await b.failure('edit', { filePath: 'a', oldString: 'g(2) ', newString: 'x', replaceAll: true })).toContain('With replaceAll it must match exactly')
  })
})

describe('an edit that cannot be done', () => {
  it('says why', async () => {
    const b = bench({ files: { 'src/a': 'one\ntwo\n', binary: Buffer.from([0, 1, 2]), latin: Buffer.from('caf\xe9 one', 'latin1') } })
    expect(await b.failure('edit', { filePath: 'gone', oldString: 'a', newString: 'b' })).toContain('There is no file gone')
    expect(await b.failure('edit', { filePath: 'src', oldString: 'a', newString: 'b' })).toContain('src is a folder')
    expect(await b.failure('edit', { filePath: 'src/a', oldString: '', newString: 'b' })).toContain('src/a exists, and oldString is empty')
    expect(await b.failure('edit', { filePath: 'src/a', oldString: 'x', newString: 'x' })).toContain('No change to src/a')
    expect(await b.failure('edit', { filePath: 'src/a', oldString: 'two\nthree', newString: 'x' })).toContain(
      'not found in src/a. Its first line is there at line 2',
    )
    expect(await b.failure('edit', { filePath: 'binary', oldString: 'a', newString: 'b' })).toContain('binary')
    expect(await b.failure('edit', { filePath: 'latin', oldString: 'one', newString: 'two' })).toContain('not valid UTF-8')
    expect(await b.failure('edit', { filePath: 'src/a', newString: 'b' })).toMatch(/edit tool.*oldString.*Rewrite the call/)
    expect(b.bytes('latin')).toEqual(Buffer.from('caf\xe9 one', 'latin1'))
  })
})

describe('the file an edit leaves', () => {
  it('is created with its folders when oldString is empty', async () => {
    const b = bench()
    expect((await b.call('edit', { filePath: 'new/deep/a.txt', oldString: '', newString: 'x\n' })).output).toContain('Created new/deep/a.txt')
    expect(b.text('new/deep/a.txt')).toBe('x\n')
  })

  it('keeps mode bits, hard links and symbolic links', async () => {
    const b = bench({ files: { run: 'echo a\n', one: 'a\n' } })
    chmodSync(join(b.root, 'run'), 0o755)
    linkSync(join(b.root, 'one'), join(b.root, 'two'))
    symlinkSync('run', join(b.root, 'link'))
    await b.call('edit', { filePath: 'link', oldString: 'a', newString: 'b' })
    await b.call('edit', { filePath: 'one', oldString: 'a', newString: 'b' })
    expect(statSync(join(b.root, 'run')).mode & 0o777).toBe(0o755)
    expect(b.text('run')).toBe('echo b\n')
    expect(readFileSync(join(b.root, 'link'), 'utf8')).toBe('echo b\n')
    expect(b.text('two')).toBe('b\n')
    expect(b.git('status', '--porcelain', '-uall').split('\n').filter(Boolean)).toHaveLength(4)
  })

  it('holds both of two edits made at the same time', async () => {
    const b = bench({ files: { a: 'one\ntwo\n' } })
    await Promise.all([
      b.call('edit', { filePath: 'a', oldString: 'one', newString: '1' }),
      b.call('edit', { filePath: './a', oldString: 'two', newString: '2' }),
    ])
    expect(b.text('a')).toBe('1\n2\n')
  })

  it('is never outside the workspace (C73)', async () => {
    const b = bench()
    mkdirSync(join(b.outside, 'victim'))
    symlinkSync(join(b.outside, 'victim'), join(b.root, 'out'))
    symlinkSync(join(b.outside, 'not-there-yet'), join(b.root, 'dangling'))
    for (const filePath of ['out/x', 'dangling', '../outside/x', join(b.outside, 'x')]) {
      expect(await b.failure('edit', { filePath, oldString: '', newString: 'x' })).toContain('outside the workspace')
    }
    expect(existsSync(join(b.outside, 'x')) || existsSync(join(b.outside, 'victim/x')) || existsSync(join(b.outside, 'not-there-yet'))).toBe(false)
  })
})
