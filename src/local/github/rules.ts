import type { State } from './state.ts'

/** Rules by which the emulated GitHub turns a push down, and the words it uses. */

/** What a push changes on one branch. */
export interface PushedRef {
  readonly repository: string
  readonly ref: string
  readonly before: string
  readonly after: string
  /** Files that are new or changed, with their sizes in bytes. */
  readonly files: readonly { readonly path: string; readonly size: number }[]
}

/** A push is refused when all that is named here is so. */
export interface PushMatch {
  /** `owner/name`; the repository itself and its forks unless told otherwise. */
  readonly repository?: string
  /** A branch without `refs/heads/`, or an expression that must be found in it. */
  readonly branch?: string | RegExp
  /** A changed file. */
  readonly path?: string | RegExp
  /** A file of more bytes than these. */
  readonly largerThan?: number
}

/** GitHub's own kinds of refusal, or words of the test's own. */
export type PushWords =
  | 'workflows'
  | 'large-file'
  | 'protected-branch'
  | 'rules'
  | 'permission'
  | { readonly kind: 'protected-branch' | 'rules'; readonly details: readonly string[] }
  | { readonly reason: string; readonly remote?: readonly string[] }

export interface PushRule {
  readonly match: PushMatch
  readonly words: PushWords
  left: number
}

export interface PushRefusal {
  /** What stands behind the branch: `! [remote rejected] main -> main (REASON)`. */
  readonly reason: string
  /** Lines the pusher sees as `remote: …`. */
  readonly remote: readonly string[]
}

const workflow = /^\.github\/workflows\/[^/]+\.ya?ml$/
const largest = 100 * 1024 * 1024

/** The first rule that a push breaks, used up by one; undefined when it may pass. */
export function judge(rules: readonly PushRule[], state: State, pushed: readonly PushedRef[]): PushRefusal | undefined {
  for (const rule of rules) {
    if (rule.left <= 0) continue
    for (const change of pushed) {
      const file = breaks(rule, change)
      if (file === undefined) continue
      rule.left -= 1
      return refusalOf(rule.words, change, file, state)
    }
  }
  return undefined
}

type File = PushedRef['files'][number]
const found = (wanted: string | RegExp, text: string) => (typeof wanted === 'string' ? wanted === text : wanted.test(text))

/** The file by which a rule is broken (an empty one where it is the branch); undefined when it is kept. */
function breaks({ match, words }: PushRule, change: PushedRef): File | undefined {
  if (match.repository !== undefined && match.repository.toLowerCase() !== change.repository.toLowerCase()) return undefined
  if (match.branch !== undefined && !found(match.branch, change.ref.replace(/^refs\/heads\//, ''))) return undefined
  const path = match.path ?? (words === 'workflows' ? workflow : undefined)
  const size = match.largerThan ?? (words === 'large-file' ? largest : undefined)
  if (path === undefined && size === undefined) return { path: '', size: 0 }
  return change.files.find((file) => (path === undefined || found(path, file.path)) && (size === undefined || file.size > size))
}

function refusalOf(words: PushWords, { ref }: PushedRef, file: File, state: State): PushRefusal {
  if (typeof words === 'object' && 'reason' in words) return { reason: words.reason, remote: words.remote ?? [] }
  const kind = typeof words === 'string' ? words : words.kind
  const details = typeof words === 'string' ? undefined : words.details
  switch (kind) {
    case 'workflows':
      return { reason: `refusing to allow a GitHub App to create or update workflow \`${file.path}\` without \`workflows\` permission`, remote: [] }
    case 'large-file':
      return {
        reason: 'pre-receive hook declined',
        remote: [
          `error: File ${file.path} is ${(file.size / 1024 / 1024).toFixed(2)} MB; this exceeds GitHub's file size limit of 100.00 MB`,
          'error: GH001: Large files detected. You may want to try Git Large File Storage.',
        ],
      }
    case 'protected-branch':
      return {
        reason: 'protected branch hook declined',
        remote: [
          `error: GH006: Protected branch update failed for ${ref}.`,
          ...(details ?? ['Changes must be made through a pull request.']).map((line) => `error: ${line}`),
        ],
      }
    case 'rules':
      return {
        reason: 'push declined due to repository rule violations',
        remote: [
          `error: GH013: Repository rule violations found for ${ref}.`,
          `Review all repository rules at /${state.owner}/${state.repo}/rules?ref=${encodeURIComponent(ref)}`,
          '',
          ...(details ?? ['Commits must have verified signatures.']).map((line) => `- ${line}`),
          '',
        ],
      }
    case 'permission':
      return { reason: 'permission denied', remote: [] }
  }
}
