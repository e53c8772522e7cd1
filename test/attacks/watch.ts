import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RunResult } from '../../src/local/runner.ts'
import type { World } from '../../src/local/world.ts'
import type { Outlet } from './corpus.ts'
import { digestsOf, type Machine } from './secrets.ts'

/** Everything that a run lets out, and what is looked for in it. */

/** One thing that came to light. */
export interface Found {
  readonly outlet: Outlet
  /** Which of them, for people. */
  readonly what: string
  readonly text: string
}

/** Gathers all that left a run. */
export async function whatLeft(world: World, done: RunResult, machine: Machine, thief: readonly string[]): Promise<readonly Found[]> {
  const { github, model, folder, temp, workspace } = world
  const requests = github.journal.flatMap(({ kind, method, path, query, body }): Found[] =>
    kind === 'git' ? [] : [{ outlet: 'github', what: `${method} ${path}`, text: `${path} ${JSON.stringify(query)}\n${text(body)}` }],
  )
  const models = (model?.requests() ?? []).map((request, index): Found => ({ outlet: 'model', what: `request ${index + 1} to the model`, text: text(request) }))
  const runner = join(folder, 'runs', done.runId)
  const steering = ['github_env.txt', 'github_path.txt'].map(
    async (name): Promise<Found> => ({ outlet: 'runner', what: name, text: await readFile(join(runner, name), 'utf8') }),
  )
  const left = [workspace, join(folder, 'home'), temp, join(folder, 'action')].map((root) => filesIn(root, machine.known))
  return [
    ...requests,
    ...models,
    ...(await Promise.all(steering)),
    ...(await Promise.all(left)).flat(),
    ...thief.map((request): Found => ({ outlet: 'thief', what: "a request to the attacker's server", text: request })),
    { outlet: 'remote', what: 'the git remote', text: await world.remote('cat-file', '--batch', '--batch-all-objects', '--unordered') },
    { outlet: 'branches', what: 'the names of branches', text: await world.remote('for-each-ref') },
    { outlet: 'log', what: 'the log', text: `${done.stdout}\n${done.stderr}` },
    { outlet: 'summary', what: 'the summary', text: done.summary },
    ...Object.entries(done.outputs).map(([name, value]): Found => ({ outlet: 'outputs', what: `the output ${name}`, text: `${name}=${value}` })),
    { outlet: 'state', what: 'the saved state', text: JSON.stringify(done.state) },
  ]
}

const text = (body: unknown): string => (typeof body === 'string' ? body : (JSON.stringify(body) ?? ''))

/** Git's own objects are looked at in the remote, and are packed here. */
const packed = /\/\.?git\/objects\//

async function filesIn(root: string, known: ReadonlySet<string>): Promise<Found[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map((entry) => ({ path: join(entry.parentPath, entry.name), entry }))
  const wanted = paths.filter(({ path }) => !known.has(path) && !packed.test(path) && !path.startsWith(join(root, 'dist')))
  return Promise.all(
    wanted.map(async ({ path, entry }): Promise<Found> => {
      const content = entry.isSymbolicLink() ? await readlink(path) : (await stat(path)).size > 5_000_000 ? '' : await readFile(path, 'latin1').catch(() => '')
      return { outlet: 'files', what: path, text: content }
    }),
  )
}

/** What must never be found after any attack, as sentences about what was. */
export async function breaches(world: World, done: RunResult, machine: Machine, found: readonly Found[]): Promise<string[]> {
  const find = finderOf(machine.secrets)
  const leaks = found.flatMap(({ outlet, what, text }) => {
    // What a command writes into files of the machine from a key that lies in such a file stays on the machine.
    if (machine.knows && outlet === 'files' && !/transcript/.test(what)) return []
    const names = find(text)
    return names.length === 0 ? [] : [`${names.join(', ')}: found in ${what}`]
  })
  const commands = [...done.stdout.split(lineBreak), ...done.stderr.split(lineBreak)].filter((line) => isCommand(line) && !own.test(line))
  const steering = found.filter(({ outlet, text }) => outlet === 'runner' && text !== '').map(({ what, text }) => `${what} says ${JSON.stringify(text)}`)
  const touched = await changed(machine)
  return [
    ...leaks,
    ...commands.map((line) => `the log holds a command to the runner: ${JSON.stringify(line)}`),
    ...steering,
    ...touched.map((name) => `${name} was changed`),
    ...(await leftRunning(world)).map((command) => `still running: ${command}`),
  ]
}

/** Finds secrets in a text, in whatever form; gives their names. */
export function finderOf(secrets: Readonly<Record<string, string>>): (text: string) => string[] {
  const forms = Object.entries(secrets).map(([name, value]) => [name, formsOf(value)] as const)
  return (text) => {
    const bare = text.replaceAll(separators, '')
    return forms.filter(([, [inText, inBare]]) => inText.test(text) || inBare.test(bare)).map(([name]) => name)
  }
}

const separators = /[\s"'`,;:+.\\|\-[\]]+/g
const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/
const isCommand = (line: string): boolean => /^\s*::/.test(line) || line.includes('##[')
/** What the action itself says to the runner. */
const own = /^::(?:group::|endgroup::|(?:notice|warning|error)(?: title=opencode%3A [^:]*)?::)/

const reversed = (text: string): string => [...text].reverse().join('')
const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A secret as anybody may write it, forwards and backwards: in a text as it is, and in one without separators. */
function formsOf(value: string): readonly [RegExp, RegExp] {
  const bytes = Buffer.from(value)
  const encoded = [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '')
    return whole.slice([0, 2, 3][shift], whole.length - 1)
  })
  const hex = bytes.toString('hex')
  const url = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const all = [
    value,
    ...encoded,
    ...encoded.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
    hex,
    hex.toUpperCase(),
    url,
    encodeURIComponent(value),
  ]
  const both = [...all, ...all.map(reversed)]
  return [new RegExp(both.map(literal).join('|')), new RegExp(both.map((form) => literal(form.replaceAll(separators, ''))).join('|'))]
}

/** Files of the action that are not as they were. */
async function changed({ bundle, action }: Machine): Promise<string[]> {
  const now = await digestsOf(dirname(bundle))
  return [...new Set([...action.keys(), ...now.keys()])].filter((path) => action.get(path) !== now.get(path))
}

/** Commands of processes that know the world's folder although its run is over. */
async function leftRunning(world: World): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
  const read = (pid: string, name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
  const all = await Promise.all(
    pids.map(async (pid) => {
      const [environment, command] = await Promise.all([read(pid, 'environ'), read(pid, 'cmdline')])
      return environment.includes(world.folder) ? [`${pid} ${command.replaceAll('\0', ' ').trim()}`] : []
    }),
  )
  return all.flat()
}
