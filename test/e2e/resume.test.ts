import { describe, expect, test } from 'vitest'
import type { Conversation, Script } from '../../src/local/model.ts'
import type { RunInput } from '../../src/local/runner.ts'
import type { World } from '../../src/local/world.ts'
import { expectExit, within } from './support.ts'
import { afterRun, askedOf, atAnswer, claims, count, expectQuiet, keptEdits, replies, runFor, until } from './threads.ts'

/** Runs that are stopped or die at every step, and what the thread makes of it. */

const users = { alice: 'write', olga: 'write', rita: 'read' } as const
type Moment = NonNullable<RunInput['stop']>['when']

const heard = ({ messages }: Conversation) => [
  ...new Set(
    messages.flatMap(({ role, text }) => (role === 'user' ? [...text.matchAll(/(?<!opencode )write (\w+)\.txt/g)].map(([, word]) => word ?? '') : [])),
  ),
]

/** Reads, writes a file for each "write NAME.txt" it was asked for, and says which: the third answer to the first request. */
const writes: Script = (conversation) => {
  if (conversation.result('read_1') === undefined) return { calls: [{ id: 'read_1', name: 'read', arguments: { filePath: 'README.md' } }] }
  const next = heard(conversation).find((name) => conversation.result(`write_${name}`) === undefined)
  if (next !== undefined) return { calls: [{ id: `write_${next}`, name: 'write', arguments: { filePath: `${next}.txt`, content: `${next}\n` } }] }
  return { text: `Wrote ${heard(conversation).join(', ')}.` }
}

const posting = { method: 'POST', path: /\/issues\/\d+\/comments$/ }
const push = { path: /git-receive-pack$/ }
const replying = { method: 'PATCH', path: /\/issues\/comments\/\d+$/, body: /Opened #/ }

const moments: readonly (readonly [string, Moment])[] = [
  ['before its claim', { github: posting }],
  ['after its claim', { github: posting, served: true }],
  ['at the 1st answer of the model', { model: 1 }],
  ['at the 2nd answer', { model: 2 }],
  ['at the 3rd answer', { model: 3 }],
  ['before the push', { github: push }],
  ['after the push', { github: push, served: true }],
  ['before the reply', { github: replying }],
  ['after the reply', { github: replying, served: true }],
]

async function begin(world: World, stop: RunInput['stop']) {
  const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
  const { id } = world.github.comment(number, 'alice', '/opencode write one.txt')
  const run = await runFor(world, id, stop === undefined ? {} : { stop })
  return { number, id, run }
}

/** Every file of that name, on whatever branch: edits are never lost and never made twice. */
async function branchesWith(world: World, file: string): Promise<string[]> {
  const branches = (await world.remote('for-each-ref', '--format=%(refname:short)', 'refs/heads')).trim().split('\n')
  const found = await Promise.all(
    branches.map(async (branch) => ((await world.remote('ls-tree', '--name-only', branch)).split('\n').includes(file) ? [branch] : [])),
  )
  return found.flat()
}

const signals = [
  ...moments.map(([name, when]) => ['SIGTERM', name, when] as const),
  // The runner's own first word to a job that is cancelled.
  ...moments.filter(([name]) => /after its claim|2nd|before the push/.test(name)).map(([name, when]) => ['SIGINT', name, when] as const),
]

describe('a run that is told to stop', () => {
  test.each(signals)('by %s %s says how it ended, and whoever goes on makes nothing twice', (signal, name, when) =>
    within({ script: writes, users }, async (world) => {
      const { number, id, run } = await begin(world, { signal, when })
      const mayBeThrough = /push|reply/.test(name)
      if (mayBeThrough && run.code === 0) expect(run.outputs.conclusion).toBe('success')
      else {
        expectExit(run, 1)
        expect(run.outputs.conclusion).toBe('cancelled')
      }
      if (!mayBeThrough) expect(world.github.state.pushes).toEqual([])
      expectExit(await afterRun(world, run), 0)
      expectQuiet(world, number)
      if (run.code !== 0) {
        const resumable = world.github.thread(number).comments.some(({ body }) => body.includes('opencode:session'))
        expect(resumable || !/answer|push/.test(name)).toBe(true)
        const next = resumable
          ? await runFor(world, world.github.comment(number, 'olga', '/opencode continue').id)
          : await runFor(world, id, { runId: run.runId, attempt: 2 })
        expectExit(next, 0)
        expect(count(askedOf(world), 'write one.txt')).toBe(1)
      }
      expect(replies(world, number).filter((reply) => reply.startsWith('Wrote one.'))).toHaveLength(1)
      expect(await branchesWith(world, 'one.txt')).toHaveLength(1)
      expectQuiet(world, number)
    }),
  )
})

describe('a run that is killed', () => {
  test.each(moments)('%s is told of by its post step, and the next comment is answered', (_, when) =>
    within({ script: writes, users }, async (world) => {
      const { number, run } = await begin(world, { signal: 'SIGKILL', when })
      expect(run.code).toBeNull()
      expectExit(await afterRun(world, run), 0)
      expectQuiet(world, number)
      const [told = ''] = replies(world, number)
      if (told !== '' && !told.startsWith('Wrote one.')) {
        expect(told).toContain('This run was stopped before it finished.')
        if ('github' in when && when.github === push) expect(told).toContain('`opencode/issue1-files`')
        else if ('model' in when && when.model === 3) expect(told).toContain('+one')
      }
      const next = await runFor(world, world.github.comment(number, 'olga', '/opencode write two.txt').id)
      expectExit(next, 0)
      expect(replies(world, number).at(-1)).toMatch(/^Wrote (one, )?two\./)
      expect(await world.remote('show', `${next.outputs.branch}:two.txt`)).toBe('two\n')
      expectQuiet(world, number)
    }),
  )
})

/** Holds the 3rd answer, to the first request, back until the edits of the 2nd stand in the checkpoint. */
function whenKept(world: World, act: () => Promise<void>): void {
  atAnswer(world, 3, async () => {
    await until(() => keptEdits(world, 1).some((patch) => patch.includes('+one')))
    await act()
  })
}

describe('what a run has kept in its checkpoint', () => {
  test('comes back after a kill: `continue` has the messages and the edits', () =>
    within({ script: writes, users }, async (world) => {
      let kill: ((signal: NodeJS.Signals) => Promise<void>) | undefined
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      whenKept(world, async () => kill?.('SIGKILL'))
      const onStart: RunInput['onStart'] = (signal) => {
        kill = signal
      }
      const run = await runFor(world, world.github.comment(number, 'alice', '/opencode write one.txt').id, { onStart })
      expect(run.code).toBeNull()
      expectExit(await afterRun(world, run), 0)
      expect(replies(world, number)).toEqual([expect.stringContaining('`/opencode continue`')])
      expectQuiet(world, number)

      const next = await runFor(world, world.github.comment(number, 'olga', '/opencode continue').id)
      expectExit(next, 0)
      // One answer was missing, and nothing is done again.
      expect(world.model?.requests()).toHaveLength(4)
      expect(count(askedOf(world), 'write one.txt')).toBe(1)
      expect(await world.remote('show', `${next.outputs.branch}:one.txt`)).toBe('one\n')
      expect(replies(world, number).at(-1)).toContain('Wrote one.')
      expectQuiet(world, number)
    }))

  test('C139 is kept by a new comment where the working comment can not be changed any more', () =>
    within({ script: writes, users }, async (world) => {
      let kill: ((signal: NodeJS.Signals) => Promise<void>) | undefined
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      whenKept(world, async () => {
        const path = new RegExp(`/comments/${claims(world, number)[0]?.comment}$`)
        world.github.fault({ method: 'PATCH', path }, { status: 404, body: { message: 'Not Found' } }, 99)
        await kill?.('SIGTERM')
      })
      const onStart: RunInput['onStart'] = (signal) => {
        kill = signal
      }
      const run = await runFor(world, world.github.comment(number, 'alice', '/opencode write one.txt').id, { onStart })
      expect(run.outputs.conclusion).toBe('cancelled')
      expect(replies(world, number)).toEqual([expect.stringMatching(/^This run was stopped before it finished\.(?![\s\S]*will not know)/)])
      expectQuiet(world, number)

      const next = await runFor(world, world.github.comment(number, 'olga', '/opencode continue').id)
      expectExit(next, 0)
      expect(count(askedOf(world), 'write one.txt')).toBe(1)
      expect(await world.remote('show', `${next.outputs.branch}:one.txt`)).toBe('one\n')
      expectQuiet(world, number)
    }))

  test('is taken over from a machine that is gone, by the next comment: both requests are answered in one reply', () =>
    within({ script: writes, users }, async (world) => {
      let kill: ((signal: NodeJS.Signals) => Promise<void>) | undefined
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      whenKept(world, async () => kill?.('SIGKILL'))
      const first = await runFor(world, world.github.comment(number, 'alice', '/opencode write one.txt').id, {
        onStart(signal) {
          kill = signal
        },
        stop: { signal: 'SIGKILL', when: { model: 99 }, machineLost: true },
      })
      expect(first.code).toBeNull()
      const [claim] = claims(world, number)
      world.github.age(claim?.comment ?? 0, 240)

      const next = await runFor(world, world.github.comment(number, 'olga', '/opencode write two.txt').id)
      expectExit(next, 0)
      expect(replies(world, number)).toEqual([expect.stringContaining('Wrote one, two.')])
      const told = askedOf(world)
      expect({ one: count(told, 'write one.txt'), two: count(told, 'write two.txt') }).toEqual({ one: 1, two: 1 })
      expect(await world.remote('show', `${next.outputs.branch}:one.txt`)).toBe('one\n')
      expect(await world.remote('show', `${next.outputs.branch}:two.txt`)).toBe('two\n')
      expectQuiet(world, number)
    }))

  test('is told of where the next run fails too: nobody is said to be at work, and the run after that goes on with it', () =>
    within({ script: writes, users }, async (world) => {
      let kill: ((signal: NodeJS.Signals) => Promise<void>) | undefined
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      whenKept(world, async () => kill?.('SIGKILL'))
      await runFor(world, world.github.comment(number, 'alice', '/opencode write one.txt').id, {
        onStart(signal) {
          kill = signal
        },
        stop: { signal: 'SIGKILL', when: { model: 99 }, machineLost: true },
      })
      const dead = claims(world, number)[0]
      world.github.age(dead?.comment ?? 0, 240)

      const inputs = { 'working-directory': 'nowhere' }
      const failed = await runFor(world, world.github.comment(number, 'olga', '/opencode write two.txt').id, { inputs })
      expectExit(failed, 1)
      expectQuiet(world, number)
      expect(replies(world, number)).toEqual([
        expect.stringMatching(new RegExp(`^This run was stopped before it finished\\.[\\s\\S]*/actions/runs/${dead?.run}\\)`)),
        expect.stringContaining('This run failed.'),
      ])

      const next = await runFor(world, world.github.comment(number, 'alice', '/opencode continue').id)
      expectExit(next, 0)
      expect(await world.remote('show', `${next.outputs.branch}:one.txt`)).toBe('one\n')
      expectQuiet(world, number)
    }))

  test('is taken over too where the machine died before it had any: the request is answered by the next run', () =>
    within({ script: writes, users }, async (world) => {
      const { number, run } = await begin(world, { signal: 'SIGKILL', when: { model: 1 }, machineLost: true })
      expect(run.code).toBeNull()
      world.github.age(claims(world, number)[0]?.comment ?? 0, 240)
      const next = await runFor(world, world.github.comment(number, 'olga', '/opencode write two.txt').id)
      expectExit(next, 0)
      expect(replies(world, number)).toEqual([expect.stringContaining('Wrote one, two.')])
      expectQuiet(world, number)
    }))
})
