import { z } from 'zod'
import type { Files } from '../workspace/files.ts'
import { lineCounts } from './counts.ts'
import { type Draft, draft } from './draft.ts'
import { ToolError } from './errors.ts'
import { type Candidate, findPlaces } from './match.ts'
import { pathNeed } from './needs.ts'
import { flag } from './parameters.ts'
import type { Seen } from './seen.ts'
import { splice } from './splice.ts'
import { type Decoded, decode, encode, linesOf, withLineEnd, withoutBom } from './text.ts'

const parameters = z.object({
  filePath: z.string().min(1).describe('File, absolute or relative to the working directory'),
  oldString: z.string().describe('Text to replace, as it is in the file; empty to create the file'),
  newString: z.string().describe('Text to put there'),
  replaceAll: flag('Replace every occurrence, default false'),
})

interface Wanted {
  readonly title: string
  readonly old: string
  readonly next: string
  readonly all: boolean
}

/** Replaces a text in a file. Line ends, byte-order mark, encoding and mode stay; the text is inserted byte for byte (C64-C66). */
export function editTool({ files, seen }: { files: Files; seen: Seen }): Draft {
  const needs = ({ filePath }: z.output<typeof parameters>) => pathNeed('edit', filePath, files, 'write')
  return draft('edit', parameters, needs, async ({ filePath, oldString, newString, replaceAll }) => {
    const path = files.locate(filePath, 'write')
    const title = files.show(path)
    const wanted = { title, old: plain(oldString), next: plain(newString), all: replaceAll ?? false }
    if (wanted.old === wanted.next) {
      const why = oldString === newString ? 'are the same' : 'differ only in line ends, and the file keeps its own'
      throw new ToolError(`No change to ${title}: oldString and newString ${why}.`, 'Give the text as it should become.')
    }
    return files.exclusive(path, async () => {
      const there = files.kind(path)
      if (there === 'folder') throw new ToolError(`${title} is a folder.`, 'Name a file.')
      if (!there && oldString !== '') throw new ToolError(`There is no file ${title}.`, 'Look for it with glob, or create it with write.')
      if (there && oldString === '') throw new ToolError(`${title} exists, and oldString is empty.`, 'Give the text to replace, or write the whole file.')
      const before = there ? readable(await files.read(path), title) : { text: '', encoding: 'utf8' as const, bom: false }
      const { text, how, lines } = there ? edited(before.text, wanted) : { text: newString, how: undefined, lines: '' }
      const bytes = encode(text, before)
      await files.write(path, bytes)
      seen.note(path, bytes)
      const counts = lineCounts(before.text, text)
      const done = there ? `Edited ${title}, ${lines} (+${counts.additions} -${counts.deletions} lines).` : `Created ${title} (${counts.additions} lines).`
      const caution = how === undefined ? '' : `\noldString was not found exactly; a tolerant match was used (${how}). Check the result.`
      return {
        title,
        output: done + caution,
        metadata: { path: files.inRoot(path), exists: there !== undefined, ...counts, ...(how === undefined ? {} : { tolerant: how }) },
      }
    })
  })
}

function plain(text: string): string {
  return withLineEnd(withoutBom(text), '\n')
}

/** The text of a file that is to be changed. Throws `ToolError` when it is binary or would be damaged. */
export function readable(bytes: Buffer, title: string): Decoded {
  const decoded = decode(bytes)
  if (!decoded) throw new ToolError(`${title} is a binary file.`, 'Change it with a program of its own through bash.')
  if (!decoded.exact)
    throw new ToolError(`${title} holds bytes that are not valid UTF-8, which an edit would damage.`, 'Change it with bash, for example with sed or iconv.')
  return decoded
}

function edited(raw: string, wanted: Wanted): { text: string; how: string | undefined; lines: string } {
  const text = withLineEnd(raw, '\n')
  const { how, places, unclear } = findPlaces(text, wanted.old, wanted.next)
  const [place] = places
  if (!place) throw notFound(text, wanted)
  if (wanted.all) {
    if (how !== undefined) throw notFound(text, wanted)
    const apart = withoutOverlaps(places)
    return { text: splice(raw, apart), how, lines: `${apart.length} ${apart.length === 1 ? 'place' : 'places'}` }
  }
  if (places.length > 1) {
    const where = places.slice(0, 10).map(({ lines }) => lines[0])
    const more = places.length > where.length ? ', ...' : ''
    const loosely = how === undefined ? '' : ` (${how})`
    throw new ToolError(
      `oldString fits ${places.length} places of ${wanted.title}${loosely}, at lines ${where.join(', ')}${more}.`,
      how === undefined ? 'Add lines around it until it is unique, or set replaceAll.' : 'Read the file again and give the exact text with lines around it.',
    )
  }
  if (how !== undefined && isOutOfProportion(text.slice(place.start, place.end), wanted.old)) {
    throw new ToolError(
      `What oldString would replace in ${wanted.title}, ${linesAt(place)}, is much larger than oldString.`,
      'Read these lines again and give their full text.',
    )
  }
  if (unclear) {
    throw new ToolError(
      `oldString fits ${linesAt(place)} of ${wanted.title} only with another indentation, which newString cannot be given safely.`,
      'Read these lines again and give their exact text.',
    )
  }
  const result = splice(raw, [place])
  if (result === raw) throw new ToolError(`No change to ${wanted.title}: ${linesAt(place)} already read so.`, 'Go on, or read the file again.')
  return { text: result, how, lines: linesAt(place) }
}

/** Occurrences that overlap are replaced from the left, as in any search and replace. */
function withoutOverlaps(places: readonly Candidate[]): Candidate[] {
  let done = 0
  return places.filter(({ start, end }) => {
    if (start < done) return false
    done = end
    return true
  })
}

function linesAt({ lines: [first, last] }: Candidate): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`
}

/** A tolerant match may not take much more than it was asked for (the engine's description 3.6). */
function isOutOfProportion(found: string, old: string): boolean {
  const [foundLines, oldLines] = [linesOf(found).length, linesOf(old).length]
  if (foundLines >= Math.max(oldLines + 3, oldLines * 2)) return true
  return oldLines > 1 && found.trim().length > Math.max(old.trim().length + 500, old.trim().length * 4)
}

function notFound(text: string, { title, old, all }: Wanted): ToolError {
  const first = old
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim()
  const near = text
    .split('\n')
    .flatMap((line, at) => (first !== undefined && line.includes(first) ? [at + 1] : []))
    .slice(0, 3)
  const where = near.length > 0 ? ` Its first line is there at line ${near.join(', ')}, but what follows differs.` : ''
  const strict = all ? ' With replaceAll it must match exactly.' : ''
  return new ToolError(`oldString was not found in ${title}.${where}${strict}`, 'Read the file again and copy the text exactly, without the line numbers.')
}
