import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import * as zod from 'zod'
import type { Brought } from './modules.ts'
import type { Shell } from './shell.ts'

/** Names that are only types in OpenCode's package. Bun drops an import of a type by itself; Node looks for the name. */
const types = [
  'AuthHook',
  'Config',
  'Hooks',
  'Plugin',
  'PluginInput',
  'PluginModule',
  'PluginOptions',
  'ProviderHook',
  'ToolContext',
  'ToolDefinition',
  'ToolResult',
]

const tool = Object.assign(<Definition>(definition: Definition): Definition => definition, { schema: zod.z })

/**
 * The modules that the repository's plugins and tools may count on: OpenCode's plugin package, a little of Bun, and zod where the checkout
 * has none of its own. Sets the global `Bun` as well.
 */
export function shims($: Shell, env: NodeJS.ProcessEnv): Brought {
  const file = (path: string | URL) => ({
    text: () => readFile(path, 'utf8'),
    json: async (): Promise<unknown> => JSON.parse(await readFile(path, 'utf8')),
    bytes: () => readFile(path),
    exists: async () => existsSync(path),
  })
  const write = async (path: string | URL, data: string | Uint8Array) => {
    await writeFile(path, data)
    return Buffer.byteLength(data)
  }
  const bun = { $, file, write, env }
  Object.defineProperty(globalThis, 'Bun', { value: bun })
  const plugin = { ...Object.fromEntries(types.map((name) => [name, undefined])), tool }
  return {
    modules: {
      '@opencode-ai/plugin': plugin,
      '@opencode-ai/plugin/tool': plugin,
      bun: { ...bun, default: bun },
      zod: { ...zod, default: zod.z },
      'zod/v4': { ...zod, default: zod.z },
    },
    instead: new Set(['zod', 'zod/v4']),
  }
}
