import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/**
 * Who may import whom: the table of docs/architecture.md. An entry `room` allows the whole room, `room/file.ts` one file of it.
 * `failure.ts` and `limits.ts` are open to all.
 */
const everyRoom = ['event', 'access', 'settings', 'github', 'thread', 'session', 'prompt', 'tool', 'model', 'config', 'workspace', 'publish', 'report']
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
  config: ['workspace'],
  mcp: ['config'],
  plugin: ['config'],
  workspace: [],
  publish: ['github', 'workspace', 'thread', 'session/message.ts'],
  report: ['session/message.ts', 'session/ports.ts'],
  local: ['event', 'github', 'settings', 'session/message.ts', 'thread', 'model', 'workspace', 'report'],
  run: everyRoom,
  'run.ts': [...everyRoom, 'run'],
  'post.ts': ['settings', 'github', 'report', 'publish'],
  'index.ts': ['run.ts', 'run', 'post.ts', 'settings', 'prompt/texts.ts', 'report', 'local/start.ts'],
}
const open = new Set(['failure.ts', 'limits.ts'])
/** Only the entry may read the environment, end the process or listen to signals; the demo is a program of its own. */
const onlyEntry = /process\.(env|exit|exitCode|on|once|stdin)\b/

const src = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))
const roomOf = (file: string) => file.split('/')[0] ?? file

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8')
  const found = [...text.matchAll(/(?:from\s+|import\s*\(\s*|import\s+)'(\.[^']+)'/g)].map((match) => match[1] ?? '')
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

test('only the entry touches the environment, signals and the exit status', () => {
  const guilty = files.filter((file) => file !== 'index.ts' && onlyEntry.test(readFileSync(join(src, file), 'utf8')))
  expect(guilty).toEqual([])
})

test('no file holds two ideas', () => {
  const long = files.map((file) => [file, readFileSync(join(src, file), 'utf8').split('\n').length] as const).filter(([, lines]) => lines > 310)
  expect(long).toEqual([])
})
