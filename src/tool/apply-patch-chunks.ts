import type { Chunk, ChunkLine } from './apply-patch-parse.ts'
import { ToolError } from './errors.ts'
import { carryOver, indentOf } from './indentation.ts'
import { type Splice, splice } from './splice.ts'
import { withLineEnd } from './text.ts'

/** How a chunk's lines may differ from the file's, strictest first. `how` is said to the model; white space at line ends needs no word. */
const passes: readonly { how: string | undefined; form(line: string): string }[] = [
  { how: undefined, form: (line) => line },
  { how: undefined, form: (line) => line.trimEnd() },
  { how: 'white space differs', form: (line) => line.trim() },
  { how: 'quotes, dashes or special blanks differ', form: (line) => folded(line).trim() },
]

interface Place {
  readonly at: number
  readonly how: string | undefined
}

export interface Patched {
  readonly text: string
  /** Which chunks fit only loosely, for the model to check. */
  readonly notes: readonly string[]
}

/**
 * Makes the changes of an update section in a text. Chunks are looked for one after the other, each behind the one before; lines that stay
 * keep the file's own bytes, line ends included (C65). A change of the last line gives it a line end. Throws `ToolError` with `title` in it.
 */
export function applyChunks(raw: string, chunks: readonly Chunk[], title: string): Patched {
  const plain = withLineEnd(raw, '\n')
  const lines = plain.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const splices: Splice[] = []
  const notes: string[] = []
  let from = 0
  for (const chunk of chunks) {
    const { at, how, changes } = locate(lines, chunk, from, title)
    if (how !== undefined) notes.push(`${title}, line ${at + 1}: a tolerant match was used (${how}). Check the result.`)
    splices.push(...splicesOf(plain, lines, at, at === lines.length ? changes : fitted(lines, at, changes, title)))
    // Text that goes to the end of the file says nothing about where the next chunk is.
    if (at < lines.length) from = at + oldLines(changes).length
  }
  splices.sort((a, b) => a.start - b.start)
  return { text: splice(raw, splices), notes }
}

function locate(lines: readonly string[], chunk: Chunk, from: number, title: string): Place & { changes: readonly ChunkLine[] } {
  const start = chunk.context.reduce((place, context) => {
    const found = seek(lines, [context], place, false)
    if (!found) throw missing(lines, [context], title, 'The `@@` line')
    return found.at + 1
  }, from)
  const old = oldLines(chunk.lines)
  if (old.length === 0) return { at: chunk.context.length > 0 && !chunk.atEnd ? start : lines.length, how: undefined, changes: chunk.lines }
  // The line of the `@@` is often repeated as the first line of the chunk.
  const starts = chunk.context.length > 0 ? [start, start - 1] : [start]
  const shorter = withoutEmptyEnd(chunk.lines)
  for (const changes of shorter ? [chunk.lines, shorter] : [chunk.lines]) {
    for (const first of starts) {
      const place = seek(lines, oldLines(changes), first, chunk.atEnd)
      if (place) return { ...place, changes }
    }
  }
  throw missing(lines, old, title, 'A chunk')
}

function seek(lines: readonly string[], wanted: readonly string[], from: number, atEnd: boolean): Place | undefined {
  const last = lines.length - wanted.length
  return (atEnd ? scan(lines, wanted, Math.max(from, last), last) : undefined) ?? scan(lines, wanted, from, last)
}

/** The first place from `first` to `last` where the lines fit by the strictest pass that fits anywhere. */
function scan(lines: readonly string[], wanted: readonly string[], first: number, last: number): Place | undefined {
  for (const { how, form } of passes) {
    const asked = wanted.map(form)
    for (let at = first; at <= last; at += 1) {
      if (asked.every((line, index) => line === form(lines[at + index] ?? ''))) return { at, how }
    }
  }
  return undefined
}

function oldLines(changes: readonly ChunkLine[]): string[] {
  return changes.filter(({ kind }) => kind !== 'add').map(({ text }) => text)
}

/** The chunk without an empty line at its end that the file may not have. */
function withoutEmptyEnd(changes: readonly ChunkLine[]): readonly ChunkLine[] | undefined {
  const at = changes.findLastIndex(({ kind }) => kind !== 'add')
  return changes[at]?.text === '' && oldLines(changes).length > 1 ? changes.filter((_, index) => index !== at) : undefined
}

/** The chunk with its new lines indented as the file is, where the model's indentation is another. */
function fitted(lines: readonly string[], at: number, changes: readonly ChunkLine[], title: string): readonly ChunkLine[] {
  const old = oldLines(changes)
  const file = lines.slice(at, at + old.length)
  if (old.every((line, index) => indentOf(line) === indentOf(file[index] ?? ''))) return changes
  // Apart from white space at its edges each old line is the file's.
  let index = 0
  const alike = changes.map(({ kind, text }) => {
    if (kind === 'add') return { kind, text }
    const own = file[index]?.trim() ?? ''
    index += 1
    return { kind, text: indentOf(text) + own }
  })
  const next = alike.filter(({ kind }) => kind !== 'remove')
  const moved = carryOver(
    file,
    oldLines(alike),
    next.map(({ text }) => text),
  )
  if (!moved) {
    throw new ToolError(
      `Nothing was changed. A chunk fits line ${at + 1} of ${title} only with another indentation, which its new lines cannot be given safely.`,
      'Read these lines again and copy their exact text into the patch.',
    )
  }
  let place = 0
  return changes.map(({ kind, text }) => {
    if (kind === 'remove') return { kind, text }
    place += 1
    return { kind, text: moved[place - 1] ?? text }
  })
}

/** One splice for each run of lines that go or come. */
function splicesOf(plain: string, lines: readonly string[], at: number, changes: readonly ChunkLine[]): Splice[] {
  const starts = [0]
  for (const line of lines) starts.push(Math.min(plain.length, (starts.at(-1) ?? 0) + line.length + 1))
  const startOf = (line: number) => starts[line] ?? plain.length
  const splices: Splice[] = []
  let line = at
  for (let index = 0; index < changes.length; ) {
    if (changes[index]?.kind === 'keep') {
      index += 1
      line += 1
      continue
    }
    const stop = changes.findIndex(({ kind }, other) => other > index && kind === 'keep')
    const run = changes.slice(index, stop === -1 ? undefined : stop)
    const after = line + run.filter(({ kind }) => kind === 'remove').length
    const added = run.filter(({ kind }) => kind === 'add').map(({ text }) => `${text}\n`)
    const open = startOf(line) === plain.length && plain !== '' && !plain.endsWith('\n') && added.length > 0
    splices.push({ start: startOf(line), end: startOf(after), text: (open ? '\n' : '') + added.join('') })
    line = after
    index += run.length
  }
  return splices
}

function missing(lines: readonly string[], wanted: readonly string[], title: string, what: string): ToolError {
  const first = wanted.find((line) => line.trim() !== '')?.trim() ?? ''
  const near = lines.flatMap((line, at) => (first !== '' && line.includes(first) ? [at + 1] : [])).slice(0, 3)
  const where = near.length > 0 ? ` Its first line is there at line ${near.join(', ')}, but what follows differs, or an earlier chunk lies behind it.` : ''
  return new ToolError(
    `Nothing was changed. ${what} was not found in ${title}: \`${wanted.join('\n').slice(0, 200)}\`.${where}`,
    'Read the file again and copy the lines exactly, with three lines around the change, in the order of the file.',
  )
}

/** Typographic characters as what is typed for them. */
function folded(line: string): string {
  return line
    .replaceAll(/[\u2018\u2019\u201A\u201B]/g, "'")
    .replaceAll(/[\u201C\u201D\u201E\u201F]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll('\u2026', '...')
    .replaceAll(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g, ' ')
}
