import { wasNotReached } from '../workspace/reach.ts'

/**
 * Why a remote said no to a push, as far as its words tell: workflow files need a right of their own (C110), a branch is protected or wants signed
 * commits (C111), a file in the history is too large (C112), the token may not write there at all (C93), the server could not be reached or failed.
 */
export type RefusalKind = 'workflow' | 'signatures' | 'protected' | 'large' | 'forbidden' | 'unavailable' | 'other'

/** Wordings as GitHub's git server and its API use them; the first that fits counts. */
const wordings: readonly (readonly [RefusalKind, RegExp])[] = [
  ['workflow', /refusing to allow .{0,200}\bworkflow\b|without [`'"]?workflows?[`'"]? (scope|permission)/is],
  ['large', /\bGH001\b|exceeds GitHub's file size limit|large files detected/i],
  ['signatures', /verified signatures|must be signed|signed commits/i],
  ['protected', /\bGH006\b|\bGH013\b|protected branch|rule violations|changes must be made through a pull request|at least \d+ approving review/i],
  [
    'forbidden',
    /(error: |HTTP |\()40[13]\b|permission to .{1,200} denied|write access to repository not granted|resource not accessible|authentication failed|could not read username|permission denied/is,
  ],
]

/** The kind of a refusal, by the remote's own words. */
export function refusalKind(reason: string): RefusalKind {
  return wordings.find(([, wording]) => wording.test(reason))?.[0] ?? (wasNotReached(reason) ? 'unavailable' : 'other')
}

/** Whether a path holds workflows of GitHub Actions, which only some tokens may change. */
export function isWorkflow(path: string): boolean {
  return path.startsWith('.github/workflows/')
}

const hints: Readonly<Record<RefusalKind, string>> = {
  workflow:
    'No permission that a workflow can give to its own token covers workflow files: pass a token with the `workflow` scope (or an app with `workflows: write`) as `github-token`.',
  signatures: 'The rules of the repository want signed commits: set `commit-method: api`, whose commits GitHub signs.',
  protected: 'Let the rules of the branch admit the bot, or merge the work by hand.',
  large: 'Remove the large file from the work, or track it with Git LFS.',
  forbidden: 'Give the job `permissions: contents: write`, or pass a token that may push there as `github-token`.',
  unavailable: 'Ask again in some minutes.',
  other: 'Check that the token may push to the repository (`permissions: contents: write`) and that its rules admit the bot.',
}

/** What a person can do about a refusal. */
export function hintFor(kind: RefusalKind): string {
  return hints[kind]
}
