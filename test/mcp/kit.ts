import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectServers, type McpConfig, type McpOptions, type McpRoom } from '../../src/mcp/room.ts'
import { textsOf } from '../../src/prompt/texts.ts'
import type { ToolContext, ToolResult } from '../../src/tool/tool.ts'
import { truncator } from '../../src/tool/truncate.ts'
import { afterwards, never, tempFolder } from '../support/closing.ts'

const packages = join(dirname(fileURLToPath(import.meta.url)), '../../node_modules/@modelcontextprotocol')
export const everything = [process.execPath, join(packages, 'server-everything/dist/index.js')]
export const filesystem = [process.execPath, join(packages, 'server-filesystem/dist/index.js')]

export interface Opened {
  readonly room: McpRoom
  readonly warnings: readonly string[]
  readonly folder: string
  call(id: string, input?: unknown, signal?: AbortSignal): Promise<ToolResult>
}

/** The room of a configuration, closed after the test. */
export async function open(config: McpConfig, options: Partial<McpOptions> = {}): Promise<Opened> {
  const folder = tempFolder()
  const warnings: string[] = []
  const room = await connectServers(config, {
    env: process.env,
    cwd: folder,
    signal: never,
    log: { warning: (text) => void warnings.push(text) },
    texts: textsOf(join(import.meta.dirname, '../../prompts')),
    truncate: truncator(join(folder, 'outputs')),
    ...options,
  })
  afterwards(() => room.close())
  return {
    room,
    warnings,
    folder,
    call(id, input = {}, signal = never) {
      const tool = room.tools.find((each) => each.id === id)
      if (!tool) throw new Error(`no tool ${id}: ${room.tools.map((each) => each.id).join(', ')}`)
      const context: ToolContext = { sessionID: 'ses_1', messageID: 'msg_1', callID: 'call_1', agent: 'build', signal, metadata: () => undefined }
      return tool.execute(input, context)
    },
  }
}
