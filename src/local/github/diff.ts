import { type Env, git } from '../process.ts'

/** The files that differ between two commits, with patches as GitHub shows them. */

export interface DiffFile {
  readonly path: string
  /** Where the file was before it was renamed. */
  readonly previous: string | undefined
  readonly additions: number
  readonly deletions: number
  readonly change: 'ADDED' | 'CHANGED' | 'COPIED' | 'DELETED' | 'MODIFIED' | 'RENAMED'
  /** Of the file as it is after; before, for a deleted one. */
  readonly sha: string
  /** From the first hunk header on; undefined for binary and very large files. */
  readonly patch: string | undefined
}

const changes = { A: 'ADDED', C: 'COPIED', D: 'DELETED', M: 'MODIFIED', R: 'RENAMED', T: 'CHANGED' } as const
const changeOf = (letter: string): DiffFile['change'] => {
  for (const [key, name] of Object.entries(changes)) if (letter.startsWith(key)) return name
  return 'CHANGED'
}
/** GitHub leaves out patches above a megabyte. */
const largestPatch = 1_000_000

/** Files that differ in a git range such as `a...b`, renames found. Throws `LocalError` for commits that are not there. */
export async function changedFiles(path: string, env: Env, range: string): Promise<DiffFile[]> {
  const diff = (...args: string[]) => git(path, env, ['diff', '-M', ...args, range])
  const [raw, numbers, text] = await Promise.all([diff('--raw', '-z', '--abbrev=40'), diff('--numstat', '-z'), diff('--patch', '--no-color', '--no-ext-diff')])
  const counts = readNumbers(numbers)
  const patches = text.split(/^(?=diff --git )/m).filter((part) => part !== '')
  return readRaw(raw).map(({ letter, before, after, path: name, previous }, index) => {
    const [additions = 0, deletions = 0] = counts[index] ?? []
    const patch = /^@@[\s\S]*/m.exec(patches[index] ?? '')?.[0].replace(/\n$/, '')
    const shown = patch === undefined || patch.length > largestPatch ? undefined : patch
    return { path: name, previous, additions, deletions, change: changeOf(letter), sha: letter === 'D' ? before : after, patch: shown }
  })
}

function readRaw(text: string) {
  const fields = text.split('\0')
  const rows: { letter: string; before: string; after: string; path: string; previous: string | undefined }[] = []
  for (let index = 0; index + 1 < fields.length; ) {
    const [, , before = '', after = '', letter = ''] = (fields[index] ?? '').split(' ')
    const moved = letter.startsWith('R') || letter.startsWith('C')
    const first = fields[index + 1] ?? ''
    rows.push({ letter, before, after, path: moved ? (fields[index + 2] ?? '') : first, previous: moved ? first : undefined })
    index += moved ? 3 : 2
  }
  return rows
}

/** Lines added and deleted; binary files count as none, written "-". With `-z` the names of a moved file stand in fields of their own. */
function readNumbers(text: string): (readonly [number, number])[] {
  const fields = text.split('\0')
  const rows: (readonly [number, number])[] = []
  for (let index = 0; index < fields.length; index++) {
    const [added, deleted, name] = (fields[index] ?? '').split('\t')
    if (deleted === undefined) continue
    rows.push([Number(added) || 0, Number(deleted) || 0])
    if (name === '') index += 2
  }
  return rows
}
