import { z } from 'zod'
import type { Attachment } from '../session/message.ts'
import { attachmentOf } from '../tool/foreign.ts'

/** One content of a resource: text, or bytes in base64. */
export const ResourceContent = z.object({ uri: z.string(), mimeType: z.string().optional(), text: z.string().optional(), blob: z.string().optional() })
export type ResourceContent = z.infer<typeof ResourceContent>

const Content = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.object({ type: z.literal('resource'), resource: ResourceContent }),
  z.object({ type: z.literal('resource_link'), uri: z.string(), name: z.string(), description: z.string().optional() }),
])

/** What a model reads of an answer, and the images and PDFs that go with it. */
export interface Readable {
  readonly text: string
  readonly attachments: readonly Attachment[]
}

/** The contents of a tool's answer (the engine's description 2.10): texts joined by blank lines; what a model cannot be given leaves a note. */
export function readableContent(contents: readonly unknown[]): Readable {
  return gathered(contents.map(pieceOf))
}

/** The contents of a resource, likewise. */
export function readableResource(contents: readonly ResourceContent[]): Readable {
  return gathered(contents.map(pieceOfResource))
}

function gathered(pieces: readonly (string | Attachment)[]): Readable {
  return {
    text: pieces.filter((piece) => typeof piece === 'string').join('\n\n'),
    attachments: pieces.filter((piece) => typeof piece !== 'string'),
  }
}

function pieceOf(content: unknown): string | Attachment {
  const known = Content.safeParse(content)
  if (!known.success) {
    const { type } = z.object({ type: z.string() }).catch({ type: 'unknown' }).parse(content)
    return `[A content of type ${type} is left out: it cannot be shown to a model]`
  }
  switch (known.data.type) {
    case 'text':
      return known.data.text
    case 'image':
      return attachmentOf(known.data.data, { mime: known.data.mimeType, name: 'image' })
    case 'resource':
      return pieceOfResource(known.data.resource)
    case 'resource_link':
      return `${known.data.name}: ${known.data.uri}${known.data.description ? ` (${known.data.description})` : ''}`
  }
}

function pieceOfResource({ uri, mimeType = 'application/octet-stream', text, blob }: ResourceContent): string | Attachment {
  return text ?? attachmentOf(blob ?? '', { mime: mimeType, name: uri })
}
