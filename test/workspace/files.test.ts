import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { confine } from '../../src/workspace/files.ts'

let base = ''
let root = ''

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'files-')))
  root = join(base, 'root')
  for (const folder of ['root/sub', 'save', 'outside']) mkdirSync(join(base, folder), { recursive: true })
})

afterEach(() => rmSync(base, { recursive: true, force: true }))

describe('locating a path', () => {
  it('starts from the working directory and takes absolute paths inside (C79)', () => {
    const files = confine({ root, directory: join(root, 'sub') })
    expect(files.locate('a', 'write')).toBe(join(root, 'sub/a'))
    expect(files.locate('../a/./b', 'write')).toBe(join(root, 'a/b'))
    expect(files.locate(join(root, 'new/deep/file'), 'write')).toBe(join(root, 'new/deep/file'))
    expect([files.show(join(root, 'sub/a')), files.show(join(root, 'b')), files.show(join(root, 'sub')), files.inRoot(join(root, 'sub/a'))]).toEqual([
      'a',
      '../b',
      '.',
      'sub/a',
    ])
  })

  it('works on a workspace that is reached through a link', () => {
    symlinkSync(root, join(base, 'alias'))
    const files = confine({ root: join(base, 'alias') })
    expect(files.root).toBe(root)
    expect(files.locate(join(base, 'alias/a'), 'write')).toBe(join(root, 'a'))
  })

  it('follows links as the kernel does, dangling ones too, and refuses what leads outside (C73)', () => {
    const files = confine({ root })
    symlinkSync('sub', join(root, 'inner'))
    symlinkSync(join(base, 'outside'), join(root, 'out'))
    symlinkSync('../outside/new', join(root, 'dangling'))
    symlinkSync('dangling', join(root, 'chain'))
    symlinkSync('loop', join(root, 'loop'))
    expect(files.locate('inner/x', 'write')).toBe(join(root, 'sub/x'))
    for (const path of [
      'out',
      'out/x',
      'out/../outside/x',
      'dangling',
      'chain',
      '..',
      '../root-sibling',
      'sub/../../outside',
      '/',
      '/proc/1/environ',
      '/dev/stdin',
    ]) {
      expect(() => files.locate(path, 'read'), path).toThrow('outside the workspace')
    }
    // Read as text this stays inside; followed, it is the parent of the folder the link leads to.
    expect(() => files.locate('out/../root/../x', 'read')).toThrow('outside the workspace')
    expect(() => files.locate('loop', 'read')).toThrow('too many symbolic links')
  })

  it('keeps out of git’s data by whatever name (C73)', () => {
    const files = confine({ root })
    mkdirSync(join(root, '.git'))
    symlinkSync('.git', join(root, 'alias'))
    for (const path of ['.git', '.git/config', '.Git/hooks/x', 'alias/config', 'sub/.git/config'])
      expect(() => files.locate(path, 'read'), path).toThrow('off limits')
    expect(files.locate('.github/workflows/ci.yml', 'write')).toBe(join(root, '.github/workflows/ci.yml'))
    expect(files.locate('.gitignore', 'write')).toBe(join(root, '.gitignore'))
  })

  it('lets the folder of saved outputs be read, not written', () => {
    const files = confine({ root, readable: [join(base, 'save')] })
    expect(files.locate(join(base, 'save/tool_1'), 'read')).toBe(join(base, 'save/tool_1'))
    expect(() => files.locate(join(base, 'save/tool_1'), 'write')).toThrow('may be read but not written')
    symlinkSync(join(base, 'outside'), join(base, 'save/out'))
    expect(() => files.locate(join(base, 'save/out/x'), 'read')).toThrow('outside the workspace')
  })

  it('refuses bounds that bind nothing', () => {
    expect(() => confine({ root: '/' })).toThrow('whole machine')
    expect(() => confine({ root, directory: base })).toThrow('not in the workspace')
    expect(() => confine({ root, directory: join(root, 'nowhere') })).toThrow('no folder nowhere')
  })
})

describe('writing', () => {
  it('keeps the mode and leaves nothing else behind', async () => {
    const files = confine({ root })
    writeFileSync(join(root, 'run'), 'old')
    chmodSync(join(root, 'run'), 0o4755)
    await files.write(join(root, 'run'), Buffer.from('new'))
    expect(readFileSync(join(root, 'run'), 'utf8')).toBe('new')
    expect(statSync(join(root, 'run')).mode & 0o7777).toBe(0o4755)
    await files.write(join(root, 'a/b/c'), Buffer.from('x'))
    expect(readdirSync(root).sort()).toEqual(['a', 'run', 'sub'])
  })

  it('happens one at a time for a file, and a failure does not block the next', async () => {
    const files = confine({ root })
    const order: string[] = []
    const turn = (name: string, fail = false) =>
      files.exclusive('f', async () => {
        order.push(`${name} starts`)
        await new Promise((resolve) => setImmediate(resolve))
        order.push(`${name} ends`)
        if (fail) throw new Error(name)
      })
    const results = await Promise.allSettled([turn('one'), turn('two', true), turn('three')])
    expect(order).toEqual(['one starts', 'one ends', 'two starts', 'two ends', 'three starts', 'three ends'])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('does not follow a link that was put there meanwhile', async () => {
    const files = confine({ root })
    const path = files.locate('a', 'write')
    symlinkSync(join(base, 'outside/x'), path)
    await expect(files.write(path, Buffer.from('x'))).rejects.toThrow('not a regular file')
    await expect(files.read(path)).rejects.toThrow('Cannot read')
  })
})

describe('what was changed between the look and the open', () => {
  it.skipIf(process.platform !== 'linux')('is neither read nor written when a folder became a link to elsewhere', async () => {
    const files = confine({ root })
    writeFileSync(join(root, 'sub', 'file'), 'inside')
    writeFileSync(join(base, 'outside', 'file'), 'SECRET')
    const real = files.locate('sub/file', 'write')
    const fresh = files.locate('sub/new', 'write')
    rmSync(join(root, 'sub'), { recursive: true })
    symlinkSync(join(base, 'outside'), join(root, 'sub'))
    await expect(files.read(real)).rejects.toThrow('was moved while it was being opened')
    await expect(files.write(real, Buffer.from('ours'))).rejects.toThrow('was moved')
    await expect(files.write(fresh, Buffer.from('ours'))).rejects.toThrow('was moved')
    expect(readFileSync(join(base, 'outside', 'file'), 'utf8')).toBe('SECRET')
    expect(readdirSync(join(base, 'outside'))).toEqual(['file'])
  })
})

describe('a key that an earlier step left in the workspace', () => {
  it('is neither located nor read', async () => {
    const files = confine({ root })
    writeFileSync(join(root, 'gha-creds-0123.json'), '{}')
    expect(() => files.locate('gha-creds-0123.json', 'read')).toThrow('holds a key')
    await expect(files.read(join(root, 'gha-creds-0123.json'))).rejects.toThrow('holds a key')
    expect(files.locate('sub/gha-creds-0123.json', 'write')).toBe(join(root, 'sub/gha-creds-0123.json'))
  })
})
