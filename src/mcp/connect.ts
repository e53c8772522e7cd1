import { resolve } from 'node:path'
import type { MCPClient } from '@ai-sdk/mcp'
import type { McpServer } from '../config/schema.ts'
import { messageOf } from '../failure.ts'
import { limits } from '../limits.ts'
import { McpError } from './errors.ts'
import { stdioTransport } from './stdio.ts'

type Server<Type extends McpServer['type']> = Extract<McpServer, { type: Type }>

export interface ConnectOptions {
  /** The environment local servers start from. */
  readonly env: Readonly<Record<string, string>>
  /** The workspace. */
  readonly cwd: string
  readonly signal: AbortSignal
  /** Time for servers whose configuration names none, in ms. */
  readonly timeout?: number | undefined
  /** Time local servers have to end by themselves, in ms. */
  readonly grace?: number | undefined
}

/** A server that answered. */
export interface Connection {
  readonly client: MCPClient
  /** Time for each question, in ms. */
  readonly timeout: number
  /** Ends the connection, and a local server with everything it started. Never throws. */
  close(): Promise<void>
}

const loadSdk = () => import('./sdk.ts')

/** Connects to a server. Throws `McpError` when it does not answer in time, or not properly; nothing is left running then. */
export async function connect(server: McpServer, options: ConnectOptions): Promise<Connection> {
  const timeout = server.timeout ?? options.timeout ?? limits.mcpTimeout
  const patience = AbortSignal.timeout(timeout)
  const signal = AbortSignal.any([options.signal, patience])
  try {
    return server.type === 'local' ? await connectLocal(server, timeout, signal, options) : await connectRemote(server, timeout, signal)
  } catch (error) {
    if (error instanceof McpError) throw error
    if (options.signal.aborted) throw new McpError('The run was stopped while it connected.', 'Start it again.', { cause: error })
    if (patience.aborted) throw new McpError(`It did not answer within ${timeout} ms.`, 'Give it more time with `timeout`, or see whether it runs at all.')
    throw new McpError(`It did not answer as an MCP server should: ${messageOf(error)}.`, 'See whether it runs, and its address.', { cause: error })
  }
}

async function connectLocal(server: Server<'local'>, timeout: number, signal: AbortSignal, { env, cwd, grace }: ConnectOptions): Promise<Connection> {
  const { createMCPClient, validateJSONRPCMessage: validate } = await loadSdk()
  const transport = stdioTransport({
    command: server.command,
    cwd: resolve(cwd, server.cwd ?? '.'),
    env: { ...env, ...server.environment },
    validate,
    ...(grace === undefined ? {} : { grace }),
  })
  const close = () => transport.close()
  try {
    return { client: await createMCPClient({ transport, initializationOptions: { signal } }), timeout, close }
  } catch (error) {
    const words = transport.lastWords()
    await close()
    if (words === undefined || error instanceof McpError) throw error
    throw new McpError(`It did not stay: ${words}.`, 'Try the command by itself.', { cause: error })
  }
}

async function connectRemote({ url, headers }: Server<'remote'>, timeout: number, signal: AbortSignal): Promise<Connection> {
  const { createMCPClient } = await loadSdk()
  const open = async (type: 'http' | 'sse'): Promise<Connection> => {
    const client = await createMCPClient({
      transport: { type, url, ...(headers ? { headers: { ...headers } } : {}) },
      initializationOptions: { signal },
    })
    return { client, timeout, close: () => hangUp(client, timeout) }
  }
  try {
    return await open('http').catch((error: unknown) => {
      if (knowsNoStreams(statusOf(error))) return open('sse')
      throw error
    })
  } catch (error) {
    const status = statusOf(error)
    if (status !== 401 && status !== 403) throw error
    throw new McpError(
      `${new URL(url).host} refused the connection (HTTP ${status}), and signing in by OAuth needs a person with a browser.`,
      'Give the server a token that needs no sign-in through `headers`, for example `"Authorization": "Bearer {env:NAME}"`.',
      { cause: error },
    )
  }
}

/** Saying goodbye is a request too, so it may hang. */
async function hangUp(client: MCPClient, timeout: number): Promise<void> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<void>()
  const timer = setTimeout(giveUp, Math.min(timeout, limits.shellKillAfter))
  // The server forgets us on its own if it does not hear this.
  await Promise.race([client.close().catch(() => undefined), late])
  clearTimeout(timer)
}

/** A server that only speaks the older SSE refuses a POST, but not for want of a token. */
function knowsNoStreams(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 401 && status !== 403
}

function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined
}
