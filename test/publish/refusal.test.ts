import { expect, test } from 'vitest'
import { hintFor, refusalKind } from '../../src/publish/refusal.ts'

test.each([
  ['workflow', 'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission'],
  ['workflow', 'refusing to allow a Personal Access Token to create or update workflow `.github/workflows/ci.yml` without `workflow` scope'],
  ['signatures', 'error: GH013: Repository rule violations found for refs/heads/x.\n\n- Commits must have verified signatures.'],
  ['protected', 'error: GH006: Protected branch update failed for refs/heads/main.'],
  ['protected', 'error: GH013: Repository rule violations found.\n- Changes must be made through a pull request.'],
  [
    'large',
    "error: GH001: Large files detected. You may want to try Git Large File Storage.\nerror: File x is 120.00 MB; this exceeds GitHub's file size limit of 100.00 MB",
  ],
  ['forbidden', 'Permission to octo/demo.git denied to github-actions[bot].\nfatal: unable to access: The requested URL returned error: 403'],
  ['forbidden', 'Write access to repository not granted.'],
  ['unavailable', "fatal: unable to access 'https://github.test/': Could not resolve host: github.test"],
  ['unavailable', 'git push did not end within 300 seconds and was stopped'],
  ['other', 'pre-receive hook declined'],
  ['other', 'our policy wants 403 reviews of 500 lines'],
])('C110 C111 C112 %s: %j', (kind, reason) => {
  expect(refusalKind(reason)).toBe(kind)
})

test('C111 signed commits are to be had by the API', () => {
  expect(hintFor('signatures')).toContain('commit-method: api')
})
