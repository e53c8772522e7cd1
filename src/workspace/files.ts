import { randomUUID } from 'node:crypto'
import { constants, lstatSync, readlinkSync, statSync } from 'node:fs'
import { access, chmod, type FileHandle, lstat, mkdir, open, readlink, rename, rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, parse, relative, sep } from 'node:path'
import { Failure, messageOf } from '../failure.ts'

/** A path that may not be touched, or a file that cannot be read or written. */
export class PathError extends Failure {
  override readonly name = 'PathError'
}

/** The files a tool may touch. Every path goes through `locate` first; the other functions take what it returned. */
export interface Files {
  /** Real path of the workspace; nothing outside it can be written. */
  readonly root: string
  /** Real path that relative paths start from. */
  readonly directory: string
  /** The real path behind what the model wrote. Throws `PathError` when it leads outside (C73), into `.git`, or cannot be followed. */
  locate(path: string, purpose: 'read' | 'write'): string
  /** How a real path is shown: relative to the working directory where it is in the workspace, with `/`. */
  show(real: string): string
  /** A real path relative to the workspace root, with `/`. */
  inRoot(real: string): string
  /** Whether a real path lies in a read-only folder outside the workspace (saved tool outputs). */
  isExtra(real: string): boolean
  /** What is at a real path; `undefined`: nothing. */
  kind(real: string): 'file' | 'folder' | 'other' | undefined
  /** The bytes of a regular file. Throws `PathError` for anything else, and above `maxFileBytes`. */
  read(real: string): Promise<Buffer>
  /** Writes a file, creating its folders; mode bits, owner and hard links of an existing one stay. Throws `PathError`. */
  write(real: string, data: Uint8Array): Promise<void>
  /** Runs work on a file while nobody else does, so that two edits at once both survive. */
  exclusive<T>(real: string, work: () => Promise<T>): Promise<T>
}

/** Larger files are for the shell and for grep: they don't fit in a model's context anyway. */
const maxFileBytes = 50_000_000
const maxLinks = 40
/** Where google-github-actions/auth puts a key: into the workspace, under a name by which everybody ignores it. */
export const keyFile = /^gha-creds-.*\.json$/

export interface Bounds {
  /** The workspace. */
  readonly root: string
  /** Where relative paths start; must be in `root`. Default: `root`. */
  readonly directory?: string
  /** Folders outside the workspace that may be read. */
  readonly readable?: readonly string[]
}

/** Confines file access to a workspace. Throws `PathError` when the bounds themselves make no sense. */
export function confine(bounds: Bounds): Files {
  const root = realPath(bounds.root, parse(bounds.root).root)
  if (root === parse(root).root)
    throw new PathError(`${root} cannot be the workspace: it is the whole machine.`, 'Check out the repository into a folder of its own.')
  const directory = realPath(bounds.directory ?? root, root)
  if (!isInside(directory, root))
    throw new PathError(`The working directory ${directory} is not in the workspace ${root}.`, 'Set `working-directory` to a folder of the repository.')
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new PathError(`There is no folder ${slashed(relative(root, directory))} in the workspace.`, 'Set `working-directory` to a folder of the repository.')
  const readable = (bounds.readable ?? []).map((folder) => realPath(folder, root))
  const queue = new Map<string, Promise<unknown>>()
  const isExtra = (real: string) => !isInside(real, root) && readable.some((folder) => isInside(real, folder))

  const refuseKeys = (real: string) => {
    if (dirname(real) !== root || !keyFile.test(basename(real))) return
    throw new PathError(`${basename(real)} holds a key that an earlier step left there, and is off limits.`, 'Work without it.')
  }

  return {
    root,
    directory,
    isExtra,
    inRoot: (real) => slashed(relative(root, real)),
    show: (real) => (isInside(real, root) ? slashed(relative(directory, real)) || '.' : real),

    locate(path, purpose) {
      if (path.includes('\0')) throw new PathError('A path holds a NUL character.', 'Write the path again.')
      const real = realPath(path, directory)
      if (isExtra(real)) {
        if (purpose === 'read') return real
        throw new PathError(`${path} may be read but not written.`, 'Write inside the workspace.')
      }
      if (!isInside(real, root)) {
        throw new PathError(
          `${path} leads outside the workspace${real === path ? '' : ` (to ${real})`}.`,
          `Use a path inside ${root}, or one relative to ${directory}.`,
        )
      }
      // Case is folded because some file systems fold it: `.GIT/config` must not be a way in.
      if (relative(root, real).toLowerCase().split(sep).includes('.git')) {
        throw new PathError(`${path} belongs to git's own data, which is off limits.`, 'Use git commands to look at the history; commits are made for you.')
      }
      refuseKeys(real)
      return real
    },

    kind(real) {
      const stat = look(() => statSync(real, { throwIfNoEntry: false }), real)
      if (!stat) return undefined
      return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other'
    },

    async read(real) {
      refuseKeys(real)
      // The path is real already: a link that appears now was put there to mislead, and a pipe must not block.
      const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: unknown) => {
        throw new PathError(`Cannot read ${real}: ${messageOf(error)}.`, 'Check the path with list or glob.', { cause: error })
      })
      try {
        await atHome(file, real)
        const stat = await file.stat()
        if (stat.isDirectory()) throw new PathError(`${real} is a folder.`, 'Name a file in it.')
        if (!stat.isFile()) throw new PathError(`${real} is not a regular file.`, 'Only files and folders can be read.')
        if (stat.size > maxFileBytes)
          throw new PathError(`${real} has ${stat.size} bytes, too many to read.`, 'Search it with grep, or take parts of it with bash.')
        return await file.readFile()
      } finally {
        await file.close()
      }
    },

    async write(real, data) {
      try {
        await put(real, data)
      } catch (error) {
        if (error instanceof PathError) throw error
        throw new PathError(`Cannot write ${real}: ${messageOf(error)}.`, 'Check the path and its permissions.', { cause: error })
      }
    },

    async exclusive(real, work) {
      const before = queue.get(real)
      const mine = before ? before.then(work, work) : work()
      queue.set(real, mine)
      try {
        return await mine
      } finally {
        if (queue.get(real) === mine) queue.delete(real)
      }
    },
  }
}

/** Follows a path as the kernel would, links and `..` included, without needing its last parts to exist. */
function realPath(path: string, from: string): string {
  const start = isAbsolute(path) ? parse(path).root : from
  const rest = partsOf(isAbsolute(path) ? path.slice(start.length) : path)
  let real = start
  let links = 0
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === '..') {
      real = dirname(real)
      continue
    }
    const next = join(real, part)
    const target = linkTarget(next, path)
    if (target === undefined) {
      real = next
      continue
    }
    links += 1
    if (links > maxLinks) throw new PathError(`${path} goes through too many symbolic links.`, 'Name the file they are meant to lead to.')
    if (isAbsolute(target)) real = parse(target).root
    rest.unshift(...partsOf(isAbsolute(target) ? target.slice(real.length) : target))
  }
  return real
}

function partsOf(path: string): string[] {
  return path.split(sep === '\\' ? /[\\/]/ : '/').filter((part) => part !== '' && part !== '.')
}

function linkTarget(path: string, asked: string): string | undefined {
  return look(() => (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined), asked)
}

/** Looks at a path where perhaps nothing can be: a file may be taken for a folder, a pattern for a name. */
function look<T>(at: () => T, asked: string): T | undefined {
  try {
    return at()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].some((code) => codeOf(error) === code)) return undefined
    throw new PathError(`Cannot follow ${asked}: ${messageOf(error)}.`, 'Check the path.', { cause: error })
  }
}

async function put(real: string, data: Uint8Array): Promise<void> {
  await mkdir(dirname(real), { recursive: true })
  const before = await lstat(real).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (before?.isDirectory()) throw new PathError(`${real} is a folder.`, 'Name a file.')
  if (before && !before.isFile()) throw new PathError(`${real} is not a regular file.`, 'Only regular files can be written.')
  // A rename would get past a file's own write protection.
  if (before) await access(real, constants.W_OK)
  if (before?.nlink === 1 && (await swap(real, data, before))) return
  if (!before) return writeNew(real, data)
  const file = await open(real, constants.O_WRONLY | constants.O_NOFOLLOW)
  try {
    await atHome(file, real)
    await file.truncate()
    await file.writeFile(data)
  } finally {
    await file.close()
  }
}

/** Replaces a file in one go; false when that would change its owner or is not possible in its folder. */
async function swap(real: string, data: Uint8Array, before: { mode: number; uid: number; gid: number }): Promise<boolean> {
  const fresh = join(dirname(real), `.${randomUUID()}.tmp`)
  try {
    await writeNew(fresh, data)
    const made = await lstat(fresh)
    if (made.uid === before.uid && made.gid === before.gid) {
      await chmod(fresh, before.mode & 0o7777)
      await rename(fresh, real)
      return true
    }
  } catch {
    // Writing in place comes next and reports what is really wrong.
  }
  await rm(fresh, { force: true })
  return false
}

/** Writes a file that must not be there yet. Its folder may have been changed for a link to elsewhere since it was looked at. */
async function writeNew(path: string, data: Uint8Array): Promise<void> {
  const file = await open(path, 'wx')
  try {
    await atHome(file, path)
    await file.writeFile(data)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** Throws when an open file is not where its path says: a folder on the way was changed for a link meanwhile. Only Linux can tell. */
async function atHome(file: FileHandle, path: string): Promise<void> {
  const place = await readlink(`/proc/self/fd/${file.fd}`).catch(() => path)
  if (place !== path) throw new PathError(`${path} was moved while it was being opened.`, 'Try again.')
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

function slashed(path: string): string {
  return sep === '/' ? path : path.split(sep).join('/')
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
