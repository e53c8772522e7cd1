import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Start, Workspace } from '../../src/workspace/types.ts'
import { openWorkspace } from '../../src/workspace/workspace.ts'
import { type GitServer, git, startGitServer } from '../support/git-server.ts'

export const token = 'ghs_aTokenNobodyMaySee'
export const bot = { name: 'github-actions[bot]', email: '41898282+github-actions[bot]@users.noreply.github.com' }

/** A git server with the repository `demo` (two commits on `main`), and a folder for checkouts. */
export interface World {
  readonly server: GitServer
  readonly folder: string
  /** The author's own clone; pushes past the server's rules. */
  readonly seed: string
  /** Commits files to a branch on the server, as somebody else; a null removes the file. */
  push(branch: string, files: Readonly<Record<string, string | null>>): Promise<string>
  /** Makes the checkout of a job: shallow as the checkout step does it, or full. */
  checkout(options?: { readonly full?: boolean; readonly branch?: string }): Promise<string>
  open(root: string, env?: Readonly<Record<string, string>>): Promise<Workspace>
  close(): Promise<void>
}

export async function makeWorld(options: { readonly private?: boolean } = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'git-world-'))
  const server = await startGitServer({ token, ...options })
  await server.create('demo')
  const seed = join(folder, 'seed')
  await git(folder, 'init', '--quiet', '--initial-branch=main', seed)
  let checkouts = 0

  const world: World = {
    server,
    folder,
    seed,
    async push(branch, files) {
      const exists = await git(seed, 'branch', '--list', branch)
      if (exists === '') await git(seed, 'checkout', '--quiet', '-b', branch)
      else await git(seed, 'checkout', '--quiet', branch, '--')
      await Promise.all(Object.entries(files).map(([path, text]) => (text === null ? rm(join(seed, path)) : write(seed, path, text))))
      await git(seed, 'add', '--all')
      await git(seed, 'commit', '--quiet', '--message', Object.keys(files).join(' ') || 'nothing', '--allow-empty')
      await git(seed, 'push', '--quiet', server.folder('demo'), `HEAD:refs/heads/${branch}`)
      return git(seed, 'rev-parse', 'HEAD')
    },
    async checkout({ full = false, branch = 'main' } = {}) {
      checkouts += 1
      const root = join(folder, `checkout${checkouts}`)
      const depth = full ? [] : ['--depth=1']
      // From the folder, because the server may be private; the address in the configuration is the server's.
      await git(folder, 'clone', '--quiet', ...depth, `--branch=${branch}`, `file://${server.folder('demo')}`, root)
      await git(root, 'remote', 'set-url', 'origin', server.url('demo'))
      return root
    },
    async open(root, env = {}) {
      const temp = join(folder, 'temp')
      await mkdir(temp, { recursive: true })
      const remote = { url: server.url('demo'), token }
      return openWorkspace({ root, remote, identity: () => bot, temp, env: { PATH: process.env.PATH, ...env } })
    },
    async close() {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  await world.push('main', { 'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n', 'docs/guide.md': '# Guide\n' })
  await world.push('main', { 'b.txt': 'b\n' })
  return world
}

export async function write(root: string, path: string, text: string | Buffer): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

/** Commits and pushes what changed, as the action does. */
export async function publish(workspace: Workspace, start: Start, branch = 'opencode/issue12', message = 'Fix it') {
  const changes = await workspace.changes(start)
  const commit = await workspace.commit(changes, message)
  return { changes, commit, pushed: await workspace.push(commit, { branch }, 'absent') }
}
