import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reviewCommentPayload } from '../../src/local/github/payloads.ts'
import type { Script } from '../../src/local/model.ts'
import { runAction, type World } from '../../src/local/world.ts'
import { comment, expectExit, modelInputs, says, within } from './support.ts'
import { askedOf, count, expectQuiet, replies, until } from './threads.ts'

/** What people see in a thread while a run works there, and where its answer stands. */

const edits = (world: World): string[] =>
  world.github.journal.flatMap(({ method, path, body }) => (method === 'PATCH' && /\/issues\/comments\/\d+$/.test(path) ? [JSON.stringify(body)] : []))

describe('progress', () => {
  test('live: the working comment shows the todo list and the tool at work, and becomes the reply', () => {
    let flag = ''
    const script: Script = ({ result }) => {
      const todos = [
        { content: 'Look at @everybody', status: 'completed', priority: 'high' },
        { content: 'Wait for the flag', status: 'in_progress', priority: 'high' },
      ]
      if (result('todo_1') === undefined) return { calls: [{ id: 'todo_1', name: 'todowrite', arguments: { todos } }] }
      if (result('bash_1') === undefined)
        return {
          calls: [{ id: 'bash_1', name: 'bash', arguments: { command: `until [ -e ${flag} ]; do sleep 0.1; done`, description: 'Waits for the flag' } }],
        }
      return { text: 'The flag is up.' }
    }
    return within({ script }, async (world) => {
      await world.checkout()
      flag = join(world.workspace, '.git', 'flag')
      const { number } = world.github.openIssue({ title: 'Flags', author: 'rita' })
      const running = comment(world, number, 'alice', '/opencode raise the flag')
      await until(() => edits(world).some((body) => body.includes('Now: `bash`')))
      const shown = replies(world, number).at(-1) ?? ''
      await writeFile(flag, '')
      const done = await running
      expectExit(done, 0)
      expect(shown).toMatch(/^Working on it\. \[Follow the run\]\(.*\)/)
      expect(shown).toMatch(/- \[x\] Look at @(&#8203;)?everybody\n- \[ \] <strong>Wait for the flag<\/strong>/)
      expect(shown).toMatch(/- Now: `bash` `.*flag.*`/)
      expect(replies(world, number)).toEqual([expect.stringContaining('The flag is up.')])
      expect(existsSync(flag)).toBe(true)
      expectQuiet(world, number)
    })
  })

  test('final: the reply is a fresh comment, so that a mail is sent, and the working comment is gone', () =>
    within({ script: says('All is well.') }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      const done = await comment(world, number, 'alice', '/opencode is all well?', { inputs: { progress: 'final' } })
      expectExit(done, 0)
      const created = world.github.journal.flatMap(({ method, path, response }) =>
        method === 'POST' && /\/issues\/\d+\/comments$/.test(path) ? [JSON.stringify(response)] : [],
      )
      expect(created).toEqual([expect.stringContaining('Working on it.'), expect.stringContaining('All is well.')])
      expect(replies(world, number)).toEqual([expect.stringContaining('All is well.')])
      expectQuiet(world, number)
      expectExit(await comment(world, number, 'alice', '/opencode really?', { inputs: { progress: 'final' } }), 0)
      expect(count(askedOf(world), 'is all well?')).toBe(1)
    }))

  test('none: nothing is posted but the reply, which carries the session', () =>
    within({ script: says('All is well.') }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      expectExit(await comment(world, number, 'alice', '/opencode is all well?', { inputs: { progress: 'none' } }), 0)
      expect(JSON.stringify(world.github.journal.map(({ body }) => body))).not.toContain('Working on it.')
      expect(replies(world, number)).toEqual([expect.stringContaining('All is well.')])
      expectQuiet(world, number)
      expectExit(await comment(world, number, 'alice', '/opencode really?', { inputs: { progress: 'none' } }), 0)
      expect(count(askedOf(world), 'is all well?')).toBe(1)
      expect(replies(world, number)).toHaveLength(2)
    }))

  test('none: a run that fails says so in the thread', () =>
    within({ script: says('Never said.') }, async (world) => {
      const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
      expectExit(await comment(world, number, 'alice', '/opencode undo', { inputs: { progress: 'none' } }), 1)
      expect(replies(world, number)).toEqual([expect.stringContaining('There is no earlier turn')])
      expectQuiet(world, number)
    }))
})

/** How often something was asked of the model, not counting where the thread is quoted to it. */
const said = (told: string, words: string): number => count(told.replaceAll(`/opencode ${words}`, ''), words)

describe('remarks on a diff', () => {
  test('are answered in their thread, which then carries the session: the next remark and the next comment remember', () =>
    within({ script: says('It parses dates.') }, async (world) => {
      await world.push('topic', { 'src/date.js': 'export const parse = (text) => Date.parse(text)\n' }, 'main')
      const { number } = await world.github.openPull({ title: 'Dates', author: 'alice', head: 'topic' })
      const first = await world.github.remark(number, 'alice', { path: 'src/date.js', line: 1, body: '/opencode what does this line do?' })
      const ask = async (id: number) =>
        runAction(world, { event: 'pull_request_review_comment', payload: await reviewCommentPayload(world.github, id), inputs: modelInputs(world) })
      const done = await ask(first.id)
      expectExit(done, 0)
      const thread = () => world.github.thread(number).pull?.remarks[0]?.comments ?? []
      expect(thread().map(({ author, body }) => `${author}: ${body.split('\n')[0]}`)).toEqual([
        'alice: /opencode what does this line do?',
        'github-actions[bot]: It parses dates.',
      ])
      expect(thread().at(-1)?.body).toContain('<!-- opencode:session:v1 ')
      expect(replies(world, number)).toEqual([])
      expectQuiet(world, number)

      await world.checkout()
      const again = await ask(world.github.reply(first.id, 'alice', '/opencode and with a time zone?').id)
      expectExit(again, 0)
      expect(again.outputs['session-id']).toBe(done.outputs['session-id'])
      expect(said(askedOf(world), 'what does this line do?')).toBe(1)
      expect(thread()).toHaveLength(4)

      await world.checkout()
      const comments = await comment(world, number, 'alice', '/opencode is that all?')
      expectExit(comments, 0)
      expect(comments.outputs['session-id']).toBe(done.outputs['session-id'])
      const told = askedOf(world)
      expect(['what does this line do?', 'and with a time zone?', 'is that all?'].map((words) => said(told, words))).toEqual([1, 1, 1])
      expect(replies(world, number)).toHaveLength(1)
      expectQuiet(world, number)
    }))
})
