import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openPlugins, type PluginOptions, type PluginRoom } from '../../src/plugin/room.ts'
import type { HookPoints } from '../../src/session/hooks.ts'
import type { ToolContext, ToolResult } from '../../src/tool/tool.ts'
import { truncator } from '../../src/tool/truncate.ts'
import { afterwards, never, tempFolder } from '../support/closing.ts'
import { fakeTree } from '../support/tree.ts'

const here = dirname(fileURLToPath(import.meta.url))
const fixtures = join(here, '../fixtures/plugin')

/** A repository as an OpenCode user has it: tools and plugins by path. */
export function repository(...wanted: readonly string[]): Record<string, string> {
  const entries = readdirSync(fixtures, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => relative(fixtures, join(entry.parentPath, entry.name)))
  return Object.fromEntries(
    paths
      .filter((path) => path.includes('/lib/') || wanted.some((name) => path.endsWith(name)))
      .map((path) => [path, readFileSync(join(fixtures, path), 'utf8')]),
  )
}

export interface Opened {
  readonly room: PluginRoom
  readonly warnings: readonly string[]
  readonly said: readonly string[]
  readonly worktree: string
  readonly temp: string
  call(id: string, input?: unknown, context?: Partial<ToolContext>): Promise<ToolResult>
  hook<Name extends keyof HookPoints>(name: Name, input: HookPoints[Name]['input'], output: HookPoints[Name]['output']): Promise<HookPoints[Name]['output']>
}

/** The room of a commit with these files, closed after the test. */
export async function open(files: Readonly<Record<string, string>>, options: Partial<PluginOptions> = {}): Promise<Opened> {
  const base = tempFolder()
  const [worktree, temp] = [join(base, 'worktree'), join(base, 'temp')]
  mkdirSync(join(worktree, options.directory ?? ''), { recursive: true })
  const warnings: string[] = []
  const said: string[] = []
  const room = await openPlugins({
    tree: fakeTree(files),
    configured: [],
    worktree,
    directory: '',
    temp,
    host: () => join(here, '../../src/plugin/host/main.ts'),
    env: process.env,
    signal: never,
    truncate: truncator(join(base, 'outputs')),
    log: { info: (text) => void said.push(text), warning: (text) => void warnings.push(text) },
    ...options,
    times: { grace: 200, ...options.times },
  })
  afterwards(() => room.close())
  return {
    room,
    warnings,
    said,
    worktree,
    temp,
    call(id, input = {}, context = {}) {
      const tool = room.tools.find((each) => each.id === id)
      if (!tool) throw new Error(`no tool ${id}: ${room.tools.map((each) => each.id).join(', ')}; ${warnings.join('; ')}`)
      const about = { sessionID: 'ses_1', messageID: 'msg_1', callID: 'call_1', agent: 'build', signal: never, metadata: () => undefined }
      return tool.execute(input, { ...about, ...context })
    },
    hook: (name, input, output) => room.hooks.trigger(name, input, output),
  }
}
