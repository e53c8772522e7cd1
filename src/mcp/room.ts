import type { McpServer } from '../config/schema.ts'
import { adviceOf, messageOf } from '../failure.ts'
import { limits } from '../limits.ts'
import type { Texts } from '../prompt/texts.ts'
import { cut } from '../text.ts'
import { disabled, type Rules } from '../tool/permission.ts'
import type { Tool } from '../tool/tool.ts'
import type { Truncate } from '../tool/truncate.ts'
import { shellEnvironment } from '../workspace/shell-env.ts'
import { type Connection, connect } from './connect.ts'
import type { ResourceContent } from './content.ts'
import { McpError } from './errors.ts'
import { commandsOf, type McpCommand } from './prompts.ts'
import { readResource, resourceTools } from './resources.ts'
import { definitionsOf, toolsOf } from './tools.ts'

/** The key `mcp` of a configuration, by server. A switch without a server to switch means nothing. */
export type McpConfig = Readonly<Record<string, McpServer | { readonly enabled: boolean }>>

export interface McpOptions {
  /** The process's environment, of which local servers get what commands get (`shellEnvironment`). */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The workspace. */
  readonly cwd: string
  readonly signal: AbortSignal
  readonly log: { warning(text: string): void }
  readonly texts: Texts
  readonly truncate: Truncate
  /** Time for servers whose configuration names none (`experimental.mcp_timeout`), in ms. */
  readonly timeout?: number | undefined
  /** Time local servers have to end by themselves, in ms. */
  readonly grace?: number
}

/** What became of a server. */
export interface McpStatus {
  readonly name: string
  readonly status: 'connected' | 'failed' | 'disabled'
  /** Why it failed, and what to do. */
  readonly note?: string
}

/** The MCP servers of a run. */
export interface McpRoom {
  readonly servers: readonly McpStatus[]
  readonly tools: readonly Tool[]
  readonly commands: readonly McpCommand[]
  /** What the servers say about themselves, for the system text; empty when they say nothing. A server whose tools are all hidden is left out. */
  instructions(rules: Rules): string
  /** Throws `McpError` when there is no such server, or it has no resources. */
  readResource(server: string, uri: string, signal: AbortSignal): Promise<readonly ResourceContent[]>
  /** Ends every connection, and local servers with everything they started. Never throws. */
  close(): Promise<void>
}

interface Connected {
  readonly name: string
  readonly connection: Connection
  readonly tools: readonly Tool[]
  readonly commands: readonly McpCommand[]
}

/**
 * Connects to the servers of a configuration, side by side. One that fails costs its tools and a warning, never the run. Local servers
 * get an allow-listed environment and what their configuration names.
 */
export async function connectServers(config: McpConfig, options: McpOptions): Promise<McpRoom> {
  const env = shellEnvironment(options.env)
  const servers = Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1))
  const opened = await Promise.all(
    servers.map(async ([name, server]) => {
      if (!('type' in server) || server.enabled === false) return { status: { name, status: 'disabled' } as const }
      try {
        return { name, ...(await explored(name, await connect(server, { ...options, env }), options.signal)) }
      } catch (error) {
        const note = noteOf(name, error)
        options.log.warning(note)
        return { status: { name, status: 'failed', note } as const }
      }
    }),
  )

  const taken = new Set<string>()
  const connected = opened.flatMap((each): Connected[] => {
    if ('status' in each) return []
    const { name, connection, definitions, commands } = each
    return [{ name, connection, commands, tools: toolsOf(name, connection, definitions, { truncate: options.truncate, taken }) }]
  })
  const sources = new Map(
    connected.flatMap(({ name, connection }) => (connection.client.initializeResult.capabilities.resources ? [[name, connection] as const] : [])),
  )
  return {
    servers: opened.map((each) => ('status' in each ? each.status : { name: each.name, status: 'connected' })),
    tools: [...connected.flatMap(({ tools }) => tools), ...resourceTools(sources, options.texts, options.truncate)],
    commands: connected.flatMap(({ commands }) => commands),
    instructions: (rules) => instructionsOf(connected, rules),
    readResource: (server, uri, signal) => readResource(sources, server, uri, signal),
    async close() {
      await Promise.all(connected.map(({ connection }) => connection.close()))
    },
  }
}

/** What a server has to offer. One that connects but cannot say so is no use, and is closed. */
async function explored(name: string, connection: Connection, signal: AbortSignal) {
  try {
    const [definitions, commands] = await Promise.all([definitionsOf(connection, signal), commandsOf(name, connection, signal)])
    return { connection, definitions, commands }
  } catch (error) {
    await connection.close()
    throw new McpError(`It connected, but could not say what it offers: ${messageOf(error)}.`, 'Try it by itself.', { cause: error })
  }
}

function noteOf(name: string, error: unknown): string {
  return `The MCP server ${name} is not available in this run. ${adviceOf(error)}`
}

function instructionsOf(connected: readonly Connected[], rules: Rules): string {
  const blocks = connected.flatMap(({ name, connection, tools }) => {
    const text = connection.client.instructions?.trim()
    const ids = tools.map(({ id }) => id)
    if (!text || (ids.length > 0 && disabled(ids, rules).size === ids.length)) return []
    return [`<server name="${inert(name).replaceAll('"', "'")}">\n${inert(cut(text, limits.instructionChars))}\n</server>`]
  })
  return blocks.length === 0 ? '' : ['<mcp_instructions>', ...blocks, '</mcp_instructions>'].join('\n')
}

/** A server's words must not be able to end the block they stand in. */
const inert = (text: string): string => text.replaceAll(/<(?=\/?(server|mcp_instructions)\b)/gi, '&lt;')
