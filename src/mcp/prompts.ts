import { z } from 'zod'
import { foreignName } from '../tool/foreign.ts'
import type { Connection } from './connect.ts'
import { readableContent } from './content.ts'
import { everyPage } from './pages.ts'

/** A prompt of a server, as a command people can call. */
export interface McpCommand {
  /** `server:prompt`. */
  readonly name: string
  readonly description?: string
  /** The text, with `$1`, `$2`, … for the prompt's arguments in their order. Asks the server; throws what the client throws. */
  template(signal: AbortSignal): Promise<string>
}

const Message = z.object({ content: z.unknown() })

/** The prompts a server offers, all pages of them. */
export async function commandsOf(server: string, { client, timeout }: Connection, signal: AbortSignal): Promise<McpCommand[]> {
  if (!client.initializeResult.capabilities.prompts) return []
  const prompts = await everyPage(async (params) => {
    const page = await client.listPrompts({ params, options: { timeout, signal } })
    return { items: page.prompts, nextCursor: page.nextCursor }
  })
  return prompts.map(({ name, description, arguments: given = [] }) => ({
    name: `${foreignName(server)}:${foreignName(name)}`,
    ...(description === undefined ? {} : { description }),
    async template(signal) {
      const places = Object.fromEntries(given.map((argument, index) => [argument.name, `$${index + 1}`]))
      const { messages } = await client.getPrompt({ name, arguments: places, options: { signal, timeout } })
      const text = messages.map((message) => readableContent([Message.parse(message).content]).text).join('\n')
      // A server's words are no command lines: an insert in them would be run by the shell.
      return text.replaceAll('!`', '! `')
    },
  }))
}
