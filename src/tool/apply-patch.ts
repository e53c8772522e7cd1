import { lstatSync, statSync } from 'node:fs'
import { chmod, unlink } from 'node:fs/promises'
import { resolve } from 'node:path'
import { z } from 'zod'
import { messageOf } from '../failure.ts'
import type { Files } from '../workspace/files.ts'
import { applyChunks } from './apply-patch-chunks.ts'
import { parsePatch, type Section } from './apply-patch-parse.ts'
import { lineCounts } from './counts.ts'
import { type Draft, draft } from './draft.ts'
import { readable } from './edit.ts'
import { ToolError } from './errors.ts'
import { pathNeed } from './needs.ts'
import type { PermissionNeed } from './permission.ts'
import type { Seen } from './seen.ts'
import { decode, encode } from './text.ts'
import { existing, likeBefore } from './write.ts'

const parameters = z.object({ patchText: z.string().min(1).describe('The whole patch') })

interface Dependencies {
  readonly files: Files
  readonly seen: Seen
}

/** What the patch leaves at a path. */
interface Outcome {
  /** Undefined: nothing is there any more. */
  readonly bytes: Buffer | undefined
  readonly before: Buffer | undefined
  /** The path whose content and mode this file took over. */
  readonly movedFrom?: string
}

/**
 * Applies a patch of several files (the engine's description 3.7). Every section is checked against the files, as the sections before it leave
 * them, before anything is written. Line ends, byte-order mark, encoding and mode stay, as in `edit`; what would replace a file that was not
 * named as updated must have been read, as in `write` (C78).
 */
export function applyPatchTool(dependencies: Dependencies): Draft {
  const { files } = dependencies
  return draft(
    'apply_patch',
    parameters,
    ({ patchText }) => needs(patchText, files),
    async ({ patchText }) => {
      const sections = parsePatch(patchText)
      const paths = sections.flatMap((section) => pathsOf(section).map((path) => files.locate(path, 'write')))
      return exclusively([...new Set(paths)].sort(), files, async () => {
        const { outcomes, notes } = await plan(sections, dependencies)
        await carryOut(outcomes, dependencies)
        const changes = summary(outcomes, files)
        return {
          title: changes.length === 1 ? (changes[0]?.title ?? '') : `${changes.length} files`,
          output: ['The patch was applied:', ...changes.map(({ line }) => line), ...notes].join('\n'),
          metadata: { files: changes.map(({ path, status, additions, deletions }) => ({ path, status, additions, deletions })) },
        }
      })
    },
  )
}

function pathsOf(section: Section): string[] {
  return section.kind === 'update' && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path]
}

/** One need for all paths, those a file is moved to as well. A patch that cannot be read gets no further than the tool itself. */
function needs(patchText: string, files: Files): readonly PermissionNeed[] {
  let sections: readonly Section[]
  try {
    sections = parsePatch(patchText)
  } catch (error) {
    if (error instanceof ToolError) return []
    throw error
  }
  const patterns = sections.flatMap(pathsOf).flatMap((path) => pathNeed('edit', path, files, 'write').flatMap((need) => need.patterns))
  return [{ permission: 'edit', patterns: [...new Set(patterns)] }]
}

/** Holds all paths, always in the same order so that two patches never wait for each other. */
function exclusively<T>([first, ...rest]: readonly string[], files: Files, work: () => Promise<T>): Promise<T> {
  return first === undefined ? work() : files.exclusive(first, () => exclusively(rest, files, work))
}

async function plan(sections: readonly Section[], { files, seen }: Dependencies): Promise<{ outcomes: Map<string, Outcome>; notes: string[] }> {
  const outcomes = new Map<string, Outcome>()
  const notes: string[] = []
  const current = async (path: string, title: string): Promise<Buffer | undefined> => {
    const planned = outcomes.get(path)
    if (planned) return planned.bytes
    const kind = files.kind(path)
    if (kind === 'folder') throw new ToolError(`Nothing was changed. ${title} is a folder.`, 'Name a file.')
    return kind === undefined ? undefined : files.read(path)
  }
  const set = async (path: string, title: string, bytes: Buffer | undefined, movedFrom?: string) => {
    const known = outcomes.get(path)
    const before = known ? known.before : await current(path, title)
    const source = movedFrom ?? known?.movedFrom
    // Paths are carried out in the order they were last spoken of: a file must be gone before a folder takes its name.
    outcomes.delete(path)
    outcomes.set(path, { bytes, before, ...(source === undefined ? {} : { movedFrom: source }) })
  }
  const present = async (path: string, title: string): Promise<Buffer> => {
    const bytes = await current(path, title)
    if (!bytes) throw new ToolError(`Nothing was changed. There is no file ${title}.`, 'Look for it with glob, or create it with an Add File section.')
    return bytes
  }
  /** What replaces a whole file; one that is on disk must have been read. */
  const replacing = async (path: string, title: string, content: string): Promise<Buffer> => {
    const bytes = await current(path, title)
    if (!bytes) return Buffer.from(content)
    if (!outcomes.has(path)) return likeBefore(content, await existing(path, title, { files, seen })).bytes
    return likeBefore(content, decode(bytes) ?? { text: '', encoding: 'utf8', bom: false, exact: false }).bytes
  }

  for (const section of sections) {
    const path = files.locate(section.path, 'write')
    const title = files.show(path)
    if (section.kind === 'add') await set(path, title, await replacing(path, title, section.content))
    else if (section.kind === 'delete') {
      await present(path, title)
      refuseLink(section.path, files)
      await set(path, title, undefined)
    } else {
      const bytes = await present(path, title)
      const { changed, loose } = updated(bytes, section, title)
      notes.push(...loose)
      const target = section.moveTo === undefined ? path : files.locate(section.moveTo, 'write')
      if (target === path) await set(path, title, changed)
      else {
        refuseLink(section.path, files)
        const shown = files.show(target)
        if ((await current(target, shown)) && !outcomes.has(target)) await existing(target, shown, { files, seen })
        await set(target, shown, changed, outcomes.get(path)?.movedFrom ?? path)
        await set(path, title, undefined)
      }
    }
  }
  return { outcomes, notes }
}

function updated(bytes: Buffer, { chunks }: Extract<Section, { kind: 'update' }>, title: string): { changed: Buffer; loose: readonly string[] } {
  if (chunks.length === 0) return { changed: bytes, loose: [] }
  const before = readable(bytes, title)
  const { text, notes } = applyChunks(before.text, chunks, title)
  if (text === before.text) throw new ToolError(`Nothing was changed. ${title} already reads as the patch would make it.`, 'Go on, or read the file again.')
  return { changed: encode(text, before), loose: notes }
}

/** Taking a link away would take what it leads to, which is not what was asked for. */
function refuseLink(path: string, files: Files): void {
  if (lstatSync(resolve(files.directory, path), { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new ToolError(`Nothing was changed. ${path} is a symbolic link.`, 'Use rm or mv through bash for the link itself.')
  }
}

async function carryOut(outcomes: ReadonlyMap<string, Outcome>, { files, seen }: Dependencies): Promise<void> {
  const done: string[] = []
  for (const [path, { bytes, before, movedFrom }] of outcomes) {
    try {
      if (bytes) {
        const mode = movedFrom === undefined ? undefined : statSync(movedFrom, { throwIfNoEntry: false })?.mode
        await files.write(path, bytes)
        if (mode !== undefined) await chmod(path, mode & 0o7777)
        seen.note(path, bytes)
      } else if (before) await unlink(path)
      done.push(files.show(path))
    } catch (error) {
      const so = done.length > 0 ? ` Already done: ${done.join(', ')}.` : ' Nothing was changed.'
      throw new ToolError(
        `The patch could not be carried out at ${files.show(path)}: ${messageOf(error)}.${so}`,
        'Look at the files, then patch what is left.',
        {
          cause: error,
        },
      )
    }
  }
}

function summary(outcomes: ReadonlyMap<string, Outcome>, files: Files) {
  const moved = new Set([...outcomes.values()].flatMap(({ bytes, movedFrom }) => (bytes && movedFrom !== undefined ? [movedFrom] : [])))
  return [...outcomes].flatMap(([path, { bytes, before, movedFrom }]) => {
    if (!bytes && (!before || moved.has(path))) return []
    const status = !bytes ? 'D' : before || movedFrom !== undefined ? 'M' : 'A'
    const title = files.show(path)
    const source = movedFrom === undefined ? before : outcomes.get(movedFrom)?.before
    const from = bytes && movedFrom !== undefined ? ` (moved from ${files.show(movedFrom)})` : ''
    const counts = lineCounts(textOf(source), textOf(bytes))
    const size = bytes ? ` (+${counts.additions} -${counts.deletions} lines)` : ''
    return [{ path: files.inRoot(path), title, status, line: `${status} ${title}${from}${size}`, ...counts }]
  })
}

function textOf(bytes: Buffer | undefined): string {
  return bytes ? (decode(bytes)?.text ?? '') : ''
}
