import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { branchName, coAuthor, noreply, validBranch, withSuffix } from '../../src/workspace/names.ts'
import { git } from '../support/git-server.ts'

const gitAccepts = (name: string) =>
  git(tmpdir(), 'check-ref-format', '--branch', name).then(
    () => true,
    () => false,
  )

describe('the branch of a run', () => {
  test.each([
    [{ kind: 'issue', number: 12, title: 'Fix the date parsing' }, 'opencode/issue12-fix-the-date-parsing'],
    [{ kind: 'issue', number: 12, title: '🔥🔥' }, 'opencode/issue12'],
    [{ kind: 'issue', number: 12, title: '修复登录' }, 'opencode/issue12'],
    [{ kind: 'issue', number: 7, title: 'Überprüfe `$(rm -rf)` in area:db/..lock' }, 'opencode/issue7-uberprufe-rm-rf-in-area-db-lock'],
    [{ kind: 'schedule', title: 'Nightly clean-up' }, 'opencode/schedule-nightly-clean-up'],
    [{ kind: 'dispatch', title: '' }, 'opencode/dispatch'],
    [
      { kind: 'issue', number: 3, title: 'The parser drops the last day of February in leap years' },
      'opencode/issue3-the-parser-drops-the-last-day-of-february-in-leap',
    ],
    [{ kind: 'issue', number: 3, title: 'x'.repeat(80) }, `opencode/issue3-${'x'.repeat(50)}`],
  ] as const)('C95 is named after the title: %j', (input, expected) => {
    expect(branchName({ prefix: 'opencode/', ...input })).toBe(expected)
  })

  test('C95 is a name git allows, whatever the title', async () => {
    const title = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme', maxLength: 90 }),
      fc.string({ unit: fc.constantFrom('.', '-', '/', 'a', 'lock', '@{', ' ') }),
    )
    await fc.assert(
      fc.asyncProperty(title, async (text) => {
        const name = branchName({ prefix: 'opencode/', kind: 'issue', number: 1, title: text })
        expect(await gitAccepts(name)).toBe(true)
        expect(name.length).toBeLessThanOrEqual('opencode/issue1-'.length + 50)
      }),
      { numRuns: 60 },
    )
  })

  test('C109 gets a number when it is taken', () => {
    expect(withSuffix('opencode/issue12', 2)).toBe('opencode/issue12-2')
  })
})

describe('valid names', () => {
  test.each(['feature/AB#12-x', 'a@b', 'feat(x)', 'a,b', 'x\u00a0', 'ünï/✓', 'release/1.x#2', '$(touch\x24{IFS}pwned)'])(
    'C94 %j is as valid for us as for git',
    (name) => {
      expect(validBranch(name)).toBe(true)
    },
  )

  test('are exactly those git allows', async () => {
    const part = fc.constantFrom('a', 'B', '.', '..', '/', '-', '.lock', '@', '{', '~', '^', ':', '?', '*', '[', ']', '\\', ' ', '\t', '\x7f', 'é', 'HEAD', '#')
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: part, maxLength: 4 }), async (name) => {
        // `@` is a way to write HEAD, and no name for a branch.
        expect(validBranch(name)).toBe(name !== '@' && (await gitAccepts(name)))
      }),
      { numRuns: 150, examples: [['HEAD'], ['@'], ['a.lock/b'], ['-a'], ['']] },
    )
  })
})

describe('identities', () => {
  test('C114 the bot commits under its id-prefixed noreply address', () => {
    expect(noreply({ login: 'github-actions[bot]', id: 41_898_282 }, 'https://github.com')).toEqual({
      name: 'github-actions[bot]',
      email: '41898282+github-actions[bot]@users.noreply.github.com',
    })
  })

  test('the mail domain follows the server', () => {
    expect(noreply({ login: 'bot', id: undefined }, 'https://git.example.com:8443').email).toBe('bot@users.noreply.git.example.com')
  })

  test('C114 a person who asked is a co-author', () => {
    expect(coAuthor({ login: 'octocat', id: 583_231, type: 'User' }, 'https://github.com')).toBe(
      'Co-authored-by: octocat <583231+octocat@users.noreply.github.com>',
    )
  })

  test.each([
    { login: 'renovate[bot]', id: 1, type: 'Bot' },
    { login: '', id: 1, type: 'User' },
    { login: 'octo-org', id: 1, type: 'Organization' },
    { login: 'ghost', type: 'User' },
    { login: 'a>\nX: y', id: 1, type: 'User' },
  ])('C114 %j is not', (person) => {
    expect(coAuthor(person, 'https://github.com')).toBeUndefined()
  })
})
