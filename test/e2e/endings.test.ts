import { readdirSync, readFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dispatchPayload, issueCommentPayload, issuesPayload, schedulePayload } from '../../src/local/github/payloads.ts'
import type { Script } from '../../src/local/model.ts'
import type { RunInput, RunResult } from '../../src/local/runner.ts'
import type { Moment } from '../../src/local/stop.ts'
import { runAction, runPost, type World } from '../../src/local/world.ts'
import { comments } from '../support/world.ts'
import { comment, expectExit, files, fixDate, modelInputs, says, within, writes } from './support.ts'

test('a scheduled run does what its prompt says and brings the changes as a pull request', () =>
  within({ script: fixDate }, async (world) => {
    const done = await runAction(world, {
      event: 'schedule',
      payload: schedulePayload(world.github, '0 3 * * *'),
      inputs: { ...modelInputs(world), prompt: 'fix the date parsing' },
    })
    expectExit(done, 0)
    expect(done.outputs.branch).toMatch(/^opencode\/schedule-/)
    const pull = world.github.thread(Number(done.outputs['pull-request-number']))
    expect(pull).toMatchObject({ title: 'Fix the date parsing', author: 'github-actions[bot]' })
    expect(pull.body).not.toContain('Closes')
    expect(await world.remote('log', '-1', '--format=%(trailers)', done.outputs.branch ?? '')).toBe('\n')
    expect(done.summary).toContain('Dates are parsed in UTC now.')
    expect(writes(world)).toEqual([expect.stringMatching(/^POST .*\/pulls$/)])
  }))

test('a run by hand that changes nothing writes nothing to GitHub; the answer is in the summary and the outputs', () =>
  within({ script: says('All dates are fine.') }, async (world) => {
    const done = await runAction(world, {
      event: 'workflow_dispatch',
      payload: dispatchPayload(world.github, 'alice'),
      inputs: { ...modelInputs(world), prompt: 'are the dates fine?' },
    })
    expectExit(done, 0)
    expect(done.outputs).toMatchObject({ conclusion: 'success', response: 'All dates are fine.' })
    expect(done.summary).toContain('All dates are fine.')
    expect(writes(world)).toEqual([])
  }))

test('an issue that carries the trigger is worked on when it is opened', () =>
  within({ script: fixDate }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', body: 'Off by the time zone. /opencode fix this', author: 'alice' })
    const done = await runAction(world, { event: 'issues', payload: issuesPayload(world.github, number), inputs: modelInputs(world) })
    expectExit(done, 0)
    expect(comments(world, number).at(-1)?.body).toContain('Opened #')
    expect(JSON.stringify(world.model?.requests()[0])).toContain('Off by the time zone.')
  }))

test('a comment on a pull request changes its own head, and opens no other', () =>
  within({ script: fixDate }, async (world) => {
    await world.push('feature/dates', { 'NEW.md': 'new\n' }, 'main')
    const { number } = await world.github.openPull({ title: 'Dates', author: 'alice', head: 'feature/dates' })
    const done = await comment(world, number, 'alice', '/opencode fix the date parsing')
    expectExit(done, 0)
    expect(done.outputs).toMatchObject({ branch: 'feature/dates', 'pull-request-number': String(number), 'pull-request-operation': 'updated' })
    expect(await world.remote('log', '--format=%s', 'main..feature/dates')).toBe('Fix the date parsing\nWork of somebody else\n')
    expect(writes(world).filter((write) => write.endsWith('/pulls'))).toEqual([])
  }))

test('C110 C137 a refused push ends in a comment with the remote’s own words, the answer and the patch, and exit 1', () =>
  within({ script: fixDate }, async (world) => {
    const hook = join(world.github.bare, 'hooks', 'pre-receive')
    await writeFile(hook, '#!/bin/sh\necho "GH013: Changes must be made through a pull request." >&2\nexit 1\n', { mode: 0o755 })
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/opencode fix it')
    expectExit(done, 1)
    expect(done.outputs.conclusion).toBe('failure')
    const reply = comments(world, number).at(-1)?.body ?? ''
    expect(reply).toContain('GH013: Changes must be made through a pull request.')
    expect(reply).toContain('Dates are parsed in UTC now.')
    expect(reply).toContain('+export const parse = (text) => new Date(Date.parse(text))')
    expect(await readFile(done.outputs['patch-path'] ?? '', 'utf8')).toContain('Date.parse(text)')
    expect(world.github.thread(number).comments).toHaveLength(2)

    // The work could not be pushed, but the thread has not forgotten it: the next turn begins with the edits, and gets them through.
    await rm(hook)
    await world.checkout()
    const again = await comment(world, number, 'alice', '/opencode is that all?')
    expectExit(again, 0)
    expect(again.outputs['session-id']).toBe(done.outputs['session-id'])
    expect(JSON.stringify(world.model?.requests().at(-1)?.messages)).toContain('new Date(Date.parse(text))')
    expect(await world.remote('show', `${again.outputs.branch}:src/date.js`)).toContain('new Date(Date.parse(text))')
  }))

test('C126 a pull request that may not be opened leaves the branch, a link and the session', () =>
  within({ script: fixDate }, async (world) => {
    world.github.fault(({ method, path }) => method === 'POST' && path.endsWith('/pulls'), {
      status: 403,
      body: { message: 'GitHub Actions is not permitted to create or approve pull requests.' },
    })
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/opencode fix it')
    expectExit(done, 1)
    const reply = comments(world, number).at(-1)?.body ?? ''
    expect(reply).toContain('not permitted to create')
    expect(reply).toContain(`/compare/main...opencode/issue${number}-dates?expand=1`)
    expect(reply).toContain('opencode:session:v1')
    expect(await world.remote('rev-parse', `opencode/issue${number}-dates`)).toMatch(/^[0-9a-f]{40}/)

    await world.checkout()
    const again = await comment(world, number, 'alice', '/opencode is that all?')
    expectExit(again, 0)
    expect(again.outputs['session-id']).toBe(done.outputs['session-id'])
  }))

test('with `session-key` the thread keeps the session sealed; another key begins a new one and says so', () =>
  within({ script: fixDate }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const first = await comment(world, number, 'alice', '/opencode fix it', { inputs: { 'session-key': 'the first key of all' } })
    expect(comments(world, number).at(-1)?.body).toContain('"enc":"br+gcm"')
    await world.checkout()
    const same = await comment(world, number, 'alice', '/opencode and now?', { inputs: { 'session-key': 'the first key of all' } })
    expect(same.outputs['session-id']).toBe(first.outputs['session-id'])
    // People are slower than this test: within one second nothing tells what was first.
    for (const { id } of world.github.thread(number).comments) world.github.age(id, 60)
    const other = await comment(world, number, 'alice', '/opencode and now?', { inputs: { 'session-key': 'quite another key' } })
    expectExit(other, 0)
    expect(other.outputs['session-id']).not.toBe(first.outputs['session-id'])
    expect(other.summary).toContain('session-key')
    const told = JSON.stringify(world.model?.requests().at(-1)?.messages)
    expect(told.match(/Dates are parsed in UTC now/g)).toHaveLength(2)
  }))

test('`session: new` starts afresh on the same issue', () =>
  within({ script: says('Hello.') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const first = await comment(world, number, 'alice', '/opencode hello')
    const second = await comment(world, number, 'alice', '/opencode hello again', { inputs: { session: 'new' } })
    expect(second.outputs['session-id']).not.toBe(first.outputs['session-id'])
    expect(world.model?.requests()[1]?.messages).toHaveLength(2)
  }))

test('C168 `working-directory` is where tools start, and paths in it are committed where they belong', () =>
  within({ script: fixDate, seed: { files: { ...files, 'packages/app/src/date.js': files['src/date.js'] } } }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const done = await comment(world, number, 'alice', '/opencode fix it', { inputs: { 'working-directory': 'packages/app' } })
    expectExit(done, 0)
    expect(done.outputs['changed-files']).toBe('packages/app/src/date.js')

    await world.checkout()
    const lost = await comment(world, number, 'alice', '/opencode fix it', { inputs: { 'working-directory': 'packages/nowhere' } })
    expectExit(lost, 1)
    expect(comments(world, number).at(-1)?.body).toMatch(/no folder packages\/nowhere in the workspace[.]\s+Set `working-directory`/)
  }))

test('a run that was killed is told in its comment by the clean-up step, with its edits, and its reaction taken back', () =>
  within({ script: fixDate }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const { input, killed } = await killedBefore(world, number, { model: 3 })
    const thread = world.github.thread(number)
    expect(thread.comments[0]?.reactions).toHaveLength(1)
    expectExit(await runPost(world, input, killed.state), 0)
    expect(thread.comments).toHaveLength(2)
    const told = comments(world, number).at(-1)?.body
    expect(told).toContain('This run was stopped before it finished.')
    expect(told).toContain('nothing of this run was pushed')
    expect(told).toContain('+export const parse = (text) => new Date(Date.parse(text))')
    expect(thread.comments[0]?.reactions).toEqual([])

    // A second clean-up finds nothing to do.
    expectExit(await runPost(world, input, killed.state), 0)
    expect(comments(world, number).slice(1)).toEqual([{ author: 'github-actions[bot]', body: told }])
  }))

test('a run that was killed when its work was pushed already does not say that nothing was', () =>
  within({ script: fixDate }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const { input, killed } = await killedBefore(world, number, { github: { method: 'POST', path: /\/pulls$/ } })
    const branch = `opencode/issue${number}-dates`
    expect(await world.remote('log', '--format=%s', `main..${branch}`)).toBe('Fix it\n')
    expectExit(await runPost(world, input, killed.state), 0)
    const told = comments(world, number).at(-1)?.body
    expect(told).toContain('This run was stopped before it finished.')
    expect(told).toContain(`\`${branch}\``)
    expect(told).not.toMatch(/nothing of this run was pushed|were not pushed/)
  }))

test('a run that was killed leaves the steps after it the git they had: their login is back, and what the agent configured is gone', () => {
  const poison = 'git config core.fsmonitor evil && printf evil > .git/hooks/pre-push && chmod +x .git/hooks/pre-push'
  const script: Script = ({ result }) =>
    result('poison') === undefined ? { calls: [{ id: 'poison', name: 'bash', arguments: { command: poison } }] } : { text: 'Done.' }
  return within({ script }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    await world.checkout({ persistCredentials: true })
    const steering = () => [readFileSync(join(world.workspace, '.git/config'), 'utf8'), readdirSync(join(world.workspace, '.git/hooks'))]
    const before = steering()
    const { input, killed } = await killedBefore(world, number, { model: 2 })
    expect(steering()).not.toEqual(before)
    expectExit(await runPost(world, input, killed.state), 0)
    expect(steering()).toEqual(before)
    expect(readdirSync(world.temp)).not.toContain('opencode-steering.json')
  })
})

test('the clean-up step leaves an answer as it is: after a run that ended, and after one that was killed when it had answered', () =>
  within({ script: fixDate }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    const input = inputFor(world, number)
    const { state } = await runAction(world, input)
    const { finished, ...killed } = state
    expect(finished).toBe('true')
    const said = comments(world, number)
    expect(said.at(-1)?.body).toContain('Opened #')
    for (const left of [state, killed]) expectExit(await runPost(world, input, left), 0)
    expect(comments(world, number)).toEqual(said)
  }))

test('`/opencode help` answers without a model, and so does `/opencode undo`, which says what there is to undo', () =>
  within({ script: says('Never said.') }, async (world) => {
    const { number } = world.github.openIssue({ title: 'Dates', author: 'rita' })
    expectExit(await comment(world, number, 'alice', '/opencode help'), 0)
    expect(comments(world, number).at(-1)?.body).toContain('one session')
    expectExit(await comment(world, number, 'alice', '/opencode undo'), 1)
    expect(comments(world, number).at(-1)?.body).toContain('There is no earlier turn')
    expect(world.model?.requests()).toHaveLength(0)
  }))

/** What alice's comment gives the action to run on. */
function inputFor(world: World, number: number): RunInput {
  const { id } = world.github.comment(number, 'alice', '/opencode fix it')
  return { event: 'issue_comment', payload: issueCommentPayload(world.github, id), inputs: modelInputs(world) }
}

/** A run that was killed without a chance to say so, and what its clean-up step is given. */
async function killedBefore(world: World, number: number, when: Moment): Promise<{ input: RunInput; killed: RunResult }> {
  const input = inputFor(world, number)
  const killed = await runAction(world, { ...input, stop: { signal: 'SIGKILL', when } })
  expect(killed.code).toBeNull()
  expect(killed.state.finished).toBeUndefined()
  return { input: { ...input, runId: killed.runId }, killed }
}
