import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { askGit, git, gitWith } from '../process.ts'
import type { Repositories } from './repository.ts'
import type { PushedRef, PushRefusal } from './rules.ts'

/** Reads a push before git sees it, and says no in git's own protocol. */

export interface RefUpdate {
  readonly ref: string
  readonly before: string
  readonly after: string
}

export interface PushBody {
  readonly refs: readonly RefUpdate[]
  readonly pack: Buffer
}

const zero = /^0+$/

/** The branches a push wants to move and its pack. An authentication probe has no branches. */
export function readPush(sent: Buffer, encoding: string | undefined): PushBody {
  const body = encoding === 'gzip' ? gunzipSync(sent) : sent
  const refs: RefUpdate[] = []
  let at = 0
  while (at + 4 <= body.length) {
    const size = Number.parseInt(body.toString('latin1', at, at + 4), 16)
    if (size === 0) {
      at += 4
      break
    }
    if (!(size >= 4)) break
    const [line = ''] = body.toString('utf8', at + 4, at + size).split('\0')
    const [, before, after, ref] = /^([0-9a-f]{40}) ([0-9a-f]{40}) (.+?)\n?$/.exec(line) ?? []
    if (before !== undefined && after !== undefined && ref !== undefined) refs.push({ before, after, ref })
    at += size
  }
  const start = body.indexOf('PACK', at, 'latin1')
  return { refs, pack: start < 0 ? Buffer.alloc(0) : body.subarray(start) }
}

/** What a push changes, looked at in a quarantine as GitHub's own hooks do. */
export async function inspectPush(repositories: Repositories, repository: string, { refs, pack }: PushBody): Promise<PushedRef[]> {
  const folder = await mkdtemp(join(tmpdir(), 'quarantine-'))
  try {
    const path = repositories.path(repository)
    await mkdir(join(folder, 'pack'), { recursive: true })
    const extra = { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: join(path, 'objects') }
    const env = { ...repositories.env }
    if (pack.length > 0) await gitWith(path, env, ['index-pack', '--stdin', '--fix-thin'], { input: pack, extra })
    return await Promise.all(
      refs.map((change) => inspect(change, repository, (args, input) => gitWith(path, env, args, { extra, ...(input === undefined ? {} : { input }) }))),
    )
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** What a move of a branch changes, whose objects are there already: the way of the Git data API. */
export async function inspectMove(repositories: Repositories, repository: string, change: RefUpdate): Promise<PushedRef> {
  return inspect(change, repository, (args, input) => gitWith(repositories.path(repository), repositories.env, args, input === undefined ? {} : { input }))
}

type Git = (args: readonly string[], input?: string) => Promise<string>

async function inspect(change: RefUpdate, repository: string, run: Git): Promise<PushedRef> {
  const none = { ...change, repository, files: [] }
  if (zero.test(change.after)) return none
  // What a new branch brings: everything in commits that no branch has yet.
  const range = zero.test(change.before) ? [change.after, '--not', '--branches'] : [change.after, `^${change.before}`]
  const listed = await run(['log', '-m', '--first-parent', '--raw', '-z', '--no-renames', '--abbrev=40', '--format=', ...range])
  const fields = listed.split('\0')
  const blobs = new Map<string, string>()
  for (let index = 0; index + 1 < fields.length; index++) {
    const [, , , sha = ''] = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) [A-Z]/.test(fields[index] ?? '') ? (fields[index] ?? '').split(' ') : []
    if (sha !== '' && !zero.test(sha)) blobs.set(fields[index + 1] ?? '', sha)
  }
  const rows = [...blobs]
  const sizes = rows.length === 0 ? [] : (await run(['cat-file', '--batch-check=%(objectsize)'], rows.map(([, sha]) => `${sha}\n`).join(''))).split('\n')
  return { ...none, files: rows.map(([path], index) => ({ path, size: Number(sizes[index]) || 0 })) }
}

const packet = (content: Buffer | string, band?: number): Buffer => {
  const data = Buffer.concat([Buffer.from(band === undefined ? [] : [band]), Buffer.from(content)])
  return Buffer.concat([Buffer.from((data.length + 4).toString(16).padStart(4, '0')), data])
}

/** The answer to a refused push, for clients that take the side band, as all of this century do. */
export function refusedPush(refs: readonly RefUpdate[], { reason, remote }: PushRefusal): Buffer {
  const report = [packet('unpack ok\n'), ...refs.map(({ ref }) => packet(`ng ${ref} ${reason}\n`)), Buffer.from('0000')]
  return Buffer.concat([...remote.map((line) => packet(`${line}\n`, 2)), packet(Buffer.concat(report), 1), Buffer.from('0000')])
}

/** Whether a branch may be moved so without force. */
export async function isForward(repositories: Repositories, repository: string, before: string, after: string): Promise<boolean> {
  return (await askGit(repositories.path(repository), repositories.env, ['merge-base', '--is-ancestor', before, after])) !== undefined
}

/** Copies a repository's branches to another owner's. */
export async function copyRepository(repositories: Repositories, from: string, to: string): Promise<void> {
  await mkdir(repositories.path(to), { recursive: true })
  await git(repositories.path(to), repositories.env, ['init', '--quiet', '--bare'])
  await git(repositories.path(to), repositories.env, ['fetch', '--quiet', repositories.path(from), '+refs/heads/*:refs/heads/*'])
}
