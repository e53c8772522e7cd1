import { expect, test } from 'vitest'
import { errorOf, refused, start } from './server.ts'

test.each([
  [{ state: 'open', merged: false }, 'OPEN'],
  [{ state: 'closed', merged: false }, 'CLOSED'],
  [{ state: 'closed', merged: true }, 'MERGED'],
])('a pull request that is %j is %s', async (facts, state) => {
  const server = await start(() => ({ status: 200, json: { ...facts, head: { ref: 'opencode/issue1' } } }))
  expect(await server.connect().pullState(4)).toEqual({ state, headRef: 'opencode/issue1' })
  expect(server.seen[0]).toMatchObject({ method: 'GET', path: '/repos/octo/demo/pulls/4' })
})

test('C25 the files of a pull request are read page by page, with their patches', async () => {
  const file = (index: number) => ({ filename: `f${index}`, status: 'modified', patch: `@@ ${index} @@` })
  const server = await start((request) => {
    const page = Number(new URL(request.path, server.origin).searchParams.get('page'))
    const next =
      page < 3 ? { link: `<${server.origin}/next>; rel="next", <${server.origin}/last>; rel="last"` } : { link: `<${server.origin}/prev>; rel="prev"` }
    const rest = [{ filename: 'new', previous_filename: 'old', status: 'renamed' }]
    return { status: 200, json: page < 3 ? Array.from({ length: 100 }, (_, index) => file((page - 1) * 100 + index)) : rest, headers: next }
  })
  const files = await server.connect().pullFiles(4)
  expect(files).toHaveLength(201)
  expect(files[150]).toEqual({ path: 'f150', previousPath: undefined, status: 'modified', patch: '@@ 150 @@' })
  expect(files[200]).toEqual({ path: 'new', previousPath: 'old', status: 'renamed', patch: undefined })
  expect(server.seen.map((request) => request.path)).toEqual([1, 2, 3].map((page) => `/repos/octo/demo/pulls/4/files?page=${page}&per_page=100`))
})

test('what changed between two commits comes in one request', async () => {
  const server = await start(() => ({ status: 200, json: { files: [{ filename: 'a', status: 'added', patch: '@@' }], commits: [{}] } }))
  expect(await server.connect().compare('aaa', 'bbb')).toEqual([{ path: 'a', previousPath: undefined, status: 'added', patch: '@@' }])
  expect(server.seen.map((request) => request.path)).toEqual(['/repos/octo/demo/compare/aaa...bbb?per_page=1'])
})

test('commits that GitHub does not know any more can’t be compared, and equal ones differ in nothing', async () => {
  const gone = await start(() => refused(404, 'Not Found'))
  expect(await gone.connect().compare('aaa', 'bbb')).toBeUndefined()
  const same = await start(() => ({ status: 200, json: { files: [] } }))
  expect(await same.connect().compare('aaa', 'aaa')).toEqual([])
})

test('a comparison that is refused names the permission', async () => {
  const server = await start(() => refused(403, 'Forbidden'))
  expect(await errorOf(server.connect().compare('aaa', 'bbb'))).toMatchObject({ kind: 'forbidden', hint: expect.stringContaining('`contents: read`') })
})
