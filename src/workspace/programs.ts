import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, sep } from 'node:path'

/** Variables that name folders in which commands of the agent may write. */
const open = ['HOME', 'GITHUB_WORKSPACE', 'RUNNER_TEMP', 'RUNNER_TOOL_CACHE', 'TMPDIR']
const everybodys = ['/tmp', '/var/tmp']

/**
 * The folders of a `PATH` from which we run programs ourselves, beside the agent's commands: those in which such a command can't have put anything (C146).
 * The whole `PATH` where none is left, and on systems where the question has no answer.
 */
export function trustedPath(env: Readonly<Record<string, string | undefined>>): string {
  const { PATH = '' } = env
  if (process.platform === 'win32') return PATH
  const closed = [...everybodys, ...open.flatMap((name) => env[name] || [])].flatMap((folder) => real(folder))
  const trusted = PATH.split(delimiter).filter((folder) => {
    const [at] = isAbsolute(folder) ? real(folder) : []
    return at !== undefined && !closed.some((other) => `${at}${sep}`.startsWith(`${other}${sep}`)) && !isWritable(at)
  })
  return trusted.length > 0 ? trusted.join(delimiter) : PATH
}

function real(folder: string): string[] {
  try {
    return [realpathSync(folder)]
  } catch {
    // What is not there holds no program.
    return []
  }
}

/** Root may write everywhere; its commands can't, where they are kept apart. */
function isWritable(folder: string): boolean {
  try {
    if (process.getuid?.() === 0) return (statSync(folder).mode & 0o002) !== 0
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
