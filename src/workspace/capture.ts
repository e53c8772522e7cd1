import { closeSync, openSync, writeSync } from 'node:fs'
import { limits } from '../limits.ts'

/** A text of which perhaps only both ends are at hand. */
export interface Ends {
  /** The beginning; the whole text when `tail` is the same. */
  readonly head: string
  readonly tail: string
  /** Size of the whole, in UTF-8 bytes and in lines. */
  readonly bytes: number
  readonly lines: number
}

export interface Captured extends Ends {
  /** Where all of it was saved, when it did not fit in memory. */
  readonly file: string | undefined
  /** Bytes in that file; fewer than `bytes` when even the file was capped. */
  readonly saved: number
}

const keep = limits.outputBytes
/** A command that never stops printing must not fill the disk. */
const maxSavedBytes = 100_000_000

/**
 * Collects the output of a command in bounded memory: its first and last 51,200 bytes, and past that everything in a file
 * (C71, up to 100 MB). NUL bytes are dropped, so that the file stays readable as text (C38).
 */
export function capture(file: string): { add(chunk: Buffer): void; finish(): Captured } {
  const head: Buffer[] = []
  let tail: Buffer[] = []
  let bytes = 0
  let tailBytes = 0
  let newlines = 0
  let last = 0x0a
  let saved = 0
  let out: number | undefined

  const save = (chunk: Buffer) => {
    if (out === undefined || saved >= maxSavedBytes) return
    const part = chunk.subarray(0, maxSavedBytes - saved)
    for (let done = 0; done < part.length; ) done += writeSync(out, part, done)
    saved += part.length
  }

  return {
    add(raw) {
      const chunk = raw.includes(0) ? raw.filter((byte) => byte !== 0) : raw
      const buffer = Buffer.from(chunk)
      if (buffer.length === 0) return
      for (const byte of buffer) if (byte === 0x0a) newlines += 1
      last = buffer.at(-1) ?? last
      const room = Math.max(0, keep - bytes)
      bytes += buffer.length
      if (bytes > keep && out === undefined) {
        out = openSync(file, 'wx', 0o600)
        for (const part of head) save(part)
      }
      if (room > 0) head.push(buffer.subarray(0, room))
      if (out !== undefined) {
        // What went into `head` just now is not in the file yet either.
        save(buffer)
      }
      tail.push(buffer)
      tailBytes += buffer.length
      while (tailBytes - (tail[0]?.length ?? 0) >= keep) tailBytes -= tail.shift()?.length ?? 0
    },
    finish() {
      if (out !== undefined) closeSync(out)
      const lines = newlines + (last === 0x0a ? 0 : 1)
      const first = Buffer.concat(head)
      const end = Buffer.concat(tail).subarray(-keep)
      tail = []
      if (out === undefined) {
        const text = first.toString('utf8')
        return { head: text, tail: text, bytes, lines, file: undefined, saved: 0 }
      }
      return { head: withoutBrokenEnd(first).toString('utf8'), tail: withoutBrokenStart(end).toString('utf8'), bytes, lines, file, saved }
    },
  }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

function withoutBrokenEnd(bytes: Buffer): Buffer {
  let start = bytes.length - 1
  while (start > bytes.length - 4 && isContinuation(bytes[start])) start -= 1
  const first = bytes[start] ?? 0
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return start + size > bytes.length ? bytes.subarray(0, start) : bytes
}

function withoutBrokenStart(bytes: Buffer): Buffer {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start += 1
  return bytes.subarray(start)
}
