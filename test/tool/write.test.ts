import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench } from './kit.ts'

describe('writing a new file', () => {
  it('puts the content there byte for byte and creates the folders', async () => {
    const b = bench()
    const { output, title, metadata } = await b.call('write', { filePath: 'a/b/c.txt', content: 'x\r\n\u0000\ny' })
    expect(b.text('a/b/c.txt')).toBe('x\r\n\u0000\ny')
    expect(output).toBe('Created a/b/c.txt (3 lines).')
    expect(title).toBe('a/b/c.txt')
    expect(metadata).toMatchObject({ path: 'a/b/c.txt', exists: false, additions: 3, deletions: 0 })
    expect(statSync(join(b.root, 'a/b/c.txt')).mode & 0o111).toBe(0)
  })

  it('accepts an empty content, a path with a dash and an absolute one (C79)', async () => {
    const b = bench()
    await b.call('write', { filePath: '-dash.txt', content: '' })
    await b.call('write', { filePath: join(b.root, 'a.txt'), content: 'a' })
    expect(b.text('-dash.txt')).toBe('')
    expect(b.text('a.txt')).toBe('a')
  })
})

describe('writing over a file', () => {
  it('needs a read first, and another one when the file changed since (C78)', async () => {
    const b = bench({ files: { 'config.yml': 'a: 1\n' } })
    expect(await b.failure('write', { filePath: 'config.yml', content: 'a: 2\n' })).toMatch(/config\.yml exists and was not read in this run\. Read it first/)
    await b.call('read', { filePath: 'config.yml' })
    expect((await b.call('write', { filePath: 'config.yml', content: 'a: 2\n' })).output).toBe('Replaced config.yml (+1 -1 lines).')
    await b.call('bash', { command: 'echo "b: 1" >> config.yml' })
    expect(await b.failure('write', { filePath: 'config.yml', content: 'a: 3\n' })).toContain('has changed on disk since it was read')
    expect(b.text('config.yml')).toBe('a: 2\nb: 1\n')
    await b.call('read', { filePath: 'config.yml', offset: 2 })
    await b.call('write', { filePath: 'config.yml', content: 'a: 3\n' })
    expect(b.text('config.yml')).toBe('a: 3\n')
  })

  it('counts an own write or edit as having read', async () => {
    const b = bench({ files: { a: 'one\n' } })
    await b.call('edit', { filePath: 'a', oldString: 'one', newString: 'two' })
    await b.call('write', { filePath: 'a', content: 'three\n' })
    await b.call('write', { filePath: 'a', content: 'four\n' })
    expect(b.text('a')).toBe('four\n')
  })

  it('keeps line ends, byte-order mark and mode (C65, C66)', async () => {
    const b = bench({ files: { crlf: '\uFEFFa\r\nb\r\n', lf: 'a\nb\n' } })
    chmodSync(join(b.root, 'crlf'), 0o755)
    for (const filePath of ['crlf', 'lf']) await b.call('read', { filePath })
    expect((await b.call('write', { filePath: 'crlf', content: 'a\nB\nc\n' })).output).toContain('Its CRLF line ends were kept')
    await b.call('write', { filePath: 'lf', content: 'a\r\nB\r\n' })
    expect(b.text('crlf')).toBe('\uFEFFa\r\nB\r\nc\r\n')
    expect(b.text('lf')).toBe('a\nB\n')
    expect(statSync(join(b.root, 'crlf')).mode & 0o777).toBe(0o755)
  })

  it.skipIf(process.getuid?.() === 0)('fails on a write-protected file', async () => {
    const b = bench({ files: { a: 'x\n' } })
    chmodSync(join(b.root, 'a'), 0o444)
    await b.call('read', { filePath: 'a' })
    expect(await b.failure('write', { filePath: 'a', content: 'y\n' })).toContain('Cannot write')
    expect(b.text('a')).toBe('x\n')
  })

  it('refuses a folder, and places outside the workspace (C73, C79)', async () => {
    const b = bench({ files: { 'src/a': '' } })
    mkdirSync(join(b.outside, 'victim'))
    symlinkSync(join(b.outside, 'victim'), join(b.root, 'out'))
    symlinkSync(join(b.outside, 'later'), join(b.root, 'dangling'))
    expect(await b.failure('write', { filePath: 'src', content: '' })).toContain('src is a folder')
    expect(await b.failure('write', { filePath: 'src/a/b', content: '' })).toContain('Cannot write')
    for (const filePath of ['out/x', 'dangling', '../outside/x', '/etc/x'])
      expect(await b.failure('write', { filePath, content: 'x' })).toContain('outside the workspace')
    expect(await b.failure('write', { filePath: '.git/hooks/post-checkout', content: 'x' })).toContain('off limits')
    expect(await b.failure('write', { filePath: join(b.save, 'x'), content: 'x' })).toContain('may be read but not written')
    expect(existsSync(join(b.outside, 'later'))).toBe(false)
  })

  it('follows links that stay inside (C73)', async () => {
    const b = bench({ files: { 'real/a': 'x\n' } })
    symlinkSync('real', join(b.root, 'alias'))
    await b.call('write', { filePath: 'alias/b', content: 'y\n' })
    expect(readFileSync(join(b.root, 'real/b'), 'utf8')).toBe('y\n')
  })
})
