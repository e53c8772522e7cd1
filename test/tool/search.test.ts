import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../support/closing.ts'
import { bench } from './kit.ts'

const project = {
  '.gitignore': 'node_modules/\ndist/\n',
  '.github/workflows/ci.yml': 'on: push\n',
  'src/a.ts': 'const foo = 1\nexport { foo }\n',
  'src/b.tsx': 'foo()\r\n',
  'src/deep/[id]/page.ts': 'bar\n',
  'dist/app.js': 'foo bundled\n',
  'node_modules/x/index.js': 'foo in a package\n',
  'README.md': 'About foo\n',
}

describe('glob', () => {
  it('finds dot files and braces, but nothing of git itself (C76)', async () => {
    const b = bench({ files: project })
    expect((await b.call('glob', { pattern: '.github/workflows/*.yml' })).output).toBe('.github/workflows/ci.yml')
    expect((await b.call('glob', { pattern: 'src/**/*.{ts,tsx}' })).output).toBe('src/a.ts\nsrc/b.tsx\nsrc/deep/[id]/page.ts')
    expect((await b.call('glob', { pattern: '**/config' })).output).toBe('No files found')
    expect(await b.failure('glob', { pattern: '.git/*' })).toContain('off limits')
  })

  it('finds names at any depth when the pattern has no slash', async () => {
    const b = bench({ files: project })
    expect((await b.call('glob', { pattern: '*.{yml,md}' })).output).toBe('.github/workflows/ci.yml\nREADME.md')
    expect((await b.call('glob', { pattern: 'a.ts', path: 'src' })).output).toBe('src/a.ts')
  })

  it('leaves ignored trees out of broad searches and finds them when they are named (C76)', async () => {
    const b = bench({ files: project })
    expect((await b.call('glob', { pattern: '**/*.js' })).output).toBe('No files found')
    expect((await b.call('glob', { pattern: 'dist/app.js' })).output).toBe('dist/app.js')
    expect((await b.call('glob', { pattern: 'node_modules/x/*.js' })).output).toBe('node_modules/x/index.js')
    expect((await b.call('glob', { pattern: '*.js', path: 'dist' })).output).toBe('dist/app.js')
  })

  it('finds a name that looks like a pattern, and absolute patterns inside the workspace', async () => {
    const b = bench({ files: project })
    expect((await b.call('glob', { pattern: 'src/deep/[id]/page.ts' })).output).toBe('src/deep/[id]/page.ts')
    expect((await b.call('glob', { pattern: join(b.root, 'src/*.ts') })).output).toBe('src/a.ts')
    expect(await b.failure('glob', { pattern: '../outside/*' })).toContain('outside the workspace')
    expect(await b.failure('glob', { pattern: '/etc/*' })).toContain('outside the workspace')
  })

  it('knows names git would quote, tracked and untracked, and no deleted ones (C116)', async () => {
    const names = ['-dash.txt', 'a b.txt', 'café.txt', 'n\nl.txt', 'q"q.txt']
    const b = bench({ files: { ...Object.fromEntries(names.map((name) => [name, ''])), 'gone.txt': '' } })
    b.git('add', '--', 'café.txt', 'gone.txt')
    unlinkSync(join(b.root, 'gone.txt'))
    expect((await b.call('glob', { pattern: '*.txt' })).output).toBe(names.join('\n'))
  })

  it('stops at 100 files and says so', async () => {
    const b = bench({ files: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}.txt`, ''])) })
    const { output, metadata } = await b.call('glob', { pattern: '*.txt' })
    expect(output.split('\n')).toHaveLength(101)
    expect(output).toContain('Only the first 100 files are shown')
    expect(metadata).toMatchObject({ count: 100, truncated: true })
  })

  it('searches from the working directory and shows paths from there', async () => {
    const b = bench({ files: project, directory: 'src' })
    expect((await b.call('glob', { pattern: '*.ts' })).output).toBe('a.ts\ndeep/[id]/page.ts')
    expect((await b.call('glob', { pattern: '../*.md' })).output).toBe('../README.md')
  })

  it('refuses a file as the place to search', async () => {
    const b = bench({ files: project })
    expect(await b.failure('glob', { pattern: '*', path: 'README.md' })).toContain('README.md is a file')
    expect(await b.failure('glob', { pattern: '*', path: 'gone' })).toContain('There is no gone')
  })
})

describe('grep', () => {
  it('shows matching lines by file, those of untracked files too', async () => {
    const b = bench({ files: project })
    b.git('add', 'src/a.ts')
    const { output, metadata } = await b.call('grep', { pattern: '\\bfoo\\b' })
    expect(output).toBe(
      'Found 4 matches\n\nREADME.md:\n  Line 1: About foo\n\nsrc/a.ts:\n  Line 1: const foo = 1\n  Line 2: export { foo }\n\nsrc/b.tsx:\n  Line 1: foo()',
    )
    expect(metadata).toMatchObject({ matches: 4 })
  })

  it('keeps ignored trees out whatever include says, and searches them when they are named (C76)', async () => {
    const b = bench({ files: project })
    expect((await b.call('grep', { pattern: 'foo', include: '*.*' })).output).not.toContain('node_modules')
    expect((await b.call('grep', { pattern: 'foo', include: '*.js' })).output).toBe('No matches found')
    expect((await b.call('grep', { pattern: 'foo', path: 'node_modules' })).output).toContain('node_modules/x/index.js:\n  Line 1: foo in a package')
    expect((await b.call('grep', { pattern: 'foo', path: 'dist/app.js' })).output).toContain('Line 1: foo bundled')
  })

  it('takes names and paths in include, braces too', async () => {
    const b = bench({ files: project })
    expect((await b.call('grep', { pattern: 'foo', include: '*.{tsx,md}' })).output).toMatch(/^Found 2 matches/)
    expect((await b.call('grep', { pattern: 'foo', include: 'src/*.ts' })).output).toMatch(/^Found 2 matches/)
    expect((await b.call('grep', { pattern: 'foo', path: 'src/a.ts', include: '*.ts' })).output).toMatch(/^Found 2 matches/)
  })

  it('bears names and patterns that look like something else', async () => {
    const b = bench({ files: { '-dash.txt': '--option\n', 'q"é\n:1:.txt': '--option\n', ':(top)x': '--option\n' } })
    const { output } = await b.call('grep', { pattern: '--option' })
    expect(output).toContain('-dash.txt:\n  Line 1: --option')
    expect(output).toContain('q"é\n:1:.txt:\n  Line 1: --option')
    expect((await b.call('grep', { pattern: '--option', path: ':(top)x' })).output).toMatch(/^Found 1 match\n/)
  })

  it('stops at 100 matches, cuts long lines and passes over binary files', async () => {
    const b = bench({ files: { many: 'hit\n'.repeat(150), binary: Buffer.from('\u0000hit\n'), 'long/line': `needle${'x'.repeat(5_000)}\n` } })
    const { output } = await b.call('grep', { pattern: 'hit' })
    expect(output).toMatch(/^Found 100 matches \(there are more/)
    expect(output).toContain('Line 100: hit')
    expect(output).not.toContain('Line 101')
    expect(output).not.toContain('binary')
    expect((await b.call('grep', { pattern: 'needle' })).output).toContain('... (line cut: 5006 characters)')
  })

  it('says when the pattern is no regular expression or cannot match a line', async () => {
    const b = bench({ files: project })
    expect(await b.failure('grep', { pattern: 'foo(' })).toContain('not a valid regular expression')
    expect(await b.failure('grep', { pattern: 'a\nb' })).toContain('line break')
    expect(await b.failure('grep', { pattern: '' })).toMatch(/grep tool.*pattern/)
    expect(await b.failure('grep', { pattern: `${'x'.repeat(200_000)}` })).toContain('too long')
  })

  it('matches whole characters, not bytes', async () => {
    const b = bench({ files: { a: 'grün\n' } })
    expect((await b.call('grep', { pattern: 'gr.n$' })).output).toMatch(/^Found 1 match\n/)
    expect((await b.call('grep', { pattern: 'gr[üö]n' })).output).toMatch(/^Found 1 match\n/)
  })

  it('obeys no setting of the repository that would change its output', async () => {
    const b = bench({ files: { a: 'foo 1\n' } })
    for (const [key, value] of [
      ['color.ui', 'always'],
      ['grep.column', 'true'],
      ['grep.patternType', 'fixed'],
      ['grep.fullName', 'true'],
      ['core.fsmonitor', 'touch fsmonitor-ran; false'],
      ['core.pager', 'touch pager-ran'],
    ] as const) {
      b.git('config', key, value)
    }
    expect((await b.call('grep', { pattern: 'fo+ \\d' })).output).toBe('Found 1 match\n\na:\n  Line 1: foo 1')
    expect((await b.call('read', { filePath: '.' })).output).not.toContain('-ran')
  })
})

describe('grep with a git that has no Perl expressions', () => {
  it('uses POSIX ones, and says so where they would mean something else', async () => {
    const bin = tempFolder()
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    const refusal = 'fatal: cannot use Perl-compatible regexes when not compiled with USE_LIBPCRE'
    writeFileSync(join(bin, 'git'), `#!/bin/sh\ncase "$*" in *--perl-regexp*) echo '${refusal}' >&2; exit 128;; esac\nexec '${git}' "$@"\n`, { mode: 0o755 })
    const b = bench({ files: project, env: { PATH: `${bin}:${process.env.PATH}` } })
    expect((await b.call('grep', { pattern: 'fo+ = [0-9]' })).output).toMatch(/^Found 1 match\n/)
    expect(await b.failure('grep', { pattern: 'foo = \\d' })).toContain('Use [0-9]')
    expect(await b.failure('grep', { pattern: 'foo(' })).toContain('not a valid regular expression')
  })
})

describe('list', () => {
  it('shows the tree without ignored files', async () => {
    const b = bench({ files: project })
    expect((await b.call('list', {})).output).toBe(
      './ (6 files)\n.github/\n  workflows/\n    ci.yml\n.gitignore\nREADME.md\nsrc/\n  a.ts\n  b.tsx\n  deep/\n    [id]/\n      page.ts',
    )
    expect((await b.call('list', { path: 'dist' })).output).toBe('dist/ (1 file)\napp.js')
    expect(await b.failure('list', { path: 'README.md' })).toContain('is a file')
  })

  it('shows as many levels as fit in 100 entries', async () => {
    const b = bench({ files: Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`d${at % 3}/f${String(at).padStart(3, '0')}`, ''])) })
    expect((await b.call('list', {})).output).toBe('./ (120 files)\nd0/ (40 files)\nd1/ (40 files)\nd2/ (40 files)')
  })
})

describe('a folder that is no repository', () => {
  it('is refused with a way out', async () => {
    const b = bench({ repository: false, files: { a: 'foo' } })
    for (const [id, input] of [
      ['glob', { pattern: '*' }],
      ['grep', { pattern: 'foo' }],
      ['list', {}],
    ] as const) {
      expect(await b.failure(id, input)).toMatch(/is not a git repository.*(read|bash)/)
    }
  })
})

describe('what the searches never leave', () => {
  it('is the workspace (C73)', async () => {
    const b = bench({ files: { 'in/a': 'SECRET' } })
    writeFileSync(join(b.outside, 'a'), 'SECRET')
    symlinkSync(b.outside, join(b.root, 'out'))
    for (const path of ['out', '../outside', '/etc']) {
      expect(await b.failure('grep', { pattern: 'SECRET', path })).toContain('outside the workspace')
      expect(await b.failure('list', { path })).toContain('outside the workspace')
    }
    b.git('add', 'in')
    rmSync(join(b.root, 'in'), { recursive: true })
    symlinkSync(b.outside, join(b.root, 'in'))
    expect((await b.call('grep', { pattern: 'SECRET' })).output).toBe('No matches found')
  })
})
