import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WorkspaceError } from './errors.ts'
import { type Git, type GitConfig, type GitOptions, type GitResult, lastWords } from './git.ts'

/**
 * The user's repository through two doors.
 *
 * `git` works from a private git directory of ours that borrows the repository's objects, index and work tree but none of its configuration,
 * hooks, refs or attributes: whatever the agent writes into `.git`, our commands, and above all those that carry the token, do not read it
 * (C113, C146). `ownGit` works on the repository itself; it is for asking where HEAD is and for moving it, and never carries credentials.
 */
export interface Repository {
  readonly root: string
  /** Our private folder, for scratch files. */
  readonly scratch: string
  /** The private git directory. */
  readonly directory: string
  git(args: readonly string[], options?: GitOptions): Promise<GitResult>
  ownGit(args: readonly string[]): Promise<GitResult>
  /** Environment that makes `git` work on the user's own index. */
  readonly ownIndex: Readonly<Record<string, string>>
  /** The repository's HEAD and its tree; undefined while nothing is committed. */
  head(): Promise<Head | undefined>
  /** Points the private HEAD to a commit. */
  standOn(commit: string): Promise<void>
  /** Whether history is cut off. */
  shallow(): Promise<boolean>
  /** `git fetch`, which may move the boundary where a shallow history is cut off: the repository is told about it. */
  fetch(args: readonly string[], options: GitOptions): Promise<GitResult>
  /** The tree of everything git would track now, ignored files left out, with the user's index only read (as a cache); and what could not be read. */
  writeTree(): Promise<{ readonly tree: string; readonly problems: readonly string[] }>
}

export interface Head {
  readonly commit: string
  readonly tree: string
}

/** What we take over from the repository's configuration as it was before the agent ran: how files are read and written, nothing about remotes or programs but the content filters (LFS). */
const adopted =
  /^(core\.(autocrlf|eol|safecrlf|filemode|symlinks|ignorecase|precomposeunicode|protect(ntfs|hfs)|longpaths|checkroundtripencoding|sparsecheckout(cone)?)|index\.sparse)$/s
const contentFilter = /^filter\..+\.(clean|smudge|process|required)$/s

/** Content of the private HEAD. */
const onBranch = 'ref: refs/heads/head\n'

/**
 * Opens the repository whose top level is `root`; `scratch` is an empty folder of our own outside it. Without `filters` no program that its
 * configuration names is run: after the agent, nobody knows who wrote it. Throws `WorkspaceError` when there is none.
 */
export async function openRepository(runner: Git, root: string, scratch: string, { filters = true } = {}): Promise<Repository> {
  // An explicit git directory also spares the ownership check that stops git in container jobs (C115).
  const own = { GIT_DIR: join(root, '.git'), GIT_WORK_TREE: root }
  await stat(own.GIT_DIR).catch(() => {
    throw new WorkspaceError(`There is no git repository in ${root}`, 'Put a step with actions/checkout before this action.')
  })
  const ownGit = (args: readonly string[]) => runner(args, { environment: own })
  const [paths, listed] = await Promise.all([
    ownGit(['rev-parse', '--show-object-format', '--path-format=absolute', ...['objects', 'index', 'shallow', 'info'].flatMap((name) => ['--git-path', name])]),
    ownGit(['config', '--list', '--null']),
  ])
  const [format = '', objects = '', index = '', shallowFile = '', info = ''] = paths.stdout.toString().split('\n')
  const directory = join(scratch, 'git')
  const config = adoptedConfig(listed.stdout.toString(), filters)
  const files = { head: join(directory, 'HEAD'), branch: join(directory, 'refs/heads/head'), shallow: join(directory, 'shallow') }

  await Promise.all(['objects', 'refs/heads', 'info'].map((name) => mkdir(join(directory, name), { recursive: true })))
  await Promise.all([
    writeFile(files.head, onBranch),
    ...['exclude', 'attributes', 'sparse-checkout'].map((name) => copyIfThere(join(info, name), join(directory, 'info', name))),
  ])

  // Written anew for every command, in one move: the agent may have found our folder.
  const refreshConfig = async () => {
    const fresh = join(directory, `config-${randomUUID()}`)
    await writeFile(fresh, `[core]\nrepositoryFormatVersion = 1\n[extensions]\nobjectFormat = ${format}\n`)
    await rename(fresh, join(directory, 'config'))
  }
  const environment = { GIT_DIR: directory, GIT_WORK_TREE: root, GIT_OBJECT_DIRECTORY: objects, GIT_INDEX_FILE: join(scratch, 'index') }
  const git = async (args: readonly string[], options: GitOptions = {}) => {
    await refreshConfig()
    return runner(args, {
      ...options,
      environment: { ...environment, GIT_SHALLOW_FILE: shallowFile, ...options.environment },
      config: [...config, ...(options.config ?? [])],
    })
  }

  return {
    root,
    scratch,
    directory,
    git,
    ownGit,
    ownIndex: { GIT_INDEX_FILE: index },
    async head() {
      const { code, stdout, stderr } = await runner(['rev-parse', 'HEAD', 'HEAD^{tree}'], { environment: own, accept: [0, 128] })
      if (code !== 0) {
        if (stderr.includes('unknown revision')) return undefined
        throw new WorkspaceError(`git could not read HEAD: ${lastWords(stderr)}`, 'Check the repository out again.')
      }
      const [commit = '', tree = ''] = stdout.toString().split('\n')
      return { commit, tree }
    },
    async standOn(commit) {
      // As a branch, so that a fetch tells the remote what is here already.
      await Promise.all([writeFile(files.head, onBranch), writeFile(files.branch, `${commit}\n`)])
    },
    async shallow() {
      return isThere(shallowFile)
    },
    async fetch(args, options) {
      // Here git insists on a shallow file of its own, next to its configuration.
      await Promise.all([refreshConfig(), copyIfThere(shallowFile, files.shallow)])
      const result = await runner(['fetch', ...args], { ...options, environment, config: [...config, ...(options.config ?? [])] })
      await copyIfThere(files.shallow, shallowFile)
      return result
    },
    async writeTree() {
      const copy = join(scratch, 'index')
      await copyIfThere(index, copy)
      await backdate(index, copy)
      // `--ignore-errors`: one unreadable file or a nested repository without a commit must not lose the rest.
      const added = await git(['add', '--all', '--ignore-errors', '--', '.'], { accept: [0, 1] })
      const problems = added.code === 0 ? [] : added.stderr.split('\n').filter((line) => line.startsWith('error: '))
      return { tree: (await git(['write-tree'])).stdout.toString().trim(), problems }
    },
  }
}

/** A folder of our own under `temp`, by its real path. */
export async function scratchFolder(temp: string): Promise<string> {
  return mkdtemp(join(temp, 'workspace-'))
}

function adoptedConfig(listed: string, filters: boolean): GitConfig {
  return listed.split('\0').flatMap((record) => {
    const end = record.indexOf('\n')
    const key = end < 0 ? record : record.slice(0, end)
    // A key without a value means true.
    return adopted.test(key) || (filters && contentFilter.test(key)) ? [[key, end < 0 ? 'true' : record.slice(end + 1)] as const] : []
  })
}

/** Copies a file, or removes the copy when there is no original. */
async function copyIfThere(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error: unknown) => {
    if (isMissing(error)) return rm(to, { force: true })
    throw error
  })
}

/** Git trusts a cached entry only if it is older than the index; a copy that looks newer than its original would hide edits made in the same tick. */
async function backdate(original: string, copy: string): Promise<void> {
  if (!(await isThere(copy))) return
  const { atimeMs, mtimeMs } = await stat(original)
  await utimes(copy, atimeMs / 1_000, (mtimeMs - 10) / 1_000)
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    },
  )
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
