import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { textsOf } from '../../src/prompt/texts.ts'
import type { Todo } from '../../src/session/message.ts'
import { type BuiltinOptions, builtinTools } from '../../src/tool/registry.ts'
import type { Tool, ToolContext, ToolResult } from '../../src/tool/tool.ts'
import { confine } from '../../src/workspace/files.ts'
import { openShell } from '../../src/workspace/shell.ts'
import { shellEnvironment } from '../../src/workspace/shell-env.ts'
import { afterwards, never, tempFolder } from '../support/closing.ts'

export interface Bench {
  readonly root: string
  readonly save: string
  readonly outside: string
  readonly tools: readonly Tool[]
  readonly todos: Todo[]
  /** Calls a tool as the engine would. */
  call(id: string, input: unknown, signal?: AbortSignal): Promise<ToolResult>
  /** The message of the error a call ends in. */
  failure(id: string, input: unknown): Promise<string>
  put(path: string, content: string | Uint8Array): string
  bytes(path: string): Buffer
  text(path: string): string
  git(...args: string[]): string
}

/** A git repository in a temporary folder, and the tools on it. */
export function bench(
  options: {
    repository?: boolean
    directory?: string
    files?: Readonly<Record<string, string | Uint8Array>>
    env?: Readonly<Record<string, string>>
    /** The model the tools are for. */
    modelID?: string
  } & Pick<BuiltinOptions, 'assets' | 'skills' | 'web' | 'search'> = {},
): Bench {
  const base = tempFolder()
  const [root, save, outside] = [join(base, 'root'), join(base, 'save'), join(base, 'outside')]
  for (const folder of [root, save, outside]) mkdirSync(folder)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const put = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
    return join(root, path)
  }
  for (const [path, content] of Object.entries(options.files ?? {})) put(path, content)
  if (options.repository ?? true) git('init', '-q')
  const shell = openShell({ env: { ...shellEnvironment(process.env), ...options.env }, folder: save })
  afterwards(() => shell.close())
  const todos: Todo[] = []
  const { modelID = 'a-model', assets, skills, web, search } = options
  const tools = builtinTools({
    ...(assets === undefined ? {} : { assets }),
    ...(skills ? { skills } : {}),
    ...(web ? { web } : {}),
    ...(search ? { search } : {}),
    files: confine({ root, directory: join(root, options.directory ?? '.'), readable: [save] }),
    shell,
    texts: textsOf(join(import.meta.dirname, '../../prompts')),
    todos: { get: () => todos, set: (next) => todos.splice(0, todos.length, ...next) },
    save,
  }).filter(({ suits }) => suits?.(modelID) ?? true)
  const call = (id: string, input: unknown, signal = never) => {
    const tool = tools.find((each) => each.id === id)
    if (!tool) throw new Error(`no tool ${id}`)
    const context: ToolContext = { sessionID: 'ses_1', messageID: 'msg_1', callID: 'call_1', agent: 'build', signal, metadata: () => undefined }
    return tool.execute(input, context)
  }
  return {
    root,
    save,
    outside,
    tools,
    todos,
    call,
    put,
    git,
    bytes: (path) => readFileSync(join(root, path)),
    text: (path) => readFileSync(join(root, path), 'utf8'),
    async failure(id, input) {
      const result = await call(id, input).then(
        ({ output }) => ({ output }),
        (error: unknown) => ({ error }),
      )
      if ('output' in result) throw new Error(`${id} succeeded: ${result.output}`)
      return result.error instanceof Error ? result.error.message : String(result.error)
    },
  }
}
