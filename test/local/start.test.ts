import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readArguments } from '../../src/local/arguments.ts'
import { post, visible } from '../../src/local/print.ts'
import { main } from '../../src/local/start.ts'

let folder: string
const printed: string[] = []
const env = { PATH: process.env.PATH }

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'start-'))
  printed.length = 0
})
afterEach(async () => {
  const kept = /Everything is kept in (\S+)/.exec(printed.join('\n'))?.[1]
  await Promise.all([folder, ...(kept === undefined ? [] : [kept])].map((path) => rm(path, { recursive: true, force: true })))
})

/** A stand-in for the action: asks the model with the thread so far, posts the answer. With `forgetful` it sends the newest comment only. */
async function standIn(forgetful = false): Promise<string> {
  const path = join(folder, 'action.mjs')
  await writeFile(
    path,
    `import fs from 'node:fs'
    const env = process.env
    const event = JSON.parse(fs.readFileSync(env.GITHUB_EVENT_PATH))
    const url = env.GITHUB_API_URL + '/repos/' + env.GITHUB_REPOSITORY + '/issues/' + event.issue.number + '/comments'
    const headers = { authorization: 'token ' + env['INPUT_GITHUB-TOKEN'] }
    const thread = await (await fetch(url, { headers })).json()
    const messages = (${forgetful} ? thread.slice(-1) : thread).map(({ body }) => ({ role: 'user', content: body }))
    const ask = await fetch(env['INPUT_BASE-URL'] + '/chat/completions', { method: 'POST', body: JSON.stringify({ model: 'demo', messages }) })
    const text = (await ask.json()).choices[0].message.content
    await fetch(url, { method: 'POST', headers, body: JSON.stringify({ body: text + '\\n<!-- opencode ' + 'x'.repeat(2000) + ' -->' }) })
    fs.appendFileSync(env.GITHUB_OUTPUT, 'conclusion=success\\nresponse<<e\\n' + text + '\\ne\\nbranch=topic\\ntranscript-path=/tmp/transcript.md\\n')`,
  )
  return path
}

const start = (argv: readonly string[], bundle = '', extra: Record<string, string> = {}) =>
  main(argv, { ...env, ...extra }, { bundle, print: (text) => void printed.push(text) })

test('plays two comments and shows the thread, the sizes, the memory and where things are', async () => {
  expect(await start([], await standIn())).toBe(0)
  const text = printed.join('\n')
  expect(text).toContain('alice comments: /opencode fix the failing test')
  expect(text).toMatch(/model requests: 1, the first \d+\.\d kB, the last \d+\.\d kB; GitHub requests: 2/)
  expect(text).toContain('[not shown by GitHub: 2.0 kB of session in an HTML comment]')
  expect(text).not.toContain('<!--')
  expect(text).toContain('The second run remembers')
  expect(text).toContain('Transcript   /tmp/transcript.md')
  expect(text).toMatch(/Repository {3}\S+day-by-day\.git/)
})

test('ends with status 1 when the second run forgot the first', async () => {
  expect(await start([], await standIn(true))).toBe(1)
  expect(printed.join('\n')).toContain('does NOT remember')
})

test('ends with status 1 when the action fails, and shows the end of its log', async () => {
  const path = join(folder, 'broken.mjs')
  await writeFile(path, `console.log('it broke here'); process.exitCode = 1`)
  expect(await start([], path)).toBe(1)
  expect(printed.join('\n')).toContain('it broke here')
})

test('plays on a copy of a checkout, leaves it as it is and says what it left out', async () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env: { ...env, GIT_CONFIG_GLOBAL: '/dev/null' }, encoding: 'utf8' })
  const bundle = await standIn()
  await writeFile(join(folder, 'a.txt'), 'a\n')
  git('init', '--quiet', '--initial-branch=trunk')
  git('add', 'a.txt')
  git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'One')
  await writeFile(join(folder, 'a.txt'), 'changed\n')
  const before = [git('status', '--porcelain'), git('for-each-ref'), await readFile(join(folder, '.git/index'), 'base64')]

  expect(await start(['--repo', folder, '--comment', '/opencode hello', '--scripted'], bundle)).toBe(0)
  expect([git('status', '--porcelain'), git('for-each-ref'), await readFile(join(folder, '.git/index'), 'base64')]).toEqual(before)
  const text = printed.join('\n')
  expect(text).toContain('2 uncommitted changes')
  expect(text).toContain('you comments: /opencode hello')
  expect(text).toMatch(/To take the work over: git -C \S+ fetch \S+\.git topic/)
  const checkout = /Checkout {5}(\S+)/.exec(text)?.[1] ?? ''
  expect(await readFile(join(checkout, 'a.txt'), 'utf8')).toBe('a\n')
})

test('uses the real model when a key is set, says so and hands on the key and its address only', async () => {
  const path = join(folder, 'show.mjs')
  const show = `const names = Object.keys(process.env).filter((name) => /_API_KEY|_BASE_URL|_MODEL|SECRET/.test(name)).sort(); console.log('given: ' + names.join(' '))`
  await writeFile(path, show)
  const keys = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/v1', SOME_SECRET: 's' }
  expect(await start(['--model', 'anthropic/claude'], path, keys)).toBe(0)
  expect(printed.join('\n')).toContain('found in the environment: ANTHROPIC_API_KEY')
  expect(printed.join('\n')).toContain('given: ANTHROPIC_API_KEY ANTHROPIC_BASE_URL INPUT_MODEL')
})

test('explains itself', async () => {
  expect(await start(['--help'])).toBe(0)
  expect(printed.join('\n')).toContain('--repo DIR')
})

test.each([
  [['--colour'], /unknown option '--colour'/i],
  [['now'], /unexpected argument 'now'/i],
  [['--tour', '--model', 'a/b'], /--tour follows a script and takes no other option/],
  [['--repo', 'x'], /--repo needs --comment/],
  [['--comment', 'x'], /--comment needs --repo/],
  [['--repo', 'x', '--comment', ' '], /--comment is empty/],
  [['--model', 'gpt'], /--model wants provider\/model, not "gpt"/],
  [['--model', 'a/b', '--scripted'], /exclude each other/],
  [['--model', 'a/b'], /--model needs the key/],
  [['--repo', '.', '--comment', '/opencode x'], /--repo needs a model/],
  [['--repo', '/no/such/folder', '--comment', '/opencode x', '--scripted'], /there is no folder/],
  [['--repo', tmpdir(), '--comment', '/opencode x', '--scripted'], /is no git repository/],
] as const)('answers %j with one clear line and status 2', async (argv, message) => {
  expect(await start(argv)).toBe(2)
  expect(printed).toHaveLength(1)
  expect(printed[0]).toMatch(message)
  expect(printed[0]).not.toContain('\n')
})

test('reads follow-up comments in order', () => {
  expect(readArguments(['--repo', 'x', '--comment', 'a', '--comment', 'b'])).toMatchObject({ comments: ['a', 'b'] })
})

test('a post shows what a reader sees and counts what is hidden', () => {
  expect(visible('Hello <!-- ä --> you')).toEqual({ text: 'Hello  you', hiddenBytes: 11 })
  expect(visible('Hello <!-- never closed')).toMatchObject({ text: 'Hello' })
  expect(post(null, 'commented', 'Hi\n\nthere')).toMatch(/ghost commented\n\n {2}Hi\n\n {2}there\n$/)
})
