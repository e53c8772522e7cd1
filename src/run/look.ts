import { join } from 'node:path'
import type { Look } from '../session/mentions.ts'
import type { Files } from '../workspace/files.ts'

/** Where `@` references lead: from the root of the workspace, else from the working directory; nowhere outside, and not into `.git`. */
export function lookIn(files: Files): Look {
  return (name) => {
    for (const path of [join(files.root, name), name]) {
      const real = locate(path, files)
      const kind = real === undefined ? undefined : files.kind(real)
      if (real !== undefined && (kind === 'file' || kind === 'folder')) return { kind, path: real }
    }
    return undefined
  }
}

function locate(path: string, files: Files): string | undefined {
  try {
    return files.locate(path, 'read')
  } catch {
    // Out of bounds: for a reference that is the same as not there, and the words stay words.
    return undefined
  }
}
