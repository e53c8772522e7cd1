import { expect, test } from 'vitest'
import { type Answer, errorOf, refused, start } from './server.ts'

test.each([
  ['completed', 'ended'],
  ['in_progress', 'live'],
  ['queued', 'live'],
])('a run that is %s is %s', async (status, state) => {
  const server = await start(() => ({ status: 200, json: { status } }))
  expect(await server.connect().runState('123')).toBe(state)
  expect(server.seen[0]).toMatchObject({ method: 'GET', path: '/repos/octo/demo/actions/runs/123' })
})

test.each([
  ['the token may not read runs', refused(403, 'Resource not accessible by integration')],
  ['there is no such run', refused(404, 'Not Found')],
])('a run is unknown by one request when %s', async (_, answer) => {
  const server = await start(() => answer)
  expect(await server.connect().runState('123')).toBe('unknown')
  expect(server.seen).toHaveLength(1)
})

test('what is no number is no run of GitHub’s, and nobody is asked', async () => {
  const server = await start(() => refused(404, 'Not Found'))
  expect(await server.connect().runState('../../octo')).toBe('unknown')
  expect(server.seen).toEqual([])
})

const job = (id: number, conclusion: string | null, steps: unknown = []) => ({ id, name: `job ${id}`, html_url: `https://x/${id}`, conclusion, steps })
const jobs = (...all: unknown[]) => ({ status: 200, json: { total_count: all.length, jobs: all } })

/** GitHub, and another host that keeps the logs. */
async function withLogs(log: () => Answer, ...all: unknown[]) {
  const store = await start(log)
  const github = await start((request) =>
    request.path.endsWith('/logs') ? { status: 302, text: '', headers: { location: `${store.origin}/signed?sig=1` } } : jobs(...all),
  )
  return { store, github }
}

test('failed jobs come with their failed steps and the end of their log', async () => {
  const steps = [
    { name: 'Checkout', conclusion: 'success' },
    { name: 'Test', conclusion: 'failure' },
    { name: 'Upload', conclusion: 'skipped' },
  ]
  const { store, github } = await withLogs(
    () => ({ status: 200, text: 'line 1\nline 2\n' }),
    job(1, 'success'),
    job(2, 'failure', steps),
    job(3, null),
    job(4, 'timed_out', null),
    job(5, 'cancelled'),
  )
  expect(await github.connect().failedJobs(123)).toEqual([
    { name: 'job 2', url: 'https://x/2', steps: ['Test'], log: 'line 1\nline 2\n' },
    { name: 'job 4', url: 'https://x/4', steps: [], log: 'line 1\nline 2\n' },
  ])
  expect(github.seen.map((request) => request.path).sort()).toEqual([
    '/repos/octo/demo/actions/jobs/2/logs',
    '/repos/octo/demo/actions/jobs/4/logs',
    '/repos/octo/demo/actions/runs/123/jobs?filter=latest&page=1&per_page=100',
  ])
  expect(store.seen.map((request) => request.path)).toEqual(['/signed?sig=1', '/signed?sig=1'])
})

test('C41 the host that keeps the logs never sees the token', async () => {
  const { store, github } = await withLogs(() => ({ status: 200, text: 'log' }), job(2, 'failure'))
  await github.connect({ token: 'ghs_secret' }).failedJobs(123)
  expect(github.seen.at(-1)?.headers.authorization).toBe('token ghs_secret')
  expect(store.seen).toHaveLength(1)
  expect(JSON.stringify(store.seen)).not.toContain('ghs_secret')
})

test('every request is counted, that for the log too', async () => {
  const { github } = await withLogs(() => ({ status: 200, text: 'log' }), job(2, 'failure'))
  const gateway = github.connect()
  await gateway.failedJobs(123)
  expect(gateway.requests).toBe(3)
})

test('of a long log the last 200 kB are kept, from the start of a line', async () => {
  const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index} with an ä`)
  const { github } = await withLogs(() => ({ status: 200, text: lines.join('\n') }), job(2, 'failure'))
  const [failed] = await github.connect().failedJobs(123)
  const log = failed?.log ?? ''
  expect(Buffer.byteLength(log)).toBeLessThanOrEqual(200_000)
  expect(Buffer.byteLength(log)).toBeGreaterThan(199_900)
  expect(lines.slice(-log.split('\n').length).join('\n')).toBe(log)
})

test('a log that is handed out without a detour is read as well', async () => {
  const server = await start((request) =>
    request.path.endsWith('/logs') ? { status: 200, text: 'here', headers: { 'content-type': 'text/plain' } } : jobs(job(2, 'failure')),
  )
  expect((await server.connect().failedJobs(123))[0]?.log).toBe('here')
})

test.each([
  ['expired', () => ({ status: 410, json: { message: 'Gone' } })],
  ['not readable with this token', () => ({ status: 403, json: { message: 'Must have admin rights to Repository.' } })],
  ['sent to an address of nothing', () => ({ status: 302, text: '', headers: { location: 'nowhere' } })],
])('a log that is %s is empty, and the job is told of all the same', async (_, answer) => {
  const server = await start((request) => (request.path.endsWith('/logs') ? answer() : jobs(job(2, 'failure'))))
  expect(await server.connect().failedJobs(123)).toMatchObject([{ name: 'job 2', log: '' }])
})

test('a store that fails in the middle leaves the log empty', async () => {
  const { github } = await withLogs(() => 'cut', job(2, 'failure'))
  expect(await github.connect().failedJobs(123)).toMatchObject([{ name: 'job 2', log: '' }])
})

test('ten failed jobs of a broken matrix are enough', async () => {
  const { store, github } = await withLogs(() => ({ status: 200, text: 'log' }), ...Array.from({ length: 60 }, (_, index) => job(index, 'failure')))
  expect((await github.connect().failedJobs(123)).map((failed) => failed.name)).toEqual(Array.from({ length: 10 }, (_, index) => `job ${index}`))
  expect(store.seen).toHaveLength(10)
})

test('a token that may not read jobs is told what it needs', async () => {
  const server = await start(() => refused(403, 'Resource not accessible by integration'))
  expect((await errorOf(server.connect().failedJobs(123))).hint).toContain('`actions: read`')
})
