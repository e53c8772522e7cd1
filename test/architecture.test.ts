import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/**
 * Who may import whom: the table of docs/architecture.md. An entry `room` allows the whole room, `room/file.ts` one file of it.
 * The leaves beside the rooms, such as `failure.ts` and `limits.ts`, are open to all.
 */
const everyRoom = [
  'event',
  'access',
  'settings',
  'github',
  'thread',
  'session',
  'prompt',
  'tool',
  'model',
  'config',
  'mcp',
  'plugin',
  'workspace',
  'publish',
  'report',
]
const mayImport: Record<string, readonly string[]> = {
  event: ['session/message.ts'],
  access: ['event'],
  settings: [],
  github: [],
  thread: ['session/message.ts', 'github'],
  session: ['prompt', 'tool', 'model'],
  prompt: ['session/message.ts', 'config'],
  tool: ['workspace', 'session/message.ts', 'prompt/texts.ts'],
  model: [],
  config: ['workspace', 'tool/permission.ts', 'tool/skill.ts', 'session/agent-config.ts', 'session/command.ts'],
  mcp: ['config', 'tool', 'workspace', 'session/message.ts', 'prompt/texts.ts'],
  plugin: ['config', 'tool', 'workspace', 'session/message.ts', 'session/hooks.ts', 'session/ports.ts'],
  workspace: [],
  publish: [
    'github',
    'workspace',
    'thread',
    'session/message.ts',
    'report/markdown.ts',
    'tool/github.ts',
    'tool/review-diff.ts',
    'tool/review-finding.ts',
    'tool/triage.ts',
  ],
  report: ['session/message.ts', 'session/ports.ts'],
  local: ['event', 'github', 'settings', 'session/message.ts', 'thread', 'model', 'workspace', 'report'],
  run: [...everyRoom, 'packed.ts'],
  'run.ts': [...everyRoom, 'run'],
  'post.ts': ['settings', 'github', 'report', 'publish', 'thread', 'workspace'],
  'packed.ts': [],
  'index.ts': ['run.ts', 'run', 'packed.ts', 'post.ts', 'settings', 'prompt/texts.ts', 'report', 'local/start.ts'],
}
const open = new Set(['body.ts', 'failure.ts', 'json.ts', 'limits.ts', 'older-node.ts', 'parseable.ts', 'text.ts'])
/** Only the entries, the action's and that of the plugins' process, may read the environment, end the process or listen to signals. */
const entries = new Set(['index.ts', 'plugin/host/main.ts'])
const onlyEntry = /process\.(env|exit|exitCode|on|once|stdin)\b/

const src = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))
const roomOf = (file: string) => file.split('/')[0] ?? file

const anyImport = /(?:from\s+|import\s*\(\s*|import\s+)'(\.[^']+)'/g
/** What is there when the program runs and when the file is loaded: no types, nothing loaded later. */
const valueImport = /^(?:import|export) (?!type )(?:[^'\n]|\n(?!import|export))*'(\.[^']+)'/gm

function importsOf(file: string, form = anyImport): string[] {
  const text = readFileSync(join(src, file), 'utf8')
  const found = [...text.matchAll(form)].map((match) => match[1] ?? '')
  return found.map((target) => posix.normalize(posix.join(posix.dirname(file), target)))
}

test.each(files)('%s imports only what its room may know', (file) => {
  const room = roomOf(file)
  const allowed = open.has(room) ? [] : mayImport[room]
  expect(allowed, `room ${room} is not in the table`).toBeDefined()
  const strangers = importsOf(file).filter(
    (target) => roomOf(target) !== room && !open.has(target) && !allowed?.some((entry) => target === entry || target.startsWith(`${entry}/`)),
  )
  expect(strangers).toEqual([])
})

test('no file imports itself by a detour', () => {
  const circles: string[] = []
  const done = new Set<string>()
  const follow = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    if (done.has(file) || path.includes(file)) return
    for (const target of importsOf(file, valueImport).filter((name) => files.includes(name))) follow(target, [...path, file])
    done.add(file)
  }
  for (const file of files) follow(file, [])
  expect(circles).toEqual([])
})

test('only the gateway knows Octokit', () => {
  const others = files.filter((file) => roomOf(file) !== 'github' && /'@octokit\//.test(readFileSync(join(src, file), 'utf8')))
  expect(others).toEqual([])
})

test('only the entry touches the environment, signals and the exit status', () => {
  const guilty = files.filter((file) => !entries.has(file) && onlyEntry.test(readFileSync(join(src, file), 'utf8')))
  expect(guilty).toEqual([])
})

test('no file holds two ideas', () => {
  const long = files.map((file) => [file, readFileSync(join(src, file), 'utf8').split('\n').length] as const).filter(([, lines]) => lines > 310)
  expect(long).toEqual([])
})
