import { describe, expect, test } from 'vitest'
import { NoCommitsError } from '../../src/github/errors.ts'
import { publishChanges, type Work } from '../../src/publish/changes.ts'
import { PublishError } from '../../src/publish/errors.ts'
import { WorkspaceError } from '../../src/workspace/errors.ts'
import { changes, fakeGitHub, fakeWorkspace, refusal } from './fake.ts'

const name = 'opencode/issue12-fix-the-date-parsing'
const pushed = { kind: 'pushed' } as const
const taken = { kind: 'taken' } as const
const refused = (reason: string) => ({ kind: 'refused', reason }) as const
const never = new AbortController().signal

/** The work of a run for issue 12, which gets a new branch. */
function workWith(more: Partial<Work> = {}): Work {
  return {
    workspace: fakeWorkspace(),
    github: fakeGitHub(),
    start: { commit: 'start', tree: 't' },
    changes,
    destination: { kind: 'new', base: 'main' },
    method: 'git',
    mode: 'create',
    message: 'Fix',
    name: { prefix: 'opencode/', kind: 'issue', number: 12, title: 'Fix the date parsing' },
    pull: { title: 'Fix the date parsing', body: 'Closes #12' },
    repositoryUrl: 'https://github.test/octo/demo',
    patch: { file: '/temp/work.patch', limit: 20_000 },
    signal: never,
    second: 1,
    ...more,
  }
}

const own = { kind: 'existing', target: { branch: name }, base: 'main' } as const
/** The head of pull request 7. */
const head = { destination: { kind: 'existing', target: { branch: 'feature' }, base: 'main' }, open: { number: 7, url: 'u' } } as const
const fork = {
  destination: { kind: 'existing', target: { repository: 'other/demo', branch: 'main' }, base: 'main' },
  open: { number: 7, url: 'u' },
} as const

describe('where work goes', () => {
  test('an issue gets a branch of its own and a pull request', async () => {
    const work = workWith()
    const landing = await publishChanges(work)
    expect(work.workspace).toMatchObject({ pushed: [`commit of "Fix" to ${name} absent`] })
    expect(work.github).toMatchObject({
      calls: [['createPull', { title: 'Fix the date parsing', body: 'Closes #12', head: name, base: 'main', draft: false }]],
    })
    expect(landing).toMatchObject({ rung: 'branch', wanted: true, branch: name, from: 'start', pull: { number: 13, operation: 'created' } })
  })

  test('C109 a branch name that is taken is left alone and the next one is tried', async () => {
    const workspace = fakeWorkspace([taken, taken, pushed])
    const landing = await publishChanges(workWith({ workspace }))
    expect(workspace.pushed).toHaveLength(3)
    expect(new Set(workspace.pushed).size).toBe(3)
    expect(landing?.branch).toBe(`${name}-3`)
  })

  test('a second turn pushes to the session branch and finds the pull request it has', async () => {
    const github = fakeGitHub({ findPull: () => Promise.resolve({ number: 9, url: 'u' }) })
    const landing = await publishChanges(workWith({ github, destination: own }))
    expect(landing?.pull).toEqual({ number: 9, url: 'u', operation: 'updated' })
    expect(github.calls).toEqual([['findPull', name]])
  })

  test('a pull request that was asked about gets the commit on its head, in every mode, and no other is opened', async () => {
    for (const mode of ['create', 'draft', 'link', 'never'] as const) {
      const work = workWith({ ...head, mode })
      expect((await publishChanges(work))?.pull).toEqual({ number: 7, url: 'u', operation: 'updated' })
      expect(work).toMatchObject({ github: { calls: [] }, workspace: { pushed: ['commit of "Fix" to feature at start'] } })
    }
  })

  test('C92 C93 a fork gets it on its own branch', async () => {
    const work = workWith(fork)
    expect(await publishChanges(work)).toMatchObject({ repository: 'other/demo', branch: 'main', pull: { number: 7 } })
    expect(work.workspace).toMatchObject({ pushed: ['commit of "Fix" to other/demo:main at start'] })
  })

  test('C91 C93 where there is nowhere to push to, the work is a patch, and that is all that is wanted', async () => {
    const work = workWith({ destination: { kind: 'nowhere', why: 'The fork was deleted.', base: 'main' } })
    expect(await publishChanges(work)).toMatchObject({
      rung: 'patch',
      wanted: true,
      patch: { path: '/temp/work.patch', text: 'the patch' },
      why: { reason: 'The fork was deleted.' },
    })
    expect(work.workspace).toMatchObject({ pushed: [] })
  })
})

describe('the modes of pull requests', () => {
  test('a draft is opened where drafts are wished for', async () => {
    const work = workWith({ mode: 'draft' })
    await publishChanges(work)
    expect(work.github).toMatchObject({ calls: [['createPull', expect.objectContaining({ draft: true })]] })
  })

  test('a repository without drafts gets a plain pull request and a note', async () => {
    const no = refusal('invalid', 'Validation Failed: Draft pull requests are not supported in this repository.')
    const github = fakeGitHub({ createPull: ({ draft }) => (draft ? Promise.reject(no) : Promise.resolve({ number: 14, url: 'u' })) })
    expect(await publishChanges(workWith({ mode: 'draft', github }))).toMatchObject({
      pull: { number: 14 },
      wanted: true,
      notes: [expect.stringContaining('no draft')],
    })
  })

  test('a link is given to the branch, in place of a pull request', async () => {
    const work = workWith({ mode: 'link', destination: { kind: 'new', base: 'release/1.x#2' } })
    const landing = await publishChanges(work)
    expect(landing).toMatchObject({ wanted: true, compare: `https://github.test/octo/demo/compare/release/1.x%232...${name}?expand=1` })
    expect(work.github).toMatchObject({ calls: [] })
  })

  test('with never the work is only a patch', async () => {
    const work = workWith({ mode: 'never' })
    expect(await publishChanges(work)).toMatchObject({ rung: 'patch', wanted: true, files: changes.files, patch: { bytes: 9 } })
    expect(work).toMatchObject({ github: { calls: [] }, workspace: { pushed: [] } })
  })

  test('C137 a pull request that can not be opened leaves the branch, a link and the reason', async () => {
    const github = fakeGitHub({ createPull: () => Promise.reject(refusal('forbidden', 'GitHub Actions is not permitted to create or approve pull requests.')) })
    const landing = await publishChanges(workWith({ github }))
    expect(landing).toMatchObject({
      rung: 'branch',
      branch: name,
      wanted: false,
      noPull: { reason: expect.stringContaining('not permitted') },
      compare: expect.any(String),
    })
    expect(landing?.pull).toBeUndefined()
  })

  test('C127 a new branch that has nothing the base has not is removed again', async () => {
    const none = new NoCommitsError('No commits between main and x.', '', { kind: 'invalid' })
    const workspace = fakeWorkspace()
    expect(await publishChanges(workWith({ workspace, github: fakeGitHub({ createPull: () => Promise.reject(none) }) }))).toBeUndefined()
    expect(workspace.pushed.at(-1)).toBe(`drop ${name} at commit of "Fix"`)
  })
})

describe('the rescue ladder', () => {
  test('C107 a branch that moved on gets the commit anew on its tip', async () => {
    const workspace = fakeWorkspace([taken, taken, pushed])
    const landing = await publishChanges(workWith({ ...head, workspace }))
    expect(workspace.pushed).toEqual(['commit of "Fix" to feature at start', 'replay 1 to feature at tip 1', 'replay 2 to feature at tip 2'])
    expect(landing).toMatchObject({ rung: 'replayed', wanted: true, commit: 'replay 2', from: 'tip 2', pull: { number: 7 } })
  })

  test('a commit made by the API takes the same ladder: a base that moved gets it anew', async () => {
    const moves = [refusal('invalid', 'Update is not a fast forward'), undefined]
    const github = fakeGitHub({
      moveBranch: () => {
        const failure = moves.shift()
        return failure ? Promise.reject(failure) : Promise.resolve()
      },
    })
    const workspace = fakeWorkspace([], {
      delta: (from) => Promise.resolve({ tree: `tree of ${from}`, entries: [{ path: 'a.ts', mode: '100755', id: 'id' }] }),
      blob: () => Promise.resolve(Buffer.from('x')),
    })
    const landing = await publishChanges(workWith({ ...head, workspace, github, method: 'api' }))
    expect(workspace.pushed).toEqual([])
    const entries = [{ path: 'a.ts', mode: '100755', sha: 'blob1' }]
    expect(github.calls).toEqual([
      ['createBlob', Buffer.from('x')],
      ['createTree', 'tree of start', entries],
      ['createCommit', { message: 'Fix', tree: 'tree2', parents: ['start'] }],
      ['moveBranch', 'feature', 'commit3'],
      ['createTree', 'tree of tip 1', entries],
      ['createCommit', { message: 'Fix', tree: 'tree4', parents: ['tip 1'] }],
      ['moveBranch', 'feature', 'commit5'],
    ])
    expect(landing).toMatchObject({ rung: 'replayed', commit: 'commit5', from: 'tip 1' })
  })

  test('a branch to which others keep pushing is given up after a few times', async () => {
    const workspace = fakeWorkspace([taken, taken, taken, taken, pushed])
    const landing = await publishChanges(workWith({ ...head, workspace }))
    expect(workspace.pushed.map((line) => / to (\S+)/.exec(line)?.[1])).toEqual(['feature', 'feature', 'feature', 'feature', name])
    expect(landing).toMatchObject({ rung: 'aside', why: { reason: expect.stringContaining('kept pushing') } })
  })

  test('edits of the same lines go to a branch beside, with a link that compares the two', async () => {
    const workspace = fakeWorkspace([taken, pushed], { replayed: { kind: 'conflict', files: ['a.ts'] } })
    const work = workWith({ ...head, workspace })
    expect(await publishChanges(work)).toMatchObject({
      rung: 'aside',
      wanted: false,
      branch: name,
      beside: 'feature',
      compare: `https://github.test/octo/demo/compare/feature...${name}?expand=1`,
      why: { reason: expect.stringContaining('`a.ts`') },
    })
    expect(work.github).toMatchObject({ calls: [] })
  })

  test('C108 a branch that is gone is not brought back: the work goes to a new one from the base, with a new pull request', async () => {
    const replays = [{ kind: 'gone' }, { kind: 'replayed', commit: 'on main', tip: 'main tip' }] as const
    const onto: string[] = []
    const workspace = fakeWorkspace([taken, pushed], {
      replay: (_, { branch }) => {
        onto.push(branch)
        return Promise.resolve(replays[onto.length - 1] ?? { kind: 'gone' })
      },
    })
    const landing = await publishChanges(workWith({ ...head, workspace }))
    expect(onto).toEqual(['feature', 'main'])
    expect(workspace.pushed.at(-1)).toBe(`on main to ${name} absent`)
    expect(landing).toMatchObject({
      rung: 'aside',
      wanted: true,
      from: 'main tip',
      pull: { number: 13, operation: 'created' },
      why: { reason: expect.stringContaining('deleted') },
    })
    expect(landing?.beside).toBeUndefined()
  })

  test('C108 nothing is pushed to the branch of a pull request that was merged meanwhile', async () => {
    const workspace = fakeWorkspace()
    const landing = await publishChanges(workWith({ ...head, workspace, ended: 'Pull request #7 was merged while the agent was working.' }))
    expect(workspace.pushed).toEqual([`replay 1 to ${name} absent`])
    expect(landing).toMatchObject({ rung: 'aside', wanted: true, pull: { operation: 'created' }, why: { reason: expect.stringContaining('#7 was merged') } })
  })

  test('C108 a fork’s branch that is gone leaves the patch', async () => {
    const workspace = fakeWorkspace([taken], { replayed: { kind: 'gone' } })
    expect(await publishChanges(workWith({ ...fork, workspace }))).toMatchObject({
      rung: 'patch',
      wanted: false,
      why: { reason: expect.stringContaining('was deleted') },
    })
  })

  test('C111 a protected branch is tried once, and its words reach the reader beside the link', async () => {
    const words = 'error: GH013: Repository rule violations found.\n- Changes must be made through a pull request.'
    const workspace = fakeWorkspace([refused(words), pushed])
    const landing = await publishChanges(workWith({ ...head, workspace }))
    expect(workspace.pushed.map((line) => / to (\S+)/.exec(line)?.[1])).toEqual(['feature', name])
    expect(landing).toMatchObject({ rung: 'aside', beside: 'feature', why: { said: words } })
  })

  test('C111 rules that want signed commits everywhere end in a patch that says how they are made', async () => {
    const workspace = fakeWorkspace([refused('GH013: Commits must have verified signatures.')])
    const landing = await publishChanges(workWith({ workspace }))
    expect(workspace.pushed).toHaveLength(1)
    expect(landing).toMatchObject({
      rung: 'patch',
      wanted: false,
      patch: { path: '/temp/work.patch' },
      why: { hint: expect.stringContaining('commit-method: api') },
    })
  })

  test('C137 when the branch beside is refused too, both reasons are told and the patch holds the work', async () => {
    const workspace = fakeWorkspace([refused('GH006: Protected branch update failed.'), refused('no new branches here')])
    const landing = await publishChanges(workWith({ ...head, workspace }))
    expect(landing).toMatchObject({
      rung: 'patch',
      patch: { text: 'the patch' },
      why: { said: 'GH006: Protected branch update failed.\nno new branches here' },
    })
  })

  test('C93 a token that may not push at all is not tried on another branch', async () => {
    const workspace = fakeWorkspace([refused('fatal: unable to access: The requested URL returned error: 403')])
    expect(await publishChanges(workWith({ ...head, workspace }))).toMatchObject({ rung: 'patch', why: { hint: expect.stringContaining('contents: write') } })
    expect(workspace.pushed).toHaveLength(1)
  })

  test('C93 a fork that refuses ends in a patch, and its commits on no branch of ours', async () => {
    const workspace = fakeWorkspace([refused('! [remote rejected] (permission denied)')])
    const landing = await publishChanges(workWith({ ...fork, workspace }))
    expect(workspace.pushed).toHaveLength(1)
    expect(landing).toMatchObject({
      rung: 'patch',
      wanted: false,
      why: { reason: 'The push to `main` of the fork `other/demo` was refused.', hint: expect.stringContaining('author can apply') },
    })
  })

  test('C110 workflow files that may not be pushed stay behind by name, and the patch holds all', async () => {
    const said = 'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission'
    const all = { ...changes, files: [...changes.files, { path: '.github/workflows/ci.yml', status: 'modified' as const }] }
    const workspace = fakeWorkspace([refused(said), pushed], {
      squash: (_, __, unwanted) => Promise.resolve({ ...changes, files: all.files.filter(({ path }) => !unwanted?.(path)) }),
    })
    const landing = await publishChanges(workWith({ workspace, changes: all }))
    expect(workspace.pushed).toHaveLength(2)
    expect(landing).toMatchObject({ rung: 'branch', wanted: false, files: changes.files, pull: { number: 13 }, patch: { text: 'the patch' }, why: { said } })
    expect(landing?.notes.join()).toMatch(/workflow files: `\.github\/workflows\/ci\.yml`/)
  })

  test('C110 a change of nothing but workflow files is a patch, after one attempt', async () => {
    const workspace = fakeWorkspace(
      [refused('refusing to allow an OAuth App to create or update workflow `.github/workflows/ci.yml` without `workflow` scope')],
      {
        squash: () => Promise.resolve({ ...changes, files: [], none: true }),
      },
    )
    expect(await publishChanges(workWith({ workspace }))).toMatchObject({ rung: 'patch', why: { hint: expect.stringContaining('`workflow` scope') } })
    expect(workspace.pushed).toHaveLength(1)
  })

  test('C112 a large file in the commits of the model is left out of the history', async () => {
    const workspace = fakeWorkspace([refused('remote: error: GH001: Large files detected.'), pushed], { squash: () => Promise.resolve(changes) })
    expect(await publishChanges(workWith({ workspace, changes: { ...changes, parent: 'own commit' } }))).toMatchObject({
      rung: 'branch',
      wanted: true,
      notes: [],
    })
    expect(workspace.pushed).toHaveLength(2)
  })

  test('a remote that is away for a moment is asked again', async () => {
    const away = refused('fatal: unable to access: The requested URL returned error: 503')
    expect(await publishChanges(workWith({ workspace: fakeWorkspace([away, pushed]) }))).toMatchObject({ rung: 'branch', wanted: true })
    const workspace = fakeWorkspace([away])
    expect(await publishChanges(workWith({ workspace }))).toMatchObject({ rung: 'patch', wanted: false })
    expect(workspace.pushed).toHaveLength(3)
  })

  test('C137 a patch that can not be written does not hide why one was needed', async () => {
    const workspace = fakeWorkspace([refused('error: 403')], { patch: () => Promise.reject(new WorkspaceError('The disk is full', 'Make room.')) })
    expect(await publishChanges(workWith({ workspace }))).toMatchObject({
      rung: 'patch',
      wanted: false,
      why: { said: 'error: 403' },
      notes: [expect.stringContaining('disk is full')],
    })
  })

  test('a run that was stopped pushes nothing', async () => {
    const workspace = fakeWorkspace()
    await expect(publishChanges(workWith({ workspace, signal: AbortSignal.abort() }))).rejects.toThrow(PublishError)
    expect(workspace.pushed).toEqual([])
  })
})
