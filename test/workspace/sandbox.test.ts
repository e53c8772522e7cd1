import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openSandbox } from '../../src/workspace/sandbox.ts'
import { gone, tempFolder } from '../support/closing.ts'

const Probe = z.object({ level: z.string(), results: z.array(z.object({ text: z.string(), code: z.number() })), hung: z.string() })

const attacks = [
  'cat /proc/PARENT/environ; kill -0 PARENT; ls -l /proc/PARENT/fd /proc/PARENT/cwd',
  "for each in /proc/[0-9]*/environ; do tr '\\0' '\\n' < $each; done | sort -u",
  'cat BASE/commands/set_env BASE/key.json gha-creds-1.json BASE/temp/_runner_file_commands/set_env; ls -A BASE/temp',
  'echo theirs > BASE/action/dist/index.js; rm -rf BASE/action; echo x > BASE/temp/new; echo "GITHUB=1" >> BASE/commands/set_env; true',
  'unshare --user --map-root-user --mount sh -c "umount BASE/temp BASE/key.json; cat BASE/key.json; ls -A BASE/temp"; mount -o remount,bind,rw BASE/action; true',
  'sudo -n true; grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status; cat /dev/[sv]da | head -c 1; echo 1 > /proc/sys/kernel/core_pattern; true',
]
const outside = [
  'mv BASE/action BASE/other; mkdir -p BASE/action/dist && echo theirs > BASE/action/dist/index.js; mv BASE/temp BASE/old; mkdir -p BASE/temp && echo theirs > BASE/temp/new; true',
  'printf "#!/bin/sh\\necho theirs\\n" > ~/.local/bin/git; chmod +x ~/.local/bin/git; mv ~/.local ~/.away; hash -r; git --version; true',
]
const works = [
  'cat file.txt; printf "%s" "$QUOTED"; pwd; echo new > made.txt; echo home > ~/kept; exit 7',
  '(setsid sh -c "echo \\$\\$ > hidden.pid; while :; do date > ticked; sleep 0.05; done" &) ; until [ -s ticked ]; do :; done; echo started',
  'rm ticked; until [ -s ticked ]; do :; done; echo lives',
  `wc -c <<'END'\n${'x'.repeat(200_000)}\nEND`,
]

async function probe(uid: number, commands: readonly string[]) {
  const base = tempFolder()
  chmodSync(base, 0o777)
  writeFileSync(join(base, 'commands.json'), JSON.stringify(commands))
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'sandbox-probe.ts'), base, String(uid)], {
    env: { PATH: process.env.PATH, SECRET: 'SECRET-IN-THE-ENVIRONMENT' },
  })
  return { base, ...Probe.parse(JSON.parse(stdout)) }
}

const own = process.getuid?.() ?? 0
const ordinary: [string, number] = ['an ordinary user', 65_534]
const people: [string, number][] = own === 0 ? [['root', 0], ordinary] : [['the user of the tests', own]]

describe.each(process.platform === 'linux' ? people : [])('commands of %s', (_, uid) => {
  it('read no secret, reach no process of ours and change nothing that runs later, and work all the same', async (context) => {
    const { base, level, results, hung } = await probe(uid, [...attacks, ...outside, ...works])
    // Containers without the right to make namespaces, and kernels that keep them from ordinary users: then this must be said, and is.
    if (level.startsWith('none')) {
      expect(level).toMatch(/the machine does not permit otherwise \(.+\)/)
      return context.skip(level)
    }
    const said = results.map(({ text }) => text)
    expect(said.join('\n')).not.toContain('SECRET')
    expect(said[0]).toMatch(/No such file[\s\S]*No such process/)
    expect(said[1]).toMatch(/^PATH=/m)
    expect(said[2]?.trim().split('\n').slice(1)).toEqual(['opencode'])
    expect(readFileSync(join(base, 'action', 'dist', 'index.js'), 'utf8')).toBe('ours')
    expect(existsSync(join(base, 'temp', 'new'))).toBe(false)
    expect(readFileSync(join(base, 'commands', 'set_env'), 'utf8')).toBe('SECRET-IN-A-FILE')
    expect(said[5]).toMatch(/CapEff:\s0+$/m)
    expect(said[5]).toMatch(/NoNewPrivs:\s1$/m)

    expect(existsSync(join(base, 'home', '.local', 'bin', 'git'))).toBe(false)
    expect(existsSync(join(base, 'home', '.away'))).toBe(false)
    expect(said[7]).toMatch(/theirs|Read-only file system/)

    expect(results[8]).toEqual({ text: `work\nit's "$HOME"${join(base, 'work')}\n`, code: 7 })
    expect(readFileSync(join(base, 'work', 'made.txt'), 'utf8')).toBe('new\n')
    expect(readFileSync(join(base, 'home', 'kept'), 'utf8')).toBe('home\n')
    expect(said.slice(9)).toEqual(['started\n', 'lives\n', '200001\n'])
    expect(hung).toBe('timeout')
  })

  it('end with the run, however they hide', async (context) => {
    const mark = `hidden-${process.pid}-${uid}`
    const loop = `trap "" TERM; : ${mark}; while :; do sleep 1; done`
    const { level } = await probe(uid, [`(setsid nohup sh -c '${loop}' >/dev/null 2>&1 &); until pgrep -f ${mark} >/dev/null; do :; done`])
    if (level.startsWith('none')) return context.skip(level)
    const left = await promisify(execFile)('pgrep', ['-f', loop]).then(
      ({ stdout: pids }) => pids.trim().split('\n').map(Number),
      () => [],
    )
    for (const pid of left) await gone(pid)
    expect(left).toEqual([])
  })
})

describe('a machine without namespaces', () => {
  const folder = join('/nonexistent', 'sandbox')
  const walls = { emptied: [], keep: [], blanked: [], frozen: [], programs: [], rooted: [] }

  it('is refused where the job requires them, and used with a word about it where it does not', async () => {
    const options = { walls, folder: join(tempFolder(), 'sandbox'), path: '/nowhere', person: undefined }
    await expect(openSandbox({ ...options, mode: 'require' })).rejects.toThrow(/The input `sandbox` requires/)
    expect((await openSandbox({ ...options, mode: 'auto' })).level).toMatch(/^none: commands run beside this process/)
  })

  it('says what went wrong when programs are missing', async () => {
    const options = { walls, folder: join(tempFolder(), 'sandbox'), path: '/nowhere', person: { uid: 1_000, gid: 1_000 } }
    const { level } = await openSandbox({ ...options, mode: 'auto' })
    if (process.platform === 'linux') expect(level).toMatch(/ENOENT/)
    expect((await openSandbox({ ...options, folder, mode: 'off' })).level).toMatch(/switched off/)
  })
})
