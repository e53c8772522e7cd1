import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hideCredentials, stripCredentials } from '../../src/workspace/credentials.ts'
import { tempFolder } from '../support/closing.ts'

const config = (extra: string) => `[core]\n\tbare = false\n[remote "origin"]\n\turl = https://github.example/o/r\n${extra}[gc]\n\tauto = 0\n`
const header = '[http "https://github.example/"]\n\textraheader = AUTHORIZATION: basic SECRET\n'

describe('the configuration of a repository (C150)', () => {
  it('is left without the header of the checkout step and without logins in addresses', () => {
    const text = stripCredentials(config(`${header}[remote "other"]\n\tpushurl = https://me:SECRET@host.example/x.git\n`))
    expect(text).not.toContain('SECRET')
    expect(text).toContain('https://github.example/o/r')
    expect(text).toContain('https://host.example/x.git')
  })

  it('is not touched when there is nothing to hide', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z[\]"= \t.]*$/)), (lines) => {
        const text = lines.filter((line) => !/extraheader|\[credential/i.test(line)).join('\n')
        expect(stripCredentials(text)).toBe(text)
      }),
    )
  })
})

describe('credentials that are hidden', () => {
  const place = (files: Readonly<Record<string, string>>) => {
    const root = tempFolder()
    const folder = join(root, '.git')
    mkdirSync(folder)
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    return { root, folder, read: (name: string) => readFileSync(join(folder, name), 'utf8') }
  }

  it('come back afterwards, in submodules too', async () => {
    const before = { config: config(header), 'modules/lib/config': config(header), 'modules/lib/modules/deep/config': config(header) }
    const { root, read } = place(before)
    const restore = await hideCredentials(root)
    for (const name of Object.keys(before)) expect(read(name)).not.toContain('SECRET')
    await restore()
    for (const [name, text] of Object.entries(before)) expect(read(name)).toBe(text)
  })

  it('come back without what was configured meanwhile, for later steps run git with keys of their own (C146)', async () => {
    const { root, folder, read } = place({ config: config(header), 'hooks/pre-push.sample': 'sample', 'info/exclude': '*.log\n' })
    const restore = await hideCredentials(root)
    writeFileSync(join(folder, 'config'), `${read('config')}[core]\n\tfsmonitor = evil`)
    writeFileSync(join(folder, 'hooks/pre-push'), 'evil', { mode: 0o755 })
    rmSync(join(folder, 'info'), { recursive: true })
    symlinkSync(root, join(folder, 'info'))
    writeFileSync(join(folder, 'commondir'), '../elsewhere\n')
    await restore()
    expect(read('config')).toBe(config(header))
    expect(readdirSync(join(folder, 'hooks'))).toEqual(['pre-push.sample'])
    expect(read('info/exclude')).toBe('*.log\n')
    expect(readdirSync(folder).toSorted()).toEqual(['config', 'hooks', 'info'])
  })

  it('stay away from a repository that is gone', async () => {
    const { root, folder } = place({ config: config(header) })
    const restore = await hideCredentials(root)
    rmSync(folder, { recursive: true })
    await restore()
    expect(existsSync(folder)).toBe(false)
  })

  it('are hidden in the home folder too, with programs that know them', async () => {
    const { root } = place({ config: config('') })
    const home = tempFolder()
    const before =
      '[url "https://SECRET@host.example/"]\n\tinsteadOf = https://host.example/\n[credential]\n\thelper = "!echo password=SECRET"\n[user]\n\tname = a\n'
    writeFileSync(join(home, '.gitconfig'), before)
    const restore = await hideCredentials(root, home)
    expect(readFileSync(join(home, '.gitconfig'), 'utf8')).toBe('[user]\n\tname = a\n')
    await restore()
    expect(readFileSync(join(home, '.gitconfig'), 'utf8')).toBe(before)
  })

  it('are found where a work tree belongs to another repository', async () => {
    const { root, read } = place({ config: config(header), 'worktrees/side/commondir': '../..\n' })
    const side = tempFolder()
    writeFileSync(join(side, '.git'), `gitdir: ${join(root, '.git', 'worktrees', 'side')}\n`)
    const restore = await hideCredentials(side)
    expect(read('config')).not.toContain('SECRET')
    await restore()
    expect(read('config')).toBe(config(header))
  })
})
