import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../json.ts'

/** What tells git which programs to run and whom to talk to, within a git directory. */
const steering = ['config', 'config.worktree', 'commondir', 'hooks', 'info']
/** The same within a home folder. */
const ofHome = ['.gitconfig', '.config/git']

/** A file by its bytes in base64, or a link by where it leads. */
const Entry = z.union([z.object({ data: z.string(), mode: z.number() }), z.object({ target: z.string() })])
type Entry = z.infer<typeof Entry>
/** By path; a folder is only the files in it. */
type Entries = ReadonlyMap<string, Entry>

const Kept = z.array(z.object({ folder: z.string(), name: z.string(), before: z.array(z.tuple([z.string(), Entry])) }))

/**
 * Notes what steers git in a git directory, its submodules' too, and in the home folder. What is returned puts it all back, and removes what was not
 * there: what the agent has written is not for the steps after this one, which run git with their own keys (C146). A git directory that is gone stays
 * gone. With `temp`, a folder of the runner, a note is left there meanwhile by which `restoreSteering` does the same when this process was killed.
 */
export async function keepSteering(directory: string, home: string | undefined, temp?: string): Promise<() => Promise<void>> {
  const nested = await readdir(join(directory, 'modules'), { recursive: true, withFileTypes: true }).catch(() => [])
  const modules = nested.filter((entry) => entry.name === 'config' && entry.isFile()).map(({ parentPath }) => parentPath)
  const places = [directory, ...modules.filter((path) => !/\/(logs|refs)(\/|$)/.test(path))].flatMap((folder) => steering.map((name) => ({ folder, name })))
  if (home !== undefined) places.push(...ofHome.map((name) => ({ folder: home, name })))
  const all = await Promise.all(places.map(async (place) => ({ ...place, before: await entriesAt(join(place.folder, place.name)) })))
  // On a full disk there is no note, and the work goes on.
  if (temp !== undefined) {
    const note = JSON.stringify(all.map((place) => ({ ...place, before: [...place.before] })))
    await writeFile(noteIn(temp), note, { mode: 0o600 }).catch(() => rm(noteIn(temp), { force: true }))
  }
  return async () => {
    for (const { folder, name, before } of all) await putBack(folder, join(folder, name), before)
    if (temp !== undefined) await rm(noteIn(temp), { force: true })
  }
}

/** Puts back what a run that was killed has noted, for the steps after it; nothing where there is no note. Throws when something can't be written. */
export async function restoreSteering(temp: string): Promise<void> {
  const text = await readFile(noteIn(temp), 'utf8').catch(() => undefined)
  if (text === undefined) return
  for (const { folder, name, before } of Kept.parse(parseJson(text))) await putBack(folder, join(folder, name), new Map(before))
  await rm(noteIn(temp))
}

const noteIn = (temp: string): string => join(temp, 'opencode-steering.json')

async function putBack(folder: string, path: string, before: Entries): Promise<void> {
  if (!(await lstat(folder).catch(() => undefined))?.isDirectory()) return
  if (isSame(before, await entriesAt(path))) return
  // A link that stands for the folder is removed, not followed.
  await rm(path, { recursive: true, force: true })
  for (const [file, entry] of before) {
    await mkdir(dirname(file), { recursive: true })
    if ('target' in entry) await symlink(entry.target, file)
    else {
      await writeFile(file, Buffer.from(entry.data, 'base64'))
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
    return stat.isFile() ? [[path, { data: await readFile(path, 'base64'), mode: stat.mode & 0o7777 }]] : []
  } catch {
    // Nothing there, or nothing we may look at.
    return []
  }
}

function isSame(before: Entries, now: Entries): boolean {
  const equal = (a: Entry, b: Entry | undefined) => {
    if (b === undefined) return false
    if ('target' in a || 'target' in b) return 'target' in a && 'target' in b && a.target === b.target
    return a.mode === b.mode && a.data === b.data
  }
  return before.size === now.size && [...before].every(([path, entry]) => equal(entry, now.get(path)))
}
