import { z } from 'zod'
import type { Gateway } from './gateway.ts'
import { persist, unless } from './persist.ts'
import type { BranchPush, Connection, GitHub } from './types.ts'

const writable = { permission: 'contents: write` and, for files in .github/workflows, `workflows: write', write: true }
const readable = { permission: 'contents: read' }

// The shapes of what is rare are made when they are used: that costs less than a start that needs none of them.
const made = () => z.object({ sha: z.string() })
const ref = () => z.object({ object: z.object({ sha: z.string() }) })

type Branches = Pick<GitHub, 'pushes' | 'branchTip' | 'createBlob' | 'createTree' | 'createCommit' | 'createBranch' | 'moveBranch'>

/** Branches, and commits made by GitHub itself. */
export function branches(gateway: Gateway, { owner, repo }: Connection): Branches {
  const at = { owner, repo }

  const branchTip = async (branch: string): Promise<string | undefined> => {
    const call = { action: `read the branch ${branch}`, ...readable, shape: ref() }
    const found = await unless(
      ['missing'],
      gateway.rest(call, ({ rest }) => rest.git.getRef({ ...at, ref: `heads/${branch}` })),
    )
    return found?.object.sha
  }

  return {
    async pushes(repository, branch) {
      const [owner = '', repo = ''] = repository.split('/')
      const call = { action: `read the pushes to ${branch} of ${repository}`, ...readable, refusable: true, shape: moves() }
      const query = { owner, repo, ref: `refs/heads/${branch}`, per_page: 100 }
      return unless(
        ['forbidden', 'missing'],
        gateway.rest(call, ({ rest }) => rest.repos.listActivities(query)),
      )
    },
    branchTip,

    // Blobs, trees and commits nobody refers to are nothing, so that making one twice does no harm.
    async createBlob(content) {
      const call = { action: 'store a file', ...writable, shape: made() }
      const blob = { ...at, content: content.toString('base64'), encoding: 'base64' }
      return (await gateway.rest(call, ({ rest }) => rest.git.createBlob(blob))).sha
    },
    async createTree(base, entries) {
      const call = { action: 'store a tree', ...writable, shape: made() }
      const tree = entries.map(({ path, mode, sha }) => ({ path, mode, sha, type: mode === '160000' ? ('commit' as const) : ('blob' as const) }))
      return (await gateway.rest(call, ({ rest }) => rest.git.createTree({ ...at, base_tree: base, tree }))).sha
    },
    async createCommit({ message, tree, parents }) {
      // With an author or committer of our own GitHub would not sign it.
      const call = { action: 'store a commit', ...writable, shape: made() }
      return (await gateway.rest(call, ({ rest }) => rest.git.createCommit({ ...at, message, tree, parents: [...parents] }))).sha
    },
    async createBranch(branch, commit) {
      const call = { action: `create the branch ${branch}`, ...writable, shape: ref(), once: true }
      await persist(
        gateway,
        () => gateway.rest(call, ({ rest }) => rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha: commit })),
        async () => ((await branchTip(branch)) === commit ? { object: { sha: commit } } : undefined),
      )
    },
    async moveBranch(branch, commit) {
      const call = { action: `move the branch ${branch}`, ...writable, shape: ref() }
      await gateway.rest(call, ({ rest }) => rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha: commit, force: false }))
    },
  }
}

/** Whatever made the branch point to another commit: a branch that was removed and made again has moved as well. */
const moves = () =>
  z
    .array(
      z.object({
        activity_type: z.string(),
        actor: z.object({ login: z.string() }).nullish(),
        timestamp: z.string(),
        before: z.string(),
        after: z.string(),
      }),
    )
    .transform((all) =>
      all
        .filter((activity) => activity.activity_type !== 'branch_deletion')
        .map(({ actor, timestamp, before, after }): BranchPush => ({ actor: actor?.login ?? 'ghost', at: timestamp, before, after })),
    )
