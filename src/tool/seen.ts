import { createHash } from 'node:crypto'

/** What this run knows of files: the content each had when it was last read or written by a tool (C78). */
export interface Seen {
  note(real: string, bytes: Uint8Array): void
  /** Whether these bytes are what the model last saw of the file. */
  state(real: string, bytes: Uint8Array): 'unseen' | 'changed' | 'current'
}

/** An empty table. Contents are compared, not times: a file that was touched but not changed is still known. */
export function seenFiles(): Seen {
  const known = new Map<string, string>()
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64')
  return {
    note(real, bytes) {
      known.set(real, digest(bytes))
    },
    state(real, bytes) {
      const before = known.get(real)
      if (before === undefined) return 'unseen'
      return before === digest(bytes) ? 'current' : 'changed'
    },
  }
}
