import { GitHubError, type GitHubErrorKind } from '../../src/github/errors.ts'
import type { GitHub } from '../../src/github/types.ts'
import type { Changes, Pushed, Replayed, Workspace } from '../../src/workspace/types.ts'

type Call = [string, ...unknown[]]

/** A GitHub that notes what is asked of it and answers with plain values, or as the test says. */
export function fakeGitHub(answers: Partial<GitHub> = {}): GitHub & { readonly calls: Call[] } {
  const calls: Call[] = []
  const unasked = () => Promise.reject(new Error('the test did not expect this request'))
  const note =
    <A extends unknown[], R>(name: string, answer: (...args: A) => Promise<R>) =>
    (...args: A) => {
      calls.push([name, ...args])
      return answer(...args)
    }
  const comment = { id: 100, url: 'https://github.test/comment/100' }
  const pull = { number: 13, url: 'https://github.test/pull/13' }
  let objects = 0
  const object = (kind: string) => () => Promise.resolve(`${kind}${++objects}`)
  const answer = <R>(value: R) => Promise.resolve(value)
  return {
    calls,
    requests: 0,
    permission: answers.permission ?? unasked,
    repository: answers.repository ?? unasked,
    discussion: answers.discussion ?? unasked,
    watch: answers.watch ?? (() => ({ look: unasked })),
    createComment: note('createComment', answers.createComment ?? (() => answer(comment))),
    updateComment: note('updateComment', answers.updateComment ?? (() => answer(comment))),
    deleteComment: note('deleteComment', answers.deleteComment ?? (() => answer(undefined))),
    replyToRemark: note('replyToRemark', answers.replyToRemark ?? (() => answer(comment))),
    updateRemark: note('updateRemark', answers.updateRemark ?? (() => answer(comment))),
    deleteRemark: note('deleteRemark', answers.deleteRemark ?? (() => answer(undefined))),
    createReview: note('createReview', answers.createReview ?? (() => answer(comment))),
    resolveThread: note('resolveThread', answers.resolveThread ?? (() => answer(undefined))),
    react: note('react', answers.react ?? (() => answer(77))),
    unreact: note('unreact', answers.unreact ?? (() => answer(undefined))),
    createPull: note('createPull', answers.createPull ?? (() => answer(pull))),
    findPull: note('findPull', answers.findPull ?? (() => answer(undefined))),
    pullState: note('pullState', answers.pullState ?? unasked),
    pullFiles: note('pullFiles', answers.pullFiles ?? unasked),
    compare: note('compare', answers.compare ?? unasked),
    labels: note('labels', answers.labels ?? unasked),
    addLabels: note('addLabels', answers.addLabels ?? (() => answer(undefined))),
    removeLabel: note('removeLabel', answers.removeLabel ?? (() => answer(undefined))),
    assign: note('assign', answers.assign ?? (() => answer(undefined))),
    close: note('close', answers.close ?? (() => answer(undefined))),
    search: note('search', answers.search ?? unasked),
    runState: note('runState', answers.runState ?? unasked),
    failedJobs: note('failedJobs', answers.failedJobs ?? unasked),
    pushes: note('pushes', answers.pushes ?? unasked),
    branchTip: note('branchTip', answers.branchTip ?? unasked),
    createBlob: note('createBlob', answers.createBlob ?? object('blob')),
    createTree: note('createTree', answers.createTree ?? object('tree')),
    createCommit: note('createCommit', answers.createCommit ?? object('commit')),
    createBranch: note('createBranch', answers.createBranch ?? (() => answer(undefined))),
    moveBranch: note('moveBranch', answers.moveBranch ?? (() => answer(undefined))),
    bodyHtml: note('bodyHtml', answers.bodyHtml ?? unasked),
  }
}

export function refusal(kind: GitHubErrorKind, said?: string): GitHubError {
  return new GitHubError(`GitHub said no: ${said ?? kind}`, 'Do something about it.', { kind, ...(said === undefined ? {} : { said }) })
}

interface FakeWorkspace extends Workspace {
  readonly pushed: string[]
}

/** A workspace whose pushes end as the list says, one after the other; the last one repeats. A replay makes a new commit, or ends as `answers` say. */
export function fakeWorkspace(pushes: readonly Pushed[] = [], answers: Partial<Workspace> & { readonly replayed?: Replayed } = {}): FakeWorkspace {
  const pushed: string[] = []
  const unasked = () => Promise.reject(new Error('the test did not expect this call'))
  let replays = 0
  return {
    root: '/workspace',
    pushed,
    start: unasked,
    changes: unasked,
    squash: unasked,
    commit: (_, message) => Promise.resolve(`commit of "${message}"`),
    push: (commit, { branch, repository }, expect) => {
      const answer = pushes[Math.min(pushed.length, pushes.length - 1)] ?? { kind: 'pushed' }
      pushed.push(`${commit} to ${repository === undefined ? '' : `${repository}:`}${branch} ${expect === 'absent' ? expect : `at ${expect.tip}`}`)
      return Promise.resolve(answer)
    },
    drop: (commit, branch) => {
      pushed.push(`drop ${branch} at ${commit}`)
      return Promise.resolve({ kind: 'pushed' })
    },
    replay: () => {
      replays += 1
      return Promise.resolve(answers.replayed ?? { kind: 'replayed', commit: `replay ${replays}`, tip: `tip ${replays}` })
    },
    revert: unasked,
    delta: unasked,
    copy: unasked,
    blob: unasked,
    patch: () => Promise.resolve({ text: 'the patch', bytes: 9 }),
    edits: unasked,
    apply: unasked,
    tree: unasked,
    recentFiles: unasked,
    ...answers,
  }
}

export const changes: Changes = { files: [{ path: 'a.ts', status: 'modified' }], parent: 'start', tree: 'tree', none: false, warnings: [] }
