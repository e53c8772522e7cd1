import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { limits } from '../limits.ts'
import type { Files } from '../workspace/files.ts'
import { type Draft, draft } from './draft.ts'
import { ToolError } from './errors.ts'
import { need } from './needs.ts'
import { optional } from './parameters.ts'
import { matcherOf, splitPattern } from './pattern.ts'
import type { Repository } from './repository.ts'

const parameters = z.object({
  pattern: z.string().min(1).describe('Such as src/**/*.{ts,tsx}; without / it is for names at any depth'),
  path: optional(z.string().describe('Folder to search, default the working directory')),
})

/** Finds files by name. Dot files are found, `.git` is not; ignored files only by their exact path or in a folder that is named (C76). */
export function globTool({ files, repository }: { files: Files; repository: Repository }): Draft {
  const needs = ({ pattern }: z.output<typeof parameters>) => need('glob', pattern)
  return draft('glob', parameters, needs, async ({ pattern, path }, { signal }) => {
    const start = files.locate(path ?? files.directory, 'read')
    const under = await repository.place(start, signal)
    if (under.isFile) throw new ToolError(`${files.show(start)} is a file, not a folder.`, 'Use read for a file, or name a folder.')

    const anywhere = !pattern.includes('/')
    const { base, rest } = anywhere ? { base: '', rest: pattern } : splitPattern(pattern)
    const exact = files.locate(from(start, pattern), 'read')
    const found = new Set(files.kind(exact) === 'file' ? [exact] : [])
    const folder = files.locate(from(start, base), 'read')
    if (rest !== '' && files.kind(folder) === 'folder') {
      const matches = matcherOf(rest, { anywhere })
      const prefix = files.inRoot(folder) === '' ? '' : `${files.inRoot(folder)}/`
      for (const name of await repository.list(await repository.place(folder, signal), signal)) {
        if (found.size > limits.searchResults) break
        const real = join(files.root, name)
        if (name.startsWith(prefix) && matches(name.slice(prefix.length)) && files.kind(real)) found.add(real)
      }
    }

    const shown = [...found].slice(0, limits.searchResults).map((real) => files.show(real))
    const truncated = found.size > shown.length
    const note = truncated ? [`(Only the first ${shown.length} files are shown; use a narrower pattern or path)`] : []
    return { title: pattern, output: shown.length === 0 ? 'No files found' : [...shown, ...note].join('\n'), metadata: { count: shown.length, truncated } }
  })
}

function from(start: string, path: string): string {
  return isAbsolute(path) ? path : join(start, path)
}
