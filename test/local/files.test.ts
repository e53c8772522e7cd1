import type { Octokit } from '@octokit/rest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { World } from '../../src/local/world.ts'
import { octokitOf, refusal } from '../support/local.ts'
import { openWorld } from '../support/world.ts'

let world: World
let octokit: Octokit
const repo = { owner: 'octo', repo: 'demo' }
beforeEach(async () => {
  world = await openWorld()
  octokit = octokitOf(world)
})
afterEach(() => world.close())

/** The address of the picture in an issue comment's HTML. */
async function signed(body: string): Promise<string> {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'rita' })
  const { id } = world.github.comment(number, 'rita', body)
  const { data } = await octokit.issues.getComment({ ...repo, comment_id: id, mediaType: { format: 'html' } })
  expect(data.body).toBeUndefined()
  return /<img src="([^"]+)"/.exec(data.body_html ?? '')?.[1] ?? ''
}
const png = Buffer.from([137, 80, 78, 71, 0, 255])

test('signs pictures in HTML for another host, which needs no token', async () => {
  const address = world.github.attach({ bytes: png, type: 'image/png' })
  const url = await signed(`See ![shot](${address}) & <b>this</b>`)
  expect(url.startsWith(`${world.github.filesUrl}/`)).toBe(true)
  const answer = await fetch(url)
  expect([answer.headers.get('content-type'), Buffer.from(await answer.arrayBuffer())]).toEqual(['image/png', png])
  expect((await fetch(url.replace(/jwt=.*/, 'jwt=wrong'))).status).toBe(404)
  expect(world.github.journal.at(-1)).toMatchObject({ kind: 'file', status: 404 })
  expect(await signed(`<img width="300" alt="x" src="${address}" />`)).toBe(url)
  expect(await signed('![other](https://example.com/a.png)')).toBe('https://example.com/a.png')
})

test('answers at the picture’s own address with a way on in a public repository, and with 404 in a private one (C41)', async () => {
  const address = world.github.attach({ bytes: png })
  const token = { authorization: `token ${world.github.state.token}` }
  const answer = await fetch(address, { headers: token })
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(png)
  // The client did not take the token along to the other host.
  expect(world.github.journal.map(({ kind, headers }) => [kind, headers.authorization === undefined])).toEqual([
    ['file', false],
    ['file', true],
  ])
  world.github.state.private = true
  expect((await fetch(address, { headers: token })).status).toBe(404)
})

test('serves what a test wants: pages, ways on, errors, bodies without a length', async () => {
  const page = world.github.attach({ bytes: '<html>', type: 'text/html', lengthless: true })
  const answer = await fetch(await signed(`![x](${page})`))
  expect([answer.headers.get('content-type'), answer.headers.get('content-length'), await answer.text()]).toEqual(['text/html', null, '<html>'])
  const away = world.github.attach({ redirect: `${world.github.url}/elsewhere` })
  expect((await fetch(await signed(`![x](${away})`), { redirect: 'manual' })).headers.get('location')).toBe(`${world.github.url}/elsewhere`)
  const gone = world.github.attach({ status: 410 })
  expect((await fetch(await signed(`![x](${gone})`))).status).toBe(410)
  expect(world.github.attach({ bytes: 'log', name: 'a b.log' })).toMatch(/\/user-attachments\/files\/[0-9a-f-]{36}\/a%20b\.log$/)
})

test('renders descriptions and remarks too, with the text beside the HTML if both are asked for', async () => {
  const address = world.github.attach({ bytes: png })
  const { number } = world.github.openIssue({ title: 'Broken', body: `<!-- hidden -->![x](${address})`, author: 'rita' })
  const { data } = await octokit.issues.get({ ...repo, issue_number: number, mediaType: { format: 'full' } })
  expect(data.body).toContain(address)
  expect(data.body_html).toContain(world.github.filesUrl)
  expect(data.body_html).not.toContain('hidden')
  await world.push('fix', { 'new.txt': 'x\n' }, 'main')
  const pull = await world.github.openPull({ title: 'Fix', author: 'alice', head: 'fix' })
  const remark = await world.github.remark(pull.number, 'rita', { path: 'new.txt', line: 1, body: `![x](${address})` })
  const { data: html } = await octokit.pulls.getReviewComment({ ...repo, comment_id: remark.id, mediaType: { format: 'html' } })
  expect(html.body_html).toContain(world.github.filesUrl)
})

test('tells of runs, of their jobs, and hands out logs from another host', async () => {
  world.github.run(42, {
    conclusion: 'failure',
    name: 'CI',
    headBranch: 'fix',
    jobs: [
      { name: 'lint' },
      { name: 'test', conclusion: 'failure', steps: [{ name: 'npm test', conclusion: 'failure' }], log: '2024-01-01T00:00:00.0000000Z 1 failed\n' },
    ],
  })
  world.github.run(43, { status: 'in_progress' })
  expect((await octokit.actions.getWorkflowRun({ ...repo, run_id: 42 })).data).toMatchObject({ status: 'completed', conclusion: 'failure' })
  expect((await octokit.actions.getWorkflowRun({ ...repo, run_id: 43 })).data).toMatchObject({ status: 'in_progress', conclusion: null })
  expect((await refusal(octokit.actions.getWorkflowRun({ ...repo, run_id: 44 }))).status).toBe(404)
  const { data } = await octokit.actions.listJobsForWorkflowRun({ ...repo, run_id: 42, filter: 'latest' })
  expect(data.jobs.map(({ name, conclusion, steps }) => [name, conclusion, steps?.map((step) => step.name)])).toEqual([
    ['lint', 'success', []],
    ['test', 'failure', ['npm test']],
  ])
  const [lint, failed] = data.jobs
  const log = await octokit.actions.downloadJobLogsForWorkflowRun({ ...repo, job_id: failed?.id ?? 0 })
  expect(log.data).toContain('1 failed')
  expect(world.github.journal.at(-1)).toMatchObject({ kind: 'file', status: 200 })
  expect((await refusal(octokit.actions.downloadJobLogsForWorkflowRun({ ...repo, job_id: lint?.id ?? 0 }))).status).toBe(404)
})

test('a list asked for since a time holds what changed, however old it is', async () => {
  const { number } = world.github.openIssue({ title: 'Broken', author: 'rita' })
  const old = world.github.comment(number, 'rita', 'old')
  world.github.comment(number, 'rita', 'quiet')
  for (const { id } of world.github.thread(number).comments) world.github.age(id, 600)
  const since = new Date(Date.now() - 300_000).toISOString()
  const list = async () => (await octokit.issues.listComments({ ...repo, issue_number: number, since })).data.map(({ body }) => body)
  expect(await list()).toEqual([])
  world.github.editComment(old.id, 'edited')
  expect(await list()).toEqual(['edited'])
  expect(old.lastEditedAt).toBe(old.updatedAt)
})
