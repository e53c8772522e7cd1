import type { ListToolsResult } from '@ai-sdk/mcp'
import { z } from 'zod'
import { limits } from '../limits.ts'
import { finish } from '../tool/draft.ts'
import { anyArguments, foreignName, sentence, uniqueName } from '../tool/foreign.ts'
import type { Tool } from '../tool/tool.ts'
import type { Truncate } from '../tool/truncate.ts'
import type { Connection } from './connect.ts'
import { readableContent } from './content.ts'
import { McpError } from './errors.ts'
import { everyPage } from './pages.ts'

type Definition = ListToolsResult['tools'][number]

/** The tools a server has, all pages of them. */
export function definitionsOf({ client, timeout }: Connection, signal: AbortSignal): Promise<Definition[]> {
  if (!client.initializeResult.capabilities.tools) return Promise.resolve([])
  return everyPage(async (params) => {
    const { tools, nextCursor } = await client.listTools({ params, options: { timeout, signal } })
    return { items: tools, nextCursor }
  })
}

const Answer = z.object({
  content: z.array(z.unknown()).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
  toolResult: z.unknown().optional(),
})

/** A server's tools for the engine. `taken` holds the names that are in use. The server checks the arguments itself. */
export function toolsOf(
  server: string,
  connection: Connection,
  definitions: readonly Definition[],
  { truncate, taken }: { truncate: Truncate; taken: Set<string> },
): Tool[] {
  return definitions.map((definition) => {
    const id = uniqueName(foreignName(server, definition.name), taken)
    const title = definition.title ?? definition.annotations?.title ?? definition.name
    const execute: Tool['execute'] = async (input, { signal }) => {
      const answer = Answer.parse(
        await connection.client.callTool({
          name: definition.name,
          arguments: anyArguments.parse(input),
          options: { signal, timeout: limits.foreignCallTimeout },
        }),
      )
      const { text, attachments } = readableContent(answer.content ?? [])
      if (answer.isError) throw new McpError(sentence((await truncate(text || 'It failed and did not say why.')).text), 'Change the call, or find another way.')
      const output = text || attachments.length > 0 ? text : shown(answer.structuredContent ?? answer.toolResult)
      return { title, output: output || (attachments.length > 0 ? 'See the attachment.' : ''), metadata: {}, attachments }
    }
    const schema = { type: 'object', properties: {}, ...definition.inputSchema }
    return finish({ id, parameters: anyArguments, schema, execute }, definition.description ?? '', truncate)
  })
}

const shown = (value: unknown): string => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2))
