import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Desk, openDesk } from '../../src/publish/desk.ts'
import { beforeOf } from '../../src/run/account.ts'
import { asFailure, failed, type Leaving, succeeded } from '../../src/run/conclude.ts'
import { createChildren } from '../../src/session/children.ts'
import { memoryStore } from '../../src/session/store.ts'
import { addUsage } from '../../src/session/usage.ts'
import { encode, readBlock } from '../../src/thread/codec.ts'
import { layBallast } from '../../src/workspace/ballast.ts'
import { changes, fakeGitHub, fakeWorkspace } from '../publish/fake.ts'
import { never } from '../support/closing.ts'
import { session, turn } from '../thread/turns.ts'
import { jobWith } from './job.ts'

/** The words alone, without a checkpoint. */
const leaving = (desk: Desk): Leaving => ({ desk, parting: (visible) => Promise.resolve(visible), stop: never })

/** Posted texts, in order. */
async function postedBy(patch: string) {
  const github = fakeGitHub()
  const { job, logged } = jobWith({ github })
  const desk = await openDesk(github, { number: 12, request: { comment: 5 } }, 'Working on it.')
  const workspace = { ...fakeWorkspace(), changes: async () => changes, patch: async () => ({ text: patch, bytes: patch.length }) }
  const checkout = { workspace, branch: 'main', start: { commit: 'c', tree: 't' } }
  const result = await failed(job, { before: beforeOf([], undefined), checkout }, leaving(desk), new TypeError('x is not a function'))
  const posted = github.calls.flatMap(([name, , body]) => (name === 'updateComment' ? [String(body)] : []))
  return { result, logged, posted }
}

test('session data in an edited file does not become the thread’s memory when the patch is shown', async () => {
  const [block = ''] = encode(turn(9), { seq: 9 }, [{ comment: 100, chars: 60_000 }])
  expect(readBlock(block)).toMatchObject({ kind: 'slice', header: { comment: 100 } })
  const { posted } = await postedBy(`+++ b/a.md\n+${block}`)
  expect(posted.at(-1)).toContain('+++ b/a.md')
  expect(readBlock(posted.at(-1) ?? '')).toBeUndefined()
})

test('a fault nobody foresaw leaves its stack in the log and a sentence in the thread', async () => {
  const { result, logged, posted } = await postedBy('')
  expect(result.reason).toContain('met a fault of its own: x is not a function.')
  expect(posted.at(-1)).toContain('x is not a function')
  expect(posted.at(-1)).not.toContain('conclude.test')
  expect(logged.join('\n')).toMatch(/TypeError: x is not a function\n +at .*conclude\.test/)
  expect(asFailure(undefined, jobWith().job.world.log).message).toContain('undefined')
})

test('a full disk is no fault of ours, and the room that was kept for the work is given back first', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  const github = fakeGitHub()
  const { job } = jobWith({ github })
  await mkdir(job.runner.temp, { recursive: true })
  await layBallast(job.runner.temp)
  expect(await readdir(job.runner.temp)).toHaveLength(1)
  let left: string[] | undefined
  const workspace = {
    ...fakeWorkspace(),
    async changes() {
      left = await readdir(job.runner.temp)
      return changes
    },
  }
  const checkout = { workspace, branch: 'main', start: { commit: 'c', tree: 't' } }
  const desk = await openDesk(github, { number: 12, request: { comment: 5 } }, 'Working on it.')
  const result = await failed(job, { before: beforeOf([], undefined), checkout }, leaving(desk), full)
  expect(left).toEqual([])
  expect(result.reason).toContain('The disk of the runner is full')
  expect(result.reason).not.toContain('open an issue')
})

test('a transcript that cannot be written is told with the reason', async () => {
  const { job } = jobWith()
  await mkdir(job.runner.temp, { recursive: true })
  await writeFile(join(job.runner.temp, 'opencode'), 'in the way')
  const desk = await openDesk(fakeGitHub(), { number: 12, request: { comment: 5 } }, 'Working on it.')
  const result = await failed(job, { before: beforeOf([], undefined), store: memoryStore(session()) }, leaving(desk), new Error('x'))
  expect(result.summary).toMatch(/The transcript could not be written: .*(EEXIST|ENOTDIR)/)
})

test('a run’s figures hold what its subtasks used and nothing of earlier runs; the transcript holds the subtasks’ sessions', async () => {
  const tokens = { input: 100, output: 7, reasoning: 0, cache: { read: 0, write: 0 } }
  const earlier = session()
  const before = { ...earlier, usage: addUsage(earlier.usage, tokens, 1) }
  const store = memoryStore(before)
  const children = createChildren()
  const child = children.start({ ...earlier, id: 'ses_child', parentID: before.id, title: 'Look around' }, store)
  store.update({ usage: addUsage(store.session.usage, tokens, 0.25) })
  child.update({ usage: addUsage(child.session.usage, tokens, 0.5) })
  const { outputs } = await succeeded(jobWith().job, { before: beforeOf([], before), store, children }, { notes: [], comment: undefined })
  expect(outputs).toMatchObject({ steps: '2', 'input-tokens': '200', 'output-tokens': '14', 'cost-usd': '0.750000' })
  const transcript = await readFile(outputs['transcript-path'] ?? '', 'utf8')
  expect(/<h1>(.+)<\/h1>/.exec(transcript)?.[1]).toBe(before.title)
  expect([...transcript.matchAll(/<h2 [^>]+>([^<]+)</g)].map(([, heading]) => heading)).toEqual(['Messages', 'Subtask: Look around'])
})
