import { lstat, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { adviceOf } from '../failure.ts'
import { codeSpan } from '../report/markdown.ts'
import type { Workspace } from '../workspace/types.ts'
import type { Checkout } from './checkout.ts'
import { type Job, runFolder } from './job.ts'
import type { Knowledge } from './knowledge.ts'

/** Where and how the local MCP servers of a run are started. */
export interface Servers {
  readonly cwd: string
  readonly config: Knowledge['config']['mcp']
  readonly env: Job['world']['env']
  /** For people and the model. */
  readonly notes: readonly string[]
  close(): Promise<void>
}

/**
 * Local MCP servers run beside this process and outside the sandbox, so what they run must be trusted: the file that a command names, what it imports,
 * and whatever `npx`, `npm run` or `python -m` take from their folder. Where the work tree holds other commits than the trusted one, of a pull request
 * or of an earlier turn, they get a copy of the trusted commit to run in (issue 6). Without one they are left out.
 */
export async function placeServers(job: Job, { workspace, start }: Checkout, { config, tree }: Knowledge): Promise<Servers> {
  const { root } = workspace
  const { env } = job.world
  const local = Object.entries(config.mcp).flatMap(([name, server]) => ('type' in server && server.type === 'local' && server.enabled !== false ? [name] : []))
  const inPlace = { cwd: root, config: config.mcp, env, notes: [], close: async () => undefined }
  if (local.length === 0 || start.commit === tree.commit) return inPlace
  const changed = (await workspace.delta(tree.commit, start.commit)).entries.map(({ path }) => path)
  if (changed.length === 0) return inPlace
  const names = local.map((name) => codeSpan(name, 100)).join(', ')
  let cwd: string
  try {
    cwd = await copyOf(job, workspace, tree.commit)
    await linkPackages(root, cwd, changed)
  } catch (error) {
    const note = `The work tree is not that of the trusted commit, and there is no copy of it to run MCP servers in, so these were not started: ${names}. ${adviceOf(error)}`
    return { ...inPlace, config: Object.fromEntries(Object.entries(config.mcp).filter(([name]) => !local.includes(name))), notes: [note] }
  }
  const moved = (text: string) => [job.runner.workspace, root].reduce((words, folder) => words.replaceAll(folder, cwd), text)
  return {
    cwd,
    config: Object.fromEntries(Object.entries(config.mcp).map(([name, server]) => [name, movedServer(server, moved)])),
    env: { ...env, GITHUB_WORKSPACE: cwd },
    notes: [
      `The work tree is not that of the trusted commit, so these MCP servers run in a copy of the trusted commit and see its files: ${names}. What they write there is not kept.`,
    ],
    close: () => rm(cwd, { recursive: true, force: true, maxRetries: 3 }),
  }
}

type Server = Knowledge['config']['mcp'][string]

/** A server whose command and variables name the copy wherever they named the workspace. */
function movedServer(server: Server, moved: (text: string) => string): Server {
  if (!('type' in server) || server.type !== 'local') return server
  const { command, environment, cwd } = server
  return {
    ...server,
    command: command.map(moved),
    ...(environment ? { environment: Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, moved(value)])) } : {}),
    ...(cwd === undefined ? {} : { cwd: moved(cwd) }),
  }
}

async function copyOf({ runner }: Job, workspace: Workspace, commit: string): Promise<string> {
  await mkdir(runFolder(runner), { recursive: true })
  const folder = await realpath(await mkdtemp(join(runFolder(runner), 'servers-')))
  await workspace.copy(commit, folder)
  return folder
}

/** Packages that the job has installed serve the copy as well, unless they are among what was committed. */
async function linkPackages(root: string, copy: string, changed: readonly string[]): Promise<void> {
  const name = 'node_modules'
  if (changed.some((path) => path === name || path.startsWith(`${name}/`))) return
  const [installed, own] = await Promise.all([root, copy].map((folder) => lstat(join(folder, name)).catch(() => undefined)))
  if (installed?.isDirectory() && !own) await symlink(join(root, name), join(copy, name))
}
