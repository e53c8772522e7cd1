import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { issuesPayload, schedulePayload } from '../../src/local/github/payloads.ts'
import type { Script } from '../../src/local/model.ts'
import type { World } from '../../src/local/world.ts'
import { http, sseModel } from '../support/sse-model.ts'
import { comments } from '../support/world.ts'
import { changes, does, offered, play, reply, told } from './hub.ts'
import { comment, expectExit, files, fixDate, says, within } from './support.ts'

/** Sorting issues, `mode: staged` and answers in a form that was asked for, by the bundle. */

const rules = { github: { triage: { labels: ['bug', 'area/*'], assign: ['alice'], close: true } } }
const configured = { files: { ...files, 'opencode.json': JSON.stringify(rules) } }
const labels = ['bug', 'area/dates', 'security']
const label = (add: readonly string[], remove: readonly string[] = []) => ({ name: 'label', arguments: { add, remove } })
const assign = (...logins: string[]) => ({ name: 'assign', arguments: { logins } })
const close = { name: 'close_issue', arguments: { reason: 'not_planned' } }
const search = { name: 'search_issues', arguments: { words: 'dates' } }
const issue = (world: World) => world.github.openIssue({ title: 'Dates are off', body: 'By an hour.', author: 'rita', labels: ['security'] }).number
const opened = (world: World, number: number, inputs: Record<string, string> = {}) =>
  play(world, 'issues', issuesPayload(world.github, number, 'opened', 'rita'), { inputs: { prompt: 'Triage this issue.', 'allowed-users': 'rita', ...inputs } })

describe('triage', () => {
  test('labels, assigns and closes what the repository’s configuration allows, once the run is done, and says so', () => {
    const script = does({ 'Triage this issue.': [search, label(['Bug', 'area/dates']), assign('alice'), close] }, 'A duplicate of the first.')
    return within({ seed: configured, labels, script }, async (world) => {
      world.github.openIssue({ title: 'Dates are wrong by an hour', author: 'alice' })
      const number = issue(world)
      let before: string[] = []
      // While the model still works nothing is done.
      world.model?.watch(() => {
        before = [...world.github.thread(number).labels, ...world.github.thread(number).assignees]
      })
      expectExit(await opened(world, number), 0)
      expect(before).toEqual(['security'])
      expect(told(world)).toContain('#1 (open issue) Dates are wrong by an hour')
      expect(world.github.thread(number)).toMatchObject({ labels: ['security', 'bug', 'area/dates'], assignees: ['alice'], stateReason: 'not_planned' })
      expect(world.github.thread(number).closedAt).not.toBeNull()
      const text = reply(world, number)
      for (const words of ['A duplicate of the first.', 'Set the labels `bug`, `area/dates`.', 'Assigned `alice`.', 'Closed it as not planned.'])
        expect(text).toContain(words)
    })
  })

  test('an unknown label, one outside of the allow-list and a person outside of it are refused, and none is made', () => {
    const script = does({ 'Triage this issue.': [label(['bgu']), label([], ['security']), assign('mallory')] })
    return within({ seed: configured, labels, script }, async (world) => {
      const number = issue(world)
      expectExit(await opened(world, number), 0)
      expect(told(world)).toContain('the nearest are bug')
      expect(told(world)).toContain('`security` is no label this run may use')
      expect(told(world)).toContain('may not assign mallory')
      expect(world.github.thread(number)).toMatchObject({ labels: ['security'], assignees: [] })
      expect(changes(world).filter((write) => /labels|assignees/.test(write))).toEqual([])
    })
  })

  test('without a word of the configuration labels may be set, and nobody is assigned and nothing closed', () =>
    within({ labels, script: does({ 'Triage this issue.': [label(['bug'])] }) }, async (world) => {
      const number = issue(world)
      expectExit(await opened(world, number), 0)
      expect(offered(world)).toEqual(expect.arrayContaining(['label', 'search_issues']))
      expect(offered(world)).not.toContain('assign')
      expect(offered(world)).not.toContain('close_issue')
      expect(world.github.thread(number).labels).toEqual(['security', 'bug'])
    }))

  test('a pull request that writes itself an allow-list has the one of the base branch', () => {
    const seed = { files: { ...files, 'opencode.json': JSON.stringify({ github: { triage: { labels: false } } }) } }
    return within({ seed, labels, script: says('Seen.') }, async (world) => {
      await world.push('topic', { 'opencode.json': JSON.stringify({ github: { triage: { labels: true, close: true } } }) }, 'main')
      const { number } = await world.github.openPull({ title: 'Let me', author: 'alice', head: 'topic' })
      expectExit(await comment(world, number, 'alice', '/opencode sort it'), 0)
      expect(offered(world)).toContain('search_issues')
      expect(offered(world)).not.toContain('label')
      expect(offered(world)).not.toContain('close_issue')
    })
  })

  test('what GitHub refuses is told in the reply, and the rest is done', () => {
    const script = does({ 'Triage this issue.': [label(['bug']), assign('alice')] }, 'Sorted.')
    return within({ seed: configured, labels, script }, async (world) => {
      world.github.fault({ method: 'POST', path: /\/labels$/ }, { status: 403, body: { message: 'Must have admin rights to Repository.' } }, 9)
      const number = issue(world)
      expectExit(await opened(world, number), 0)
      expect(world.github.thread(number).assignees).toEqual(['alice'])
      expect(reply(world, number)).toMatch(/could not be done: Set the label `bug`/)
    })
  })

  test('a scheduled sweep sorts the issue that `target` names', () =>
    within({ labels, script: does({ 'Triage it.': [label(['bug'])] }) }, async (world) => {
      const number = issue(world)
      const inputs = { prompt: 'Triage it.', target: String(number) }
      expectExit(await play(world, 'schedule', schedulePayload(world.github, '0 3 * * *'), { inputs }), 0)
      expect(world.github.thread(number).labels).toEqual(['security', 'bug'])
    }))
})

describe('mode: staged', () => {
  test('writes nothing at all and shows in the summary what would have been done to an issue', () => {
    const read = { name: 'read', arguments: { filePath: 'src/date.js' } }
    const edit = { name: 'edit', arguments: { filePath: 'src/date.js', oldString: 'new Date(text)', newString: 'new Date(Date.parse(text))' } }
    const script = does({ 'Triage this issue.': [label(['bug'], []), assign('alice'), close, read, edit] }, 'Mended and sorted.')
    return within({ seed: configured, labels, script }, async (world) => {
      const number = issue(world)
      const done = await opened(world, number, { mode: 'staged' })
      expectExit(done, 0)
      expect(changes(world)).toEqual([])
      expect(comments(world, number)).toEqual([])
      expect(world.github.thread(number)).toMatchObject({ labels: ['security'], assignees: [], closedAt: null })
      for (const words of [
        'nothing was written',
        'Set the label `bug`.',
        'Assign `alice`.',
        'Close it as not planned.',
        `Reply on #${number}`,
        'Mended and sorted.',
      ])
        expect(done.summary).toContain(words)
      expect(done.summary).toContain('Date.parse(text)')
      expect(await readFile(done.outputs['patch-path'] ?? '', 'utf8')).toContain('+export const parse = (text) => new Date(Date.parse(text))')
      expect(done.outputs.response).toBe('Mended and sorted.')
      expect((await world.remote('branch', '--format=%(refname:short)')).trim()).toBe('main')
    })
  })

  test('shows the remarks of a review, and posts none', () => {
    const review = {
      name: 'review',
      arguments: { findings: [{ path: 'src/date.js', line: 1, severity: 'high', title: 'Time zone', body: 'Off by an hour.' }] },
    }
    return within({ script: does({ 'Review this pull request': [review] }, 'One thing.') }, async (world) => {
      await world.push('topic', { 'src/date.js': 'export const parse = (text) => Date(text)\n' }, 'main')
      const { number } = await world.github.openPull({ title: 'Parse', author: 'alice', head: 'topic' })
      const done = await comment(world, number, 'alice', '/opencode', { inputs: { mode: 'staged' } })
      expectExit(done, 0)
      expect(changes(world)).toEqual([])
      expect(done.summary).toMatch(/At `src\/date\.js:1`[\s\S]*Time zone/)
    })
  })

  test('writes nothing when the model fails, when it is a schedule, or when there is nothing to ask a model', () =>
    within({ script: fixDate }, async (world) => {
      const inputs = { mode: 'staged', prompt: 'Fix the dates.' }
      expectExit(await play(world, 'schedule', schedulePayload(world.github, '0 3 * * *'), { inputs }), 0)
      const number = issue(world)
      await using model = await sseModel()
      model.otherwise(http(401, { error: { message: 'bad key' } }))
      const failed = await comment(world, number, 'alice', '/opencode fix the dates', { inputs: { mode: 'staged', 'base-url': model.url } })
      expectExit(failed, 1)
      expect(failed.summary).toContain('bad key')
      const helped = await comment(world, number, 'alice', '/opencode help', { inputs: { mode: 'staged' } })
      expectExit(helped, 0)
      expect(helped.summary).toContain('shows this')
      const stopped = await comment(world, number, 'alice', '/opencode cancel', { inputs: { mode: 'staged' } })
      expectExit(stopped, 0)
      expect(stopped.summary).toContain('Nothing is running')
      expect(changes(world)).toEqual([])
    }))
})

test('mode: staged takes nothing back either: an undo says what it would do', () =>
  within({ script: fixDate }, async (world) => {
    const number = issue(world)
    const first = await comment(world, number, 'alice', '/opencode fix the dates')
    expectExit(first, 0)
    const count = changes(world).length
    const tip = await world.remote('rev-parse', first.outputs.branch ?? '')
    const done = await comment(world, number, 'alice', '/opencode undo', { inputs: { mode: 'staged' } })
    expectExit(done, 0)
    expect(changes(world)).toHaveLength(count)
    expect(await world.remote('rev-parse', first.outputs.branch ?? '')).toBe(tip)
    expect(done.summary).toContain(`would take back what it pushed to \`${first.outputs.branch}\``)
  }))

describe('output-schema', () => {
  const schema = {
    type: 'object',
    properties: { severity: { type: 'string', enum: ['low', 'high'] }, count: { type: 'integer' } },
    required: ['severity', 'count'],
  }
  const inputs = { 'output-schema': JSON.stringify(schema) }

  test('the answer comes in the form that was asked for, in the output and for people', () =>
    within({ script: does({ 'how bad': [{ name: 'StructuredOutput', arguments: { severity: 'high', count: 2 } }] }) }, async (world) => {
      const number = issue(world)
      const done = await comment(world, number, 'alice', '/opencode how bad is it?', { inputs })
      expectExit(done, 0)
      expect(JSON.parse(done.outputs['structured-output'] ?? '')).toEqual({ severity: 'high', count: 2 })
      expect(reply(world, number)).toContain('"severity": "high"')
    }))

  test('a model that misses it is told what is wrong, and its next try counts', () => {
    const wrong = { name: 'StructuredOutput', arguments: { severity: 'very', count: 'two' } }
    const right = { name: 'StructuredOutput', arguments: { severity: 'low', count: 1 } }
    return within({ script: does({ 'how bad': [wrong, right] }) }, async (world) => {
      const done = await comment(world, issue(world), 'alice', '/opencode how bad is it?', { inputs })
      expectExit(done, 0)
      expect(told(world)).toMatch(/severity/)
      expect(JSON.parse(done.outputs['structured-output'] ?? '')).toEqual({ severity: 'low', count: 1 })
    })
  })

  test('a model that never gets it right is a failure that says so, and no output is set', () => {
    const script: Script = ({ mayCall, messages }) =>
      mayCall ? { calls: [{ id: `call_${messages.length}`, name: 'StructuredOutput', arguments: { severity: 'very' } }] } : { text: 'It is bad.' }
    return within({ script }, async (world) => {
      const number = issue(world)
      const done = await comment(world, number, 'alice', '/opencode how bad is it?', { inputs: { ...inputs, 'max-steps': '6' } })
      expectExit(done, 1)
      expect(done.outputs['structured-output']).toBeUndefined()
      expect(reply(world, number)).toMatch(/schema|form/)
    })
  })

  test('a model that answers in words is asked for the form', () => {
    return within({ script: says('It is bad.') }, async (world) => {
      const number = issue(world)
      const done = await comment(world, number, 'alice', '/opencode how bad is it?', { inputs })
      expectExit(done, 1)
      expect(done.outputs['structured-output']).toBeUndefined()
      expect(reply(world, number)).toMatch(/schema|form/)
    })
  })

  test('a schema that is none is found before anything is written', () =>
    within({ script: says('Never.') }, async (world) => {
      const done = await comment(world, issue(world), 'alice', '/opencode how bad is it?', { inputs: { 'output-schema': '{"type": 7}' } })
      expectExit(done, 1)
      expect(done.outputs.reason).toContain('output-schema')
      expect(changes(world)).toEqual([])
    }))
})
