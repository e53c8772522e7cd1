import { accessSync, constants, mkdirSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { keyPlaces, runnerOf } from './keys.ts'
import type { Walls } from './sandbox-script.ts'

interface Places {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The repository's top level. */
  readonly root: string
  /** The runner's folder for temporary files, which holds our own too. */
  readonly temp: string
  /** Where outputs too long for the model are kept; tools may read them. */
  readonly outputs: string
  /** Folder of the bundle that is running. */
  readonly assets: string
  /** The node that runs it. */
  readonly node: string
}

/** Files through which a step speaks to the runner, and what told it what to do. */
const commandFiles = ['GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY', 'GITHUB_EVENT_PATH']
/** What of a runner of one's own decides what the next job runs. */
const runnerFiles = ['bin', 'externals', '.env', '.path', 'run.sh', 'run-helper.sh', 'runsvc.sh']
/** What stays writable whatever else is closed. */
const ownFolders = ['HOME', 'TMPDIR', 'RUNNER_TOOL_CACHE', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR']

/**
 * What commands in a sandbox see of the machine: the runner's temporary folder, with our private git directory and the files by which steps speak to
 * the runner, is empty but for saved outputs; files with keys are blank; this action and the node that runs it, which a later step starts again with
 * the token, can't be changed; programs that are put on the path there are not on it elsewhere, so that no later step runs them for ours.
 */
export function wallsFor({ env, root, temp, outputs, assets, node }: Places): Walls {
  const named = (names: readonly string[]) => names.flatMap((name) => real(env[name]))
  // The action as it was checked out, with what tells the runner how to start it.
  const action = basename(assets) === 'dist' ? [dirname(assets), assets] : [assets]
  const runner = runnerOf(node)
  const keep = [...new Set([...real(outputs), ...real(root), ...named(ownFolders)])].filter((folder) => folder !== '/')
  return {
    emptied: real(temp),
    keep,
    blanked: [...named(commandFiles), ...keyPlaces({ env, root, node }).flatMap(real)],
    // We write the scripts of commands there, and read what they print.
    frozen: [
      ...[...action, ...otherActions(env), dirname(node), ...(runner ? runnerFiles.map((name) => join(runner, name)) : [])]
        .flatMap(real)
        .filter((folder) => !keep.some((kept) => isWithin(kept, folder))),
      ...real(outputs),
    ],
    programs: programFolders(env, keep, real(root)[0] ?? root),
    rooted: real(join(root, '.git')),
  }
}

/** Where the runner keeps the actions of the job, whose last steps are still to come. */
function otherActions(env: Places['env']): string[] {
  return env.RUNNER_WORKSPACE === undefined ? [] : [join(dirname(env.RUNNER_WORKSPACE), '_actions')]
}

/** Folders of the path that commands could write to. Those below the home folder are made where they are missing, for else they would be. */
function programFolders(env: Places['env'], keep: readonly string[], root: string): string[] {
  const home = real(env.HOME)[0]
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'))
  const found = folders.flatMap((folder) => {
    if (home !== undefined && isWithin(folder, home)) makeFolder(folder)
    return real(folder)
  })
  return [...new Set(found)].filter((folder) => !isWithin(folder, root) && isWritable(folder, keep))
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
  } catch {
    // Where we can't make it, commands can't either.
  }
}

/** For root the rest of the machine is closed already. */
function isWritable(folder: string, keep: readonly string[]): boolean {
  if (process.getuid?.() === 0 && !keep.some((kept) => isWithin(folder, kept))) return false
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

function real(path: string | undefined): string[] {
  if (!path?.startsWith('/')) return []
  try {
    return [realpathSync(path)]
  } catch {
    // What is not there needs no wall.
    return []
  }
}
