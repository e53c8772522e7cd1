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
  /** Whether `head` is all of it. */
  readonly whole: boolean
  /** Where it was saved when it did not fit in memory, and how much of it: fewer than `bytes` when even the file was capped or the disk full. */
  readonly saved: { readonly file: string; readonly bytes: number } | undefined
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
  const tail: Buffer[] = []
  let bytes = 0
  let tailBytes = 0
  let newlines = 0
  let last = 0x0a
  let store: Store | undefined

  return {
    add(raw) {
      const chunk = raw.includes(0) ? Buffer.from(raw.filter((byte) => byte !== 0)) : raw
      if (chunk.length === 0) return
      for (const byte of chunk) if (byte === 0x0a) newlines += 1
      last = chunk.at(-1) ?? last
      const room = Math.max(0, keep - bytes)
      bytes += chunk.length
      if (bytes > keep && !store) {
        store = openStore(file)
        for (const part of head) store.add(part)
      }
      store?.add(chunk)
      if (room > 0) head.push(chunk.subarray(0, room))
      tail.push(chunk)
      tailBytes += chunk.length
      while (tailBytes - (tail[0]?.length ?? 0) >= keep) tailBytes -= tail.shift()?.length ?? 0
    },
    finish() {
      const saved = store?.close() ?? 0
      const lines = newlines + (last === 0x0a ? 0 : 1)
      const first = Buffer.concat(head)
      if (!store) {
        const text = first.toString('utf8')
        return { head: text, tail: text, bytes, lines, whole: true, saved: undefined }
      }
      const end = Buffer.concat(tail).subarray(-keep)
      return {
        head: withoutBrokenEnd(first).toString('utf8'),
        tail: withoutBrokenStart(end).toString('utf8'),
        bytes,
        lines,
        whole: false,
        saved: saved === 0 ? undefined : { file, bytes: saved },
      }
    },
  }
}

interface Store {
  add(chunk: Buffer): void
  /** How many bytes were saved. */
  close(): number
}

/** A file that takes what it can: a full disk must not end the command whose output it was to hold. */
function openStore(file: string): Store {
  let saved = 0
  let out: number | undefined
  const attempt = (work: () => void) => {
    try {
      work()
    } catch {
      // `saved` tells how far it got.
      if (out !== undefined) closeSync(out)
      out = undefined
    }
  }
  attempt(() => {
    out = openSync(file, 'wx', 0o600)
  })
  return {
    add(chunk) {
      const part = chunk.subarray(0, maxSavedBytes - saved)
      attempt(() => {
        for (let done = 0; out !== undefined && done < part.length; ) {
          const size = writeSync(out, part, done)
          done += size
          saved += size
        }
      })
    },
    close() {
      if (out !== undefined) closeSync(out)
      return saved
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
