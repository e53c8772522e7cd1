import { ToolError } from './errors.ts'

/** A line of a chunk: kept, taken away or brought. */
export interface ChunkLine {
  readonly kind: 'keep' | 'remove' | 'add'
  readonly text: string
}

/** One place of a file that changes. */
export interface Chunk {
  /** Lines to find one after the other before the chunk itself is looked for: the texts of its `@@` lines. */
  readonly context: readonly string[]
  readonly lines: readonly ChunkLine[]
  /** The chunk is meant for the end of the file. */
  readonly atEnd: boolean
}

export type Section =
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'update'; readonly path: string; readonly moveTo?: string; readonly chunks: readonly Chunk[] }

const begin = '*** Begin Patch'
const end = '*** End Patch'
const endOfFile = '*** End of File'
const shape = `Write the patch between the lines \`${begin}\` and \`${end}\`, as sections \`*** Add File: PATH\`, \`*** Update File: PATH\` or \`*** Delete File: PATH\`.`

/**
 * Reads the envelope of a patch (the engine's description 3.7). Throws `ToolError` for anything that is not of that form: a line that would
 * have to be guessed at is refused, never skipped.
 */
export function parsePatch(patchText: string): readonly Section[] {
  const { lines, first } = envelope(patchText)
  const sections: Section[] = []
  let at = 0
  const body = (): Numbered[] => {
    const from = at
    while (at < lines.length && !isHeader(lines[at] ?? '')) at += 1
    return withoutBlankEnd(lines.slice(from, at).map((text, index) => ({ text, number: first + from + index })))
  }
  while (at < lines.length) {
    const number = first + at
    const line = (lines[at] ?? '').trim()
    at += 1
    if (line === '') continue
    const path = (name: string) => pathAfter(line, name, number)
    if (line.startsWith('*** Add File:')) sections.push({ kind: 'add', path: path('Add File'), content: contentOf(body()) })
    else if (line.startsWith('*** Delete File:')) sections.push({ kind: 'delete', path: path('Delete File') })
    else if (line.startsWith('*** Update File:')) {
      const updated = path('Update File')
      const next = (lines[at] ?? '').trim()
      const moves = next.startsWith('*** Move to:')
      if (moves) at += 1
      const chunks = chunksOf(body())
      if (chunks.length === 0 && !moves) throw malformed(`The section for ${updated} changes nothing.`, `Give it lines that start with \`-\` and \`+\`.`)
      sections.push({ kind: 'update', path: updated, ...(moves ? { moveTo: pathAfter(next, 'Move to', number + 1) } : {}), chunks })
    } else throw malformed(`Line ${number} of the patch is not the start of a section: \`${line.slice(0, 80)}\`.`, shape)
  }
  if (sections.length === 0) throw malformed('The patch is empty.', shape)
  return sections
}

interface Numbered {
  readonly text: string
  readonly number: number
}

function malformed(message: string, hint: string): ToolError {
  return new ToolError(`Nothing was changed. ${message}`, hint)
}

/** The lines between the markers, and the number of the first one. A shell's heredoc or a code fence around them is of no interest. */
function envelope(patchText: string): { lines: string[]; first: number } {
  const all = patchText.replaceAll(/\r\n?/g, '\n').split('\n')
  const start = all.findIndex((line) => line.trim() === begin)
  const stop = all.findLastIndex((line) => line.trim() === end)
  if (start === -1) throw malformed(`The patch has no line \`${begin}\`.`, shape)
  if (stop < start) throw malformed(`The patch has no line \`${end}\` after its beginning.`, shape)
  return { lines: all.slice(start + 1, stop), first: start + 2 }
}

/** Lines of content start with a blank, `-`, `+` or `@@`; `***` at the start of a line is never content. */
function isHeader(line: string): boolean {
  return line.startsWith('*** ') && line.trim() !== endOfFile
}

function pathAfter(line: string, name: string, number: number): string {
  const path = line.slice(`*** ${name}:`.length).trim()
  if (path === '') throw malformed(`Line ${number} of the patch names no file.`, shape)
  return path
}

/** Blank lines without a prefix in front of the next section belong to nobody. */
function withoutBlankEnd(lines: readonly Numbered[]): Numbered[] {
  return lines.slice(0, lines.findLastIndex(({ text }) => text.trim() !== '' || text === ' ') + 1)
}

function contentOf(lines: readonly Numbered[]): string {
  return lines
    .map(({ text, number }) => {
      if (text === '') return '\n'
      if (text.trim() === endOfFile) return ''
      if (!text.startsWith('+'))
        throw malformed(`Line ${number} of the patch is in a new file and does not start with \`+\`.`, 'Start every line of a new file with `+`.')
      return `${text.slice(1)}\n`
    })
    .join('')
}

function chunksOf(lines: readonly Numbered[]): Chunk[] {
  const chunks: Chunk[] = []
  let open: { context: string[]; lines: ChunkLine[]; atEnd: boolean } = { context: [], lines: [], atEnd: false }
  const close = () => {
    if (open.lines.length > 0) chunks.push(open)
    else if (open.context.length > 0)
      throw malformed(`A chunk after \`@@ ${open.context.join(' ')}\` has no lines.`, 'Give it lines that start with `-` and `+`.')
    open = { context: [], lines: [], atEnd: false }
  }
  for (const { text, number } of lines) {
    if (text.startsWith('@@')) {
      // Several `@@` lines in a row narrow the place down.
      if (open.lines.length > 0) close()
      const context = contextOf(text)
      if (context !== '') open.context.push(context)
    } else if (text.trim() === endOfFile) {
      open.atEnd = true
      close()
    } else open.lines.push(lineOf(text, number))
  }
  close()
  return chunks
}

/** What follows `@@`; the line numbers of a unified diff say nothing we could rely on. */
function contextOf(header: string): string {
  return header
    .slice(2)
    .replace(/^\s*-\d+(?:,\d+)?\s+\+\d+(?:,\d+)?\s*@@/, '')
    .replace(/^ /, '')
    .trimEnd()
}

const kinds: Readonly<Record<string, ChunkLine['kind']>> = { ' ': 'keep', '-': 'remove', '+': 'add' }

function lineOf(text: string, number: number): ChunkLine {
  // Models leave out the one blank of an empty line that stays.
  if (text === '') return { kind: 'keep', text: '' }
  const kind = kinds[text.charAt(0)]
  if (!kind) {
    throw malformed(
      `Line ${number} of the patch starts with none of blank, \`-\`, \`+\` and \`@@\`: \`${text.slice(0, 80)}\`.`,
      'Start lines that stay with one blank, those to take away with `-`, new ones with `+`.',
    )
  }
  return { kind, text: text.slice(1) }
}
