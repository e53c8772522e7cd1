import { z } from 'zod'
import { Attachment } from '../session/message.ts'
import { finish } from '../tool/draft.ts'
import { anyArguments } from '../tool/foreign.ts'
import type { Tool, ToolResult } from '../tool/tool.ts'
import type { Truncate } from '../tool/truncate.ts'
import type { Keeper } from './keep.ts'
import type { Definition } from './protocol.ts'

const Result = z.looseObject({
  title: z.string().optional(),
  output: z.unknown(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  attachments: z.array(z.unknown()).optional(),
})

/** The custom tools of a run for the engine. Arguments are checked in the child, where their schemas are. */
export function customTools(
  definitions: readonly Definition[],
  { keeper, truncate, timeout }: { keeper: Keeper; truncate: Truncate; timeout: number },
): Tool[] {
  return definitions.map(({ id, description, schema }) => {
    const execute: Tool['execute'] = async (input, context) => {
      const { sessionID, messageID, callID, agent, signal, metadata, ask } = context
      const { value } = await keeper.run({
        order: (number) => ({ type: 'call', id: number, tool: id, input, caller: { sessionID, messageID, callID, agent } }),
        what: `The tool ${id}`,
        timeout,
        signal,
        metadata,
        ...(ask ? { ask } : {}),
      })
      return resultOf(id, value)
    }
    return finish({ id, parameters: anyArguments, schema, execute }, description, truncate)
  })
}

/** A text, or an object with `output` and what belongs to it; anything else is shown as JSON. */
function resultOf(id: string, value: unknown): ToolResult {
  const parsed = Result.safeParse(value)
  if (!parsed.success || !('output' in parsed.data)) return { title: id, output: textOf(value), metadata: {} }
  const { title = id, output, metadata = {}, attachments = [] } = parsed.data
  const kept = attachments.flatMap((each) => {
    const attachment = Attachment.safeParse(each)
    // An address would make the engine, or the model's provider, fetch something.
    return attachment.success && attachment.data.url.startsWith('data:') ? [attachment.data] : []
  })
  const lost = attachments.length - kept.length
  const note = lost > 0 ? `\n\n[${lost} ${lost === 1 ? 'attachment is' : 'attachments are'} left out: they must have a mime type and a data: URL]` : ''
  return { title, output: textOf(output) + note, metadata, attachments: kept }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
