import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { capture } from '../../src/workspace/capture.ts'
import { openShell, type Shell } from '../../src/workspace/shell.ts'
import { shellEnvironment } from '../../src/workspace/shell-env.ts'
import { gone, isRunning } from '../support/closing.ts'

let cwd = ''
let folder = ''
let shell: Shell

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'shell-')))
  folder = join(cwd, '.save')
  shell = openShell({ env: shellEnvironment(process.env), folder })
})

afterEach(async () => {
  await shell.close()
  rmSync(cwd, { recursive: true, force: true })
})

const run = (command: string, { timeout = 30_000, signal = new AbortController().signal } = {}) => shell.run(command, { cwd, timeout, signal })

describe('a command', () => {
  it('has its output in the order it was printed, and its exit code', async () => {
    const { head, code, ended } = await run('echo 1; echo 2 >&2; echo 3; echo 4 >/dev/stderr; echo 5 >/dev/stdout; exit 42')
    expect(head).toBe('1\n2\n3\n4\n5\n')
    expect({ code, ended }).toEqual({ code: 42, ended: 'exit' })
  })

  it('runs in bash, in the folder it was given', async () => {
    expect((await run('[[ abc == a* ]] && echo "bash in $PWD"')).head).toBe(`bash in ${cwd}\n`)
  })

  it('runs in sh where there is no bash', async () => {
    mkdirSync(join(cwd, 'bin'))
    for (const name of ['sh', 'mkfifo']) {
      const found = ['/bin', '/usr/bin'].map((place) => join(place, name)).find((file) => existsSync(file))
      if (found) symlinkSync(found, join(cwd, 'bin', name))
    }
    const plain = openShell({ env: { PATH: join(cwd, 'bin') }, folder })
    const { head } = await plain.run('echo "sh $0"', { cwd, timeout: 30_000, signal: new AbortController().signal })
    expect(head).toBe('sh sh\n')
    await plain.close()
  })

  it('never waits for input (C69)', async () => {
    expect(await run('cat')).toMatchObject({ code: 0, head: '' })
    expect(await run('read x; echo "got:$x"')).toMatchObject({ head: 'got:\n' })
    expect((await run('git init -q . && git -c user.name=t -c user.email=t@example.org commit --allow-empty')).head).toMatch(/empty commit message/)
    const clone = await run('git clone http://127.0.0.1:1/private.git')
    expect(clone.code).not.toBe(0)
    expect(await run('( : </dev/tty ) 2>/dev/null || echo "no terminal"')).toMatchObject({ head: 'no terminal\n' })
  })

  it('may be longer than one argument can be (C43)', async () => {
    const { head, code } = await run(`cat <<'END'\n${'x'.repeat(300_000)}\nEND\necho done`)
    expect({ code, lines: head.length }).toEqual({ code: 0, lines: 51_200 })
    expect(readdirSync(folder).filter((name) => !name.startsWith('shell_'))).toEqual([])
  })

  it('is refused when it cannot start', async () => {
    await expect(shell.run('true', { cwd: join(cwd, 'gone'), timeout: 1_000, signal: new AbortController().signal })).rejects.toThrow('not a folder')
    await expect(run('a\0b')).rejects.toThrow('NUL')
    await shell.close()
    await expect(run('true')).rejects.toThrow('closed')
  })
})

describe('what a command leaves in the background', () => {
  it('does not hold the call open (C68)', async () => {
    const silent = await run('sleep 120 & echo started')
    expect(silent).toMatchObject({ head: 'started\n', code: 0, ended: 'exit' })
    const chatty = await run('(while :; do echo x; sleep 0.01; done) & echo ok')
    expect(chatty.head).toMatch(/ok\n/)
    expect((await run('yes & echo $! > yes.pid; echo ok')).ended).toBe('exit')
  })

  it('lives on between calls, even when it prints, and ends with the run (C68)', async () => {
    const { head } = await run('(while :; do echo tick; : > ticked; sleep 0.01; done) & echo $!')
    const pid = Number(/^\d+$/m.exec(head)?.[0])
    await run('rm -f ticked; while [ ! -e ticked ]; do :; done')
    expect(isRunning(pid)).toBe(true)
    await shell.close()
    await gone(pid)
  })

  it('ends with the run even when it ignores TERM (C70)', async () => {
    const { head } = await run("(trap '' TERM; : > ready; while :; do sleep 1; done) >/dev/null 2>&1 & echo $!; while [ ! -e ready ]; do :; done")
    await shell.close()
    await gone(Number(head))
  })
})

/** Runs a command and stops it once it has made a file named `ready`. */
async function stopWhenReady(command: string) {
  const stop = new AbortController()
  const running = run(command, { signal: stop.signal })
  while (!existsSync(join(cwd, 'ready'))) await delay(10)
  stop.abort()
  return await running
}

describe('a command that takes too long', () => {
  it('is ended when its time is up, and not called a success (C70)', async () => {
    const result = await run('sleep 300', { timeout: 200 })
    expect(result.ended).toBe('timeout')
    expect(result.code === 0).toBe(false)
  })

  it('is ended with all its children, by KILL those that ignore TERM, and keeps what it printed (C70)', async () => {
    const result = await stopWhenReady("trap '' TERM; echo begun $$; sleep 300 | (trap '' TERM; echo child $BASHPID >&2; : > ready; sleep 300)")
    expect(result.ended).toBe('abort')
    const pids = [...result.head.matchAll(/(?:begun|child) (\d+)/g)].map(([, pid]) => Number(pid))
    expect(pids).toHaveLength(2)
    for (const pid of pids) await gone(pid)
  })

  it('may clean up on TERM', async () => {
    const result = await stopWhenReady("trap 'echo cleaned; exit 3' TERM; echo begun; : > ready; while :; do sleep 0.05; done")
    expect(result).toMatchObject({ ended: 'abort', code: 3, head: expect.stringMatching(/^begun\n(.*\n)*cleaned\n$/) })
  })

  it('does not begin to matter when the run was stopped before', async () => {
    expect((await run('sleep 300', { signal: AbortSignal.abort() })).ended).toBe('abort')
  })
})

describe('large output (C71)', () => {
  it('keeps both ends in memory and the whole in a file', async () => {
    const before = process.memoryUsage().rss
    const result = await run('yes 0123456789 | head -c 50000000; echo END')
    expect(result.bytes).toBe(50_000_004)
    expect(result.head).toMatch(/^0123456789\n/)
    expect(result.tail).toMatch(/END\n$/)
    expect(Math.max(result.head.length, result.tail.length)).toBeLessThanOrEqual(51_200)
    expect(result.saved?.bytes).toBe(50_000_004)
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
  })

  it('saves it byte for byte and cuts its ends between characters', async () => {
    const { head, tail, saved, bytes } = await run("for i in $(seq 1 9000); do printf '漢字😀é'; done")
    const whole = '漢字😀é'.repeat(9_000)
    expect(bytes).toBe(Buffer.byteLength(whole))
    expect(readFileSync(String(saved?.file), 'utf8')).toBe(whole)
    expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true)
    expect(head.length).toBeGreaterThan(10_000)
  })
})

describe('output that cannot be saved', () => {
  it('still has its two ends and its size', () => {
    const output = capture(join(cwd, 'no', 'such', 'folder'))
    for (const letter of 'abcde') output.add(Buffer.from(letter.repeat(20_000)))
    const { head, tail, ...rest } = output.finish()
    expect(head).toBe(`${'a'.repeat(20_000)}${'b'.repeat(20_000)}${'c'.repeat(11_200)}`)
    expect(tail).toBe(`${'c'.repeat(11_200)}${'d'.repeat(20_000)}${'e'.repeat(20_000)}`)
    expect(rest).toEqual({ bytes: 100_000, lines: 1, whole: false, saved: undefined })
  })
})

describe('a run that is cut off', () => {
  it('ends the command it was waiting for', async () => {
    const running = run('echo $$ > pid.part && mv pid.part pid; sleep 300')
    while (!existsSync(join(cwd, 'pid'))) await delay(10)
    await shell.close()
    await gone(Number(readFileSync(join(cwd, 'pid'), 'utf8')))
    expect((await running).signal).toBe('SIGTERM')
  })
})

describe('the environment of commands', () => {
  it('holds no secret and nothing that later steps obey (C140)', async () => {
    const env = shellEnvironment({
      PATH: process.env.PATH,
      HOME: '/home/runner',
      GITHUB_TOKEN: 'SECRET',
      INPUT_GITHUB_TOKEN: 'SECRET',
      OPENAI_API_KEY: 'SECRET',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'SECRET',
      ACTIONS_RUNTIME_TOKEN: 'SECRET',
      ALL_INPUTS: '{"key":"SECRET"}',
      GITHUB_ENV: '/SECRET',
      GITHUB_OUTPUT: '/SECRET',
      BASH_ENV: '/SECRET',
      NODE_OPTIONS: '--require=/SECRET',
      LD_PRELOAD: '/SECRET',
      HTTPS_PROXY: 'http://user:SECRET@proxy:1',
      HTTP_PROXY: 'http://proxy:1',
      JAVA_HOME_17_X64: '/java',
      LC_ALL: 'C.UTF-8',
      RUNNER_TRACKING_ID: 'github_1',
      undefinedOne: undefined,
    })
    const own = openShell({ env, folder })
    const { head } = await own.run('env; cat /proc/self/environ 2>/dev/null', { cwd, timeout: 30_000, signal: new AbortController().signal })
    await own.close()
    expect(head).not.toContain('SECRET')
    for (const line of [
      'HOME=/home/runner',
      'HTTP_PROXY=http://proxy:1',
      'JAVA_HOME_17_X64=/java',
      'LC_ALL=C.UTF-8',
      'RUNNER_TRACKING_ID=github_1',
      'CI=true',
      'TERM=dumb',
      'PAGER=cat',
      'GIT_TERMINAL_PROMPT=0',
    ]) {
      expect(head.split('\n')).toContain(line)
    }
  })
})
