import { randomInt } from 'node:crypto'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Script } from '../../src/local/model.ts'
import { comment, expectExit, isRunningWith, within } from './support.ts'

/** Public cases of the tools, as the model meets them in a run of the built bundle and as they end up in the commit. */

interface Use {
  readonly name: string
  readonly arguments: Record<string, unknown>
}

/** Makes the calls one after another, each in a step of its own, then answers. */
const uses =
  (calls: readonly Use[]): Script =>
  ({ result, mayCall }) => {
    const next = calls.findIndex((_, index) => result(`call_${index}`) === undefined)
    const call = calls[next]
    return mayCall && call ? { calls: [{ id: `call_${next}`, ...call }] } : { text: 'Done.' }
  }

const bash = (command: string, more: object = {}): Use => ({ name: 'bash', arguments: { command, description: 'x', ...more } })
const edit = (filePath: string, oldString: string, newString: string, more: object = {}): Use => ({
  name: 'edit',
  arguments: { filePath, oldString, newString, ...more },
})
const read = (filePath: string): Use => ({ name: 'read', arguments: { filePath } })
const write = (filePath: string, content: string): Use => ({ name: 'write', arguments: { filePath, content } })

/** Runs the calls in one run and hands over what the model was told of each, and the file of a name as it was pushed. */
async function using(
  files: Record<string, string>,
  calls: readonly Use[],
  check: (results: string[], pushed: (path: string) => Promise<string>) => Promise<void>,
  prepare: (workspace: string, folder: string) => Promise<void> = async () => {},
): Promise<void> {
  await within({ seed: { files }, script: uses(calls) }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Tools', author: 'rita' })
    await prepare(await world.checkout(), world.folder)
    const done = await comment(world, number, 'alice', '/opencode use the tools')
    expectExit(done, 0)
    const told = world.model?.requests().at(-1)?.messages ?? []
    const results = told.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []))
    expect(results).toHaveLength(calls.length)
    await check(results, (path) => world.remote('show', `${done.outputs.branch}:${path}`))
  })
}

test('C64 C65 C66 what an edit inserts arrives byte for byte, line ends and mark of the file are kept', () => {
  const odd = "cost=$$5; re='$&'; x=$`y`; $1"
  return using(
    { 'dollar.txt': 'PLACEHOLDER and PLACEHOLDER\n', 'windows.txt': 'a\r\nb\r\nc\r\n', 'mark.txt': '\ufefffoo\n' },
    [
      read('dollar.txt'),
      edit('dollar.txt', 'PLACEHOLDER', odd, { replaceAll: true }),
      read('windows.txt'),
      edit('windows.txt', 'a\nb', 'a\nB'),
      edit('windows.txt', 'a\r\nB', 'a\nB'),
      read('mark.txt'),
      edit('mark.txt', 'foo', 'bar'),
    ],
    async (results, pushed) => {
      expect(await pushed('dollar.txt')).toBe(`${odd} and ${odd}\n`)
      expect(await pushed('windows.txt')).toBe('a\r\nB\r\nc\r\n')
      expect(results[4]).toMatch(/no change|nothing|same|identical/i)
      expect(await pushed('mark.txt')).toBe('\ufeffbar\n')
    },
  )
})

test('C67 C78 C79 an edit that fits two places, a file nobody read and paths that lead elsewhere are refused in words the model can use', () =>
  using(
    { 'two.py': 'def a():\n    return 1\n\ndef b():\n    return 1\n', 'config.yml': 'a: 1\n', 'src/x.txt': 'x\n', '-dash.txt': 'dash\n' },
    [
      read('two.py'),
      edit('two.py', '    return 1', '    return 2'),
      write('config.yml', 'a: 2\n'),
      read('config.yml'),
      bash('echo "a: 3" > config.yml'),
      write('config.yml', 'a: 2\n'),
      read('config.yml'),
      write('config.yml', 'a: 4\n'),
      read('-dash.txt'),
      edit('src', 'a', 'b'),
      write('../../outside.txt', 'x'),
    ],
    async (results, pushed) => {
      expect(results[1]).toMatch(/\b2\b[\s\S]*\b5\b/)
      expect(results[2]).toMatch(/read/i)
      expect(results[5]).toMatch(/read|changed/i)
      expect(await pushed('config.yml')).toBe('a: 4\n')
      expect(results[8]).toContain('dash')
      expect(results[9]).toMatch(/directory|folder/i)
      expect(results[10]).toMatch(/outside/i)
    },
  ))

test('C68 C69 C70 C31 commands that wait, hang or print nothing come back at once, and what they leave behind ends with the run', () => {
  const long = `300.${randomInt(1e9)}`
  return using(
    { 'README.md': '# Demo\n' },
    [
      bash('true'),
      bash(`sleep ${long} & kill -0 $! && echo started`),
      bash('cat; read x; echo "got:$x"'),
      bash('git commit -q --allow-empty; echo committed'),
      bash(`echo begun; sleep ${long}`, { timeout: 300 }),
      write('a.txt', 'a\n'),
    ],
    async (results) => {
      expect(results[0]).not.toBe('')
      expect(results[1]).toContain('started')
      expect(isRunningWith(long)).toBe(false)
      expect(results[2]).toContain('got:')
      expect(results[3]).toContain('committed')
      expect(results[4]).toMatch(/begun[\s\S]*(time|300 ms)/)
    },
  )
})

test('C38 C71 C74 C75 output that is huge, broken or not ASCII reaches the model short, clean and whole', () =>
  using(
    { 'cjk.txt': `${'漢字'.repeat(20)}\n`.repeat(60), 'long.txt': `${'a'.repeat(1_999)}😀${'b'.repeat(50)}\n` },
    [
      bash("printf 'a\\000b\\033[31mred\\033[0m\\377'"),
      bash('yes | head -c 50000000'),
      bash('head -c 5000000 /dev/zero | tr "\\0" x'),
      read('cjk.txt'),
      read('long.txt'),
      write('a.txt', 'a\n'),
    ],
    async (results) => {
      expect(results[0]).toContain('red')
      for (const output of results) {
        expect(output.isWellFormed()).toBe(true)
        expect(output).not.toContain('\0')
        expect(output).not.toContain('\u001b')
        expect(output.length).toBeLessThan(60_000)
      }
      expect(results[1]).toMatch(/50,?000,?000|MB/)
      expect(results[3]).toContain('漢字')
    },
  ))

test('C73 links that lead out of the workspace are followed by no tool', () =>
  using(
    { 'README.md': '# Demo\n' },
    [write('out/x.txt', 'x'), write('f', 'x'), read('f'), read('out/secret.txt'), write('a.txt', 'a\n')],
    async (results) => {
      for (const refusal of results.slice(0, 4)) expect(refusal).toMatch(/outside/i)
      expect(results.join()).not.toContain('TOP-SECRET')
    },
    async (workspace, folder) => {
      const victim = join(folder, 'victim')
      await mkdir(victim)
      await writeFile(join(victim, 'secret.txt'), 'TOP-SECRET')
      await symlink(victim, join(workspace, 'out'))
      await symlink(join(victim, 'secret.txt'), join(workspace, 'f'))
    },
  ))

test('C76 searches see dot folders and named ignored files, and stay out of ignored trees otherwise', () =>
  using(
    { '.github/workflows/ci.yml': 'on: push # needle\n', '.gitignore': 'dist/\nnode_modules/\n', 'src/a.ts': 'needle\n' },
    [
      { name: 'glob', arguments: { pattern: '.github/workflows/*.yml' } },
      { name: 'glob', arguments: { pattern: 'dist/app.js' } },
      { name: 'grep', arguments: { pattern: 'needle', include: '*.*' } },
      write('b.txt', 'b\n'),
    ],
    async (results) => {
      expect(results[0]).toContain('ci.yml')
      expect(results[1]).toContain('dist/app.js')
      expect(results[2]).toContain('src/a.ts')
      expect(results[2]).not.toContain('node_modules')
    },
    async (workspace) => {
      for (const [path, text] of [
        ['dist/app.js', 'needle\n'],
        ['node_modules/x/index.js', 'needle\n'],
      ] as const) {
        await mkdir(join(workspace, path, '..'), { recursive: true })
        await writeFile(join(workspace, path), text)
      }
    },
  ))
