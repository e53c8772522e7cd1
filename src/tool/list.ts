import { join } from 'node:path'
import { z } from 'zod'
import { limits } from '../limits.ts'
import type { Files } from '../workspace/files.ts'
import { type Draft, draft } from './draft.ts'
import { ToolError } from './errors.ts'
import { pathNeed } from './needs.ts'
import { optional } from './parameters.ts'
import type { Repository } from './repository.ts'

const parameters = z.object({ path: optional(z.string().describe('Folder, default the working directory')) })

/** A folder of the tree; files have no entries. */
interface Node {
  readonly entries: Map<string, Node>
  files: number
}

/** Shows a folder as a tree, as deep as fits in 100 entries; ignored files stay out unless the folder itself is ignored. */
export function listTool({ files, repository }: { files: Files; repository: Repository }): Draft {
  const needs = ({ path }: z.output<typeof parameters>) => pathNeed('list', path ?? files.directory, files, 'read')
  return draft('list', parameters, needs, async ({ path }, { signal }) => {
    const place = await repository.place(path ?? files.directory, signal)
    const title = files.show(place.real)
    if (place.isFile) throw new ToolError(`${title} is a file, not a folder.`, 'Use read for a file.')
    const prefix = place.path === '.' ? '' : `${place.path}/`
    const names = (await repository.list(place, signal)).filter((name) => name.startsWith(prefix) && files.kind(join(place.cwd, name)))
    const tree = grow(names.map((name) => name.slice(prefix.length)))
    const depth = deepest(tree)
    const lines = draw(tree, depth, '')
    const shown = lines.slice(0, limits.searchResults)
    const note = shown.length < lines.length ? [`(${lines.length - shown.length} more entries are not shown; use glob)`] : []
    return {
      title,
      output: [`${title}/ (${names.length} ${names.length === 1 ? 'file' : 'files'})`, ...shown, ...note].join('\n'),
      metadata: { count: names.length },
    }
  })
}

function grow(names: readonly string[]): Node {
  const tree: Node = { entries: new Map(), files: 0 }
  for (const name of names) {
    let node = tree
    node.files += 1
    for (const part of name.split('/').filter((piece) => piece !== '')) {
      const inner = node.entries.get(part) ?? { entries: new Map(), files: 0 }
      inner.files += 1
      node.entries.set(part, inner)
      node = inner
    }
  }
  return tree
}

/** The deepest level at which the tree still fits; at least its first. */
function deepest(tree: Node): number {
  let depth = 1
  let level = [...tree.entries.values()]
  for (let count = level.length; level.length > 0; depth += 1) {
    level = level.flatMap(({ entries }) => [...entries.values()])
    count += level.length
    if (level.length === 0 || count > limits.searchResults) break
  }
  return depth
}

function draw({ entries }: Node, depth: number, indent: string): string[] {
  return [...entries].flatMap(([name, node]) => {
    if (node.entries.size === 0) return [`${indent}${name}`]
    if (depth === 1) return [`${indent}${name}/ (${node.files} ${node.files === 1 ? 'file' : 'files'})`]
    return [`${indent}${name}/`, ...draw(node, depth - 1, `${indent}  `)]
  })
}
