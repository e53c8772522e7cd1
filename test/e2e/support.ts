import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { issueCommentPayload } from '../../src/local/github/payloads.ts'
import type { Answer, Conversation, Script } from '../../src/local/model.ts'
import type { RunInput, RunResult } from '../../src/local/runner.ts'
import { runAction, type World, type WorldOptions } from '../../src/local/world.ts'
import { openWorld } from '../support/world.ts'

export const files = {
  'README.md': '# Demo\n',
  'src/date.js': 'export const parse = (text) => new Date(text)\n',
}

/** A script that edits a file, then answers; it decides by what is there, so a second turn with `more` goes on. */
export const fixDate = ({ result, mayCall }: Conversation): Answer => {
  if (mayCall && result('read_1') === undefined) return { calls: [{ id: 'read_1', name: 'read', arguments: { filePath: 'src/date.js' } }] }
  if (mayCall && result('edit_1') === undefined)
    return {
      calls: [{ id: 'edit_1', name: 'edit', arguments: { filePath: 'src/date.js', oldString: 'new Date(text)', newString: 'new Date(Date.parse(text))' } }],
    }
  return { text: 'Dates are parsed in UTC now.' }
}

/** The same answer for every request. */
export const says =
  (text: string): Script =>
  () => ({ text })

/** Opens a world with a scripted model, lets `play` use it, and closes it; anything wrong on the wire fails the test. */
export async function within(options: Partial<WorldOptions>, play: (world: World) => Promise<void>): Promise<void> {
  const world = await openWorld({ seed: { files }, ...options })
  try {
    await play(world)
  } catch (error) {
    await world.close().catch(() => undefined)
    throw error
  }
  await world.close()
}

/** Comments as somebody and runs the action on that comment. */
export async function comment(world: World, number: number, author: string, body: string, input: Partial<RunInput> = {}): Promise<RunResult & { id: number }> {
  const { id } = world.github.comment(number, author, body)
  const done = await runAction(world, {
    event: 'issue_comment',
    payload: issueCommentPayload(world.github, id),
    ...input,
    inputs: { ...modelInputs(world), ...input.inputs },
  })
  return { ...done, id }
}

/** The inputs that point the action at the world's model. */
export function modelInputs(world: World): Record<string, string> {
  return world.model ? { model: 'scripted/model', 'base-url': world.model.baseUrl } : {}
}

/** Fails with the run's own log when the exit status is not the expected one. */
export function expectExit(done: RunResult, code: number): void {
  expect(done.code, `${done.stdout}\n${done.stderr}`).toBe(code)
}

/** Requests to GitHub's API that changed something, as `METHOD path`. */
export function writes(world: World): string[] {
  return world.github.journal.filter(({ kind, method }) => kind === 'rest' && method !== 'GET').map(({ method, path }) => `${method} ${path}`)
}

/** Whether any process of this machine has a text in its command line: commands of a run have numbers of their own, which say nothing out here. Needs Linux. */
export function isRunningWith(text: string): boolean {
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && commandLine(name).includes(text))
}

/** Empty of a process that has ended meanwhile. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
