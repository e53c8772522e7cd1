import { expect, vi } from 'vitest'
import { issueCommentPayload } from '../../src/local/github/payloads.ts'
import { runAction, runPost, type World } from '../../src/local/world.ts'
import { readClaim } from '../../src/thread/claim.ts'
import { stripHidden } from '../../src/thread/hidden.ts'
import { loadThread } from '../../src/thread/load.ts'
import { modelInputs } from './support.ts'

/** Several runs on one thread, each on a machine of its own. */

type Input = Parameters<typeof runAction>[1]
type Result = Awaited<ReturnType<typeof runAction>>

export const bot = 'github-actions[bot]'

/** Resolves when a condition holds; a test that waits for ever ends by its own time limit. */
export async function until(holds: () => boolean): Promise<void> {
  await vi.waitUntil(holds, { timeout: 200_000, interval: 20 })
}

/** Something that is held back until it is opened. */
export function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { open: resolve, opened: promise }
}

let machines = 0

/** Runs the action for a comment that is there, on a fresh machine; what it was given goes into its post step. */
export async function runFor(world: World, id: number, input: Partial<Input> = {}): Promise<Result & { readonly input: Input }> {
  machines++
  const whole: Input = {
    event: 'issue_comment',
    payload: issueCommentPayload(world.github, id),
    ...(await world.machine(`m${machines}`)),
    ...input,
    inputs: { ...modelInputs(world), ...input.inputs },
  }
  return { ...(await runAction(world, whole)), input: whole }
}

/** The runner's post step after a run, on its machine. */
export async function afterRun(world: World, { input, runId, state }: Result & { readonly input: Input }): Promise<Result> {
  const { stop: _, ...rest } = input
  return runPost(world, { ...rest, runId }, state)
}

/** What readers see of the bot's comments, oldest first. */
export function replies(world: World, number: number): string[] {
  return world.github.thread(number).comments.flatMap(({ author, body }) => (author === bot ? [stripHidden(body)] : []))
}

/** Claims that say of a run that it is at work. */
export function claims(world: World, number: number) {
  return world.github.thread(number).comments.flatMap(({ id, author, body }) => {
    const claim = author === bot ? readClaim(body) : undefined
    return claim && !claim.ended ? [{ ...claim, comment: id }] : []
  })
}

/** Nobody is at work on a thread any more, as people and other runs see it. */
export function expectQuiet(world: World, number: number): void {
  const { comments, reactions } = world.github.thread(number)
  expect(claims(world, number)).toEqual([])
  expect(replies(world, number).filter((reply) => reply.startsWith('Working on it.'))).toEqual([])
  expect([...reactions, ...comments.flatMap((comment) => comment.reactions)]).toEqual([])
}

/** Texts of people in the newest request to the model, in order; each was asked once when the list holds each once. */
export function askedOf(world: World): string {
  const messages = world.model?.requests().at(-1)?.messages ?? []
  return messages.flatMap(({ role, content }) => (role === 'user' ? [typeof content === 'string' ? content : JSON.stringify(content)] : [])).join('\n')
}

/** How often a text occurs in another. */
export const count = (text: string, part: string): number => text.split(part).length - 1

/** Does something, once, when the model is asked for the n-th time, and keeps its answer back until it is done. */
export function atAnswer(world: World, nth: number, act: () => void | Promise<void>): void {
  let asked = 0
  world.model?.watch(() => {
    asked++
    return asked === nth ? act() : undefined
  })
}

/** The working comment of a run has been posted, and taken away or not. */
export const hasPosted = (world: World, times: number): boolean =>
  world.github.journal.filter(({ method, path }) => method === 'POST' && /\/issues\/\d+\/comments$/.test(path)).length >= times
export const hasDeleted = (world: World, times: number): boolean =>
  world.github.journal.filter(({ method, path }) => method === 'DELETE' && /\/issues\/comments\/\d+$/.test(path)).length >= times

/** A comment's checkpoint, as another run would find it, holds the edits. */
export function keptEdits(world: World, number: number): string[] {
  const { comments } = world.github.thread(number)
  const seen = comments.map(({ id, author, body, createdAt }) => ({
    id,
    author: { login: author ?? 'ghost', isBot: author === bot },
    body,
    createdAt,
    lastEditedAt: null,
    minimized: false,
    url: '',
  }))
  const patch = loadThread(seen, { viewer: bot, mode: 'thread' }).checkpoint?.turn.work?.patch
  return patch === undefined ? [] : [patch]
}
