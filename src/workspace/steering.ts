import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** What tells git which programs to run and whom to talk to, within a git directory. */
const steering = ['config', 'config.worktree', 'commondir', 'hooks', 'info']
/** The same within a home folder. */
const ofHome = ['.gitconfig', '.config/git']

/** A file, or a link by where it leads. */
type Entry = { readonly data: Buffer; readonly mode: number } | { readonly target: string }
/** By path; a folder is only the files in it. */
type Entries = ReadonlyMap<string, Entry>

/**
 * Notes what steers git in a git directory, its submodules' too, and in the home folder. What is returned puts it all back, and removes what was not
 * there: what the agent has written is not for the steps after this one, which run git with their own keys (C146). A git directory that is gone stays gone.
 */
export async function keepSteering(directory: string, home: string | undefined): Promise<() => Promise<void>> {
  const nested = await readdir(join(directory, 'modules'), { recursive: true, withFileTypes: true }).catch(() => [])
  const modules = nested.filter((entry) => entry.name === 'config' && entry.isFile()).map(({ parentPath }) => parentPath)
  const places = [directory, ...modules.filter((path) => !/\/(logs|refs)(\/|$)/.test(path))].flatMap((folder) => steering.map((name) => ({ folder, name })))
  if (home !== undefined) places.push(...ofHome.map((name) => ({ folder: home, name })))
  const all = await Promise.all(places.map(async (place) => ({ ...place, before: await entriesAt(join(place.folder, place.name)) })))
  return async () => {
    for (const { folder, name, before } of all) await putBack(folder, join(folder, name), before)
  }
}

async function putBack(folder: string, path: string, before: Entries): Promise<void> {
  if (!(await lstat(folder).catch(() => undefined))?.isDirectory()) return
  if (isSame(before, await entriesAt(path))) return
  // A link that stands for the folder is removed, not followed.
  await rm(path, { recursive: true, force: true })
  for (const [file, entry] of before) {
    await mkdir(dirname(file), { recursive: true })
    if ('target' in entry) await symlink(entry.target, file)
    else {
      await writeFile(file, entry.data)
      await chmod(file, entry.mode)
    }
  }
}

async function entriesAt(path: string): Promise<Entries> {
  const stat = await lstat(path).catch(() => undefined)
  if (!stat?.isDirectory()) return new Map(await entryAt(path))
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
  return new Map((await Promise.all(files.map(entryAt))).flat())
}

async function entryAt(path: string): Promise<[string, Entry][]> {
  try {
    const stat = await lstat(path)
    if (stat.isSymbolicLink()) return [[path, { target: await readlink(path) }]]
    return stat.isFile() ? [[path, { data: await readFile(path), mode: stat.mode & 0o7777 }]] : []
  } catch {
    // Nothing there, or nothing we may look at.
    return []
  }
}

function isSame(before: Entries, now: Entries): boolean {
  const equal = (a: Entry, b: Entry | undefined) => {
    if (b === undefined) return false
    if ('target' in a || 'target' in b) return 'target' in a && 'target' in b && a.target === b.target
    return a.mode === b.mode && a.data.equals(b.data)
  }
  return before.size === now.size && [...before].every(([path, entry]) => equal(entry, now.get(path)))
}
