import { expect, test } from 'vitest'
import { steeringNotes } from '../../src/run/steering.ts'

const file = (path: string) => ({ path, additions: 1, deletions: 0, change: 'ADDED' })
const pull = (paths: readonly string[], changedFiles = paths.length) => ({ files: paths.map(file), changedFiles, baseRef: 'main' })

test('a pull request that changes nothing that steers is not remarked upon', () => {
  expect(steeringNotes(pull(['src/a.ts', 'README.md']))).toEqual([])
})

test('names what steers, and the branch that the run went by', () => {
  const [note = ''] = steeringNotes(pull(['src/a.ts', 'AGENTS.md', '.opencode/tool/x.ts']))
  expect(note).toContain('`AGENTS.md`, `.opencode/tool/x.ts`.')
  expect(note).not.toContain('src/a.ts')
  expect(note).toContain('`main`')
})

test('a name that holds markup or calls somebody stays a name', () => {
  const [note = ''] = steeringNotes(pull(['.opencode/`@octo/all` [x](https://evil.test)/a.md']))
  expect(note).toContain('``.opencode/`@octo/all` [x](https://evil.test)/a.md``')
})

test('of many files the number is told, and that GitHub did not list all of them', () => {
  const many = Array.from({ length: 14 }, (_, index) => `.opencode/${index}.md`)
  expect(steeringNotes(pull(many))[0]).toContain('`.opencode/9.md` and 4 more.')
  expect(steeringNotes(pull(['AGENTS.md'], 400))[0]).toContain('GitHub did not list 399 more changed files.')
})

test('a list of files that GitHub cut short, with nothing in it that steers, is said to be no proof', () => {
  expect(steeringNotes(pull(['src/a.ts'], 400))[0]).toContain('399')
})
