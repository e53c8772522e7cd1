import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { ToolError } from './errors.ts'
import { evaluate, type PermissionNeed, type Rules } from './permission.ts'
import { commandsIn } from './shell-commands.ts'
import { matchesWildcard } from './wildcard.ts'

export interface BashPlace {
  /** Real path of the workspace. */
  readonly root: string
  /** Where the command starts. */
  readonly directory: string
  readonly home?: string
  /** Folder with the parser's files: where the bundle is. */
  readonly assets: string
}

/**
 * What a bash command needs: `bash` for each simple command in it, `external_directory` for the folders outside the workspace it names. The
 * command is only taken apart when a rule restricts one of the two. Another spelling of a command counts where a rule forbids that spelling.
 * Throws `ToolError` when `bash` is restricted and it cannot be told which commands would run.
 */
export async function bashPermissions(command: string, place: BashPlace, rules: Rules): Promise<readonly PermissionNeed[]> {
  const restricted = isRestricted('bash', rules)
  if (!restricted && !isRestricted('external_directory', rules)) return [{ permission: 'bash', patterns: [command.trim()] }]
  const { simple, spellings, paths, unclear } = await commandsIn(command, place)
  if (restricted && unclear.length > 0) {
    throw new ToolError(
      `Not carried out: this run's permissions restrict bash commands, and it cannot be told which ones this line runs, because ${unclear.join(', and ')}.`,
      'Write every command out plainly, without eval, variables for program names or input for a shell, in several calls if need be.',
    )
  }
  const forbidden = spellings.filter((spelling) => {
    const rule = evaluate('bash', spelling, rules)
    return rule.action !== 'allow' && rule.pattern !== '*'
  })
  const patterns = [...simple, ...forbidden]
  const outside = [...new Set(paths.flatMap((path) => outsidePattern(path, place.root)))]
  return [
    ...(patterns.length > 0 ? [{ permission: 'bash', patterns }] : []),
    ...(outside.length > 0 ? [{ permission: 'external_directory', patterns: outside }] : []),
  ]
}

/** Whether anything a permission covers may be refused: rules behind the last one that allows everything count. */
function isRestricted(permission: string, rules: Rules): boolean {
  const own = rules.filter((rule) => matchesWildcard(permission, rule.permission))
  const open = own.findLastIndex(({ pattern, action }) => pattern === '*' && action === 'allow')
  return open === -1 || own.slice(open + 1).some(({ action }) => action !== 'allow')
}

/** The pattern for a path outside the workspace: its own folder's content, or that of the folder it is in. */
function outsidePattern(path: string, root: string): string[] {
  const real = isAbsolute(path) ? realPath(path) : path
  const way = relative(root, real)
  if (isAbsolute(real) && way !== '..' && !way.startsWith('../')) return []
  return [join(path === '~' || isFolder(real) ? real : dirname(real), '*')]
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // Nothing there, or nothing we may look at: taken for a file.
    return false
  }
}

/** The path behind links, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // It does not exist, or not yet: what counts is the folder it would be in.
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}
