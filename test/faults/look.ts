import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Comment } from '../../src/github/types.ts'
import type { RunResult } from '../../src/local/runner.ts'
import type { World } from '../../src/local/world.ts'
import { readClaim } from '../../src/thread/claim.ts'
import { stripHidden } from '../../src/thread/hidden.ts'
import { type LoadedThread, loadThread } from '../../src/thread/load.ts'
import type { Edit } from './scenarios.ts'

/** What people, and the next run, find at GitHub after a run. */
export interface Found {
  /** The bot's comments in the conversation, as readers see them. */
  readonly said: readonly { readonly id: number; readonly text: string; readonly isWorking: boolean }[]
  readonly branches: readonly Branch[]
  readonly pulls: readonly number[]
  /** What the bot's reviews say beside their remarks. */
  readonly reviews: readonly string[]
  /** The bot's remarks on the diff. */
  readonly remarks: readonly string[]
  readonly thread: LoadedThread
}

interface Branch {
  readonly name: string
  /** Subjects of the commits of the bot that the default branch has not. */
  readonly commits: readonly string[]
  readonly hasEdit: boolean
}

export async function lookAt(world: World, number: number, edit: Edit | undefined): Promise<Found> {
  const { state, thread } = world.github
  const isOurs = ({ author }: { readonly author: string | null }) => author === state.viewer
  const { comments, pull } = thread(number)
  return {
    said: comments.filter(isOurs).map(({ id, body }) => {
      const claim = readClaim(body)
      const text = stripHidden(body)
      return { id, text, isWorking: (claim !== undefined && !claim.ended) || /^Working on it/.test(text) }
    }),
    branches: await branchesIn(world, edit),
    pulls: [...state.threads.values()].filter((each) => each.pull !== undefined && isOurs(each)).map((each) => each.number),
    reviews: (pull?.reviews ?? []).filter(isOurs).map(({ body }) => stripHidden(body)),
    remarks: (pull?.remarks ?? []).flatMap((remark) => remark.comments.filter(isOurs).map(({ body }) => stripHidden(body))),
    thread: memoryOf(world, number),
  }
}

/** What a run left behind, without what differs from world to world: where this is the same, so is what comes next. */
export function gistOf({ said, branches, pulls, reviews, remarks, thread }: Found): string {
  const parts = thread.messages.flatMap((message) => message.parts.map((part) => (part.type === 'tool' ? part.callID : part.type)))
  const memory = { parts, seq: thread.seq, isUnfinished: thread.checkpoint !== undefined, answered: thread.answered.size }
  return JSON.stringify({ said: said.map(({ isWorking }) => isWorking), branches, pulls, reviews: reviews.length, remarks, memory })
}

/** What the next run will remember. */
export function memoryOf(world: World, number: number): LoadedThread {
  const { state, thread } = world.github
  const comments = thread(number).comments.map(
    ({ id, author, body, createdAt, lastEditedAt, minimizedReason }): Comment => ({
      id,
      url: '',
      author: { login: author ?? 'ghost', isBot: author?.endsWith('[bot]') ?? false },
      body,
      createdAt,
      lastEditedAt,
      minimized: minimizedReason !== null,
    }),
  )
  return loadThread(comments, { viewer: state.viewer, mode: 'thread' })
}

async function branchesIn(world: World, edit: Edit | undefined): Promise<Branch[]> {
  const { defaultBranch } = world.github.state
  const names = lines(await world.remote('branch', '--format=%(refname:short)'))
  return Promise.all(
    names.map(async (name): Promise<Branch> => {
      const log = await world.remote('log', '--format=%an|%s', `${defaultBranch}..${name}`)
      const content = edit ? await world.remote('show', `${name}:${edit.path}`).catch(() => '') : ''
      return { name, commits: lines(log).filter((line) => line.startsWith('github-actions[bot]|')), hasEdit: edit !== undefined && content.includes(edit.text) }
    }),
  )
}

/** Where the edit can be found, in words; nothing where it is lost. */
export async function placesOf(found: Found, edit: Edit, results: readonly RunResult[]): Promise<string[]> {
  const patches = await Promise.all(results.map(async ({ outputs }) => await readOr(outputs['patch-path'] ?? '')))
  const { checkpoint } = found.thread
  return [
    ...found.branches.filter(({ hasEdit }) => hasEdit).map(({ name }) => `branch ${name}`),
    ...(patches.some((patch) => patch.includes(edit.text)) ? ['patch-path'] : []),
    ...(found.said.some(({ text }) => text.includes('```diff') && text.includes(edit.text)) ? ['patch in a comment'] : []),
    ...(checkpoint?.turn.work?.patch?.includes(edit.text) ? ['checkpoint'] : []),
  ]
}

/** Whether the edit was made in a checkout. */
export async function wasMade(workspace: string, edit: Edit): Promise<boolean> {
  return (await readOr(join(workspace, edit.path))).includes(edit.text)
}

const readOr = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')
