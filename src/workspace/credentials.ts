import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { keepSteering } from './steering.ts'

const header = /^\s*extraheader\s*=/i
const section = /^\s*\[[^\]]*\]/
const login = /(:\/\/)[^/@\s]*@/

/** Takes credentials out of a configuration file's text: headers that authorize (actions/checkout leaves one), logins in addresses, and programs that know them. Pure. */
export function stripCredentials(text: string): string {
  let isHidden = false
  const lines = text.split('\n').filter((line) => {
    // A section may have a login in its own name: `[url "https://TOKEN@host/"]`.
    if (section.test(line)) isHidden = login.test(line) || /^\s*\[credential\b/i.test(line)
    return !isHidden && !header.test(line)
  })
  return lines.map((line) => (/^\s*(push)?url\s*=/i.test(line) ? line.replace(login, '$1') : line)).join('\n')
}

/**
 * Takes the credentials that earlier steps left in a repository out of reach while the agent works (C150): out of its configuration, that of its
 * submodules, and that of the home folder. `root` is its top level. Returns what puts everything back that steers git, for the steps after this one:
 * call it when no command runs any more. What can't be read or written is left as it is. With `temp` the same can be done for a run that was killed, by
 * `restoreSteering`.
 */
export async function hideCredentials(root: string, home?: string, temp?: string): Promise<() => Promise<void>> {
  const directory = await gitDirectory(root)
  const restore = await keepSteering(directory, home, temp)
  for (const file of [...(await configFiles(directory)), ...(home === undefined ? [] : [join(home, '.gitconfig'), join(home, '.config/git/config')])]) {
    const before = await readFile(file, 'utf8').catch(() => undefined)
    if (before === undefined) continue
    const text = stripCredentials(before)
    if (text !== before) await writeFile(file, text).catch(() => undefined)
  }
  return restore
}

/** Where the repository of a work tree keeps its configuration: of one that was added to another repository, in that one. */
async function gitDirectory(root: string): Promise<string> {
  const own = join(root, '.git')
  const [, away] = /^gitdir: (.+)$/m.exec(await readFile(own, 'utf8').catch(() => '')) ?? []
  if (away === undefined) return own
  const directory = resolve(root, away)
  const common = await readFile(join(directory, 'commondir'), 'utf8').catch(() => '.')
  return resolve(directory, common.trim())
}

async function configFiles(directory: string): Promise<string[]> {
  const modules = await readdir(join(directory, 'modules'), { recursive: true, withFileTypes: true }).catch(() => [])
  const nested = modules.filter((entry) => entry.name === 'config' && entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return [join(directory, 'config'), ...nested]
}
