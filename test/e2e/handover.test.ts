import { describe, expect, test, vi } from 'vitest'
import type { Conversation, Script } from '../../src/local/model.ts'
import type { World } from '../../src/local/world.ts'
import { comment, expectExit, within } from './support.ts'
import { askedOf, atAnswer, count, expectQuiet, gate, hasDeleted, hasPosted, replies, runFor, until } from './threads.ts'

/** Two real processes of the action that meet on one thread, in every order. */

// Runs that wait for each other look every five seconds, so the tests run beside each other, on however few cores.
vi.setConfig({ testTimeout: 240_000 })

const asked = ({ messages }: Conversation) => {
  const words = messages.flatMap(({ role, text }) => (role === 'user' ? [...text.matchAll(/(?<!opencode )do task (\w+)/g)].map(([, word]) => word) : []))
  return [...new Set(words)]
}

/** Reads a file first, so that there is a second step; then edits a file for each task and says which it did. */
const works: Script = (conversation) => {
  if (conversation.result('read_1') === undefined) return { calls: [{ id: 'read_1', name: 'read', arguments: { filePath: 'README.md' } }] }
  const next = asked(conversation).find((word) => conversation.result(`write_${word}`) === undefined)
  if (next !== undefined) return { calls: [{ id: `write_${next}`, name: 'write', arguments: { filePath: `${next}.txt`, content: `${next}\n` } }] }
  return { text: `Did ${asked(conversation).join(', ')}.` }
}

/** Two requests, by two people, in one thread. */
function asking(world: World) {
  const { number } = world.github.openIssue({ title: 'Tasks', author: 'rita' })
  const one = world.github.comment(number, 'alice', '/opencode do task one')
  const two = () => world.github.comment(number, 'olga', '/opencode do task two')
  return { number, one, two }
}

const open = { script: works, users: { alice: 'write', olga: 'write', rita: 'read' } } as const
const playing = (play: (world: World) => Promise<void>) => () => within(open, play)

/** A third request finds each of the earlier ones once in the history, nobody at work, and their work on the branch. */
async function expectRemembered(world: World, number: number): Promise<void> {
  expectQuiet(world, number)
  await world.checkout()
  const third = await comment(world, number, 'alice', '/opencode do task three')
  expectExit(third, 0)
  const told = askedOf(world)
  expect({ one: count(told, 'do task one'), two: count(told, 'do task two'), three: count(told, 'do task three') }).toEqual({ one: 1, two: 1, three: 1 })
  expect(replies(world, number).at(-1)).toContain('Did one, two, three.')
  expect(await world.remote('ls-tree', '--name-only', third.outputs.branch ?? '')).toMatch(/one\.txt\nsrc\nthree\.txt\ntwo\.txt\n/)
  expectQuiet(world, number)
}

describe('two runs on one thread', () => {
  test.concurrent(
    'when both post their claims at once, the older claim leads and answers both; the other is handed over',
    playing(async (world) => {
      const { number, one, two } = asking(world)
      const late = two()
      const second = gate()
      world.github.before({ method: 'POST', path: /\/issues\/\d+\/comments$/ }, () => second.opened, 1)
      world.github.before({ method: 'POST', path: /\/issues\/\d+\/comments$/ }, second.open, 2)
      atAnswer(world, 1, () => until(() => hasDeleted(world, 1)))
      const runs = await Promise.all([runFor(world, one.id), runFor(world, late.id)])
      for (const run of runs) expectExit(run, 0)
      expect(runs.map(({ outputs }) => outputs.conclusion).toSorted()).toEqual(['handed-over', 'success'])
      const [leader] = runs.filter(({ outputs }) => outputs.conclusion === 'success')
      const [other] = runs.filter(({ outputs }) => outputs.conclusion !== 'success')
      expect(other?.outputs.reason).toContain(`Answered by run ${leader?.runId}`)
      expect(replies(world, number)).toEqual([expect.stringContaining('Did one, two.')])
      await expectRemembered(world, number)
    }),
  )

  test.concurrent(
    'a request from before the leader came is not the leader’s: its own run waits, then answers it',
    playing(async (world) => {
      const { number, one, two } = asking(world)
      world.github.age(one.id, 60)
      const late = two()
      const [held, released] = [gate(), gate()]
      world.github.before(
        { method: 'POST', path: /\/issues\/\d+\/comments$/ },
        () => {
          held.open()
          return released.opened
        },
        1,
      )
      const first = runFor(world, one.id)
      await held.opened
      atAnswer(world, 1, async () => {
        released.open()
        await until(() => hasDeleted(world, 1))
      })
      const runs = await Promise.all([first, runFor(world, late.id)])
      for (const run of runs) expectExit(run, 0)
      expect(runs.map(({ outputs }) => outputs.conclusion)).toEqual(['success', 'success'])
      expect(replies(world, number)).toEqual([expect.stringContaining('Did two.'), expect.stringMatching(/Did (one, two|two, one)\./)])
      expectQuiet(world, number)
    }),
  )

  test.concurrent.each([1, 2, 3])(
    'a run that starts when the other waits for its answer %i is handed over, and its request reaches that run’s loop in the same turn',
    (step) =>
      within(open, async (world) => {
        const { number, one, two } = asking(world)
        let second: ReturnType<typeof runFor> | undefined
        atAnswer(world, step, async () => {
          second = runFor(world, two().id)
          await until(() => hasDeleted(world, 1))
        })
        const first = await runFor(world, one.id)
        expectExit(first, 0)
        const other = await second
        if (!other) throw new Error('the second run was not started')
        expectExit(other, 0)
        expect(first.outputs.conclusion).toBe('success')
        expect(other.outputs).toMatchObject({ conclusion: 'handed-over', reason: expect.stringContaining(`Answered by run ${first.runId}`) })
        expect(replies(world, number)).toEqual([expect.stringContaining('Did one, two.')])
        expect(
          world.model
            ?.requests()
            .at(-1)
            ?.messages.map(({ content }) => String(content)),
        ).toContainEqual(expect.stringMatching(/<system-reminder>\nWhile you were working, olga sent this message:\n\ndo task two\n/))
        if (step === 1) await expectRemembered(world, number)
        else expectQuiet(world, number)
      }),
  )

  test.concurrent(
    'a run that starts while the other publishes waits for its reply, then answers in the same session',
    playing(async (world) => {
      const { number, one, two } = asking(world)
      let second: ReturnType<typeof runFor> | undefined
      world.github.before(
        { method: 'POST', path: /git-receive-pack$/ },
        async () => {
          second = runFor(world, two().id)
          await until(() => hasDeleted(world, 1))
        },
        1,
      )
      const first = await runFor(world, one.id)
      const other = await second
      if (!other) throw new Error('the second run was not started')
      expectExit(first, 0)
      expectExit(other, 0)
      expect([first.outputs.conclusion, other.outputs.conclusion]).toEqual(['success', 'success'])
      expect(other.outputs['session-id']).toBe(first.outputs['session-id'])
      expect(replies(world, number)).toEqual([expect.stringContaining('Did one.'), expect.stringContaining('Did one, two.')])
      await expectRemembered(world, number)
    }),
  )

  test.concurrent(
    'a run that read the thread before the other’s reply, and claims after it, reads again and goes on with that session',
    playing(async (world) => {
      const { number, one, two } = asking(world)
      const late = two()
      const replied = gate()
      // The run of the first request has claimed; that of the second has read the thread and is held.
      const first = runFor(world, one.id)
      await until(() => hasPosted(world, 1))
      world.github.before({ method: 'POST', path: /\/issues\/\d+\/comments$/ }, () => replied.opened, 1)
      const second = runFor(world, late.id)
      const done = await first
      replied.open()
      const other = await second
      expectExit(done, 0)
      expectExit(other, 0)
      // Whether the first run was asked for both depends on the second in which the comments were made: never is one answered twice.
      const both = replies(world, number).filter((reply) => reply.includes('two'))
      expect(both).toHaveLength(1)
      expectQuiet(world, number)
    }),
  )

  test.concurrent(
    'a run that starts after the other’s reply goes on with its session',
    playing(async (world) => {
      const { number, one, two } = asking(world)
      const first = await runFor(world, one.id)
      const second = await runFor(world, two().id)
      expectExit(second, 0)
      expect(second.outputs['session-id']).toBe(first.outputs['session-id'])
      expect(replies(world, number)).toEqual([expect.stringContaining('Did one.'), expect.stringContaining('Did one, two.')])
      await expectRemembered(world, number)
    }),
  )
})

describe('two webhooks for one comment', () => {
  test.concurrent(
    'C14 lead to one answer: the other run is handed over',
    playing(async (world) => {
      const { number, one } = asking(world)
      atAnswer(world, 1, () => until(() => hasDeleted(world, 1)))
      const runs = await Promise.all([runFor(world, one.id), runFor(world, one.id)])
      for (const run of runs) expectExit(run, 0)
      expect(runs.map(({ outputs }) => outputs.conclusion).toSorted()).toEqual(['handed-over', 'success'])
      expect(replies(world, number)).toEqual([expect.stringContaining('Did one.')])
      expectQuiet(world, number)
    }),
  )

  test.concurrent(
    'C14 of which one comes after the reply lead to one answer: the other has nothing to do, and asks no model',
    playing(async (world) => {
      const { number, one } = asking(world)
      expectExit(await runFor(world, one.id), 0)
      const requests = world.model?.requests().length
      const again = await runFor(world, one.id)
      expectExit(again, 0)
      expect(again.outputs).toMatchObject({ conclusion: 'skipped', reason: 'This request was answered already.' })
      expect(world.model?.requests()).toHaveLength(requests ?? 0)
      expect(replies(world, number)).toHaveLength(1)
      expectQuiet(world, number)
    }),
  )
})
