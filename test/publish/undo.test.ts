import { expect, test } from 'vitest'
import { byGit } from '../../src/publish/deliver.ts'
import { PublishError } from '../../src/publish/errors.ts'
import { type Landed, undoLandings } from '../../src/publish/undo.ts'
import type { Pushed, Reverted, Step, Target } from '../../src/workspace/types.ts'
import { fakeWorkspace } from './fake.ts'

const never = new AbortController().signal
const first: Landed = { target: { branch: 'x' }, from: 'a', to: 'b' }
const second: Landed = { target: { branch: 'x' }, from: 'b', to: 'c' }
const other: Landed = { target: { branch: 'y' }, from: 'd', to: 'e' }

function undo(landings: readonly Landed[], reverts: Readonly<Record<string, readonly Reverted[]>>, pushes: readonly Pushed[] = [], signal = never) {
  const asked: string[] = []
  const workspace = fakeWorkspace(pushes, {
    revert: (steps: readonly Step[], { branch }: Target) => {
      const answers = reverts[branch] ?? []
      const before = asked.filter((line) => line.startsWith(branch)).length
      asked.push(`${branch}: ${steps.map(({ from, to }) => `${from}..${to}`).join(' ')}`)
      return Promise.resolve(answers[Math.min(before, answers.length - 1)] ?? { kind: 'nothing' })
    },
  })
  return { workspace, asked, result: undoLandings({ workspace, deliver: byGit(workspace), landings, message: 'Undo', signal }) }
}

const made = (commit: string, tip: string): Reverted => ({ kind: 'replayed', commit, tip })

test('all pushes of a turn to one branch are taken back by one commit on its tip', async () => {
  const { workspace, asked, result } = undo([first, second], { x: [made('r', 'tip')] })
  expect(await result).toEqual([{ target: { branch: 'x' }, kind: 'undone', commit: 'r', from: 'tip' }])
  expect(asked).toEqual(['x: a..b b..c'])
  expect(workspace.pushed).toEqual(['r to x at tip'])
})

test('a conflict names its files, and nothing is pushed to any branch', async () => {
  const { workspace, result } = undo([first, other], { x: [made('r', 'tip')], y: [{ kind: 'conflict', files: ['a.ts'] }] })
  expect(await result).toEqual([
    { target: { branch: 'x' }, kind: 'held' },
    { target: { branch: 'y' }, kind: 'conflict', files: ['a.ts'] },
  ])
  expect(workspace.pushed).toEqual([])
})

test('a branch that moves meanwhile gets the commit made anew', async () => {
  const { workspace, result } = undo([first], { x: [made('r1', 't1'), made('r2', 't2')] }, [{ kind: 'taken' }, { kind: 'pushed' }])
  expect(await result).toMatchObject([{ kind: 'undone', commit: 'r2', from: 't2' }])
  expect(workspace.pushed).toEqual(['r1 to x at t1', 'r2 to x at t2'])
})

test('C111 a refusal comes back in the words of the remote', async () => {
  const { result } = undo([first], { x: [made('r', 't')] }, [{ kind: 'refused', reason: 'GH006: Protected branch update failed.' }])
  expect(await result).toMatchObject([{ kind: 'refused', why: { said: 'GH006: Protected branch update failed.' } }])
})

test('C108 what is gone, or not there any more, is said so', async () => {
  expect(await undo([first, other], { x: [{ kind: 'gone' }], y: [{ kind: 'nothing' }] }).result).toMatchObject([{ kind: 'gone' }, { kind: 'nothing' }])
})

test('a run that was stopped takes nothing back', async () => {
  const { workspace, result } = undo([first], { x: [made('r', 't')] }, [], AbortSignal.abort())
  await expect(result).rejects.toThrow(PublishError)
  expect(workspace.pushed).toEqual([])
})
