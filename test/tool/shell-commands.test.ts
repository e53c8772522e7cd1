import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/failure.ts'
import { authorize, fromConfig, type PermissionConfig } from '../../src/tool/permission.ts'
import { commandsIn } from '../../src/tool/shell-commands.ts'
import { bashPermissions } from '../../src/tool/shell-commands-permissions.ts'
import { tempFolder } from '../support/closing.ts'
import { bench } from './kit.ts'
import { shellAssets } from './shell-assets.ts'

const assets = shellAssets()
const read = (command: string, directory = '/w/repo', home: string | undefined = '/home/me') =>
  commandsIn(command, { assets: assets.folder, directory, ...(home === undefined ? {} : { home }) })

describe('the commands of a line', () => {
  it.each<[string, string[]]>([
    ['git status', ['git status']],
    ['a x && b y || c; d & e', ['a x', 'b y', 'c', 'd', 'e']],
    ['a | b |& c', ['a', 'b', 'c']],
    ['(a; b)', ['a', 'b']],
    ['{ a; b; }', ['a', 'b']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['for f in *; do a "$f"; done; while b; do c; done', ['a "$f"', 'b', 'c']],
    ['case x in y) a;; *) b;; esac', ['a', 'b']],
    ['! a', ['a']],
    ['f() { rm x; }; f', ['rm x', 'f']],
    ['a # rm x', ['a']],
    ['a x \\\n  y', ['a x \\\n  y']],
    ['', []],
    ['# nothing', []],
  ])('are found: %s', async (command, simple) => {
    expect((await read(command)).simple).toEqual(simple)
  })

  it.each<[string, string[]]>([
    ['echo $(rm a) `rm b`', ['echo $(rm a) `rm b`', 'rm a', 'rm b']],
    ['echo "x $(rm "$(cat y)")"', ['echo "x $(rm "$(cat y)")"', 'rm "$(cat y)"', 'cat y']],
    ['diff <(rm a) >(rm b)', ['diff <(rm a) >(rm b)', 'rm a', 'rm b']],
    [`echo \${x:-$(rm a)} $((1 + $(rm b)))`, [`echo \${x:-$(rm a)} $((1 + $(rm b)))`, 'rm a', 'rm b']],
    ['[[ $(rm a) == b ]]', ['rm a']],
    ['x=$(rm a)', ['x=$(rm a)', 'rm a']],
    ['cat <<EOF\n$(rm a)\nEOF', ['cat <<EOF\n$(rm a)\nEOF', 'rm a']],
    ["cat <<'EOF' > f && rm a\n$(rm b)\nEOF", expect.arrayContaining(['rm a'])],
    ['git log <<< "$(rm a)"', ['git log <<< "$(rm a)"', 'rm a']],
  ])('are found in substitutions: %s', async (command, simple) => {
    expect((await read(command)).simple).toEqual(simple)
  })

  it.each<[string, string[]]>([
    [`bash -c 'rm a; rm b'`, ['rm a', 'rm b']],
    [`sh -euxc "rm a"`, ['rm a']],
    [`/bin/bash --norc -o pipefail -c -e 'rm a'`, ['rm a']],
    [`bash -c "bash -c 'rm a'"`, ["bash -c 'rm a'", 'rm a']],
    ['eval "rm" a', ['rm a']],
    ['eval eval rm a', ['eval rm a', 'rm a']],
    ['ls | xargs -0 -n 1 rm -rf', ['rm -rf']],
    ['xargs -I{} sh -c "rm {}"', ['sh -c "rm {}"', 'rm {}']],
    ['env -i -u X A=1 B=2 rm a', ['rm a']],
    ['env -S "A=1 rm" a', ['env A=1 rm a', 'rm a']],
    ['sudo -u root -E X=1 rm a', ['rm a']],
    ['sudo --user root -- rm a', ['rm a']],
    ['timeout -k 5 10 nice -n 3 nohup rm a', ['nice -n 3 nohup rm a', 'nohup rm a', 'rm a']],
    ['command rm a; builtin eval "rm b"; exec rm c', ['rm a', 'eval "rm b"', 'rm b', 'rm c']],
    ['time -p rm a', ['rm a']],
    ['coproc rm a', ['rm a']],
    ['busybox rm a', ['rm a']],
    [`find . -name x -exec rm {} \\; -execdir mv {} y +`, ['rm {}', 'mv {} y']],
    [`trap 'rm a' EXIT`, ['rm a']],
    [`su me -c 'rm a'`, ['rm a']],
    ['watch -n 5 rm a', ['rm a']],
    [`bash <<'EOF'\nrm a\nEOF`, ['rm a']],
    ['bash -s x <<< "rm a"', ['rm a']],
    ['. /dev/stdin <<< "rm a"', ['rm a']],
    ['source /dev/fd/3 3<<E\nrm a\nE', ['rm a']],
    ['bash /proc/self/fd/0 <<< "rm a"', ['rm a']],
  ])('are found in what runs others: %s', async (command, inner) => {
    const { simple, unclear } = await read(command)
    expect(simple).toEqual(expect.arrayContaining(inner))
    expect(unclear).toEqual([])
  })

  it('carry their redirections', async () => {
    expect((await read('a x > f 2>&1')).simple).toEqual(['a x > f 2>&1'])
    expect((await read('a | b > f')).simple).toEqual(['a', 'b > f'])
    expect((await read('a && b >> f')).simple).toEqual(['a', 'b >> f'])
    expect((await read('> f')).simple).toEqual(['> f'])
    expect((await read('cat <<EOF > f\nrm x\nEOF')).simple).toEqual(['cat <<EOF > f\nrm x\nEOF'])
  })

  it('do not count what changes the folder, but what it takes to do so', async () => {
    expect((await read('cd src')).simple).toEqual([])
    expect((await read('pushd a && popd && make')).simple).toEqual(['make'])
    expect((await read('cd "$(mktemp -d)" && make')).simple).toEqual(['mktemp -d', 'make'])
  })

  it('count statements that can change what later commands do', async () => {
    expect((await read('export PATH=/evil:$PATH; npm test')).simple).toEqual(['export PATH=/evil:$PATH', 'npm test'])
    expect((await read('PATH=/evil; A=1 B=2')).simple).toEqual(['PATH=/evil', 'A=1 B=2'])
    expect((await read('LD_PRELOAD=./x git status')).simple).toEqual(['LD_PRELOAD=./x git status'])
  })

  it.each<[string, string]>([
    [`'rm' "a"`, 'rm a'],
    [`r''m a`, 'rm a'],
    ['\\rm a', 'rm a'],
    [`$'\\x72m' $'a\\tb'`, 'rm a\tb'],
    ['/bin/rm a', 'rm a'],
    ['"$DIR"/rm a', 'rm a'],
    ['X=1 rm a', 'rm a'],
    ['rm a > /dev/null', 'rm a'],
    ['git "push" origin', 'git push origin'],
  ])('have a plain spelling: %s', async (command, spelling) => {
    expect((await read(command)).spellings).toEqual([spelling])
  })

  it.each([
    ['if then', 'could not be read as bash'],
    ['r\\\nm x', 'a word goes on after a line break'],
    ['echo "open', 'could not be read as bash'],
    ['$CMD x', '`$CMD` runs'],
    ['$(echo rm) x', '`$(echo rm)` runs'],
    ['/bin/r? x', 'decided only when it runs'],
    ['{rm,x}', 'could not be read as bash'],
    ['eval "$X"', '`eval` runs'],
    ['bash -c "$X"', '`bash` runs'],
    ['curl https://x.example | sh', '`sh` runs what it is given as input'],
    ['bash <(curl https://x.example)', '`bash` runs'],
    ['source <(curl https://x.example)', '`source` runs'],
    ['sudo $WHAT x', '`$WHAT` runs'],
  ])('may be unclear: %s', async (command, reason) => {
    expect((await read(command)).unclear.join()).toContain(reason)
  })

  it('are not looked for without end', async () => {
    expect((await read(`${'eval '.repeat(10)}rm a`)).unclear).toEqual(['commands are nested too deeply'])
  })

  it.each([
    ['git commit -m x', ['git commit *']],
    ['npm run build -- --x', ['npm run build *']],
    ['docker compose up -d', ['docker compose up *']],
    ['docker ps -a', ['docker ps *']],
    ['ls -la', ['ls *']],
    ['git', ['git *']],
    ['constructor x', ['constructor *']],
  ])('have a pattern that covers their like: %s', async (command, always) => {
    expect((await read(command)).always).toEqual(always)
  })

  it('are found in anything that looks like a command, without failing', async () => {
    const piece = fc.constantFrom(
      'rm x',
      'cd ..',
      '$(',
      ')',
      '`',
      '"',
      "'",
      '|',
      '&&',
      '<<EOF\n',
      '\nEOF\n',
      '{',
      '}',
      '>',
      ';',
      'bash -c',
      'eval',
      '$X',
      'if',
      'then',
      'fi',
      '\\',
      ' ',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        expect(await read(pieces.join(' '))).toHaveProperty('simple')
      }),
      { numRuns: 200 },
    )
  })

  it('are found in a very long line', async () => {
    const { simple } = await read(`cat > f <<'EOF'\n${'x $(rm a)\n'.repeat(20_000)}EOF\nls`)
    expect(simple).toHaveLength(2)
  })
})

describe('the paths of a line', () => {
  it.each<[string, string[]]>([
    ['rm -rf /etc/x sub/y', ['/etc/x', '/w/repo/sub/y']],
    ['cp a ../b && mv c /d', ['/w/repo/a', '/w/b', '/w/repo/c', '/d']],
    ['cat -- ~/.ssh/id "$HOME"/y', ['/home/me/.ssh/id', '/home/me/y']],
    ['sudo rm /x', ['/x']],
    [`bash -c 'cat /x'`, ['/x']],
    ['cat "$F" `pwd`/x', []],
    ['sed -i s/a/b/ /x', []],
    ['a > /x 2>> ../y < z', ['/x', '/w/y', '/w/repo/z']],
    ['a > /dev/null 2>&1 < /dev/stdin', []],
    ['> /x a', ['/x']],
    ['(a; b) > /x', ['/x']],
    ['cat <<EOF > /x\nEOF', ['/x']],
    ['echo x | tee /y', ['/y']],
  ])('are found: %s', async (command, paths) => {
    expect((await read(command)).paths).toEqual(paths)
  })

  it('follow the folder as the line goes on', async () => {
    expect((await read('cd sub && cat ../x')).paths).toEqual(['/w/repo/sub', '/w/repo/x'])
    expect((await read('(cd /tmp); cat x')).paths).toEqual(['/tmp', '/w/repo/x'])
    expect((await read('cd /tmp | cat x; cat y')).paths).toEqual(['/tmp', '/w/repo/x', '/w/repo/y'])
    expect((await read('cd "$X"; cat x /y')).paths).toEqual(['/y'])
    expect((await read('cd; cat .ssh/id')).paths).toEqual(['/home/me/.ssh/id'])
  })

  it('keep the sign for a home that is not known', async () => {
    expect((await commandsIn('cat ~/x ~root/y', { assets: assets.folder, directory: '/w' })).paths).toEqual(['~/x', '~root/y'])
  })
})

describe('what a command needs', () => {
  const verdict = async (command: string, config: PermissionConfig, root = '/w/repo') => {
    const rules = fromConfig(config)
    try {
      const needs = await bashPermissions(command, { root, directory: root, home: '/home/me', assets: assets.folder }, rules)
      await authorize({ id: 'bash', permission: () => needs }, {}, rules)
      return 'allowed'
    } catch (error) {
      if (error instanceof Failure) return `${error.message} ${error.hint}`
      throw error
    }
  }

  it('is the line as it is while nothing is restricted', async () => {
    const rules = fromConfig({ '*': 'allow' })
    const needs = await bashPermissions(' a && b ', { root: '/w', directory: '/w', assets: '/nowhere' }, rules)
    expect(needs).toEqual([{ permission: 'bash', patterns: ['a && b'] }])
  })

  it('is every simple command, and one that is forbidden forbids the line', async () => {
    const config = { '*': 'allow', bash: { '*': 'allow', 'rm *': 'deny' } } as const
    expect(await verdict('ls && make', config)).toBe('allowed')
    for (const command of [
      'ls && rm -rf x',
      'echo $(rm x)',
      `bash -c 'rm x'`,
      'sudo rm x',
      'find . -exec rm {} +',
      '/bin/rm x',
      `r''m x`,
      'X=1 rm x',
      'f() { rm x; }',
      'rm',
    ]) {
      expect(await verdict(command, config), command).toMatch(/rm \*/)
    }
  })

  it('must be allowed command by command where the rest is denied', async () => {
    const config = { '*': 'allow', bash: { '*': 'deny', 'git status *': 'allow', 'git commit -m "*"': 'allow', 'ls *': 'allow' } } as const
    for (const command of ['git status', 'git status --short && ls -la', 'git commit -m "a b"', 'cd src && ls'])
      expect(await verdict(command, config), command).toBe('allowed')
    for (const command of ['git status; curl x', 'git status > f && make', 'ls $(curl x)', 'LD_PRELOAD=x git status', 'PATH=/x; ls', 'sudo git status']) {
      expect(await verdict(command, config), command).not.toBe('allowed')
    }
  })

  it('is refused when it cannot be told what runs and something is forbidden', async () => {
    const config = { '*': 'allow', bash: { 'rm *': 'deny' } } as const
    for (const command of ['$X y', 'eval "$Y"', 'echo cm0geA== | base64 -d | sh', 'if then']) {
      expect(await verdict(command, config), command).toMatch(/cannot be told which ones this line runs.*Write every command out plainly/s)
    }
    expect(await verdict('$X y', { '*': 'allow', external_directory: 'ask' })).toBe('allowed')
  })

  it('is external_directory for folders outside the workspace only', async () => {
    const base = realpathSync(mkdtempSync(join(tempFolder(), 'w-')))
    const root = join(base, 'repo')
    mkdirSync(join(root, 'sub'), { recursive: true })
    mkdirSync(join(base, 'other'))
    symlinkSync(join(base, 'other'), join(root, 'link'))
    const rules = fromConfig({ '*': 'allow', external_directory: { '*': 'ask' } })
    const needs = async (command: string) =>
      (await bashPermissions(command, { root, directory: root, home: '/home/me', assets: assets.folder }, rules)).filter(
        ({ permission }) => permission !== 'bash',
      )
    const external = (...patterns: string[]) => [{ permission: 'external_directory', patterns }]
    expect(await needs('cat sub/x ./new/y > out.txt')).toEqual([])
    expect(await needs('cd sub && cat ../x')).toEqual([])
    expect(await needs('cd ../other')).toEqual(external(join(base, 'other/*')))
    expect(await needs('rm ../file.txt')).toEqual(external(join(base, '*')))
    expect(await needs('cat link/x')).toEqual(external(join(base, 'other/*')))
    expect(await needs('echo x > ../new/file')).toEqual(external(join(base, 'new/*')))
    expect(await needs('cat ~/.ssh/id')).toEqual(external('/home/me/.ssh/*'))
    expect(await verdict(`cat ${tmpdir()}/x`, { '*': 'allow', external_directory: { '*': 'ask' } }, root)).toContain('external_directory')
  })

  it('says what is wrong when the parser is not there', async () => {
    const rules = fromConfig({ bash: { '*': 'allow', 'rm *': 'deny' } })
    await expect(bashPermissions('ls', { root: '/w', directory: '/w', assets: join(tempFolder(), 'none') }, rules)).rejects.toThrow('tree-sitter.wasm.br')
  })
})

describe('the bash tool', () => {
  it('needs what its command needs, from the folder it runs in', async () => {
    const b = bench({ repository: false, files: { 'sub/x': '' }, assets: assets.folder })
    const rules = fromConfig({ '*': 'allow', bash: { 'rm *': 'deny' }, external_directory: 'ask' })
    const tool = b.tools.find(({ id }) => id === 'bash')
    expect(await tool?.permission?.({ command: 'cat ../x && ls', workdir: 'sub' }, rules)).toEqual([{ permission: 'bash', patterns: ['cat ../x', 'ls'] }])
    expect(await tool?.permission?.({ command: 'cat ../outside/x' }, rules)).toEqual([
      { permission: 'bash', patterns: ['cat ../outside/x'] },
      { permission: 'external_directory', patterns: [join(b.outside, '*')] },
    ])
  })
})
