import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../failure.ts'
import { limits } from '../limits.ts'
import type { Ends } from '../workspace/capture.ts'

/** Which part of a text that is too long is kept. */
export type Keep = 'head' | 'tail' | 'both'

export interface Limits {
  readonly lines: number
  readonly bytes: number
}

export interface Truncated {
  readonly text: string
  readonly truncated: boolean
  /** Where the whole text is, when it was cut and could be saved. */
  readonly file?: string
}

/** Cuts a whole text, saving it first when it is too long. */
export type Truncate = (text: string, keep?: Keep) => Promise<Truncated>

/** What reaches the model unless a repository says otherwise. */
export const standard: Limits = { lines: limits.outputLines, bytes: limits.outputBytes }

/** The truncator of a run: 2,000 lines or 51,200 bytes reach the model, the whole text goes to a file in `folder` (created when needed). */
export function truncator(folder: string, bounds: Limits = standard): Truncate {
  return async (text, keep = 'head') => {
    const ends = endsOf(text)
    if (fits(ends, bounds)) return { text, truncated: false }
    const file = join(folder, `tool_${randomUUID()}.txt`)
    try {
      await mkdir(folder, { recursive: true })
      await writeFile(file, text, { flag: 'wx', mode: 0o600 })
    } catch (error) {
      return { text: shorten(ends, keep, `The rest could not be saved: ${messageOf(error)}.`, bounds), truncated: true }
    }
    return { text: shorten(ends, keep, whereToRead(file), bounds), truncated: true, file }
  }
}

/** The sentence that tells the model where the whole of a text is and how to read on. */
export function whereToRead(file: string): string {
  return `Full output: ${file} (search it with grep, or read parts of it with read, offset and limit).`
}

/** A whole text as its own two ends. */
export function endsOf(text: string): Ends {
  const newlines = text.split('\n').length - 1
  return { head: text, tail: text, bytes: Buffer.byteLength(text), lines: newlines + (text === '' || text.endsWith('\n') ? 0 : 1) }
}

/** Whether a text may go to the model uncut. */
export function fits(ends: Ends, bounds: Limits = standard): boolean {
  return ends.lines <= bounds.lines && ends.bytes <= bounds.bytes
}

/**
 * Cuts a text that does not fit. What is kept stays inside the bounds; a note with the size of the omission and `hint` stands where text is
 * missing. Whole lines are kept, except where one line alone would waste most of the room.
 */
export function shorten(ends: Ends, keep: Keep, hint: string, bounds: Limits = standard): string {
  const share = keep === 'both' ? { lines: Math.floor(bounds.lines / 2), bytes: Math.floor(bounds.bytes / 2) } : bounds
  const head = keep === 'tail' ? '' : start(ends.head, share)
  const tail = keep === 'head' ? '' : end(ends.tail, share)
  const kept = { bytes: Buffer.byteLength(head) + Buffer.byteLength(tail), lines: endsOf(head).lines + endsOf(tail).lines }
  const lines = Math.max(0, ends.lines - kept.lines)
  const note = `...${lines > 0 ? `${lines} ${lines === 1 ? 'line' : 'lines'}, ` : ''}${Math.max(0, ends.bytes - kept.bytes)} of ${ends.bytes} bytes truncated...\n\n${hint}`
  return [head.replace(/\n+$/, ''), note, tail].filter((piece) => piece !== '').join('\n\n')
}

function start(text: string, bounds: Limits): string {
  let at = 0
  for (let lines = 0, bytes = 0; lines < bounds.lines && at < text.length; lines += 1) {
    const newline = text.indexOf('\n', at)
    const next = newline === -1 ? text.length : newline + 1
    const size = Buffer.byteLength(text.slice(at, next))
    if (bytes + size > bounds.bytes)
      return bytes * 2 < bounds.bytes ? text.slice(0, at) + firstBytes(text.slice(at, next), bounds.bytes - bytes) : text.slice(0, at)
    bytes += size
    at = next
  }
  return text.slice(0, at)
}

function end(text: string, bounds: Limits): string {
  let at = text.length
  for (let lines = 0, bytes = 0; lines < bounds.lines && at > 0; lines += 1) {
    const next = at < 2 ? 0 : text.lastIndexOf('\n', at - 2) + 1
    const size = Buffer.byteLength(text.slice(next, at))
    if (bytes + size > bounds.bytes) return bytes * 2 < bounds.bytes ? lastBytes(text.slice(next, at), bounds.bytes - bytes) + text.slice(at) : text.slice(at)
    bytes += size
    at = next
  }
  return text.slice(at)
}

const continues = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

function firstBytes(text: string, max: number): string {
  const bytes = Buffer.from(text)
  let stop = max
  while (stop > 0 && continues(bytes[stop])) stop -= 1
  return bytes.toString('utf8', 0, stop)
}

function lastBytes(text: string, max: number): string {
  const bytes = Buffer.from(text)
  let begin = bytes.length - max
  while (continues(bytes[begin])) begin += 1
  return bytes.toString('utf8', begin)
}
