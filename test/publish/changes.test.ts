import { expect, test } from 'vitest'
import { publishChanges } from '../../src/publish/changes.ts'
import { PublishError } from '../../src/publish/errors.ts'
import { changes, fakeGitHub, fakeWorkspace, refusal } from './fake.ts'

const fresh = { kind: 'new', name: { prefix: 'opencode/', kind: 'issue', number: 12, title: 'Fix the date parsing' } } as const
const pull = { title: 'Fix the date parsing', body: 'Closes #12', base: 'main' }
const own = { kind: 'existing', branch: 'opencode/issue12-fix-the-date-parsing' } as const

test('an issue gets a branch of its own and a pull request', async () => {
  const github = fakeGitHub()
  const workspace = fakeWorkspace()
  const landing = await publishChanges({ workspace, github, changes, destination: fresh, message: 'Fix', pull })
  expect(workspace.pushed).toEqual(['opencode/issue12-fix-the-date-parsing absent'])
  expect(github.calls).toEqual([['createPull', { ...pull, head: 'opencode/issue12-fix-the-date-parsing', draft: false }]])
  expect(landing).toMatchObject({ branch: 'opencode/issue12-fix-the-date-parsing', pull: { number: 13, operation: 'created' } })
})

test('C109 a branch name that is taken is left alone and the next one is tried', async () => {
  const workspace = fakeWorkspace({ kind: 'taken' }, { kind: 'taken' }, { kind: 'pushed' })
  const landing = await publishChanges({ workspace, github: fakeGitHub(), changes, destination: fresh, message: 'Fix', pull })
  expect(workspace.pushed).toHaveLength(3)
  expect(new Set(workspace.pushed).size).toBe(3)
  expect(landing.branch).toMatch(/^opencode\/issue12-fix-the-date-parsing.*3$/)
})

test('a second turn pushes to the session branch and finds the pull request it has', async () => {
  const github = fakeGitHub({ findPull: () => Promise.resolve({ number: 9, url: 'u' }) })
  const landing = await publishChanges({ workspace: fakeWorkspace(), github, changes, destination: own, message: 'More', pull })
  expect(landing.pull).toEqual({ number: 9, url: 'u', operation: 'updated' })
  expect(github.calls.map(([name]) => name)).toEqual(['findPull'])
})

test('a pull request that was asked about gets the commit on its head, and no other is opened', async () => {
  const github = fakeGitHub()
  const landing = await publishChanges({
    workspace: fakeWorkspace(),
    github,
    changes,
    destination: { kind: 'existing', branch: 'feature/x' },
    message: 'Fix',
    pull: { open: { number: 7, url: 'u' } },
  })
  expect(landing.pull).toEqual({ number: 7, url: 'u', operation: 'updated' })
  expect(github.calls).toEqual([])
})

test("C111 a refused push ends in the remote's own words, after one attempt", async () => {
  const workspace = fakeWorkspace({ kind: 'refused', reason: 'GH013: Commits must have verified signatures.' })
  const work = { workspace, github: fakeGitHub(), changes, destination: fresh, message: 'Fix', pull }
  await expect(publishChanges(work)).rejects.toThrow(/GH013: Commits must have verified signatures\./)
  expect(workspace.pushed).toHaveLength(1)
})

test('a branch that moved on meanwhile is not overwritten', async () => {
  const work = { workspace: fakeWorkspace({ kind: 'taken' }), github: fakeGitHub(), changes, destination: own, message: 'Fix', pull }
  await expect(publishChanges(work)).rejects.toThrow(PublishError)
})

test('C137 a pull request that can not be opened does not take the pushed branch with it', async () => {
  const github = fakeGitHub({ createPull: () => Promise.reject(refusal('forbidden')) })
  const landing = await publishChanges({ workspace: fakeWorkspace(), github, changes, destination: fresh, message: 'Fix', pull })
  expect(landing).toMatchObject({ branch: 'opencode/issue12-fix-the-date-parsing', problem: { kind: 'forbidden' } })
})
