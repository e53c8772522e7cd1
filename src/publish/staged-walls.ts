import type { GitHub } from '../github/types.ts'
import type { Workspace } from '../workspace/types.ts'

const refused = (name: string) => (): Promise<never> => Promise.reject(new Error(`mode: staged writes nothing, but ${name} was called.`))

/**
 * The gateway of a run with `mode: staged`: it reads, and throws a plain error where anything would be written. Such a call is a fault of ours,
 * since nothing asks for one in that mode; this is the second wall. The type makes every new method choose its side here.
 */
export function readOnly(github: GitHub): GitHub {
  return {
    permission: (login) => github.permission(login),
    repository: () => github.repository(),
    discussion: (number) => github.discussion(number),
    watch: (number, isPull) => github.watch(number, isPull),
    findPull: (head, base) => github.findPull(head, base),
    pullState: (number) => github.pullState(number),
    pullFiles: (number) => github.pullFiles(number),
    compare: (base, head) => github.compare(base, head),
    labels: () => github.labels(),
    search: (words, count) => github.search(words, count),
    runState: (id) => github.runState(id),
    failedJobs: (run) => github.failedJobs(run),
    pushes: (repository, branch) => github.pushes(repository, branch),
    branchTip: (branch) => github.branchTip(branch),
    bodyHtml: (target) => github.bodyHtml(target),
    get requests() {
      return github.requests
    },
    createComment: refused('createComment'),
    updateComment: refused('updateComment'),
    deleteComment: refused('deleteComment'),
    replyToRemark: refused('replyToRemark'),
    updateRemark: refused('updateRemark'),
    deleteRemark: refused('deleteRemark'),
    createReview: refused('createReview'),
    resolveThread: refused('resolveThread'),
    react: refused('react'),
    unreact: refused('unreact'),
    createPull: refused('createPull'),
    addLabels: refused('addLabels'),
    removeLabel: refused('removeLabel'),
    assign: refused('assign'),
    close: refused('close'),
    createBlob: refused('createBlob'),
    createTree: refused('createTree'),
    createCommit: refused('createCommit'),
    createBranch: refused('createBranch'),
    moveBranch: refused('moveBranch'),
  }
}

/** The same for the checkout: it works, commits and reads, and throws where the remote would be changed. */
export function neverPushing(workspace: Workspace): Workspace {
  return { ...workspace, push: refused('push'), drop: refused('drop') }
}
