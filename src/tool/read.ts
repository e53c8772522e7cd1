import { type Dirent, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { limits } from '../limits.ts'
import type { Files } from '../workspace/files.ts'
import { type Draft, draft } from './draft.ts'
import { ToolError } from './errors.ts'
import { mediaOf } from './media.ts'
import { pathNeed } from './needs.ts'
import { integer } from './parameters.ts'
import type { Seen } from './seen.ts'
import { clean, cutLine, decode, linesOf } from './text.ts'
import type { ToolResult } from './tool.ts'

const parameters = z.object({
  filePath: z.string().min(1).describe('File or folder, absolute or relative to the working directory'),
  offset: integer(0, 'First line, from 1'),
  limit: integer(0, `Number of lines, default ${limits.outputLines}`),
})

type Range = { readonly offset: number; readonly limit: number }

/** Shows a file with line numbers, lists a folder, or hands over an image or PDF. */
export function readTool({ files, seen }: { files: Files; seen: Seen }): Draft {
  const needs = ({ filePath }: z.output<typeof parameters>) => pathNeed('read', filePath, files, 'read')
  return draft('read', parameters, needs, async (input) => {
    const path = files.locate(input.filePath, 'read')
    const range = { offset: Math.max(1, input.offset ?? 1), limit: input.limit ?? limits.outputLines }
    const kind = files.kind(path)
    if (!kind) throw missing(path, files)
    if (kind === 'folder') return folder(path, range, files)
    const bytes = await files.read(path)
    seen.note(path, bytes)
    return media(path, bytes, files) ?? text(path, bytes, range, files)
  })
}

function missing(path: string, files: Files): ToolError {
  const wanted = basename(path).toLowerCase()
  const alike = entriesOf(dirname(path))
    .map(({ name }) => name)
    .filter((name) => name.toLowerCase().includes(wanted) || wanted.includes(name.toLowerCase()))
    .slice(0, 3)
    .map((name) => files.show(join(dirname(path), name)))
  return new ToolError(`There is no file ${files.show(path)}.`, alike.length > 0 ? `Did you mean ${alike.join(' or ')}?` : 'Look for it with glob or list.')
}

function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).filter(({ name }) => name.toLowerCase() !== '.git')
  } catch {
    // No such folder either: nothing to suggest.
    return []
  }
}

function folder(path: string, { offset, limit }: Range, files: Files): ToolResult {
  const names = entriesOf(path)
    .map((entry) => (entry.isDirectory() || (entry.isSymbolicLink() && files.kind(join(path, entry.name)) === 'folder') ? `${entry.name}/` : entry.name))
    .sort()
  const shown = names.slice(offset - 1, offset - 1 + limit)
  const next = offset + shown.length
  const note =
    shown.length === names.length
      ? `${names.length} entries`
      : `${shown.length} of ${names.length} entries${next <= names.length ? `; read on with offset ${next}` : ''}`
  const title = files.show(path)
  return { title, output: [`<path>${title}</path>`, '<entries>', ...shown, '</entries>', `(${note})`].join('\n'), metadata: { path: files.inRoot(path) } }
}

function media(path: string, bytes: Buffer, files: Files): ToolResult | undefined {
  const kind = mediaOf(bytes)
  if (!kind) return undefined
  const title = files.show(path)
  const what = kind.mime === 'application/pdf' ? 'PDF' : 'image'
  if (bytes.length > kind.max) {
    throw new ToolError(
      `${title} is ${what === 'PDF' ? 'a PDF' : 'an image'} of ${bytes.length} bytes; at most ${kind.max} can be shown.`,
      'Make a smaller one with bash, or do without.',
    )
  }
  return {
    title,
    output: `The ${what} ${title} (${kind.mime}, ${bytes.length} bytes) is attached.`,
    metadata: { path: files.inRoot(path), truncated: false },
    attachments: [{ type: 'file', mime: kind.mime, url: `data:${kind.mime};base64,${bytes.toString('base64')}`, filename: basename(path) }],
  }
}

function text(path: string, bytes: Buffer, { offset, limit }: Range, files: Files): ToolResult {
  const title = files.show(path)
  const decoded = decode(bytes)
  if (!decoded) throw new ToolError(`${title} is a binary file (${bytes.length} bytes).`, 'Look at it with bash, for example with `file` or `xxd | head`.')
  const lines = linesOf(decoded.text)
  if (offset > Math.max(1, lines.length)) throw new ToolError(`${title} has ${count(lines.length)}; offset ${offset} is past its end.`, 'Use a smaller offset.')
  const { shown, full } = fill(lines.slice(offset - 1, offset - 1 + limit), offset)
  const next = offset + shown.length
  const more = next <= lines.length
  const range = shown.length === 0 ? 'No lines' : `Lines ${offset}-${next - 1}`
  const ending = more
    ? `(${range} of ${lines.length}${full ? `, ${limits.outputBytes} bytes at a time` : ''}; read on with offset ${next})`
    : `(End of file, ${count(lines.length)})`
  const warning = decoded.exact ? [] : ['(Some bytes are not valid UTF-8 and show as \uFFFD)']
  return {
    title,
    output: [`<path>${title}</path>`, '<content>', ...shown, '</content>', ending, ...warning].join('\n'),
    metadata: { path: files.inRoot(path), lines: lines.length, truncated: more },
  }
}

function count(lines: number): string {
  return `${lines} ${lines === 1 ? 'line' : 'lines'}`
}

/** Numbers lines until the byte limit is reached. */
function fill(lines: readonly string[], first: number): { shown: string[]; full: boolean } {
  const shown: string[] = []
  let bytes = 0
  for (const line of lines) {
    const numbered = `${first + shown.length}: ${cutLine(clean(line), limits.lineChars)}`
    bytes += Buffer.byteLength(numbered) + 1
    if (bytes > limits.outputBytes) return { shown, full: true }
    shown.push(numbered)
  }
  return { shown, full: false }
}
