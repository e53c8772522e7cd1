import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { issueCommentPayload } from '../../src/local/github/payloads.ts'
import { parsePairs } from '../../src/local/runner.ts'
import { runAction, runPost, type World } from '../../src/local/world.ts'
import { comments, openWorld } from '../support/world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

/** A stand-in for the built action. */
async function program(text: string): Promise<string> {
  const path = join(world.folder, 'stand-in.mjs')
  await writeFile(path, `import fs from 'node:fs'\nconst env = process.env\n${text}`)
  return path
}

function mention(body: string): object {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'alice' })
  return issueCommentPayload(world.github, world.github.comment(number, 'alice', body).id)
}

test('gives an action what the runner gives, and nothing of this machine but the path', async () => {
  const bundle = await program(`console.log(JSON.stringify({ env, cwd: process.cwd(), event: JSON.parse(fs.readFileSync(env.GITHUB_EVENT_PATH)) }))`)
  const { code, stdout } = await runAction(world, {
    event: 'issue_comment',
    payload: mention('/opencode hello'),
    inputs: { model: 'scripted/demo', 'base-url': 'http://localhost/v1' },
    env: { SOME_API_KEY: 'k' },
    bundle,
  })
  expect(code).toBe(0)
  const { env, cwd, event } = JSON.parse(stdout)
  expect(cwd).toBe(world.workspace)
  expect(event.comment.body).toBe('/opencode hello')
  expect(env).toMatchObject({
    'INPUT_GITHUB-TOKEN': world.github.state.token,
    INPUT_MODEL: 'scripted/demo',
    'INPUT_BASE-URL': 'http://localhost/v1',
    SOME_API_KEY: 'k',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTOR: 'alice',
    GITHUB_API_URL: world.github.apiUrl,
    GITHUB_SERVER_URL: world.github.url,
    GITHUB_REPOSITORY: 'octo/demo',
    GITHUB_EVENT_NAME: 'issue_comment',
    GITHUB_SHA: (await world.remote('rev-parse', 'main')).trim(),
    GITHUB_WORKSPACE: world.workspace,
    RUNNER_TEMP: world.temp,
    PATH: process.env.PATH,
  })
  const strangers = Object.keys(env).filter((name) => !/^(GITHUB|RUNNER|INPUT)_|^(CI|PATH|HOME|SOME_API_KEY|SystemRoot|USERPROFILE)$/.test(name))
  expect(strangers.filter((name) => !name.startsWith('__CF'))).toEqual([])
})

test('reads back outputs, state and summary, and hands the state to the post step', async () => {
  const bundle = await program(`
    if (env.STATE_isPost) {
      console.log('after ' + env.STATE_isPost)
    } else {
      fs.appendFileSync(env.GITHUB_OUTPUT, 'conclusion<<x1\\nsuccess\\nx1\\nresponse<<x2\\nname=value\\n\\nEOF\\nx2\\nsteps=3\\n')
      fs.appendFileSync(env.GITHUB_STATE, 'isPost<<x3\\ntrue\\nx3\\n')
      fs.appendFileSync(env.GITHUB_STEP_SUMMARY, '# Done\\n')
      console.error('careful')
      process.exitCode = 3
    }`)
  const input = { event: 'issue_comment', payload: mention('/opencode hello'), bundle }
  const main = await runAction(world, input)
  expect(main).toMatchObject({
    code: 3,
    stderr: 'careful\n',
    outputs: { conclusion: 'success', response: 'name=value\n\nEOF', steps: '3' },
    state: { isPost: 'true' },
    summary: '# Done\n',
  })
  expect(main.duration).toBeGreaterThan(0)
  expect(await runPost(world, input, main.state)).toMatchObject({ code: 0, stdout: 'after true\n' })
})

test('lets an action talk to GitHub and be heard', async () => {
  const payload = mention('/opencode hello')
  const bundle = await program(`
    const url = env.GITHUB_API_URL + '/repos/' + env.GITHUB_REPOSITORY + '/issues/1/comments'
    const headers = { authorization: 'token ' + env['INPUT_GITHUB-TOKEN'] }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ body: 'hi' }) })
    process.exitCode = response.status === 201 ? 0 : 1`)
  expect((await runAction(world, { event: 'issue_comment', payload, bundle })).code).toBe(0)
  expect(comments(world, 1).at(-1)).toEqual({ author: 'github-actions[bot]', body: 'hi' })
})

test('cancels with SIGINT first, so that an action can clean up', async () => {
  const bundle = await program(`
    process.on('SIGINT', () => { fs.appendFileSync(env.GITHUB_OUTPUT, 'conclusion=cancelled\\n'); process.exit(1) })
    setInterval(() => {}, 1000)
    console.log('ready')`)
  const stop = new AbortController()
  const result = await runAction(world, {
    event: 'issue_comment',
    payload: mention('/opencode hello'),
    bundle,
    signal: stop.signal,
    onOutput: (text) => text.includes('ready') && stop.abort(),
  })
  expect(result).toMatchObject({ code: 1, outputs: { conclusion: 'cancelled' } })
})

test('an output file reads back as it was written, whatever the values hold (C135)', () => {
  const value = fc.string({ unit: fc.constantFrom('a', '=', '<', '\n', 'E', 'ä', ' ') })
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z-]+$/), value), (pairs) => {
      const text = Object.entries(pairs).map(([name, content]) => `${name}<<ghadelimiter_1\n${content}\nghadelimiter_1\n`)
      expect(parsePairs(text.join(''))).toEqual({ ...pairs })
    }),
  )
})

test('an output file with an open block or a line without a value is refused', () => {
  expect(() => parsePairs('a<<x\nnever closed\n')).toThrow('delimiter not found')
  expect(() => parsePairs('nonsense\n')).toThrow('Invalid format')
})
