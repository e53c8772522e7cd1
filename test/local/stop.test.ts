import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { issueCommentPayload, pullRequestPayload } from '../../src/local/github/payloads.ts'
import { runAction, runPost, type World } from '../../src/local/world.ts'
import { comments, openWorld } from '../support/world.ts'

let world: World
let payload: object
beforeEach(async () => {
  world = await openWorld({ script: () => ({ text: 'hello' }) })
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice' })
  payload = issueCommentPayload(world.github, world.github.comment(number, 'alice', '/opencode hello').id)
})
afterEach(() => world.close())

/** A stand-in for the built action that posts three comments and asks the model in between. */
async function program(before = ''): Promise<string> {
  const path = join(world.folder, `stand-in-${before.length}.mjs`)
  await writeFile(
    path,
    `import fs from 'node:fs'
    const env = process.env
    ${before}
    const url = env.GITHUB_API_URL + '/repos/' + env.GITHUB_REPOSITORY + '/issues/1/comments'
    const headers = { authorization: 'token ' + env['INPUT_GITHUB-TOKEN'] }
    for (const body of ['one', 'two', 'three']) {
      await fetch(url, { method: 'POST', headers, body: JSON.stringify({ body }) }).catch(() => {})
      const request = { model: 'm', messages: [{ role: 'user', content: body }] }
      await fetch(env['INPUT_BASE-URL'] + '/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(request) }).catch(() => {})
      console.log('said ' + body)
    }`,
  )
  return path
}
const input = async (before?: string) => ({
  event: 'issue_comment',
  payload,
  bundle: await program(before),
  inputs: { 'base-url': world.model?.baseUrl ?? '' },
})
const said = () =>
  comments(world, 1)
    .slice(1)
    .map(({ body }) => body)

test.each([
  ['the second comment, which does not arrive', { github: { method: 'POST', path: /comments$/ }, nth: 2 }, ['one']],
  ['the second comment, which does arrive', { github: { method: 'POST', path: /comments$/ }, nth: 2, served: true }, ['one', 'two']],
  ['the second question to the model', { model: 2 }, ['one', 'two']],
  ['a line of the log', { output: /said two/ }, undefined],
] as const)('kills the run at %s', async (_, when, expected) => {
  const result = await runAction(world, { ...(await input()), stop: { signal: 'SIGKILL', when } })
  expect(result.code).toBeNull()
  if (expected !== undefined) expect(said()).toEqual(expected)
  // The next run is not the killed one's business.
  expect((await runAction(world, await input())).code).toBe(0)
})

test('asks a run to end by SIGTERM, which may still say good-bye', async () => {
  const handler = `process.on('SIGTERM', () => { fs.appendFileSync(env.GITHUB_OUTPUT, 'conclusion=cancelled\\n'); process.exit(1) })`
  const result = await runAction(world, { ...(await input(handler)), stop: { signal: 'SIGTERM', when: { model: 1 } } })
  expect(result).toMatchObject({ code: 1, outputs: { conclusion: 'cancelled' } })
})

test('a run is in progress while it lives, and for good when its machine is lost', async () => {
  const state = (id: string) => world.github.state.runs.get(Number(id))
  const seen: (string | undefined)[] = []
  world.github.before({ path: /comments$/ }, () => void seen.push([...world.github.state.runs.values()].at(-1)?.status), 1)
  const done = await runAction(world, await input())
  expect([seen, state(done.runId)?.status, state(done.runId)?.conclusion]).toEqual([['in_progress'], 'completed', 'success'])
  const stop = { signal: 'SIGKILL', when: { model: 1 } } as const
  expect(state((await runAction(world, { ...(await input()), stop })).runId)).toMatchObject({ status: 'completed', conclusion: 'failure' })
  expect(state((await runAction(world, { ...(await input()), stop: { ...stop, machineLost: true } })).runId)).toMatchObject({ status: 'in_progress' })
})

test('a second attempt and a post step are of the same run', async () => {
  const bundle = join(world.folder, 'env.mjs')
  await writeFile(
    bundle,
    'const { GITHUB_RUN_ID: id, GITHUB_RUN_ATTEMPT: attempt, STATE_x: state } = process.env\nconsole.log(JSON.stringify({ id, attempt, state }))',
  )
  const base = { event: 'issue_comment', payload, bundle }
  const first = await runAction(world, base)
  const second = await runAction(world, { ...base, runId: first.runId, attempt: 2 })
  const post = await runPost(world, { ...base, runId: first.runId, attempt: 2 }, { x: 'kept' })
  expect([first, second, post].map(({ stdout }) => JSON.parse(stdout))).toEqual([
    { id: first.runId, attempt: '1' },
    { id: first.runId, attempt: '2' },
    { id: first.runId, attempt: '2', state: 'kept' },
  ])
  expect(world.github.state.runs.get(Number(first.runId))?.attempt).toBe(2)
})

test('two runs go on at once on machines of their own', async () => {
  const bundle = join(world.folder, 'two.mjs')
  await writeFile(bundle, 'console.log([process.cwd(), process.env.RUNNER_TEMP].join())\nfor await (const _ of process.stdin) {}')
  const both = await Promise.all(['a', 'b'].map(async (name) => runAction(world, { event: 'issue_comment', payload, bundle, ...(await world.machine(name)) })))
  expect(new Set(both.flatMap(({ stdout }) => stdout.trim().split(','))).size).toBe(4)
  expect(new Set(both.map(({ runId }) => runId)).size).toBe(2)
})

test('a run for a pull request finds the merge commit and its branches in the environment', async () => {
  const head = await world.push('fix', { 'new.txt': 'x\n' }, 'main')
  const { number } = await world.github.openPull({ title: 'Fix', author: 'alice', head: 'fix' })
  const bundle = join(world.folder, 'refs.mjs')
  await writeFile(bundle, 'const e = process.env\nconsole.log([e.GITHUB_REF, e.GITHUB_HEAD_REF, e.GITHUB_BASE_REF, e.GITHUB_SHA].join())')
  const merge = (await world.remote('rev-parse', `refs/pull/${number}/merge`)).trim()
  const workspace = await world.checkout({ ref: `refs/pull/${number}/merge` })
  const of = async (event: string) =>
    (await runAction(world, { event, payload: await pullRequestPayload(world.github, number), bundle, workspace })).stdout.trim().split(',')
  expect(await of('pull_request')).toEqual([`refs/pull/${number}/merge`, 'fix', 'main', merge])
  expect((await of('pull_request_target')).slice(0, 3)).toEqual(['refs/heads/main', 'fix', 'main'])
  expect((await world.remote('rev-list', '--parents', '-1', merge)).trim()).toContain(head)
})
