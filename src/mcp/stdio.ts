import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { MCPTransport } from '@ai-sdk/mcp'
import { messageOf } from '../failure.ts'
import { limits } from '../limits.ts'
import { cut } from '../text.ts'
import { endGroup } from '../workspace/launch.ts'
import { McpError } from './errors.ts'
import type { validateJSONRPCMessage } from './sdk.ts'

/** Lines of a server's error output that are kept to explain its end. */
const LAST_WORDS = 5

export interface StdioOptions {
  readonly command: readonly string[]
  readonly cwd: string
  /** Everything the server gets to see. */
  readonly env: Readonly<Record<string, string>>
  /** Checks a message of the server; handed in, since the library is loaded late. */
  readonly validate: typeof validateJSONRPCMessage
  /** Time between asking the server to end and ending it, in ms. */
  readonly grace?: number
}

export interface StdioTransport extends MCPTransport {
  /** How the server ended and what it said last, if it has ended. */
  lastWords(): string | undefined
}

/**
 * Speaks to a server over its standard streams. Unlike the library's own transport this one gives the server no variable that is not in `env`,
 * and ends it with everything it started (C70).
 */
export function stdioTransport({ command, cwd, env, validate, grace }: StdioOptions): StdioTransport {
  const [program = '', ...args] = command
  const said: string[] = []
  let child: ChildProcess | undefined
  let ended: string | undefined

  const transport: StdioTransport = {
    start: () =>
      new Promise((resolve, reject) => {
        const failed = (error: unknown) =>
          reject(
            new McpError(`${JSON.stringify(program)} cannot be started: ${messageOf(error)}.`, 'Is it installed in this job, and on the PATH?', {
              cause: error,
            }),
          )
        try {
          child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
        } catch (error) {
          failed(error)
          return
        }
        child.once('spawn', resolve)
        child.once('error', (error) => {
          failed(error)
          transport.onerror?.(error)
        })
        child.once('exit', (code, signal) => {
          ended = signal ? `it was ended by ${signal}` : `it ended with code ${code}`
        })
        child.once('close', () => transport.onclose?.())
        child.stdin?.on('error', (error) => transport.onerror?.(error))
        if (child.stdout) createInterface({ input: child.stdout }).on('line', receive)
        if (child.stderr) createInterface({ input: child.stderr }).on('line', remember)
      }),
    send: (message) =>
      new Promise((resolve, reject) => {
        if (!child?.stdin?.writable) return reject(new McpError('The server is not running.', 'Go on without its tools.'))
        child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
      }),
    async close() {
      child?.stdin?.end()
      if (child?.pid !== undefined) await endGroup(child.pid, grace)
      transport.onclose?.()
    },
    lastWords: () => ended && (said.length > 0 ? `${ended} and said: ${said.join(' / ')}` : ended),
  }

  /** Servers also print what is no message; it is not theirs to say. */
  const receive = (line: string) => {
    if (!line.trimStart().startsWith('{')) return remember(line)
    try {
      transport.onmessage?.(validate(JSON.parse(line)))
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(messageOf(error)))
    }
  }
  const remember = (line: string) => {
    if (line.trim() === '') return
    said.push(cut(line, limits.lineChars))
    said.splice(0, said.length - LAST_WORDS)
  }
  return transport
}
