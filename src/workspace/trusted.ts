import { limits } from '../limits.ts'
import { WorkspaceError } from './errors.ts'
import { readable, records } from './git.ts'
import type { Repository } from './repository.ts'
import type { Tree, TreeFile } from './types.ts'

/** Something in a tree, with the path people write. `size` is that of a file, in bytes. */
interface Item {
  readonly path: string
  readonly id: string
  readonly kind: 'file' | 'link' | 'folder'
  readonly size: number
}

/** Links to folders that are followed in one listing: more is no layout but a trap. */
const maxFolderLinks = 32

/**
 * The files of a commit that is here already. A listing is one git process, and two or three where links are met; reading takes one for files that
 * were listed before and two otherwise. Throws `WorkspaceError` when the commit or one of its files is missing from the repository.
 */
export function trustedTree({ git }: Pick<Repository, 'git'>, commit: string): Tree {
  const known = new Map<string, Item>()

  const listing = async (tree: string, paths: readonly string[] = []): Promise<Item[]> => {
    const { stdout } = await git(['ls-tree', '-r', '-z', '-l', '--full-tree', tree, ...(paths.length > 0 ? ['--', ...paths] : [])])
    return records(stdout).flatMap(toItem)
  }

  /** What paths lead to after links; git itself follows them, and stops where they leave the tree. */
  const follow = async (paths: readonly string[]): Promise<Item[]> => {
    const asked = paths.filter(isPath)
    if (asked.length === 0) return []
    const input = asked.map((path) => `${commit}:${path}\n`).join('')
    const { stdout } = await git(['cat-file', '--batch-check', '--follow-symlinks'], { input })
    return answers(stdout).flatMap(({ id, type, size }, index): Item[] => {
      const path = asked[index]
      if (path === undefined || (type !== 'blob' && type !== 'tree')) return []
      return [{ path, id, kind: type === 'blob' ? 'file' : 'folder', size }]
    })
  }

  const filesOf = async (items: readonly Item[]): Promise<Item[]> => {
    const direct = items.filter(({ kind }) => kind === 'file')
    const targets = await follow(items.filter(({ kind }) => kind === 'link').map(({ path }) => path))
    return [...direct, ...targets.filter(({ kind }) => kind === 'file')]
  }

  return {
    commit,

    async list(paths) {
      const asked = paths?.filter(isPath)
      if (asked?.length === 0) return []
      const listed = await listing(commit, asked)
      const links = await follow(listed.filter(({ kind }) => kind === 'link').map(({ path }) => path))
      const folders = links.filter(({ kind }) => kind === 'folder').slice(0, maxFolderLinks)
      const behind = await Promise.all(
        folders.map(async (folder) => {
          const items = await listing(folder.id)
          // One level: a link to a folder within a linked folder may lead round in a circle.
          return filesOf(items.map((item) => ({ ...item, path: `${folder.path}/${item.path}` })))
        }),
      )
      const files = [...[...listed, ...links].filter(({ kind }) => kind === 'file'), ...behind.flat()]
      for (const file of files) known.set(file.path, file)
      return [...new Set(files.map(({ path }) => path))].sort()
    },

    async read(paths) {
      const fresh = await follow(paths.filter((path) => !known.has(path)))
      for (const item of fresh) if (item.kind === 'file') known.set(item.path, item)
      const files = [...new Set(paths)].flatMap((path) => known.get(path) ?? [])
      const wanted = files.filter(({ size }) => !(size > limits.treeFileBytes))
      const bytes = await contents(git, [...new Set(wanted.map(({ id }) => id))])
      return new Map(
        files.map(({ path, id, size }): [string, TreeFile] => {
          const content = bytes.get(id)
          return [path, content === undefined ? { size } : { size, bytes: content }]
        }),
      )
    },
  }
}

/** Whether git takes it as a path from the top: `.` and `..` it would take from elsewhere, and a line break for the next question. */
function isPath(path: string): boolean {
  return !path.includes('\n') && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

/** A record of `ls-tree -l`: mode, type, id and size, then a tab and the path. Submodules, and names that are not UTF-8, are left out. */
function toItem(record: string): Item[] {
  const tab = record.indexOf('\t')
  const [mode = '', type, id = '', size = ''] = record.slice(0, tab).split(/ +/)
  const path = readable(record.slice(tab + 1))
  if (type !== 'blob' || path.includes('\uFFFD')) return []
  return [{ path, id, kind: mode === '120000' ? 'link' : 'file', size: Number(size) }]
}

interface Answer {
  readonly id: string
  readonly type: string
  readonly size: number
}

const nowhere: Answer = { id: '', type: 'missing', size: 0 }

/** What `cat-file --batch-check --follow-symlinks` says of each line it got. A link that leads nowhere is told on two lines, the second of a given length. */
function answers(stdout: Buffer): Answer[] {
  const found: Answer[] = []
  for (let at = 0; at < stdout.length; ) {
    const end = lineEnd(stdout, at)
    const line = stdout.toString('utf8', at, end)
    at = end + 1
    const lost = /^(?:symlink|dangling|loop|notdir) (\d+)$/.exec(line)
    if (lost) at += Number(lost[1]) + 1
    const [, id, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? []
    found.push(id === undefined || type === undefined ? nowhere : { id, type, size: Number(size) })
  }
  return found
}

/** The bytes of blobs, by id, in one process. */
async function contents(git: Repository['git'], ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>()
  if (ids.length === 0) return found
  const { stdout } = await git(['cat-file', '--batch'], { input: ids.map((id) => `${id}\n`).join('') })
  for (let at = 0; at < stdout.length; ) {
    const end = lineEnd(stdout, at)
    const [id = '', type, size = ''] = stdout.toString('utf8', at, end).split(' ')
    if (type !== 'blob') {
      throw new WorkspaceError(
        `A file of the trusted commit (${id}) is missing from the repository`,
        'Let actions/checkout fetch whole commits: leave its inputs filter and sparse-checkout empty.',
      )
    }
    const start = end + 1
    found.set(id, stdout.subarray(start, start + Number(size)))
    at = start + Number(size) + 1
  }
  return found
}

function lineEnd(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(0x0a, from)
  return end < 0 ? bytes.length : end
}
