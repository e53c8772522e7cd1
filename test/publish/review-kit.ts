import { GitHubError, type GitHubErrorKind } from '../../src/github/errors.ts'
import type { Comment, GitHub, Review, ReviewThread } from '../../src/github/types.ts'
import type { Finding, ReviewIntent } from '../../src/tool/review-finding.ts'

type Call = [string, ...unknown[]]

/** A GitHub that notes what is asked of it, takes every review and knows nothing; a test lays its own answers over it. */
export function reviewHub(answers: Partial<GitHub> = {}): GitHub & { readonly calls: Call[] } {
  const calls: Call[] = []
  const posted = { id: 100, url: 'https://github.test/review/100' }
  const noting =
    <A extends unknown[], R>(name: string, answer: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> => {
      calls.push([name, ...args])
      return answer(...args)
    }
  const unasked = () => Promise.reject(new Error('the test did not expect this request'))
  const nothing = () => Promise.resolve()
  return {
    calls,
    requests: 3,
    permission: unasked,
    repository: unasked,
    discussion: unasked,
    watch: () => ({ look: unasked }),
    createComment: unasked,
    updateComment: unasked,
    deleteComment: unasked,
    replyToRemark: unasked,
    deleteRemark: unasked,
    react: unasked,
    unreact: unasked,
    createPull: unasked,
    findPull: unasked,
    pullState: unasked,
    labels: unasked,
    search: unasked,
    runState: unasked,
    failedJobs: unasked,
    pushes: unasked,
    branchTip: unasked,
    createBlob: unasked,
    createTree: unasked,
    createCommit: unasked,
    createBranch: unasked,
    moveBranch: unasked,
    bodyHtml: unasked,
    updateRemark: noting('updateRemark', answers.updateRemark ?? (() => Promise.resolve(posted))),
    createReview: noting('createReview', answers.createReview ?? (() => Promise.resolve(posted))),
    resolveThread: noting('resolveThread', answers.resolveThread ?? nothing),
    pullFiles: noting('pullFiles', answers.pullFiles ?? (() => Promise.resolve([]))),
    compare: noting('compare', answers.compare ?? (() => Promise.resolve(undefined))),
    addLabels: noting('addLabels', answers.addLabels ?? nothing),
    removeLabel: noting('removeLabel', answers.removeLabel ?? nothing),
    assign: noting('assign', answers.assign ?? nothing),
    close: noting('close', answers.close ?? nothing),
  }
}

export function refusal(kind: GitHubErrorKind, status: number): GitHubError {
  return new GitHubError(`GitHub refused (${status}).`, 'Do something about it.', { kind, status, said: 'line must be part of the diff' })
}

export const head = '0123456789abcdef0123456789abcdef01234567'

/** A finding at line 12 of `src/a.ts`, where the diff shows it. */
export function findingAt(change: Partial<Finding> = {}): Finding {
  const at = { side: 'RIGHT', start: 12, end: 12 } as const
  const number = change.number ?? 1
  return {
    number,
    path: 'src/a.ts',
    wanted: at,
    place: { ...at, exact: true },
    title: 'b may be undefined',
    body: 'Then it throws.',
    severity: 'medium',
    suggestion: undefined,
    mark: { at: `digest ${number}`, title: 'b may be undefined' },
    ...change,
  }
}

export function reviewOf(findings: readonly Finding[], change: Partial<ReviewIntent> = {}): ReviewIntent {
  return { head, findings, fixed: [], known: [], ...change }
}

const bot = { login: 'bot[bot]', isBot: true }

export function commentOf(body: string, change: Partial<Comment> = {}): Comment {
  return { id: 1, author: bot, body, createdAt: '2026-01-01T00:00:00Z', lastEditedAt: null, minimized: false, url: 'u', ...change }
}

export function threadOf(body: string, change: Partial<ReviewThread> = {}, comment: Partial<Comment> = {}): ReviewThread {
  return {
    id: 'T1',
    path: 'src/a.ts',
    line: 12,
    startLine: null,
    side: 'RIGHT',
    resolved: false,
    outdated: false,
    hunk: '',
    comments: [commentOf(body, comment)],
    ...change,
  }
}

export function submitted(body: string, change: Partial<Review> = {}): Review {
  return {
    id: 9,
    author: bot,
    body,
    state: 'COMMENTED',
    submittedAt: '2026-01-01T00:00:00Z',
    lastEditedAt: null,
    minimized: false,
    commit: head,
    url: 'u',
    ...change,
  }
}
