import { describe, expect, test } from 'vitest'
import type { Discussion, PullFacts } from '../../src/github/types.ts'
import { destinationOf, endedMeanwhile, ownPull, planWork } from '../../src/publish/plan.ts'
import type { Session } from '../../src/session/message.ts'
import { session as stored } from '../thread/turns.ts'
import { fakeGitHub, refusal } from './fake.ts'

const issue: Discussion = {
  viewer: { login: 'bot', id: 1 },
  defaultBranch: 'main',
  number: 12,
  url: 'https://github.test/12',
  title: '',
  body: '',
  author: { login: 'rita', isBot: false },
  createdAt: '',
  state: 'OPEN',
  locked: false,
  labels: [],
  comments: [],
}

const facts: PullFacts = {
  baseRef: 'main',
  baseSha: 'b',
  headRef: 'feature',
  headSha: 'h',
  headRepository: 'octo/demo',
  isFork: false,
  merged: false,
  draft: false,
  maintainerCanModify: true,
  additions: 0,
  deletions: 0,
  commits: 1,
  changedFiles: 0,
  files: [],
  reviews: [],
  threads: [],
  closes: [],
  checks: [],
}

const pull = (changes: Partial<PullFacts> = {}, state = 'OPEN'): Discussion => ({
  ...issue,
  number: 7,
  url: 'https://github.test/7',
  state,
  pull: { ...facts, ...changes },
})
const sessionWith = (changes: Partial<Session>): Session => ({ ...stored(), ...changes })

describe('an open pull request', () => {
  test('is changed on its own head, whatever case its repository is written in (C133)', () => {
    const plan = planWork('main', pull({ headRepository: 'Octo/Demo', baseRef: 'release/2' }), undefined)
    expect(plan).toMatchObject({ from: ['feature'], base: 'release/2', open: { number: 7 } })
    expect(destinationOf(plan, 'feature')).toEqual({ kind: 'existing', target: { branch: 'feature' }, base: 'release/2' })
  })

  test('C90 C92 of a fork is started from its public ref and pushed to the fork, though its branch is called like ours', () => {
    const plan = planWork('main', pull({ isFork: true, headRepository: 'other/demo', headRef: 'main' }), undefined)
    expect(plan.from).toEqual([{ pull: 7 }])
    expect(destinationOf(plan, { pull: 7 })).toMatchObject({ kind: 'existing', target: { repository: 'other/demo', branch: 'main' } })
  })

  test('C93 of a fork whose author allows no edits by maintainers has nowhere to push to, which is known in advance', () => {
    const plan = planWork('main', pull({ isFork: true, headRepository: 'other/demo', maintainerCanModify: false }), undefined)
    expect(destinationOf(plan, { pull: 7 })).toMatchObject({ kind: 'nowhere', why: expect.stringContaining('does not allow edits by maintainers') })
  })

  test('C91 of a fork that was deleted is started all the same, and has nowhere to push to', () => {
    const plan = planWork('main', pull({ isFork: true, headRepository: null }), undefined)
    expect(plan.from).toEqual([{ pull: 7 }])
    expect(destinationOf(plan, { pull: 7 })).toMatchObject({ kind: 'nowhere', why: expect.stringContaining('was deleted') })
  })
})

describe('C108 a pull request that is closed or merged', () => {
  test.each(['CLOSED', 'MERGED'])('%s gets a new branch from the branch it was meant for', (state) => {
    const plan = planWork('main', pull({ baseRef: 'release/2' }, state), sessionWith({ branch: 'feature', pull: 7 }))
    expect(plan).toEqual({ from: ['release/2', 'main'], base: 'main' })
    expect(destinationOf(plan, 'release/2')).toEqual({ kind: 'new', base: 'release/2' })
    expect(destinationOf(plan, 'main')).toEqual({ kind: 'new', base: 'main' })
  })

  test('whose follow-up has an open one of its own goes on with that', () => {
    const plan = planWork('main', pull({}, 'MERGED'), sessionWith({ branch: 'opencode/pull7-x', pull: 15 }), { state: 'OPEN', headRef: 'opencode/pull7-x' })
    expect(plan.from).toEqual(['opencode/pull7-x', 'main'])
    expect(destinationOf(plan, 'opencode/pull7-x')).toEqual({ kind: 'existing', target: { branch: 'opencode/pull7-x' }, base: 'main' })
  })
})

describe('an issue', () => {
  test('begins at the base and gets a new branch', () => {
    const plan = planWork('develop', issue, undefined)
    expect(plan).toEqual({ from: ['develop'], base: 'develop' })
    expect(destinationOf(plan, 'develop')).toEqual({ kind: 'new', base: 'develop' })
  })

  test('goes on with the branch of its open pull request, by the name it has now', () => {
    const plan = planWork('main', issue, sessionWith({ branch: 'old', pull: 13 }), { state: 'OPEN', headRef: 'renamed' })
    expect(plan).toEqual({ from: ['renamed', 'main'], base: 'main', own: 'renamed' })
    expect(destinationOf(plan, 'renamed')).toMatchObject({ kind: 'existing', target: { branch: 'renamed' } })
    expect(destinationOf(plan, 'main')).toEqual({ kind: 'new', base: 'main' })
  })

  test.each(['MERGED', 'CLOSED'] as const)('C108 begins anew when its pull request was %s, though the branch is still there', (state) => {
    expect(planWork('main', issue, sessionWith({ branch: 'mine', pull: 13 }), { state, headRef: 'mine' })).toEqual({ from: ['main'], base: 'main' })
  })

  test('goes on with a branch that has no pull request', () => {
    expect(planWork('main', issue, sessionWith({ branch: 'mine' })).from).toEqual(['mine', 'main'])
  })
})

describe('the state of the session’s own pull request', () => {
  test('is asked for only when the conversation does not tell it', async () => {
    const github = fakeGitHub({ pullState: () => Promise.resolve({ state: 'MERGED', headRef: 'mine' }) })
    expect(await ownPull(github, issue, undefined)).toBeUndefined()
    expect(await ownPull(github, issue, sessionWith({ branch: 'mine' }))).toBeUndefined()
    expect(await ownPull(github, pull(), sessionWith({ branch: 'feature', pull: 7 }))).toBeUndefined()
    expect(github.calls).toEqual([])
    expect(await ownPull(github, issue, sessionWith({ branch: 'mine', pull: 13 }))).toEqual({ state: 'MERGED', headRef: 'mine' })
  })

  test('that the token may not know lets the branch go on', async () => {
    const github = fakeGitHub({ pullState: () => Promise.reject(refusal('forbidden')) })
    const session = sessionWith({ branch: 'mine', pull: 13 })
    expect(planWork('main', issue, session, await ownPull(github, issue, session)).from).toEqual(['mine', 'main'])
    await expect(ownPull(fakeGitHub({ pullState: () => Promise.reject(refusal('auth')) }), issue, session)).rejects.toThrow('auth')
  })
})

test('C108 a pull request that was merged while the agent was working is noticed before the push', async () => {
  const at = (state: 'OPEN' | 'MERGED') => fakeGitHub({ pullState: () => Promise.resolve({ state, headRef: 'feature' }) })
  expect(await endedMeanwhile(at('MERGED'), { number: 7, url: '' })).toBe('Pull request #7 was merged while the agent was working.')
  expect(await endedMeanwhile(at('OPEN'), { number: 7, url: '' })).toBeUndefined()
  expect(await endedMeanwhile(fakeGitHub(), undefined)).toBeUndefined()
})
