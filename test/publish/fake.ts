import { GitHubError, type GitHubErrorKind } from '../../src/github/errors.ts'
import type { GitHub } from '../../src/github/types.ts'
import type { Changes, Pushed, Workspace } from '../../src/workspace/types.ts'

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
  return {
    calls,
    requests: 0,
    permission: unasked,
    repository: unasked,
    discussion: unasked,
    deleteComment: unasked,
    createComment: note('createComment', answers.createComment ?? (() => Promise.resolve(comment))),
    updateComment: note('updateComment', answers.updateComment ?? (() => Promise.resolve(comment))),
    react: note('react', answers.react ?? (() => Promise.resolve(77))),
    unreact: note('unreact', answers.unreact ?? (() => Promise.resolve())),
    createPull: note('createPull', answers.createPull ?? (() => Promise.resolve(pull))),
    findPull: note('findPull', answers.findPull ?? (() => Promise.resolve(undefined))),
  }
}

export function refusal(kind: GitHubErrorKind): GitHubError {
  return new GitHubError(`GitHub said no (${kind}).`, 'Do something about it.', { kind })
}

/** A workspace whose pushes end as the list says, one after the other; the last one repeats. */
export function fakeWorkspace(...pushes: Pushed[]): Workspace & { readonly pushed: string[] } {
  const pushed: string[] = []
  const unasked = () => Promise.reject(new Error('the test did not expect this call'))
  return {
    root: '/workspace',
    pushed,
    start: unasked,
    changes: unasked,
    patch: unasked,
    tree: unasked,
    recentFiles: unasked,
    commit: (_, message) => Promise.resolve(`commit of "${message}"`),
    push: (_, branch, expect) => {
      const answer = pushes[Math.min(pushed.length, pushes.length - 1)] ?? { kind: 'pushed' }
      pushed.push(`${branch} ${expect}`)
      return Promise.resolve(answer)
    },
  }
}

export const changes: Changes = { files: [{ path: 'a.ts', status: 'modified' }], parent: 'parent', tree: 'tree', none: false, warnings: [] }
