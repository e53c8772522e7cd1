import { z } from 'zod'
import type { Files } from '../workspace/files.ts'
import { lineCounts } from './counts.ts'
import { type Draft, draft } from './draft.ts'
import { ToolError } from './errors.ts'
import { pathNeed } from './needs.ts'
import type { Seen } from './seen.ts'
import { decode, encode, lineEnd, withLineEnd, withoutBom } from './text.ts'

const parameters = z.object({
  content: z.string().describe('The whole new content'),
  filePath: z.string().min(1).describe('File, absolute or relative to the working directory'),
})

/**
 * Writes a whole file. An existing one must have been read in this run and not changed since (C78); it keeps its line ends,
 * byte-order mark, encoding and mode (C65, C66). New files get the content as it is.
 */
export function writeTool({ files, seen }: { files: Files; seen: Seen }): Draft {
  const needs = ({ filePath }: z.output<typeof parameters>) => pathNeed('edit', filePath, files, 'write')
  return draft('write', parameters, needs, async ({ content, filePath }) => {
    const path = files.locate(filePath, 'write')
    const title = files.show(path)
    return files.exclusive(path, async () => {
      const before = files.kind(path) ? await existing(path, title, { files, seen }) : undefined
      const { bytes, text, note } = before ? likeBefore(content, before) : { bytes: Buffer.from(content), text: content, note: '' }
      await files.write(path, bytes)
      seen.note(path, bytes)
      const counts = lineCounts(before?.text ?? '', text)
      const output = before ? `Replaced ${title} (+${counts.additions} -${counts.deletions} lines).${note}` : `Created ${title} (${counts.additions} lines).`
      return { title, output, metadata: { path: files.inRoot(path), exists: before !== undefined, ...counts } }
    })
  })
}

type Before = NonNullable<ReturnType<typeof decode>>

/** The file that is to be replaced. Throws `ToolError` unless the model has seen it as it is (C78). */
export async function existing(path: string, title: string, { files, seen }: { files: Files; seen: Seen }): Promise<Before> {
  if (files.kind(path) === 'folder') throw new ToolError(`${title} is a folder.`, 'Name a file.')
  const bytes = await files.read(path)
  const state = seen.state(path, bytes)
  if (state !== 'current') {
    const why = state === 'unseen' ? 'exists and was not read in this run' : 'has changed on disk since it was read'
    throw new ToolError(`${title} ${why}.`, 'Read it first, then write it, or change only parts of it.')
  }
  return decode(bytes) ?? { text: '', encoding: 'utf8', bom: false, exact: false }
}

/** New content with the line ends, mark and encoding of the file it replaces, and a note for the model where that changed it (C65, C66). */
export function likeBefore(content: string, before: Before): { bytes: Buffer; text: string; note: string } {
  const end = lineEnd(before.text)
  const plain = withoutBom(content)
  const text = end === undefined ? plain : withLineEnd(plain, end)
  const note = text === plain ? '' : ` Its ${end === '\r\n' ? 'CRLF' : 'LF'} line ends were kept.`
  return { bytes: encode(text, { encoding: before.encoding, bom: before.bom || content !== plain }), text, note }
}
