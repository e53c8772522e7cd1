import { type Instructions, instructionBlock } from '../prompt/instructions.ts'
import type { Redactor } from '../report/redact.ts'
import type { Image } from '../session/images.ts'
import type { Attachment } from '../session/message.ts'
import type { Store } from '../session/ports.ts'
import type { ReadResource } from '../session/user-parts.ts'
import { allowed, authorize, type PermissionNeed, type Rules } from '../tool/permission.ts'
import type { Tool, ToolResult } from '../tool/tool.ts'

/** No secret of ours reaches the model, even when a file, a command or somebody else's error shows one. */
export function withoutSecrets(tool: Tool, { redact, learn }: Redactor): Tool {
  return {
    ...tool,
    async execute(input, context) {
      try {
        const result = await tool.execute(input, context)
        // A key that a command has just made is a secret from here on.
        learn(result.output)
        return { ...result, title: redact(result.title), output: redact(result.output) }
      } catch (error) {
        if (error instanceof Error) error.message = redact(error.message)
        throw error
      }
    },
  }
}

/** Images that a tool hands back are made to fit like those of a message; one that can't be is left out, and the model told. */
export function withFittingImages(tool: Tool, scale: (image: Image) => Promise<Image | undefined>): Tool {
  return {
    ...tool,
    async execute(input, context) {
      const result = await tool.execute(input, context)
      if (!result.attachments) return result
      const all = await Promise.all(result.attachments.map((file) => fitted(file, scale)))
      const attachments = all.filter((file) => file !== undefined)
      const lost = all.length - attachments.length
      return { ...result, attachments, output: lost === 0 ? result.output : `${result.output}\n(${lost} image(s) too large for a model were left out)` }
    },
  }
}

async function fitted(file: Attachment, scale: (image: Image) => Promise<Image | undefined>): Promise<Attachment | undefined> {
  const [, mime, base64] = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(file.url) ?? []
  if (mime === undefined || base64 === undefined) return file
  const scaled = await scale({ mime, data: Buffer.from(base64, 'base64') })
  return (
    scaled &&
    (scaled.mime === mime && scaled.data.length === Buffer.byteLength(base64, 'base64')
      ? file
      : { ...file, mime: scaled.mime, url: `data:${scaled.mime};base64,${scaled.data.toString('base64')}` })
  )
}

/** The same for resources of MCP servers, whose texts become part of a message. */
export function readWithoutSecrets(read: ReadResource, { redact }: Redactor): ReadResource {
  return async (server, uri, signal) => {
    const contents = await read(server, uri, signal)
    return contents.map((content) => (content.text === undefined ? content : { ...content, text: redact(content.text) }))
  }
}

/** The job's own limits stand behind every other rule: both must allow, also what a tool asks for while it works. */
export function within(gate: Rules): (tool: Tool) => Tool {
  return (tool) => ({
    ...tool,
    async execute(input, context) {
      await authorize(tool, input, gate)
      const { ask } = context
      if (!ask) return tool.execute(input, context)
      const both = (need: PermissionNeed) => {
        allowed([need], gate)
        ask(need)
      }
      return tool.execute(input, { ...context, ask: both })
    },
  })
}

/** The store of a session: the run's own, or that of a subtask. */
export type StoreOf = (sessionID: string) => Store

/** Lets `read` attach the instructions that lie nearer to the file it reads, each once a session, a subtask's being one of its own (the engine's description 2.16). */
export function withNearby(tool: Tool, instructions: Instructions, storeOf: StoreOf): Tool {
  if (tool.id !== 'read') return tool
  return {
    ...tool,
    async execute(input, context) {
      const result = await tool.execute(input, context)
      const { path } = result.metadata
      if (typeof path !== 'string' || path.startsWith('..')) return result
      const found = await instructions.nearby(path, attached(storeOf(context.sessionID)))
      return found.length === 0 ? result : attach(result, found)
    },
  }
}

function attach(result: ToolResult, found: Awaited<ReturnType<Instructions['nearby']>>): ToolResult {
  const reminder = `<system-reminder>\n${found.map(instructionBlock).join('\n\n')}\n</system-reminder>`
  return { ...result, output: `${result.output}\n\n${reminder}`, metadata: { ...result.metadata, loaded: found.map(({ source }) => source) } }
}

/** Sources that a result the model still sees has attached. */
function attached(store: Store): ReadonlySet<string> {
  const sources = store.messages().flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type !== 'tool' || part.state.status !== 'completed' || part.state.time.compacted !== undefined) return []
      const { loaded } = part.state.metadata
      return Array.isArray(loaded) ? loaded.filter((source) => typeof source === 'string') : []
    }),
  )
  return new Set(sources)
}
