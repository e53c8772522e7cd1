import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench } from './kit.ts'

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(64)])
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n')

describe('reading a file', () => {
  it('numbers the lines and says that the end was reached', async () => {
    const b = bench({ files: { 'src/a.txt': 'one\r\ntwo\r\n' } })
    const { output, metadata } = await b.call('read', { filePath: 'src/a.txt' })
    expect(output).toBe('<path>src/a.txt</path>\n<content>\n1: one\n2: two\n</content>\n(End of file, 2 lines)')
    expect(metadata).toMatchObject({ path: 'src/a.txt', truncated: false })
  })

  it('takes a range, also as text, and names the next offset', async () => {
    const b = bench({ files: { a: numbered(10) } })
    const { output } = await b.call('read', { filePath: 'a', offset: '4', limit: '2' })
    expect(output).toContain('<content>\n4: line 4\n5: line 5\n</content>\n(Lines 4-5 of 10; read on with offset 6)')
    expect((await b.call('read', { filePath: 'a', offset: 0, limit: 1 })).output).toContain('1: line 1\n</content>')
    expect((await b.call('read', { filePath: 'a', limit: 0 })).output).toContain('<content>\n</content>\n(No lines of 10; read on with offset 1)')
  })

  it('stops at 2,000 lines and at 51,200 bytes', async () => {
    const b = bench({ files: { long: numbered(2_500), wide: Array.from({ length: 100 }, () => 'w'.repeat(1_000)).join('\n') } })
    expect((await b.call('read', { filePath: 'long' })).output).toContain('2000: line 2000\n</content>\n(Lines 1-2000 of 2500; read on with offset 2001)')
    const { output } = await b.call('read', { filePath: 'wide' })
    expect(output).toMatch(/\(Lines 1-50 of 100, 51200 bytes at a time; read on with offset 51\)$/)
    expect(Buffer.byteLength(output)).toBeLessThan(51_200 + 300)
  })

  it('cuts a long line before an emoji, never through it (C75)', async () => {
    const b = bench({ files: { a: `${'a'.repeat(1_999)}😀 and more text` } })
    const { output } = await b.call('read', { filePath: 'a' })
    expect(output).toContain(`1: ${'a'.repeat(1_999)}... (line cut: 2015 characters)`)
    expect(output.isWellFormed()).toBe(true)
  })

  it('accepts offset 1 of an empty file and refuses an offset past the end', async () => {
    const b = bench({ files: { empty: '', a: 'x\n' } })
    expect((await b.call('read', { filePath: 'empty', offset: 1 })).output).toContain('(End of file, 0 lines)')
    expect(await b.failure('read', { filePath: 'a', offset: 2 })).toContain('a has 1 line; offset 2 is past its end')
    expect(await b.failure('read', { filePath: 'a', offset: -1 })).toMatch(/read tool.*offset.*Rewrite the call/)
    expect(await b.failure('read', { filePath: 'a', limit: 1.5 })).toMatch(/read tool.*limit/)
  })

  it('takes non-ASCII UTF-8 and UTF-16 for the text they are, and a NUL for binary (C74)', async () => {
    const b = bench({
      files: {
        cjk: `x${'漢'.repeat(1_700)}`,
        wide: Buffer.from('\uFEFFgrün\n', 'utf16le'),
        latin: Buffer.from('caf\xe9\n', 'latin1'),
        bin: Buffer.from([1, 0, 2]),
        bom: '\uFEFFfoo\n',
        'table.fbs': 'namespace a;\n',
      },
    })
    expect((await b.call('read', { filePath: 'cjk' })).output).toContain(`1: x${'漢'.repeat(1_700)}\n`)
    expect((await b.call('read', { filePath: 'wide' })).output).toContain('1: grün\n')
    expect((await b.call('read', { filePath: 'bom' })).output).toContain('1: foo\n')
    expect((await b.call('read', { filePath: 'table.fbs' })).output).toContain('1: namespace a;')
    expect((await b.call('read', { filePath: 'latin' })).output).toMatch(/1: caf\uFFFD\n.*not valid UTF-8/s)
    expect(await b.failure('read', { filePath: 'bin' })).toContain('bin is a binary file (3 bytes)')
  })

  it('shows text without what a backend refuses (C38)', async () => {
    const b = bench({ files: { a: `${'x'.repeat(8_001)}\n\u001b[31mred\u001b[0m \u0000 bell\u0007\n` } })
    const { output } = await b.call('read', { filePath: 'a', offset: 2 })
    expect(output).toContain('2: red  bell\n')
  })

  it('attaches images and PDFs, known by their first bytes', async () => {
    const b = bench({ files: { 'image.dat': png, doc: '%PDF-1.7\n', 'fake.png': 'text\n', big: Buffer.concat([png, Buffer.alloc(4_000_000)]) } })
    const { output, attachments } = await b.call('read', { filePath: 'image.dat' })
    expect(output).toContain('image.dat (image/png, 72 bytes) is attached')
    expect(attachments).toEqual([{ type: 'file', mime: 'image/png', url: `data:image/png;base64,${png.toString('base64')}`, filename: 'image.dat' }])
    expect((await b.call('read', { filePath: 'doc' })).attachments).toMatchObject([{ mime: 'application/pdf' }])
    expect((await b.call('read', { filePath: 'fake.png' })).output).toContain('1: text')
    expect(await b.failure('read', { filePath: 'big' })).toContain('an image of 4000072 bytes')
  })

  it('suggests neighbours of a file that is not there', async () => {
    const b = bench({ files: { 'src/Config.ts': '', 'src/config.test.ts': '', 'src/other.ts': '' } })
    expect(await b.failure('read', { filePath: 'src/config' })).toBe('There is no file src/config. Did you mean src/Config.ts or src/config.test.ts?')
    expect(await b.failure('read', { filePath: 'src/other.ts/x' })).toContain('There is no file')
    expect(await b.failure('read', { filePath: 'nowhere/x' })).toContain('Look for it with glob or list')
  })
})

describe('reading a folder', () => {
  it('lists what is in it, ignored files too, without git’s own data', async () => {
    const b = bench({ files: { '.gitignore': 'dist\n', 'dist/app.js': '', 'src/a.ts': '', b: '' } })
    symlinkSync('src', join(b.root, 'link'))
    const { output } = await b.call('read', { filePath: b.root })
    expect(output).toBe('<path>.</path>\n<entries>\n.gitignore\nb\ndist/\nlink/\nsrc/\n</entries>\n(5 entries)')
    expect((await b.call('read', { filePath: '.', offset: 2, limit: 2 })).output).toContain('b\ndist/\n</entries>\n(2 of 5 entries; read on with offset 4)')
  })
})

describe('paths', () => {
  it('may start with a dash, be absolute inside the workspace, or start from the working directory (C79)', async () => {
    const b = bench({ files: { '-dash.txt': 'dash', 'sub/a': 'inner', top: 'outer' }, directory: 'sub' })
    expect((await b.call('read', { filePath: '../-dash.txt' })).output).toContain('1: dash')
    expect((await b.call('read', { filePath: join(b.root, 'top') })).output).toContain('<path>../top</path>')
    const { output, metadata } = await b.call('read', { filePath: 'a' })
    expect(output).toContain('<path>a</path>')
    expect(metadata).toMatchObject({ path: 'sub/a' })
  })

  it('may not lead out of the workspace or into git’s data (C73, C79)', async () => {
    const b = bench()
    symlinkSync('/etc/passwd', join(b.root, 'f'))
    symlinkSync(b.outside, join(b.root, 'out'))
    writeFileSync(join(b.outside, 'secret'), 'SECRET')
    symlinkSync('.git', join(b.root, 'g'))
    for (const filePath of ['f', 'out/secret', 'out', '../outside/secret', '/etc/passwd', '/proc/self/environ', '/dev/null', '/sys']) {
      expect(await b.failure('read', { filePath })).toContain('outside the workspace')
    }
    for (const filePath of ['.git/config', 'g/config', '.GIT/config', '.git'])
      expect(await b.failure('read', { filePath })).toContain('git’s own data'.replace('’', "'"))
    expect(await b.failure('read', { filePath: 'a\0b' })).toContain('NUL')
  })

  it('refuses a named pipe instead of waiting for it', async () => {
    const b = bench()
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(b.root, 'pipe')])
    expect(await b.failure('read', { filePath: 'pipe' })).toContain('not a regular file')
  })
})
