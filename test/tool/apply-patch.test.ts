import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Bench, bench as plainBench } from './kit.ts'

const bench = (files: Readonly<Record<string, string | Uint8Array>> = {}) => plainBench({ repository: false, files, modelID: 'gpt-5' })
const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
const apply = async (b: Bench, ...lines: string[]) => (await b.call('apply_patch', { patchText: patch(...lines) })).output
const refusal = (b: Bench, ...lines: string[]) => b.failure('apply_patch', { patchText: patch(...lines) })

describe('a patch that is not one', () => {
  it('is refused when the text is missing, has no markers or says nothing', async () => {
    const b = bench()
    expect(await b.failure('apply_patch', {})).toContain('patchText')
    expect(await b.failure('apply_patch', { patchText: '' })).toContain('patchText')
    expect(await b.failure('apply_patch', { patchText: 'change it, please' })).toMatch(/no line `\*\*\* Begin Patch`/)
    expect(await b.failure('apply_patch', { patchText: '*** Begin Patch\n*** Add File: a\n+x' })).toMatch(/no line `\*\*\* End Patch`/)
    expect(await refusal(b)).toContain('The patch is empty')
  })

  it('is refused for a section nobody knows and for lines that would have to be guessed at', async () => {
    const b = bench({ a: 'one\n' })
    expect(await refusal(b, '*** Frobnicate File: a', '+x')).toMatch(/Line 2 .*Frobnicate/)
    expect(await refusal(b, '*** Add File:', '+x')).toMatch(/Line 2 of the patch names no file/)
    expect(await refusal(b, '*** Add File: new', 'x')).toMatch(/Line 3 .*does not start with `\+`/)
    expect(await refusal(b, '*** Update File: a', '-one', 'two')).toMatch(/Line 4 .*starts with none of/)
    expect(await refusal(b, '*** Update File: a')).toContain('The section for a changes nothing')
    expect(await refusal(b, '*** Update File: a', '@@ one')).toContain('has no lines')
    expect(b.text('a')).toBe('one\n')
    expect(existsSync(join(b.root, 'new'))).toBe(false)
  })
})

describe('applying a patch', () => {
  it('adds, updates and deletes in one go and lists what it did', async () => {
    const b = bench({ 'src/a.ts': 'one\ntwo\n', 'old.ts': 'x\n' })
    const result = await b.call('apply_patch', {
      patchText: patch('*** Add File: new/b.ts', '+first', '+', '+third', '*** Update File: src/a.ts', '@@', ' one', '-two', '+2', '*** Delete File: old.ts'),
    })
    expect(result.output).toBe('The patch was applied:\nA new/b.ts (+3 -0 lines)\nM src/a.ts (+1 -1 lines)\nD old.ts')
    expect(result.metadata.files).toEqual([
      { path: 'new/b.ts', status: 'A', additions: 3, deletions: 0 },
      { path: 'src/a.ts', status: 'M', additions: 1, deletions: 1 },
      { path: 'old.ts', status: 'D', additions: 0, deletions: 1 },
    ])
    expect(b.text('new/b.ts')).toBe('first\n\nthird\n')
    expect(b.text('src/a.ts')).toBe('one\n2\n')
    expect(existsSync(join(b.root, 'old.ts'))).toBe(false)
  })

  it('asks for one permission with every path, that of a move’s destination too', () => {
    const b = bench({ a: 'x\n', b: 'x\n' })
    const tool = b.tools.find(({ id }) => id === 'apply_patch')
    const patchText = patch('*** Update File: a', '*** Move to: secret/c', '-x', '+y', '*** Delete File: b', '*** Add File: d', '+x')
    expect(tool?.permission?.({ patchText }, [])).toEqual([{ permission: 'edit', patterns: ['a', 'secret/c', 'b', 'd'] }])
    expect(tool?.permission?.({ patchText: 'nonsense' }, [])).toEqual([])
    expect(() => tool?.permission?.({ patchText: patch('*** Add File: ../out', '+x') }, [])).toThrow('outside the workspace')
  })

  it('changes several places of a file', async () => {
    const b = bench({ a: '1\n2\n3\n4\n5\n6\n' })
    await apply(b, '*** Update File: a', '@@', ' 1', '-2', '+two', '@@', ' 4', '-5', '-6', '+five')
    expect(b.text('a')).toBe('1\ntwo\n3\n4\nfive\n')
  })

  it('merges several sections of one file instead of keeping only the last', async () => {
    const b = bench({ a: '1\n2\n3\n' })
    expect(await apply(b, '*** Update File: a', '-3', '+three', '*** Update File: a', '-1', '+one', '*** Update File: a', '-one', '+ONE')).toContain(
      'M a (+3 -3 lines)',
    )
    expect(b.text('a')).toBe('ONE\n2\nthree\n')
  })

  it('sees what earlier sections did', async () => {
    const b = bench({ a: 'x\n' })
    await apply(b, '*** Add File: n', '+one', '*** Update File: n', '-one', '+two', '*** Delete File: a', '*** Add File: a/b', '+in a folder now')
    expect(b.text('n')).toBe('two\n')
    expect(b.text('a/b')).toBe('in a folder now\n')
  })

  it('puts lines without old ones at the end, or behind the line it names', async () => {
    const b = bench({ a: 'one\ntwo\n', b: 'no line end', c: 'def f():\n    pass\n', d: '' })
    await apply(b, '*** Update File: a', '@@', '+three', '*** Update File: b', '@@', '+last', '*** Update File: d', '+x')
    await apply(b, '*** Update File: c', '@@ def f():', '+    """Doc."""')
    expect(b.text('a')).toBe('one\ntwo\nthree\n')
    expect(b.text('b')).toBe('no line end\nlast\n')
    expect(b.text('c')).toBe('def f():\n    """Doc."""\n    pass\n')
    expect(b.text('d')).toBe('x\n')
  })

  it('gives a changed last line its line end', async () => {
    const b = bench({ a: 'one\ntwo' })
    await apply(b, '*** Update File: a', '-two', '+2')
    expect(b.text('a')).toBe('one\n2\n')
  })

  it('keeps line ends, byte-order mark, encoding and mode, and stray line ends elsewhere (C65, C66)', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('one\r\ntwo\r\n', 'utf16le')])
    const b = bench({ crlf: '\uFEFFone\r\ntwo\r\nthree\nfour\r\n', utf16 })
    chmodSync(join(b.root, 'crlf'), 0o755)
    await apply(b, '*** Update File: crlf', ' one', '-two', '+2', '+2b', ' three', '*** Update File: utf16', '-one', '+1')
    expect(b.text('crlf')).toBe('\uFEFFone\r\n2\r\n2b\r\nthree\nfour\r\n')
    expect(b.bytes('utf16').subarray(2).toString('utf16le')).toBe('1\r\ntwo\r\n')
    expect(statSync(join(b.root, 'crlf')).mode & 0o777).toBe(0o755)
  })

  it('takes text with $-patterns as it is (C64)', async () => {
    const b = bench({ a: 'x\n' })
    await apply(b, '*** Update File: a', '-x', "+$& $1 $$ $` $'")
    expect(b.text('a')).toBe("$& $1 $$ $` $'\n")
  })
})

describe('moving a file', () => {
  it('goes to a new folder with its mode, changed or not', async () => {
    const b = bench({ 'a.sh': 'x\n', raw: Buffer.from([0, 1, 2]) })
    chmodSync(join(b.root, 'a.sh'), 0o755)
    const output = await apply(b, '*** Update File: a.sh', '*** Move to: deep/er/b.sh', '-x', '+y', '*** Update File: raw', '*** Move to: moved')
    expect(output).toContain('M deep/er/b.sh (moved from a.sh) (+1 -1 lines)')
    expect(output).not.toContain('D ')
    expect(b.text('deep/er/b.sh')).toBe('y\n')
    expect(statSync(join(b.root, 'deep/er/b.sh')).mode & 0o777).toBe(0o755)
    expect([...b.bytes('moved')]).toEqual([0, 1, 2])
    expect(existsSync(join(b.root, 'a.sh')) || existsSync(join(b.root, 'raw'))).toBe(false)
  })

  it('over another file needs that one to have been read (C78)', async () => {
    const b = bench({ a: 'x\n', b: 'mine\n' })
    const move = ['*** Update File: a', '*** Move to: b', '-x', '+y']
    expect(await refusal(b, ...move)).toMatch(/b exists and was not read/)
    expect(b.text('b')).toBe('mine\n')
    await b.call('read', { filePath: 'b' })
    await apply(b, ...move)
    expect(b.text('b')).toBe('y\n')
  })

  it('or a deletion leaves links alone', async () => {
    const b = bench({ real: 'x\n' })
    symlinkSync('real', join(b.root, 'link'))
    expect(await refusal(b, '*** Delete File: link')).toContain('link is a symbolic link')
    expect(await refusal(b, '*** Update File: link', '*** Move to: other')).toContain('link is a symbolic link')
    expect(b.text('real')).toBe('x\n')
  })
})

describe('adding a file that exists', () => {
  it('needs it to have been read, as write does (C78), and keeps its line ends', async () => {
    const b = bench({ a: 'one\r\ntwo\r\n' })
    expect(await refusal(b, '*** Add File: a', '+new')).toMatch(/a exists and was not read/)
    await b.call('read', { filePath: 'a' })
    expect(await apply(b, '*** Add File: a', '+new', '+text')).toContain('M a')
    expect(b.text('a')).toBe('new\r\ntext\r\n')
  })
})

describe('a patch that does not fit', () => {
  it('is refused for files that are missing, folders or binary', async () => {
    const b = bench({ 'src/a': 'x\n', bin: Buffer.from([0, 1]), latin: Buffer.from([0x61, 0xe9, 0x0a]) })
    expect(await refusal(b, '*** Update File: gone', '-x', '+y')).toContain('There is no file gone')
    expect(await refusal(b, '*** Delete File: gone')).toContain('There is no file gone')
    expect(await refusal(b, '*** Delete File: src')).toContain('src is a folder')
    expect(await refusal(b, '*** Update File: bin', '-x', '+y')).toContain('bin is a binary file')
    expect(await refusal(b, '*** Update File: latin', '-a', '+b')).toContain('not valid UTF-8')
  })

  it('is refused outside the workspace and in .git (C73)', async () => {
    const b = bench()
    symlinkSync(b.outside, join(b.root, 'out'))
    writeFileSync(join(b.outside, 'x'), 'keep\n')
    for (const path of ['../outside/x', 'out/x', join(b.outside, 'x')]) expect(await refusal(b, `*** Delete File: ${path}`)).toContain('outside the workspace')
    expect(await refusal(b, '*** Add File: .git/hooks/pre-push', '+x')).toContain('off limits')
    expect(readFileSync(join(b.outside, 'x'), 'utf8')).toBe('keep\n')
  })

  it('says which lines were not found and where they nearly are', async () => {
    const b = bench({ a: 'one\ntwo\nthree\n' })
    expect(await refusal(b, '*** Update File: a', ' two', '-four', '+4')).toMatch(/A chunk was not found in a: `two\nfour`.*first line is there at line 2/s)
    expect(await refusal(b, '*** Update File: a', '@@ nowhere', '-two', '+2')).toMatch(/The `@@` line was not found in a: `nowhere`/)
    expect(await refusal(b, '*** Update File: a', '-two', '+two')).toContain('already reads as the patch would make it')
    expect(b.text('a')).toBe('one\ntwo\nthree\n')
  })

  it('leaves nothing behind of the sections before the one that fails', async () => {
    const b = bench({ a: 'x\n', c: 'x\n' })
    await refusal(b, '*** Add File: n', '+x', '*** Update File: a', '-x', '+y', '*** Delete File: c', '*** Update File: gone', '-x', '+y')
    expect(existsSync(join(b.root, 'n'))).toBe(false)
    expect(b.text('a') + b.text('c')).toBe('x\nx\n')
  })

  it('says what was done when the disk refuses halfway', async () => {
    const b = bench({ f: 'x\n' })
    mkdirSync(join(b.root, 'full'))
    expect(await refusal(b, '*** Add File: n', '+x', '*** Add File: f/below', '+x')).toMatch(/could not be carried out at f\/below.*Already done: n/s)
  })
})

describe('finding the place', () => {
  const repeated = 'class A\n  x\n  end\nclass B\n  x\n  end\n'

  it('is narrowed by one or several @@ lines, with or without their line in the chunk', async () => {
    const b = bench({ a: repeated, b: repeated, c: repeated, d: 'm\nf\nx\nm\ng\nf\nx\n' })
    await apply(b, '*** Update File: a', '@@ class B', '-  x', '+  y')
    await apply(b, '*** Update File: b', '@@ class B', ' class B', '-  x', '+  y')
    await apply(b, '*** Update File: c', '@@ -4,2 +4,2 @@ class B', '-  x', '+  y')
    await apply(b, '*** Update File: d', '@@ g', '@@ f', '-x', '+y')
    for (const name of ['a', 'b', 'c']) expect(b.text(name)).toBe('class A\n  x\n  end\nclass B\n  y\n  end\n')
    expect(b.text('d')).toBe('m\nf\nx\nm\ng\nf\ny\n')
  })

  it('goes forward from the chunk before', async () => {
    const b = bench({ a: repeated })
    await apply(b, '*** Update File: a', ' class B', '@@', '-  x', '+  y')
    expect(b.text('a')).toBe('class A\n  x\n  end\nclass B\n  y\n  end\n')
  })

  it('prefers the last place for the end of the file, and takes another when it is not there', async () => {
    const b = bench({ a: repeated, b: 'x\nrest\n' })
    await apply(b, '*** Update File: a', '@@', '-  x', '+  y', '   end', '*** End of File')
    await apply(b, '*** Update File: b', '@@', '-x', '+y', '*** End of File')
    expect(b.text('a')).toBe('class A\n  x\n  end\nclass B\n  y\n  end\n')
    expect(b.text('b')).toBe('y\nrest\n')
  })

  it('tolerates white space at line edges and keeps the file’s own in lines that stay', async () => {
    const b = bench({ a: 'def f():  \n\treturn 1\n\tdone()\n' })
    const output = await apply(b, '*** Update File: a', ' def f():', '-    return 1', '+    return 2', '     done()')
    expect(b.text('a')).toBe('def f():  \n\treturn 2\n\tdone()\n')
    expect(output).toContain('a, line 1: a tolerant match was used (white space differs). Check the result.')
  })

  it('tolerates typographic characters', async () => {
    const b = bench({ a: 'say(“hi”) – it’s…\u00A0ok\nrest\n' })
    expect(await apply(b, '*** Update File: a', ` say("hi") - it's... ok`, '-rest', '+done')).toContain('quotes, dashes or special blanks differ')
    expect(b.text('a')).toBe('say(“hi”) – it’s…\u00A0ok\ndone\n')
  })

  it('does without an empty line at the end of a chunk that the file does not have', async () => {
    const b = bench({ a: 'one\ntwo\n' })
    await apply(b, '*** Update File: a', '-two', '+2', ' ')
    expect(b.text('a')).toBe('one\n2\n')
  })

  it('takes an empty line without its blank for one that stays', async () => {
    const b = bench({ a: 'one\n\ntwo\n' })
    await apply(b, '*** Update File: a', ' one', '', '-two', '+2', '')
    expect(b.text('a')).toBe('one\n\n2\n')
  })
})

describe('what stands around a patch', () => {
  it.each([
    ['a heredoc', (text: string) => `apply_patch <<'EOF'\n${text}\nEOF`],
    ['a heredoc of cat', (text: string) => `cat <<EOF\n${text}\nEOF\n`],
    ['a code fence', (text: string) => `\`\`\`\n${text}\n\`\`\``],
    ['blanks and CRLF line ends', (text: string) => `\n  ${text.replaceAll('\n', '\r\n')}  \r\n\n`],
  ])('is removed: %s', async (_name, wrap) => {
    const b = bench({ a: 'x\n' })
    await b.call('apply_patch', { patchText: wrap(patch('*** Update File: a', '-x', '+y')) })
    expect(b.text('a')).toBe('y\n')
  })
})

describe('any change of lines', () => {
  it('written as a patch gives the file it describes', async () => {
    const b = bench()
    const line = fc.constantFrom('a', 'b', '  c', '', '*** x', '@@ y', '+z', '-w')
    const change = fc.record({
      keep: fc.array(line, { minLength: 1, maxLength: 3 }),
      remove: fc.array(line, { maxLength: 2 }),
      add: fc.array(line, { maxLength: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (parts) => {
        // Numbers make every line unique, so that there is only one right place.
        const before: string[] = []
        const after: string[] = []
        const body: string[] = []
        const tag = (text: string, list: string[]) => `${text}#${list.length}`
        for (const { keep, remove, add } of parts) {
          for (const text of keep) {
            const own = tag(text, before)
            before.push(own)
            after.push(own)
            body.push(` ${own}`)
          }
          for (const text of remove) body.push(`-${before[before.push(tag(text, before)) - 1]}`)
          for (const text of add) body.push(`+${after[after.push(`new ${tag(text, after)}`) - 1]}`)
        }
        if (before.join() === after.join()) return
        b.put('f', `${before.join('\n')}\n`)
        await apply(b, '*** Update File: f', '@@', ...body)
        expect(b.text('f')).toBe(`${after.join('\n')}\n`)
      }),
      { numRuns: 60 },
    )
  })
})
