import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { ChatCompletionRequest } from '@copilotkit/aimock'
import type { World } from '../../src/local/world.ts'

const folder = join(import.meta.dirname, '../fixtures/opencode-user')
const server = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js')

/** A repository as somebody has it who works with OpenCode on their own machine; its MCP server is the one that is installed here. */
export function opencodeRepository(): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const command = JSON.stringify([process.execPath, server])
      return [relative(folder, path), readFileSync(path, 'utf8').replace('["node", "server-everything"]', () => command)]
    }),
  )
}

type Request = ChatCompletionRequest

/** The text of a message, however it is split. */
function textOf({ content }: Request['messages'][number]): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n')
}

/** What the model was told in a request: the system text, and the messages of people. */
export function told(world: World, index = 0) {
  const request = world.model?.requests()[index]
  const texts = (role: string) => (request?.messages ?? []).filter((message) => message.role === role).map(textOf)
  return {
    system: texts('system').join('\n'),
    user: texts('user'),
    tools: (request?.tools ?? []).map((tool) => tool.function.name),
    description: (name: string) => request?.tools?.find((tool) => tool.function.name === name)?.function.description ?? '',
  }
}

/** The result of a call as the newest request that holds it shows it to the model. */
export function resultOf(world: World, id: string): string {
  const messages = world.model?.requests().at(-1)?.messages ?? []
  const found = messages.find((message) => message.tool_call_id === id)
  if (!found) throw new Error(`the model never saw a result of ${id}`)
  return textOf(found)
}
