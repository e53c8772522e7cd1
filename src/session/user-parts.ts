import { fileURLToPath } from 'node:url'
import { messageOf } from '../failure.ts'
import type { Texts } from '../prompt/texts.ts'
import { authorize, evaluate, type Rules } from '../tool/permission.ts'
import type { Tool, ToolResult } from '../tool/tool.ts'
import { type ImageScaler, imageLimits } from './images.ts'
import type { Attachment } from './message.ts'
import type { Recorder } from './record.ts'
import { type Piece, type PromptPart, synthetic } from './user.ts'

/** One of the contents of an MCP resource: text, or bytes in base64. */
export interface ResourceContent {
  readonly uri: string
  readonly mimeType?: string | undefined
  readonly text?: string | undefined
  readonly blob?: string | undefined
}

/** Reads a resource of an MCP server. */
export type ReadResource = (server: string, uri: string, signal: AbortSignal) => Promise<readonly ResourceContent[]>

/** What the parts of a message are read with. */
export interface PartsContext {
  readonly record: Recorder
  readonly texts: Texts
  readonly signal: AbortSignal
  readonly tools: readonly Tool[]
  /** What the agent may do: attached files are read under the same rules as its own calls (DECISIONS 6). */
  readonly rules: Rules
  readonly agent: string
  readonly messageID: string
  readonly readResource: ReadResource | undefined
  readonly scaleImage: ImageScaler
}

/** Characters of an address without a name that are shown. */
const SHOWN = 100

type FileInput = Extract<PromptPart, { type: 'file' }>

/** Bytes of one binary content of a resource, and the kinds a model can be given (the engine's description 2.2). */
const BLOB_BYTES = 10 * 1024 * 1024
const BLOB_KINDS = ['application/pdf', 'image/gif', 'image/jpeg', 'image/png', 'image/webp']

/**
 * What was sent in, as the parts of a user message: files are read, side by side; the order stays that of the input. A file that
 * can't be read leaves a note for the model and an error event, and the message is sent all the same.
 */
export async function resolveParts(parts: readonly PromptPart[], context: PartsContext): Promise<Piece[]> {
  return (await Promise.all(parts.map((part) => resolvePart(part, context)))).flat()
}

async function resolvePart(part: PromptPart, context: PartsContext): Promise<Piece[]> {
  if (part.type === 'agent') {
    const denied = evaluate('task', part.name, context.rules).action !== 'allow'
    return [part, synthetic(context.texts(denied ? 'attached/agent-denied' : 'attached/agent', { name: part.name }))]
  }
  if (part.type !== 'file') return [part]
  const what = part.resource ? `resource ${part.resource.uri}` : `file ${part.filename ?? part.url.slice(0, SHOWN)}`
  try {
    return await fileParts(part, context)
  } catch (error) {
    const reason = messageOf(error)
    context.record.error({ name: 'UnknownError', message: `The attached ${what} could not be read: ${reason}` })
    return [synthetic(context.texts('attached/failed', { what, reason }))]
  }
}

async function fileParts({ resource, ...file }: FileInput, context: PartsContext): Promise<Piece[]> {
  if (resource) return resourceParts(resource, context)
  if (file.url.startsWith('file:')) return readParts(file, context)
  if (file.mime !== 'text/plain') return [await fitting(file, context)]
  const content = textOf(file.url)
  return content === undefined ? [file] : [file, synthetic(context.texts('attached/file', { name: file.filename ?? 'without a name', content }))]
}

/** A file or folder of the checkout, as the call of a tool that already happened. Lines are counted from 1, the last one is included. */
async function readParts(file: FileInput, context: PartsContext): Promise<Piece[]> {
  const url = new URL(file.url)
  const path = fileURLToPath(new URL(url.pathname, 'file:'))
  const start = Number(url.searchParams.get('start') ?? Number.NaN)
  const end = Number(url.searchParams.get('end') ?? Number.NaN)
  const range = start >= 1 ? { offset: start, ...(end >= start ? { limit: end - start + 1 } : {}) } : {}
  const isFolder = file.mime === 'application/x-directory'
  const name = isFolder ? 'list' : 'read'
  const input = isFolder ? { path } : { filePath: path, ...range }
  const { output, attachments = [] } = await call(name, input, context)
  const seen = [synthetic(context.texts('attached/read', { tool: name, input: JSON.stringify(input) })), synthetic(output)]
  if (attachments.length === 0) return [...seen, file]
  return [...seen, ...(await Promise.all(attachments.map((attachment) => fitting(attachment, context))))]
}

async function call(name: string, input: Record<string, unknown>, context: PartsContext): Promise<ToolResult> {
  const tool = context.tools.find(({ id }) => id === name)
  if (!tool) throw new Error(`there is no ${name} tool in this session`)
  await authorize(tool, input, context.rules)
  const { messageID, agent, signal, record } = context
  return tool.execute(input, { sessionID: record.store.session.id, messageID, callID: `attached_${name}`, agent, signal, metadata: () => undefined })
}

async function resourceParts({ server, uri }: { server: string; uri: string }, context: PartsContext): Promise<Piece[]> {
  const { texts, signal } = context
  if (!context.readResource) throw new Error(`there is no MCP server ${server} in this session`)
  const contents = await context.readResource(server, uri, signal)
  const pieces = contents.map(async (content): Promise<Piece[]> => {
    if (content.text !== undefined) return [synthetic(content.text)]
    if (content.blob === undefined) return []
    const mime = content.mimeType ?? 'application/octet-stream'
    const bytes = Buffer.byteLength(content.blob, 'base64')
    const leftOut = (reason: string) => [synthetic(texts('attached/left-out', { what: `${content.uri} (${mime})`, reason }))]
    if (!BLOB_KINDS.includes(mime)) return leftOut('a model cannot read files of this kind')
    if (bytes > BLOB_BYTES) return leftOut(`it has ${bytes} bytes, more than ${BLOB_BYTES}`)
    return [await fitting({ type: 'file', mime, url: `data:${mime};base64,${content.blob}`, filename: content.uri }, context)]
  })
  return [synthetic(texts('attached/resource', { server, uri })), ...(await Promise.all(pieces)).flat()]
}

/** A file within the limits for images, or a note in its place. Other kinds, and what lies elsewhere, stay as they are. */
async function fitting(file: Attachment, { scaleImage, texts }: PartsContext): Promise<Piece> {
  const match = /^data:image\/[^,]*;base64,(.*)$/s.exec(file.url)
  if (!match) return file
  const scaled = await scaleImage({ mime: file.mime, data: Buffer.from(match[1] ?? '', 'base64') }, imageLimits)
  if (scaled) return { ...file, mime: scaled.mime, url: `data:${scaled.mime};base64,${scaled.data.toString('base64')}` }
  const { side, base64 } = imageLimits
  const reason = `it is larger than ${side} x ${side} pixels or ${base64} bytes of base64, and cannot be made smaller here`
  return synthetic(texts('attached/left-out', { what: `The image ${file.filename ?? 'without a name'}`, reason }))
}

/** The text of a data URL; undefined for any other URL. */
function textOf(url: string): string | undefined {
  const match = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url)
  if (!match) return undefined
  const data = match[2] ?? ''
  return match[1] ? Buffer.from(data, 'base64').toString('utf8') : decodeURIComponent(data)
}
