import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench } from './kit.ts'

describe('the result of a command', () => {
  it('holds what it printed and, when it failed, the exit code on the last line (DECISIONS 15)', async () => {
    const b = bench()
    expect((await b.call('bash', { command: 'echo hello' })).output).toBe('hello')
    const { output, metadata } = await b.call('bash', { command: 'echo out; echo err >&2; exit 42' })
    expect(output).toBe('out\nerr\n(exit code 42)')
    expect(metadata).toMatchObject({ exit: 42, ended: 'exit', truncated: false })
  })

  it('is never empty (C31)', async () => {
    const b = bench()
    expect((await b.call('bash', { command: 'true' })).output).toBe('(no output)')
    expect((await b.call('bash', { command: 'false' })).output).toBe('(no output)\n(exit code 1)')
  })

  it('holds nothing a backend refuses (C38)', async () => {
    const b = bench()
    const { output } = await b.call('bash', { command: "printf 'a\\000b\\033[31mred\\033[0m\\377'" })
    expect(output).toBe('abred\uFFFD')
  })

  it('says that the time was up and keeps what was printed', async () => {
    const b = bench()
    const { output, metadata } = await b.call('bash', { command: 'echo begun; sleep 60', timeout: '1500' })
    expect(output).toMatch(/^begun\n\(timed out after 1500 ms;.*larger timeout\)$/)
    expect(metadata).toMatchObject({ ended: 'timeout' })
  })

  it('says that the run was stopped and keeps what was printed', async () => {
    const b = bench()
    const stop = new AbortController()
    const running = b.call('bash', { command: 'echo begun; touch started; sleep 60' }, stop.signal)
    while (!(await b.call('bash', { command: 'ls started 2>/dev/null; true' })).output.includes('started'));
    stop.abort()
    expect((await running).output).toBe('begun\n(stopped: the run was cancelled)')
  })

  it('shows both ends of a long output and saves all of it (C71)', async () => {
    const b = bench()
    const { output, metadata } = await b.call('bash', { command: 'seq 1 100000; exit 3' })
    const full = Array.from({ length: 100_000 }, (_, at) => `${at + 1}\n`).join('')
    expect(output).toMatch(/^1\n2\n/)
    expect(output).toMatch(/\n99999\n100000\n\(exit code 3\)$/)
    expect(output).toMatch(/\.\.\.98000 lines, \d+ of 588895 bytes truncated\.\.\./)
    expect(Buffer.byteLength(output)).toBeLessThan(52_000)
    const file = String(metadata.outputPath)
    expect(output).toContain(file)
    expect(readFileSync(file, 'utf8')).toBe(full)
    expect((await b.call('read', { filePath: file, offset: 50_000, limit: 1 })).output).toContain('50000: 50000')
    expect((await b.call('grep', { pattern: '^77777$', path: file })).output).toContain('Line 77777: 77777')
  })

  it('saves an output of many short lines too', async () => {
    const b = bench()
    const { output, metadata } = await b.call('bash', { command: 'seq 1 2500' })
    expect(output).toMatch(/\.\.\.500 lines, \d+ of 11393 bytes truncated\.\.\./)
    expect(readFileSync(String(metadata.outputPath), 'utf8').split('\n')).toHaveLength(2_501)
  })

  it('bears one line of five million characters (C71)', async () => {
    const b = bench()
    const { output } = await b.call('bash', { command: "head -c 5000000 /dev/zero | tr '\\0' x; echo END" })
    expect(output).toMatch(/^x{25600}\n/)
    expect(output).toMatch(/x{25596}END$/)
    expect(output).toContain('of 5000004 bytes truncated')
  })
})

describe('where a command runs', () => {
  it('is the working directory, or workdir inside the workspace', async () => {
    const b = bench({ files: { 'sub/inner/a': '' }, directory: 'sub' })
    expect((await b.call('bash', { command: 'pwd' })).output).toBe(join(b.root, 'sub'))
    expect((await b.call('bash', { command: 'pwd', workdir: 'inner' })).output).toBe(join(b.root, 'sub/inner'))
    mkdirSync(join(b.root, 'with space'))
    expect((await b.call('bash', { command: 'pwd', workdir: join(b.root, 'with space') })).output).toBe(join(b.root, 'with space'))
    expect(await b.failure('bash', { command: 'pwd', workdir: '/tmp' })).toContain('outside the workspace')
    expect(await b.failure('bash', { command: 'pwd', workdir: b.save })).toContain('not in the workspace')
    expect(await b.failure('bash', { command: 'pwd', workdir: 'gone' })).toContain('not a folder')
  })
})

describe('the timeout', () => {
  for (const timeout of [0, -5, 1.5, 'soon']) {
    it(`cannot be ${timeout}`, async () => {
      const b = bench()
      expect(await b.failure('bash', { command: 'true', timeout })).toMatch(/bash tool.*timeout.*Rewrite the call/)
    })
  }

  it('may be larger than a timer can count', async () => {
    const b = bench()
    expect((await b.call('bash', { command: 'echo fine', timeout: 1e13 })).output).toBe('fine')
  })
})
