import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { Conversation, Script } from '../../src/local/model.ts'
import type { World } from '../../src/local/world.ts'
import { comment, expectExit, files, says, within } from './support.ts'
import { askedOf, atAnswer, claims, count, expectQuiet, replies, runFor, until } from './threads.ts'

/** What a thread owes an answer, and how people steer the run at work on it. */

const users = { alice: 'write', olga: 'write', rita: 'read' } as const

const heard = ({ messages }: Conversation, pattern: RegExp) =>
  messages.flatMap(({ role, text }) => (role === 'user' ? [...text.matchAll(pattern)].map(([, word]) => word) : []))

/** Writes a file for each "write NAME.txt" it was asked for, then says which. */
const writes: Script = (conversation) => {
  const names = [...new Set(heard(conversation, /(?<!opencode )write (\w+)\.txt/g))]
  const next = names.find((name) => conversation.result(`write_${name}`) === undefined)
  if (next !== undefined) return { calls: [{ id: `write_${next}`, name: 'write', arguments: { filePath: `${next}.txt`, content: `${next}\n` } }] }
  return { text: `Wrote ${names.join(', ')}.` }
}

const pushes = (world: World) => world.github.state.pushes.length

describe('what arrives while the loop runs', () => {
  test('a comment by somebody who may ask reaches the model wrapped in a reminder, and is answered in the same reply; others do not', () =>
    within({ script: writes, users }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      atAnswer(world, 2, () => {
        world.github.comment(number, 'olga', '/opencode write two.txt')
        world.github.comment(number, 'rita', '/opencode write nothing.txt')
        world.github.comment(number, 'olga', 'I would not write three.txt.')
        const edited = world.github.comment(number, 'olga', '/opencode write four.txt')
        edited.updatedAt = new Date(Date.now() + 60_000).toISOString()
      })
      const done = await comment(world, number, 'alice', '/opencode write one.txt')
      expectExit(done, 0)
      expect(replies(world, number)).toEqual([expect.stringContaining('Wrote one, two.')])
      const told = askedOf(world)
      expect(told).toContain('<system-reminder>\nWhile you were working, olga sent this message:\n\nwrite two.txt\n')
      expect(told).not.toMatch(/nothing|three|four|five/)
      expect(pushes(world)).toBe(1)
      expect(await world.remote('ls-tree', '--name-only', done.outputs.branch ?? '')).toMatch(/one\.txt\nsrc\ntwo\.txt/)
      expectQuiet(world, number)

      await world.checkout()
      expectExit(await comment(world, number, 'olga', '/opencode write six.txt'), 0)
      const next = askedOf(world)
      expect({ one: count(next, 'write one.txt'), two: count(next, 'write two.txt'), six: count(next, 'write six.txt') }).toEqual({ one: 1, two: 1, six: 1 })
    }))

  test('commands and shell commands wait for the end of the turn, and so does what was said after them; each gets its answer, in order', () =>
    within({ script: writes, users, seed: { files: { ...files, '.opencode/command/two.md': 'Please write $1.txt\n' } } }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      atAnswer(world, 1, () => {
        world.github.comment(number, 'olga', '/opencode /two two')
        world.github.comment(number, 'olga', '/opencode !cat one.txt two.txt')
        world.github.comment(number, 'alice', '/opencode write three.txt')
      })
      const done = await comment(world, number, 'alice', '/opencode write one.txt')
      expectExit(done, 0)
      const [first, second, third, fourth, ...more] = replies(world, number)
      expect(more).toEqual([])
      expect(first).toContain('Wrote one.')
      expect(second).toContain('Wrote one, two.')
      expect(third).toContain('$ cat one.txt two.txt\none\ntwo\n')
      expect(fourth).toContain('Wrote one, two, three.')
      expectQuiet(world, number)

      await world.checkout()
      const asked = world.model?.requests().length ?? 0
      expectExit(await comment(world, number, 'olga', '/opencode is that all?'), 0)
      expect(world.model?.requests()).toHaveLength(asked + 1)
      expect(count(askedOf(world), 'write three.txt')).toBe(1)
    }))

  test('when a turn fails, a shell command that waited for its end is run all the same', () =>
    within({ script: says('Never said.'), users }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      const first = world.github.comment(number, 'alice', '/opencode /nowhere')
      world.github.comment(number, 'olga', '/opencode !echo still here')
      expectExit(await runFor(world, first.id), 1)
      expect(replies(world, number)).toEqual([expect.stringContaining('This run failed.'), expect.stringContaining('$ echo still here\nstill here')])
      expectQuiet(world, number)
    }))
})

describe('catching up', () => {
  test('a run answers older requests of its session that nobody answered: of people who may ask, as they were written, and none from before it', () =>
    within({ script: writes, users }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      const ancient = world.github.comment(number, 'alice', '/opencode write ancient.txt')
      world.github.age(ancient.id, 3_600)
      expectExit(await comment(world, number, 'alice', '/opencode write one.txt'), 0)
      world.github.comment(number, 'olga', '/opencode write two.txt')
      world.github.comment(number, 'rita', '/opencode write stranger.txt')
      const edited = world.github.comment(number, 'olga', '/opencode write before.txt')
      world.github.age(edited.id, 60)
      world.github.editComment(edited.id, '/opencode write after.txt')
      const hidden = world.github.comment(number, 'olga', '/opencode write hidden.txt')
      world.github.minimise(hidden.id)
      await world.checkout()
      const done = await comment(world, number, 'alice', '/opencode write three.txt')
      expectExit(done, 0)
      expect(replies(world, number).at(-1)).toContain('Wrote one, two, three.')
      expect(replies(world, number)).toHaveLength(2)
      expect(await world.remote('ls-tree', '--name-only', done.outputs.branch ?? '')).toMatch(/one\.txt\nsrc\nthree\.txt\ntwo\.txt/)
      expectQuiet(world, number)
    }))

  test('a shell command and a request that wait together get an answer each, whichever run serves them', () =>
    within({ script: writes, users }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      const shell = world.github.comment(number, 'alice', '/opencode !echo from the shell')
      world.github.comment(number, 'olga', '/opencode write one.txt')
      expectExit(await runFor(world, shell.id), 0)
      expect(replies(world, number)).toEqual([expect.stringContaining('$ echo from the shell\nfrom the shell'), expect.stringContaining('Wrote one.')])
      expectQuiet(world, number)
    }))
})

describe('cancel', () => {
  test('from another run stops the work: nothing is pushed, the edits are kept, and `continue` goes on with them', () =>
    within({ script: writes, users }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      let stopping: ReturnType<typeof runFor> | undefined
      let isOver = false
      atAnswer(world, 2, async () => {
        stopping = runFor(world, world.github.comment(number, 'olga', '/opencode cancel').id)
        await until(() => isOver)
      })
      const stopped = await comment(world, number, 'alice', '/opencode write one.txt')
      isOver = true
      expectExit(stopped, 1)
      expect(stopped.outputs.conclusion).toBe('cancelled')
      expect(pushes(world)).toBe(0)
      expect(await readFile(stopped.outputs['patch-path'] ?? '', 'utf8')).toContain('+one')
      expect(replies(world, number)).toEqual([expect.stringMatching(/stopped before it finished\. olga stopped the run[\s\S]*\+one/)])
      const cancel = await stopping
      if (!cancel) throw new Error('the second run was not started')
      expectExit(cancel, 0)
      expect(cancel.outputs).toMatchObject({ conclusion: 'success', reason: expect.stringContaining(`Run ${stopped.runId} was stopped`) })
      expectQuiet(world, number)

      await world.checkout()
      const asked = world.model?.requests().length ?? 0
      const again = await comment(world, number, 'olga', '/opencode continue')
      expectExit(again, 0)
      expect(again.outputs['session-id']).toBe(stopped.outputs['session-id'])
      // The file had been written by the stopped run: the model sees that it did, and need not do it again.
      expect(world.model?.requests()).toHaveLength(asked + 1)
      expect(count(askedOf(world), 'write one.txt')).toBe(1)
      expect(await world.remote('show', `${again.outputs.branch}:one.txt`)).toBe('one\n')
      expect(replies(world, number).at(-1)).toContain('Wrote one.')
      expectQuiet(world, number)
    }))

  test('says so when nothing is running, and by somebody who may not ask changes nothing', () =>
    within({ script: writes, users }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      const nothing = await comment(world, number, 'alice', '/opencode cancel')
      expectExit(nothing, 0)
      expect(replies(world, number)).toEqual(['Nothing is running in this thread.'])
      const stranger = await comment(world, number, 'rita', '/opencode cancel')
      expect(stranger.outputs.conclusion).toBe('skipped')
      expect(replies(world, number)).toHaveLength(1)
      expect(world.model?.requests()).toEqual([])
    }))
})

describe('undo', () => {
  test('takes back the newest turn, and then the one before: the model forgets them, and a commit each takes their edits back', () =>
    within({ script: writes, users }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      const first = await comment(world, number, 'alice', '/opencode write one.txt')
      expectExit(first, 0)
      const branch = first.outputs.branch ?? ''
      const tree = async () => (await world.remote('ls-tree', '--name-only', branch)).trim().split('\n')
      await world.checkout()
      expectExit(await comment(world, number, 'alice', '/opencode write two.txt'), 0)
      expect(await tree()).toEqual(['README.md', 'one.txt', 'src', 'two.txt'])

      await world.checkout()
      expectExit(await comment(world, number, 'olga', '/opencode undo'), 0)
      expect(await tree()).toEqual(['README.md', 'one.txt', 'src'])
      expect(replies(world, number).at(-1)).toMatch(/Took the changes on .* back with/)
      expect(world.model?.requests()).toHaveLength(4)

      await world.checkout()
      expectExit(await comment(world, number, 'olga', '/opencode undo'), 0)
      expect(await tree()).toEqual(['README.md', 'src'])
      expect((await world.remote('log', '--format=%s', `main..${branch}`)).trim().split('\n')).toHaveLength(4)

      await world.checkout()
      const third = await comment(world, number, 'alice', '/opencode write three.txt')
      expectExit(third, 0)
      expect(third.outputs['session-id']).toBe(first.outputs['session-id'])
      expect(askedOf(world)).not.toMatch(/(?<!opencode )write (one|two)\.txt/)
      expect(await tree()).toEqual(['README.md', 'src', 'three.txt'])
      expectQuiet(world, number)
    }))

  test('is refused where later edits stand on the work: nothing is pushed, nothing is forgotten', () =>
    within({ script: writes, users }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      const first = await comment(world, number, 'alice', '/opencode write one.txt')
      const branch = first.outputs.branch ?? ''
      const tip = await world.push(branch, { 'one.txt': 'one, and more\n' })
      const before = pushes(world)
      await world.checkout()
      const undone = await comment(world, number, 'alice', '/opencode undo')
      expect(replies(world, number).at(-1)).toMatch(/can't be taken back: later edits stand on them, in `one\.txt`/)
      expect((await world.remote('rev-parse', branch)).trim()).toBe(tip)
      expect(pushes(world)).toBe(before)
      expectExit(undone, 1)
      expectQuiet(world, number)
      // Its edits stay, so it is remembered too.
      expectExit(await comment(world, number, 'alice', '/opencode what did you do?'), 0)
      expect(askedOf(world)).toContain('write one.txt')
    }))

  test('without an earlier turn says that there is none', () =>
    within({ script: writes, users }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      expectExit(await comment(world, number, 'alice', '/opencode undo'), 1)
      expect(replies(world, number)).toEqual([expect.stringContaining('There is no earlier turn in this thread to take back.')])
      expectQuiet(world, number)
    }))
})

describe('verbs and references', () => {
  test('`!command` shows what it prints, and the model sees it the next time', () =>
    within({ script: says('Seen.'), users }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      expectExit(await comment(world, number, 'alice', '/opencode !echo $((6 * 7)) && exit 3'), 0)
      expect(replies(world, number)[0]).toContain('$ echo $((6 * 7)) && exit 3\n42')
      expect(world.model?.requests()).toEqual([])
      expectExit(await comment(world, number, 'alice', '/opencode what did it print?'), 0)
      const [request] = world.model?.requests() ?? []
      expect(request?.messages.find(({ role }) => role === 'tool')?.content).toContain('42')
    }))

  test('a command of the repository becomes its template; `@agent` and `@path` are what the engine makes of them; `help` says what there is', () =>
    within(
      {
        script: says('Done.'),
        users,
        seed: {
          files: {
            ...files,
            '.opencode/command/check.md': 'Check $ARGUMENTS with care.\n',
            '.opencode/agent/judge.md': '---\ndescription: Judges.\nmode: subagent\n---\nYou judge.\n',
          },
        },
      },
      async (world) => {
        const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
        expectExit(await comment(world, number, 'alice', '/opencode /check the dates'), 0)
        expect(askedOf(world)).toContain('Check the dates with care.')
        expectExit(await comment(world, number, 'alice', '/opencode look at @src/date.js and ask @judge'), 0)
        expect(JSON.stringify(world.model?.requests().at(-1)?.messages)).toContain('export const parse')
        expect(askedOf(world)).toMatch(/subagent: judge|judge/)
        const asked = world.model?.requests().length ?? 0
        expectExit(await comment(world, number, 'rita', '/opencode help'), 0)
        expectExit(await comment(world, number, 'alice', '/opencode help'), 0)
        expect(world.model?.requests()).toHaveLength(asked)
        expect(replies(world, number).filter((reply) => reply.includes('goes on with the work of this thread'))).toHaveLength(1)
        expectQuiet(world, number)
      },
    ))

  test('`continue` without a session says that there is none', () =>
    within({ script: says('Never said.'), users }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Files', author: 'rita' })
      expectExit(await comment(world, number, 'alice', '/opencode continue'), 1)
      expect(replies(world, number)).toEqual([expect.stringContaining('There is no session in this thread to continue.')])
      expect(world.model?.requests()).toEqual([])
      expect(claims(world, number)).toEqual([])
    }))
})
