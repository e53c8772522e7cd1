import { describe, expect, test } from 'vitest'
import { stagedReport } from '../../src/publish/staged.ts'
import { neverPushing, readOnly } from '../../src/publish/staged-walls.ts'
import { git } from '../support/git-server.ts'
import { makeWorld, write } from '../workspace/git-world.ts'
import { findingAt, reviewHub, reviewOf } from './review-kit.ts'

const nothing = { add: [], remove: [], assign: [], close: undefined }
const safe = (text: string) => text.replaceAll('SECRET', '***')

describe('the report of what would have been done', () => {
  const work = {
    branch: 'opencode/issue-7',
    message: 'Fix the dates\n',
    pull: 'A pull request into `main` would be opened.',
    files: [{ path: 'src/a.ts', status: 'modified' as const }],
    patch: '--- a\n+++ b\n+```\n+SECRET\n',
    patchPath: undefined,
  }

  test('shows commit, patch, review, labels and reply', () => {
    const outside = findingAt({ number: 2, path: 'docs/x.md', place: undefined, title: 'out of date' })
    const text = stagedReport(
      {
        number: 7,
        reply: 'Done. SECRET',
        work,
        intents: { triage: { ...nothing, add: ['bug'], close: 'completed' }, review: reviewOf([findingAt(), outside]) },
      },
      safe,
    )
    expect(text).toMatch(/^## What would have been done\n\n`mode: staged`: nothing was written to GitHub\./)
    expect(text).toContain('A commit on `opencode/issue-7`. A pull request into `main` would be opened.')
    expect(text).toContain('- `src/a.ts` (modified)')
    expect(text).toContain('<details><summary>The patch</summary>\n\n````diff\n--- a\n+++ b\n+```\n+***\n````\n\n</details>')
    expect(text).toContain('### Review of 0123456\n\n#### At `src/a.ts:12`\n\n**b may be undefined** (medium)')
    expect(text).toContain('**out of date**')
    expect(text).toContain('### Issue #7\n\n- Set the label `bug`.\n- Close it as completed.')
    expect(text).toContain('### Reply on #7\n\nDone. ***')
    expect(text).not.toContain('SECRET')
  })

  test('says so when nothing was changed, and where a long patch is', () => {
    const idle = stagedReport({ number: undefined, reply: '', work: undefined, intents: { triage: nothing } }, safe)
    expect(idle).toContain('No file was changed')
    expect(idle).not.toMatch(/### (Issue|Review|Reply|Changes)/)
    expect(stagedReport({ number: 7, reply: 'x', work: { ...work, patch: undefined, patchPath: '/tmp/w.patch' }, intents: undefined }, safe)).toContain(
      'The patch is too long to be shown. It is in `/tmp/w.patch`.',
    )
  })
})

describe('the gateway of such a run', () => {
  test('lets reading through and counts the requests of the one behind it', async () => {
    const github = reviewHub({ pullFiles: () => Promise.resolve([]) })
    const wall = readOnly(github)
    expect(await wall.pullFiles(4)).toEqual([])
    expect(await wall.compare('a', 'b')).toBeUndefined()
    expect(wall.requests).toBe(3)
    expect(github.calls).toEqual([
      ['pullFiles', 4],
      ['compare', 'a', 'b'],
    ])
  })

  test('throws where something would be written, and GitHub hears nothing of it', async () => {
    const github = reviewHub()
    const wall = readOnly(github)
    await expect(wall.addLabels(7, ['bug'])).rejects.toThrow('mode: staged writes nothing, but addLabels was called.')
    await expect(wall.createReview(7, { commit: 'a', body: 'b', remarks: [] })).rejects.toThrow('createReview')
    await expect(wall.createComment(7, 'x')).rejects.toThrow('createComment')
    await expect(wall.moveBranch('main', 'a')).rejects.toThrow('moveBranch')
    expect(github.calls).toEqual([])
  })
})

test('the checkout of such a run works and commits, and throws where it would push', async () => {
  const world = await makeWorld()
  try {
    await world.push('main', { 'a.txt': 'a\n' })
    const root = await world.checkout()
    const workspace = neverPushing(await world.open(root))
    const start = await workspace.start('main')
    await write(root, 'a.txt', 'b\n')
    const commit = await workspace.commit(await workspace.changes(start, () => false), 'Change it')
    await expect(workspace.push(commit, { branch: 'work' }, 'absent')).rejects.toThrow('mode: staged writes nothing, but push was called.')
    await expect(workspace.drop(start.commit, 'main')).rejects.toThrow('drop')
    expect(await git(world.server.folder('demo'), 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
  } finally {
    await world.close()
  }
})
