import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { World } from '../../src/local/world.ts'
import { branches, newPulls, pushed, reply, runs, subjects } from './pulls.ts'
import { comment, expectExit, files, fixDate, within } from './support.ts'

/** What reaches the remote of a finished work, and what is told where a step fails, by the running action. */

const issue = (world: World) => world.github.openIssue({ title: 'Fix the dates', author: 'rita' }).number
const paths = async (world: World, range: string) => (await world.remote('diff', '--name-only', range)).trim().split('\n')
const receive = { method: 'POST', path: /git-receive-pack$/ }
const openPull = { method: 'POST', path: /\/pulls$/ }

describe('the network', () => {
  test.each(['before', 'during', 'after'] as const)('C127 that is cut %s a push loses nothing and brings nothing twice', (reset) =>
    within({ script: fixDate }, async (world) => {
      const number = issue(world)
      world.github.fault(receive, { reset })
      const done = await comment(world, number, 'alice', '/opencode fix the dates')
      expectExit(done, 0)
      const branch = done.outputs.branch ?? ''
      expect(await branches(world)).toEqual(['main', branch])
      expect(await subjects(world, `main..${branch}`)).toEqual(['Fix the dates'])
      expect(newPulls(world)).toHaveLength(1)
      expect(done.outputs['pull-request-operation']).toBe('created')
    }),
  )

  test('C127 that is cut after the push to a pull request leaves one commit there', () =>
    within({ script: fixDate }, async (world) => {
      await world.push('feature/x', { 'src/other.js': '1\n' }, 'main')
      const { number } = await world.github.openPull({ title: 'Feature', author: 'alice', head: 'feature/x' })
      world.github.fault(receive, { reset: 'after' })
      expectExit(await comment(world, number, 'alice', '/opencode fix the dates'), 0)
      expect(await subjects(world, 'main..feature/x')).toEqual(['Fix the dates', 'Work of somebody else'])
      expect(await branches(world)).toEqual(['feature/x', 'main'])
    }))

  test('C137 that is gone for the push leaves the answer and the patch', () =>
    within({ script: fixDate }, async (world) => {
      const number = issue(world)
      world.github.fault({ path: /git-receive-pack$/ }, { status: 502, body: 'Bad Gateway' }, 100)
      const asks = ({ path, query }: { path: string; query: URLSearchParams }) => path.endsWith('/info/refs') && query.get('service') === 'git-receive-pack'
      world.github.fault(asks, { status: 502, body: 'Bad Gateway' }, 100)
      const done = await comment(world, number, 'alice', '/opencode fix the dates')
      expectExit(done, 1)
      expect(reply(world, number)).toContain('Dates are parsed in UTC now.')
      expect(reply(world, number)).toContain('502')
      expect(reply(world, number)).toContain('+export const parse')
      expect(await readFile(done.outputs['patch-path'] ?? '', 'utf8')).toContain('Date.parse(text)')
    }))
})

describe('the pull request', () => {
  test('C137 that GitHub fails to open leaves branch, link, answer and session', () =>
    within({ script: fixDate }, async (world) => {
      const number = issue(world)
      world.github.fault(openPull, { status: 403, body: { message: 'GitHub Actions is not permitted to create or approve pull requests.' } }, 10)
      const done = await comment(world, number, 'alice', '/opencode fix the dates')
      expectExit(done, 1)
      const { branch } = done.outputs
      expect(await world.remote('show', `${branch}:src/date.js`)).toContain('Date.parse(text)')
      expect(reply(world, number)).toContain('Dates are parsed in UTC now.')
      expect(reply(world, number)).toContain('not permitted to create or approve pull requests')
      expect(reply(world, number)).toContain(`/compare/main...${branch}?expand=1`)

      // The next turn goes on with the branch.
      await world.checkout()
      expectExit(await comment(world, number, 'alice', '/opencode thanks'), 0)
      expect(await branches(world)).toEqual(['main', branch])
    }))

  test('that can be no draft is a plain one, and the reply says so', () =>
    within({ script: fixDate }, async (world) => {
      const number = issue(world)
      const refusal = {
        message: 'Validation Failed',
        errors: [{ resource: 'PullRequest', code: 'custom', message: 'Draft pull requests are not supported in this repository.' }],
      }
      world.github.fault({ ...openPull, body: /"draft":true/ }, { status: 422, body: refusal })
      const done = await comment(world, number, 'alice', '/opencode fix the dates', { inputs: { 'pull-request': 'draft' } })
      expectExit(done, 0)
      expect(world.github.thread(Number(done.outputs['pull-request-number'])).pull?.draft).toBe(false)
      expect(reply(world, number)).toContain('no draft')
    }))

  test('is a link with `link`, a patch with `never`, and both are what was wanted', () =>
    within({ script: fixDate }, async (world) => {
      const link = issue(world)
      const linked = await comment(world, link, 'alice', '/opencode fix the dates', { inputs: { 'pull-request': 'link' } })
      expectExit(linked, 0)
      expect(reply(world, link)).toContain(`/compare/main...${linked.outputs.branch}?expand=1`)
      const never = issue(world)
      await world.checkout()
      const kept = await comment(world, never, 'alice', '/opencode fix the dates', { inputs: { 'pull-request': 'never' } })
      expectExit(kept, 0)
      expect(kept.outputs.branch).toBeUndefined()
      expect(await readFile(kept.outputs['patch-path'] ?? '', 'utf8')).toContain('Date.parse(text)')
      expect(await branches(world)).toEqual(['main', linked.outputs.branch])
      expect(newPulls(world)).toEqual([])
    }))
})

describe('what does not belong on the remote', () => {
  test('C112 a file larger than GitHub takes stays behind, is named, and the rest is pushed', () =>
    within({ script: runs('truncate -s 105M cache.bin; echo 1 > a.txt') }, async (world) => {
      const number = issue(world)
      const done = await comment(world, number, 'alice', '/opencode build it')
      expectExit(done, 0)
      expect(await paths(world, `main...${done.outputs.branch}`)).toEqual(['a.txt'])
      expect(reply(world, number)).toContain('cache.bin has 105 MB and was left out')
      expect(pushed(world)).toEqual([`octo/demo ${done.outputs.branch}`])
    }))

  test('C112 a large file in a commit that the model made itself, and took out again, does not stop the rest', () => {
    const identity = '-c user.name=Agent -c user.email=agent@example.com'
    const blunder = `echo large > cache.bin; echo 1 > a.txt; git add -A; git ${identity} commit -qm blunder; git rm -q cache.bin; git ${identity} commit -qm regret`
    return within({ script: runs(blunder) }, async (world) => {
      const number = issue(world)
      world.github.refusePush({ path: 'cache.bin', largerThan: 1 }, 'large-file')
      const done = await comment(world, number, 'alice', '/opencode build it')
      expectExit(done, 0)
      expect(await paths(world, `main...${done.outputs.branch}`)).toEqual(['a.txt'])
      expect(await subjects(world, `main..${done.outputs.branch}`)).toHaveLength(1)
    })
  })

  test('C102 pointers of LFS and nested repositories are not pushed by accident', () => {
    const nested = 'git init -q vendor && git -C vendor -c user.name=A -c user.email=a@b commit -q --allow-empty -m x && echo 1 > vendor/in.txt'
    return within(
      {
        script: runs(`${nested}; echo 1 > a.txt; head -c 5000 /dev/zero > video.mp4`),
        seed: { files: { ...files, '.gitattributes': '*.mp4 filter=lfs diff=lfs merge=lfs -text\n' } },
      },
      async (world) => {
        const number = issue(world)
        const done = await comment(world, number, 'alice', '/opencode build it')
        expectExit(done, 0)
        const changed = await paths(world, `main...${done.outputs.branch}`)
        expect(changed).toContain('a.txt')
        expect(changed.join('\n')).not.toContain('vendor')
        expect(reply(world, number)).toContain('vendor')
        expect(reply(world, number)).toContain('video.mp4 belongs into Git LFS')
      },
    )
  })
})
